"""A request has two phases: the first changes nothing, the second writes and measures; and one is at work at a time.

Handlers may ask for a pose or a bake, which Blender calls again while that is carried out.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import suppress

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.curves import write
from bl_ext.user_default.two_bone_ik.blender.session import session
from bpy.types import Object

from support import file_data
from support.manual import blocks
from support.refused import refused
from support.rigs import animate, arm
from support.truth import Limb, save_and_load

EVENTS = ["frame_change_pre", "frame_change_post", "depsgraph_update_pre", "depsgraph_update_post"]
MOST = 50
"""Calls after which a handler gives up: each of these tests needs far fewer, and otherwise there would be no end."""


@pytest.fixture
def rig(empty_file: None) -> Iterator[Object]:
    chain = arm()
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 10: (0.5, -0.8, 1.5)})
    bpy.context.scene.frame_set(2)
    lists = [getattr(bpy.app.handlers, name) for name in EVENTS]
    before = [list(handlers) for handlers in lists]
    yield chain.id_data
    for handlers, ours in zip(lists, before, strict=True):
        handlers[:] = ours


class Handler:
    """Does something at each call, until there were too many; counts them and keeps the refusals."""

    def __init__(self, event: str, act: Callable[[], object]) -> None:
        self.calls, self.refusals, self._act = 0, list[api.Refused](), act
        getattr(bpy.app.handlers, event).append(self._called)

    def _called(self, *_: object) -> None:
        self.calls += 1
        if self.calls > MOST:
            return
        try:
            self._act()
        except api.Refused as refused:
            self.refusals.append(refused)

    @property
    def ends(self) -> bool:
        return self.calls <= MOST


def assert_refused(handler: Handler) -> None:
    assert handler.ends
    assert handler.refusals
    assert {refused.kind for refused in handler.refusals} == {"BUSY"}


@pytest.mark.parametrize("sampling", ["ISOLATED", "SCENE", "AUTO"])
@pytest.mark.parametrize("event", EVENTS[:2])
def test_a_bake_on_a_change_of_the_frame_ends(rig: Object, event: str, sampling: str) -> None:
    handler = Handler(event, lambda: api.bake(rig, frames=(1, 3), sampling=sampling))
    bpy.context.scene.frame_set(5)
    assert_refused(handler)
    handler._act = lambda: None
    assert Limb().misses([1, 2, 3]).max() < 1e-5


@pytest.mark.parametrize("event", EVENTS[2:])
def test_a_pose_on_each_evaluation_ends(rig: Object, event: str) -> None:
    handler = Handler(event, lambda: api.solve(rig))
    bpy.data.objects["Target"].location.z += 0.1
    bpy.context.view_layer.update()
    assert_refused(handler)


REQUESTS: dict[str, Callable[[Object], object]] = {
    "solve": api.solve,
    "flip_bend": api.flip_bend,
    "snap_targets": api.snap_targets,
    "create_targets": api.create_targets,
    "chains_from_constraints": api.chains_from_constraints,
    "pin": api.pin,
    "bake": lambda rig: api.bake(rig, frames=(1, 3)),
    "bake of many": lambda rig: api.bake([rig], frames=(1, 3)),
    "baking": lambda rig: list(api.bake.request(rig, frames=(1, 3)).prepare()),
    "bake_targets": lambda rig: api.bake_targets(rig, frames=(1, 3)),
    "change_target_space": lambda rig: api.change_target_space(rig, frames=(1, 3), space=rig),
    "check": lambda rig: api.check(rig, frames=(1, 3)),
    "hold": lambda rig: api.hold(rig, frames=(1, 3)),
    "update_holds": api.update_holds,
    "remove_hold": lambda rig: api.remove_hold(rig, "lower"),
    "contacts": lambda rig: api.contacts(rig, ["lower"]),
    "plant": lambda rig: api.plant(rig, ["lower"]),
    "switch": lambda rig: api.switch(rig, "FK"),
    "drag": lambda rig: api.drag(rig, "lower"),
}


def test_no_other_request_begins_while_one_samples(rig: Object) -> None:
    begun = api.bake.request(rig, frames=(1, 10), sampling="ISOLATED")
    assert next(begun.prepare()) == 0.0
    before = file_data.dump()
    for name, request in REQUESTS.items():
        with pytest.raises(api.Refused) as busy:
            request(rig)
        assert busy.value.kind == "BUSY", name
    assert not {path for path in file_data.changed(before) if not path.startswith("scenes['Two-Bone IK']")}
    assert begun.write().reached


@pytest.mark.parametrize("end", ["closed", "dropped", "another file"])
def test_one_that_is_given_up_lets_others_begin(rig: Object, end: str) -> None:
    begun = api.bake.request(rig, frames=(1, 10), sampling="ISOLATED")
    next(begun.prepare())
    if end == "closed":
        begun.close()
    elif end == "another file":
        save_and_load()
        rig = bpy.data.objects["Rig"]
    else:
        del begun
    assert api.solve(rig).reached


def test_one_refused_and_one_that_waits_let_others_begin(rig: Object) -> None:
    with pytest.raises(api.Refused, match="no chain"):
        api.bake(rig, ["leg"])
    assert api.solve(rig).reached
    ready = api.bake.request(rig, frames=(1, 10))
    list(ready.prepare())
    assert api.solve(rig).reached
    assert ready.write().reached


@pytest.mark.parametrize("event", EVENTS)
def test_live_still_poses_where_handlers_are_refused(rig: Object, event: str) -> None:
    rig.two_bone_ik_live = True
    handler = Handler(event, lambda: api.solve(rig))
    bpy.context.scene.frame_set(7)
    bpy.data.objects["Target"].location.z += 0.1
    bpy.context.view_layer.update()
    assert handler.ends
    assert Limb().off() < 1e-5


class Evaluations:
    """How often Blender has evaluated this armature anew since."""

    def __init__(self, rig: Object) -> None:
        self.count, self._name = 0, rig.name
        bpy.app.handlers.depsgraph_update_post.append(self._evaluated)

    def _evaluated(self, _scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        self.count += any(update.id.name == self._name for update in depsgraph.updates)


@pytest.mark.parametrize("reference", ["REST", "POSE"])
@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "AXIS_ANGLE"])
def test_a_pose_that_is_right_is_not_set_again(rig: Object, mode: str, reference: str) -> None:
    rig.two_bone_ik_chains[0].reference = reference
    for name in ("upper", "lower"):
        rig.pose.bones[name].rotation_mode = mode
    api.solve(rig)
    bpy.context.view_layer.update()
    evaluations = Evaluations(rig)
    for _ in range(5):
        assert api.solve(rig).reached
        bpy.context.view_layer.update()
    assert evaluations.count == 0


def test_a_pose_that_keys_hide_is_set_again(rig: Object) -> None:
    bpy.context.scene.frame_set(1)
    api.solve(rig, insert_keys=True)
    right = [tuple(rig.pose.bones[name].rotation_quaternion) for name in ("upper", "lower")]
    for name in ("upper", "lower"):
        rig.pose.bones[name].rotation_quaternion = (1, 0, 0, 0)
    bpy.context.view_layer.update()
    api.solve(rig)
    for name, rotation in zip(("upper", "lower"), right, strict=True):
        assert rig.pose.bones[name].rotation_quaternion[:] == pytest.approx(rotation, abs=1e-6)


def test_a_bone_that_is_posed_so_already_is_not_set_again(rig: Object) -> None:
    bone, turned = rig.pose.bones["upper"], (0.8, 0.6, 0.0, 0.0)
    assert write.pose_bones([(bone, "rotation_quaternion", turned)]) == {rig}
    bpy.context.view_layer.update()
    evaluations = Evaluations(rig)
    assert not write.pose_bones([(bone, "rotation_quaternion", turned)])
    bpy.context.view_layer.update()
    assert evaluations.count == 0
    assert write.pose_bones([(bone, "rotation_quaternion", (1.0, 0.0, 0.0, 0.0))]) == {rig}
    bpy.context.view_layer.update()
    assert evaluations.count == 1


def test_the_handler_of_the_manual_poses_limbs(rig: Object) -> None:
    rig.name = "Hero"
    (script,) = (script for script in blocks("docs/command_line_and_python.md", "python") if "BUSY" in script)
    exec(script, {})
    bpy.context.scene.frame_set(1)
    bpy.data.objects["Target"].location.z += 0.1
    assert Limb(rig="Hero").off() < 1e-5
    assert api.bake(rig, frames=(1, 10)).reached


FRAMES = (1, 10)


def baking(rig: Object, **settings: object) -> api.Request:
    return api.bake.request(rig, frames=FRAMES, **settings)


def baking_targets(rig: Object, **settings: object) -> api.Request:
    return api.bake_targets.request(rig, frames=FRAMES, **settings)


BOTH = pytest.mark.parametrize("request_of", [baking, baking_targets], ids=lambda found: found.__name__)


def keyed(rig: Object) -> bool:
    return bool(rig.animation_data and rig.animation_data.action)


@BOTH
def test_the_first_phase_tells_the_part_that_is_done(rig: Object, request_of: Callable) -> None:
    request = request_of(rig, sampling="ISOLATED")
    assert list(request.prepare()) == [step / 10 for step in range(10)]
    request.close()


@BOTH
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
@BOTH
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
    request = baking(rig, sampling="ISOLATED")
    for _ in request.prepare():
        pass
    assert not keyed(rig)
    report = request.write()
    assert keyed(rig)
    assert report.chains[0].measured.all()
    assert not session.samplings
    assert len(bpy.data.scenes) == 1
    assert Limb().misses(range(1, 11)).max() < 1e-5


@pytest.mark.parametrize("steps_of", [iter, api.Request.prepare])
def test_to_write_does_what_is_left_of_the_first_phase(rig: Object, steps_of: Callable) -> None:
    request = baking(rig, sampling="ISOLATED")
    steps = steps_of(request)
    assert 0.0 == next(steps) < next(steps)
    assert request.write().reached
    assert Limb().misses(range(1, 11)).max() < 1e-5


def test_a_loop_over_a_request_brings_the_report_at_its_end(rig: Object) -> None:
    request, done = baking(rig, sampling="ISOLATED"), []
    with pytest.raises(StopIteration) as end:  # noqa: PT012
        while True:
            done.append(next(request))
    assert end.value.value.reached
    assert done == sorted(done)
    assert max(done) < 1.0
    assert keyed(rig)


@pytest.mark.parametrize("end", [api.Request.write, api.Request.close])
def test_what_has_ended_cannot_be_written(rig: Object, end: Callable) -> None:
    request = baking(rig)
    end(request)
    with pytest.raises(ValueError, match="cannot be written"):
        request.write()


def test_nor_can_what_was_refused(rig: Object) -> None:
    rig.two_bone_ik_chains[0].target = None
    request = baking(rig)
    with refused("NO_TARGET", "has no target"):
        list(request.prepare())
    with pytest.raises(ValueError, match="cannot be written"):
        request.write()


@pytest.mark.parametrize("operator", ["bake", "bake_targets"])
def test_an_operator_tells_that_no_chain_is_active(rig: Object, operator: str) -> None:
    bpy.context.view_layer.objects.active = rig
    rig.two_bone_ik_active = 7
    with pytest.raises(RuntimeError) as told:
        getattr(bpy.ops.two_bone_ik, operator)(only_active=True)
    assert "has no active chain" in str(told.value)
    assert "Traceback" not in str(told.value)
