"""Handlers that ask for a pose or a bake, which Blender calls again while that is carried out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.curves import write
from bpy.types import Object

from support import file_data
from support.manual import blocks
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
        with pytest.raises(api.Refused) as refused:
            request(rig)
        assert refused.value.kind == "BUSY", name
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


def test_one_that_is_refused_lets_others_begin(rig: Object) -> None:
    with pytest.raises(api.Refused, match="no chain"):
        api.bake(rig, ["leg"])
    assert api.solve(rig).reached


def test_requests_that_wait_to_be_written_let_others_begin(rig: Object) -> None:
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
    shown = bpy.context.evaluated_depsgraph_get()
    assert Limb().joints(shown)[2] == pytest.approx(Limb().goal(shown), abs=1e-5)


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
    bpy.context.view_layer.update()
    shown = bpy.context.evaluated_depsgraph_get()
    assert Limb(rig="Hero").joints(shown)[2] == pytest.approx(Limb(rig="Hero").goal(shown), abs=1e-5)
    assert api.bake(rig, frames=(1, 10)).reached
