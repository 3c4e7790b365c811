"""A limb pulled by its tip goes where the tip is pulled, from the pose in which it stood, and back to the bit.

Keys pressed meanwhile, and what they leave when they are refused.
"""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import LimbState, limb_states
from bl_ext.user_default.two_bone_ik.operators.live import TWO_BONE_IK_OT_drag, keys_drawn
from bl_ext.user_default.two_bone_ik.ui import limb_notice
from mathutils import Quaternion

from support import file_data, live, rigs
from support.auto_keying import auto_keying
from support.empty_file import open_empty_file
from support.rigs import arm, armature
from support.truth import Limb

CLOSE = 1e-5
POSE = {"upper": Quaternion((0.9, 0.1, 0.3, -0.2)).normalized(), "lower": Quaternion((1, 0.2, -0.1, 0.1)).normalized()}


def posed_arm(**fields: object) -> bpy.types.Object:
    """An arm in a pose with twist, on a moved and scaled object."""
    rigs.arm(target=(9.0, 9.0, 9.0), **fields)
    rig = bpy.data.objects["Rig"]
    rig.location, rig.scale = (1.0, 2.0, 3.0), (0.5, 0.5, 0.5)
    for name, rotation in POSE.items():
        rig.pose.bones[name].rotation_quaternion = rotation
    bpy.context.view_layer.update()
    return rig


def joints(rig: bpy.types.Object) -> np.ndarray:
    """Shoulder, elbow and wrist in the world, as Blender evaluates them."""
    bpy.context.view_layer.update()
    return Limb().joints()


def basis(rig: bpy.types.Object) -> list[tuple[float, ...]]:
    return [tuple(rig.pose.bones[name].rotation_quaternion) for name in POSE]


@pytest.mark.parametrize("has_target", [True, False])
def test_the_target_goes_with_the_tip_by_the_offset(has_target: bool) -> None:
    rig = posed_arm()
    target = bpy.data.objects["Target"]
    if not has_target:
        rig.two_bone_ik_chains[0].target = None
    tip = joints(rig)[2]
    assert bpy.ops.two_bone_ik.drag(offset=(-0.1, 0.05, 0.1)) == {"FINISHED"}
    np.testing.assert_allclose(joints(rig)[2], np.add(tip, (-0.1, 0.05, 0.1)), atol=CLOSE)
    if has_target:
        np.testing.assert_allclose(target.matrix_world.translation, joints(rig)[2], atol=CLOSE)
    assert rig.animation_data is None


def test_pulled_nowhere_the_pose_stays_with_its_twist() -> None:
    rig = posed_arm()
    before = basis(rig)
    bpy.ops.two_bone_ik.drag()
    after = np.array(basis(rig))
    np.testing.assert_allclose(after * np.sign((after * before).sum(axis=-1))[:, None], before, atol=CLOSE)


def test_beyond_reach_the_limb_points_there() -> None:
    rig = posed_arm()
    bpy.ops.two_bone_ik.drag(offset=(10.0, 0.0, 0.0))
    root, _, tip = joints(rig)
    length = 0.5 * sum(rig.data.bones[name].length for name in POSE)
    np.testing.assert_allclose(np.linalg.norm(tip - root), length, rtol=1e-5)


def test_flipped_the_limb_bends_the_other_way_about_the_same_tip() -> None:
    rig = posed_arm()
    root, mid, tip = joints(rig)
    bpy.ops.two_bone_ik.drag(flip=True)
    flipped = joints(rig)
    np.testing.assert_allclose(flipped[[0, 2]], (root, tip), atol=CLOSE)
    along = (tip - root) * ((mid - root) @ (tip - root)) / ((tip - root) @ (tip - root))
    np.testing.assert_allclose(flipped[1], 2.0 * (root + along) - mid, atol=CLOSE)


def test_restored_when_another_file_is_open_it_leaves_that_alone() -> None:
    pull = api.drag(posed_arm(), "lower")
    pull.to((0.3, 0.4, 0.5))
    open_empty_file()
    before = file_data.dump()
    pull.restore()
    assert not file_data.changed(before)


