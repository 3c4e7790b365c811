"""With auto keying on, buttons that pose the current frame key what Blender's own auto keying would."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.auto_keying import auto_keying
from support.empty_file import open_empty_file
from support.rigs import animate, arm

pytestmark = pytest.mark.versions

FRAME = 7
LIMB = [('pose.bones["upper"]', "rotation_quaternion"), ('pose.bones["lower"]', "rotation_quaternion")]
BUTTONS: dict[str, tuple[Callable[[], object], bool, bool]] = {
    "solve": (lambda: bpy.ops.two_bone_ik.solve(), True, False),
    "snap": (lambda: bpy.ops.two_bone_ik.snap_targets(), False, True),
    "drag": (lambda: bpy.ops.two_bone_ik.drag(offset=(-0.1, 0.05, 0.1)), True, True),
    "pin": (lambda: bpy.ops.two_bone_ik.pin(), False, True),
}
"""What each does, and whether it keys the limb and the target."""

MODES = {
    "available": ({"only_available": True}, {"INSERTKEY_AVAILABLE"}),
    "replace": ({"mode": "REPLACE_KEYS"}, {"INSERTKEY_REPLACE"}),
    "replace of available": ({"mode": "REPLACE_KEYS", "only_available": True}, {"INSERTKEY_REPLACE"}),
    "all": ({}, set()),
}
"""How auto keying is set, and what Blender calls that where it inserts a key."""


def character(*keyed: int, of_lower: bool = False) -> Object:
    """An arm and its target on the frame; the upper bone and the target have keys on these frames, or none."""
    open_empty_file()
    chain = arm(target=(1.2, 0.6, 1.3))
    rig, target = chain.id_data, chain.target
    for frame in keyed:
        animate(rig.pose.bones["upper"], rotation_quaternion={frame: (1.0, 0.1, 0.02 * frame, 0.0)})
        animate(target, location={frame: (1.2, 0.05 * frame, 1.3)})
    for frame in (1, 20) if of_lower else ():
        animate(rig.pose.bones["lower"], rotation_quaternion={frame: (1.0, 0.2, 0.0, 0.1)})
    bpy.context.view_layer.objects.active = rig
    bpy.context.scene.frame_set(FRAME)
    return rig


def keys(rig: Object) -> dict[tuple[str, str, int], list[tuple[float, float]]]:
    """Frames and values of all keys of rig and target."""
    return {
        (item.name, curve.data_path, curve.array_index): [key.co.to_tuple(5) for key in curve.keyframe_points]
        for item in (rig, bpy.data.objects["Target"])
        for curve in versions.curves(item)
    }


@pytest.mark.parametrize("keyed", [(), (1, 20), (1, FRAME, 20)], ids=str)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("button", BUTTONS)
def test_what_blender_would_key_is_keyed(button: str, mode: str, keyed: tuple[int, ...]) -> None:
    press, keys_limb, keys_target = BUTTONS[button]
    settings, flags = MODES[mode]
    truth = character(*keyed, of_lower=True)
    before = keys(truth)
    press()
    owners = [(truth.path_resolve(bone), name) for bone, name in LIMB] if keys_limb else []
    owners += [(bpy.data.objects["Target"], "location")] if keys_target else []
    for owner, name in owners:
        with suppress(RuntimeError):  # Blender has found nothing to key
            owner.keyframe_insert(name, frame=FRAME, options=flags)
    wanted = keys(truth)
    assert wanted != before or mode != "all"

    rig = character(*keyed, of_lower=True)
    auto_keying(**settings)
    press()
    assert keys(rig) == wanted


def test_a_pose_without_a_key_stays_beside_one_with_keys() -> None:
    rig = character(1, FRAME, 20, of_lower=True)
    bpy.ops.two_bone_ik.solve()
    shown = {name: tuple(rig.pose.bones[name].rotation_quaternion) for name in ("upper", "lower")}
    rig = character(1, FRAME, 20, of_lower=True)
    auto_keying(mode="REPLACE_KEYS")
    bpy.ops.two_bone_ik.solve()
    assert len(keys(rig)["Rig", f"{LIMB[1][0]}.rotation_quaternion", 0]) == 2
    bpy.context.view_layer.update()
    for name, rotation in shown.items():
        assert tuple(rig.pose.bones[name].rotation_quaternion) == pytest.approx(rotation, abs=1e-6)


def test_a_snap_tells_that_keys_take_back_what_it_has_not_keyed() -> None:
    for keyed, told in (((), False), ((1, 20), True), ((1, FRAME, 20), False)):
        notes = api.snap_targets(character(*keyed), insert_keys="REPLACE").notes
        assert any("Keys take" in note for note in notes) == told


def test_another_word_is_refused_before_anything_moves() -> None:
    rig = character()
    with pytest.raises(api.Refused, match="AVAILABLE"):
        api.solve(rig, insert_keys="NEEDED")
    assert rig.pose.bones["upper"].rotation_quaternion[:] == (1.0, 0.0, 0.0, 0.0)
