"""A hold is a request as others are: it tells how far it is, and can be given up until it has written."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import file_data
from support.rigs import animate, arm


@pytest.fixture
def rig() -> Object:
    chain = arm()
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 40: (0.5, -0.8, 1.5)})
    bpy.context.view_layer.update()
    return chain.id_data


def holding(rig: Object) -> api.Request:
    return api.hold.request(rig, frames=(10, 20))


def updating(rig: Object) -> api.Request:
    api.hold(rig, frames=(10, 20))
    api.hold(rig, frames=(25, 30))
    return api.update_holds.request(rig)


def solving(rig: Object) -> api.Request:
    return api.solve.request(rig, insert_keys=True)


def target_at(rig: Object, frame: int) -> tuple[float, ...]:
    bpy.context.scene.frame_set(frame)
    return tuple(rig.two_bone_ik_chains[0].target.matrix_world.translation)


def test_a_hold_tells_the_part_that_is_done(rig: Object) -> None:
    # A driver keeps the target from being read by its curves alone.
    rig.two_bone_ik_chains[0].target.driver_add("scale", 0).driver.expression = "1"
    done = list(holding(rig).prepare())
    assert len(done) > 5
    assert done == sorted(done)
    assert 0.0 <= done[0] < done[-1] < 1.0


@pytest.mark.parametrize("request_of", [holding, updating, solving])
def test_given_up_before_it_writes_it_changes_nothing(rig: Object, request_of: Callable) -> None:
    request = request_of(rig)
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)
    before = file_data.dump()
    for _ in request.prepare():
        pass
    request.close()
    bpy.context.view_layer.update()
    assert not file_data.changed(before)


def test_a_hold_that_waited_holds_as_one_made_at_once(rig: Object) -> None:
    start = target_at(rig, 10)
    request = holding(rig)
    assert all(done < 1.0 for done in request.prepare())
    assert target_at(rig, 20) != pytest.approx(start, abs=1e-3)
    report = request.write()
    assert report.operation == "Hold"
    assert target_at(rig, 20) == pytest.approx(start, abs=1e-5)


def test_what_a_hold_needs_may_be_removed_before_it_writes(rig: Object) -> None:
    request = holding(rig)
    list(request.prepare())
    bpy.data.objects.remove(rig.two_bone_ik_chains[0].target)
    with pytest.raises(api.Refused) as refused:
        request.write()
    assert refused.value.kind.startswith("REMOVED")