def test_with_auto_keying_limb_and_target_get_keys() -> None:
    rig = posed_arm()
    auto_keying()
    bpy.context.scene.frame_set(7)
    bpy.ops.two_bone_ik.drag(offset=(-0.1, 0.05, 0.1))
    tip = joints(rig)[2]
    assert set(rigs.keys(rig.pose.bones["upper"])) == {7.0}
    bpy.context.scene.frame_set(7)
    np.testing.assert_allclose(joints(rig)[2], tip, atol=CLOSE)
    np.testing.assert_allclose(bpy.data.objects["Target"].matrix_world.translation, tip, atol=CLOSE)


def told(rig: bpy.types.Object, name: str = "lower") -> LimbState:
    """What the panel shows of a limb."""
    bpy.context.view_layer.update()
    return limb_states(rig, bpy.context.scene, bpy.context.view_layer.depsgraph)[name]


def goals() -> np.ndarray:
    """Target and pole target in the world, as Blender evaluates them."""
    bpy.context.view_layer.update()
    graph = bpy.context.view_layer.depsgraph
    return np.array(
        [bpy.data.objects[name].evaluated_get(graph).matrix_world.translation for name in ("Target", "Pole")]
    )


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("flips", [0, 1])
def test_target_and_pole_go_along_while_a_limb_is_pulled(live: bool, flips: int) -> None:
    """No keys until that is accepted, the panel tells of the drag, and let go all is as it was to the bit."""
    rig = posed_arm(pole=(0.5, -2.0, 1.0), tip_bone="hand", use_rotation=True)
    carrier = rigs.empty("Carrier", (0.2, -0.3, 0.1))
    carrier.rotation_euler, carrier.scale = (0.3, 0.2, 0.7), (2.0, 2.0, 2.0)
    bpy.data.objects["Target"].parent = carrier
    rigs.animate(bpy.data.objects["Pole"], location={1: (0.5, -2.0, 1.0), 9: (0.6, -2.0, 1.2)})
    rig.two_bone_ik_live = live
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    bpy.context.view_layer.update()
    before = file_data.dump()
    pull = api.drag(rig, "lower", insert_keys=True)
    for _ in range(flips):
        pull.flip()
    for place in ((1.3, 2.2, 3.4), (1.2, 2.1, 3.5)):
        pull.to(place)
        root, mid, tip = joints(rig)
        target, pole = goals()
        np.testing.assert_allclose((tip, target), (place, place), atol=CLOSE)
        normal = np.cross(mid - root, tip - mid)
        assert abs((pole - root) @ normal) < 1e-4 * np.linalg.norm(normal)
        assert told(rig).state == "REACHED"
    assert not any("keyframe_points" in path and "Pole" not in path for path in file_data.changed(before))
    pull.restore()
    assert not file_data.changed(before)


@pytest.mark.parametrize("bend", ["REST", "POSITIVE", "NEGATIVE"])
@pytest.mark.parametrize("flips", [0, 1])
@pytest.mark.parametrize("live", [True, False])
def test_accepted_the_targets_stay_and_give_the_pose(bend: str, flips: int, live: bool) -> None:
    rig = posed_arm(pole=(0.5, -2.0, 1.0), bend=bend)
    rig.two_bone_ik_live = live
    pull = api.drag(rig, "lower")
    for _ in range(flips):
        pull.flip()
    pull.to((1.3, 2.2, 3.4))
    before = goals(), joints(rig)
    assert pull.finish() == []
    np.testing.assert_allclose(goals(), before[0], atol=CLOSE)
    if not live:
        api.solve(rig)
    np.testing.assert_allclose(joints(rig), before[1], atol=CLOSE)


def test_a_limb_that_hangs_on_a_pulled_one_follows_at_once() -> None:
    rig = posed_arm()
    target = rigs.empty("Second", (0.1, 0.0, 0.0))
    target.parent, target.parent_type, target.parent_bone = rig, "BONE", "hand"
    other = rigs.armature(name="Other")
    other.location = rig.location
    api.add_chain(other, "lower", target=target)
    other.two_bone_ik_live = True
    bpy.context.view_layer.update()
    pull = api.drag(rig, "lower")
    pull.to((1.2, 2.1, 3.4))
    bpy.context.view_layer.update()
    assert Limb(rig="Other", target="Second").off() < CLOSE
    pull.restore()


