"""A request over a range has two phases: the first changes nothing, the second writes and measures."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import suppress

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.session import session
from bpy.types import Object

from support import file_data
from support.rigs import animate, arm
from support.truth import Limb

FRAMES = (1, 10)


def baking(rig: Object, **settings: object) -> api.Request:
    return api.bake.request(rig, frames=FRAMES, **settings)


def go_on(request: api.Request) -> None:
    """Take all steps, until the request says that there are no more."""
    while True:
        next(request)


def baking_targets(rig: Object, **settings: object) -> api.Request:
    return api.bake_targets.request(rig, frames=FRAMES, **settings)


REQUESTS = pytest.mark.parametrize("request_of", [baking, baking_targets], ids=lambda found: found.__name__)


@pytest.fixture
def rig() -> Object:
    chain = arm()
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 10: (0.5, -0.8, 1.5)})
    bpy.context.view_layer.update()
    return chain.id_data


def keyed(rig: Object) -> bool:
    return bool(rig.animation_data and rig.animation_data.action)


@REQUESTS
def test_the_first_phase_tells_the_part_that_is_done(rig: Object, request_of: Callable) -> None:
    request = request_of(rig, sampling="ISOLATED")
    assert list(request.prepare()) == [step / 10 for step in range(10)]
    request.close()


@REQUESTS
@pytest.mark.parametrize("way", ["CURVES", "ISOLATED", "SCENE"])
def test_given_up_between_its_phases_it_leaves_no_trace(rig: Object, request_of: Callable, way: str) -> None:
    before = file_data.dump()
    request = request_of(rig, sampling=way)
    for _ in request.prepare():
        pass
    request.close()
    bpy.context.view_layer.update()
    assert not file_data.changed(before)
    assert not session.samplings


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Nothing is freed but by its reference count."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
@REQUESTS
@pytest.mark.parametrize("leave", ["break", "error", "prepared"])
@pytest.mark.parametrize("way", ["ISOLATED", "SCENE"])
def test_dropped_by_a_script_it_leaves_no_trace(rig: Object, request_of: Callable, leave: str, way: str) -> None:
    bpy.context.scene.frame_set(7)
    before = file_data.dump()

    def script() -> None:
        request = request_of(rig, sampling=way)
        if leave == "prepared":
            list(request.prepare())
            return
        for _ in request:
            if leave == "break":
                break
            raise KeyError

    with suppress(KeyError):
        script()
    bpy.context.view_layer.update()
    assert not file_data.changed(before)
    assert not session.samplings
    assert bpy.context.scene.frame_current == 7


def test_the_second_phase_measures_what_it_writes(rig: Object) -> None:
    request = baking(rig)
    for _ in request.prepare():
        pass
    assert not keyed(rig)
    report = request.write()
    assert keyed(rig)
    assert report.chains[0].measured.all()
    assert Limb().misses(range(1, 11)).max() < 1e-5


def test_to_write_does_what_is_left_of_the_first_phase(rig: Object) -> None:
    request = baking(rig, sampling="ISOLATED")
    assert next(request.prepare()) == 0.0
    assert request.write().reached
    assert Limb().misses(range(1, 11)).max() < 1e-5


def test_a_loop_over_a_request_goes_through_both_phases(rig: Object) -> None:
    done = list(baking(rig, sampling="ISOLATED"))
    assert done == sorted(done)
    assert max(done) < 1.0
    assert keyed(rig)


def test_its_end_as_an_iterator_brings_the_report(rig: Object) -> None:
    request = baking(rig)
    with pytest.raises(StopIteration) as end:
        go_on(request)
    assert end.value.value.reached


def test_run_carries_out_what_a_script_has_begun(rig: Object) -> None:
    request = baking(rig, sampling="ISOLATED")
    assert next(request) < next(request)
    assert request.write().reached


@pytest.mark.parametrize("end", [api.Request.write, api.Request.close])
def test_what_has_ended_cannot_be_written(rig: Object, end: Callable) -> None:
    request = baking(rig)
    end(request)
    with pytest.raises(ValueError, match="cannot be written"):
        request.write()


def test_nor_can_what_was_refused(rig: Object) -> None:
    rig.two_bone_ik_chains[0].target = None
    before = file_data.dump()
    request = baking(rig)
    with pytest.raises(api.Refused, match="has no target"):
        list(request.prepare())
    with pytest.raises(ValueError, match="cannot be written"):
        request.write()
    assert not file_data.changed(before)


def test_written_once_it_has_closed_what_it_sampled_by(rig: Object) -> None:
    request = baking(rig, sampling="ISOLATED")
    request.write()
    assert not session.samplings
    assert len(bpy.data.scenes) == 1


@pytest.mark.parametrize("operator", ["bake", "bake_targets"])
def test_an_operator_tells_that_no_chain_is_active(rig: Object, operator: str) -> None:
    bpy.context.view_layer.objects.active = rig
    rig.two_bone_ik_active = 7
    with pytest.raises(RuntimeError) as told:
        getattr(bpy.ops.two_bone_ik, operator)(only_active=True)
    assert "has no active chain" in str(told.value)
    assert "Traceback" not in str(told.value)