def test_a_target_that_cannot_go_along_is_told_as_pulled() -> None:
    rig = posed_arm()
    target = bpy.data.objects["Target"]
    target.lock_location[0] = True
    place = tuple(target.location)
    rig.two_bone_ik_live = True
    before = joints(rig)
    pull = api.drag(rig, "lower")
    pull.to((1.2, 2.1, 3.4))
    found = told(rig)
    assert found.state == "PULLED"
    assert "while a limb is pulled" in limb_notice.long(bpy.context, found)
    [note] = pull.finish()
    np.testing.assert_allclose(joints(rig), before, atol=CLOSE)
    assert "Target" in note
    assert tuple(target.location) == place
    assert told(rig).state != "PULLED"


def pressed(
    monkeypatch: pytest.MonkeyPatch, *keys: str, pulled: float = 0.0, **arguments: object
) -> tuple[object, bool]:
    """How a drag that the mouse has pulled so far along x ended with the last key, and whether F9 would flip."""
    ended: list[tuple[object, bool]] = []

    def run(self: bpy.types.Operator, context: bpy.types.Context, rig: bpy.types.Object) -> None:
        self._begin(context, rig)
        self._axis, self._free = None, (pulled, 0.0, 0.0)
        for key in keys:
            event = SimpleNamespace(type=key, value="PRESS", ctrl=False, shift=False)
            ended[:] = [(self.modal(context, event), self.flip)]

    monkeypatch.setattr(TWO_BONE_IK_OT_drag, "run", run)
    bpy.ops.two_bone_ik.drag(**arguments)
    return ended[0]


@pytest.mark.parametrize("key", ["F", "WHEELUPMOUSE", "WHEELDOWNMOUSE"])
def test_nothing_flips_a_limb_pulled_by_its_elbow(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    arm()
    assert pressed(monkeypatch, key, "RET", pull="POLE") == ({"FINISHED"}, False)
    assert pressed(monkeypatch, key, "RET", pull="TIP") == ({"FINISHED"}, True)


@pytest.mark.parametrize(("pull", "offered"), [("TIP", True), ("POLE", False)])
def test_the_status_bar_offers_flip_where_it_flips(pull: str, offered: bool) -> None:
    words: list[str] = []
    row = SimpleNamespace(label=lambda icon="", text="": words.append(text))
    header = SimpleNamespace(layout=SimpleNamespace(row=lambda align: row))
    keys_drawn(pull)(header, bpy.context)
    assert ("Flip Bend" in words) is offered


def test_a_drag_that_is_refused_ends_without_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """And live limbs go on."""
    live.live_arm()
    before = file_data.dump()
    with pytest.raises(RuntimeError, match="nan"):
        bpy.ops.two_bone_ik.drag(offset=(float("nan"), 0, 0))
    with pytest.raises(RuntimeError, match="cannot be pulled to") as refused:
        pressed(monkeypatch, "W", pulled=float("nan"))
    assert "Traceback" not in str(refused.value)
    assert not file_data.changed(before)
    live.move_target((1.1, 0.4, 1.4))
    assert np.abs(live.tip() - (1.1, 0.4, 1.4)).max() < live.CLOSE


def test_an_armature_that_the_scene_lacks_is_not_pulled() -> None:
    arm()
    bpy.context.scene.collection.objects.unlink(armature(name="Elsewhere"))
    bpy.context.view_layer.objects.active = bpy.data.objects["Rig"]
    before = file_data.dump()
    for name in ("Elsewhere", "Nobody"):
        with pytest.raises(RuntimeError, match=f'"{name}"'):
            bpy.ops.two_bone_ik.drag(armature=name, offset=(-0.1, 0.05, 0.1))
    assert not file_data.changed(before)
