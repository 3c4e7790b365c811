"""What somebody has changed on a planted action, with keys or without: no press throws it away."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.plant import contact_keys, contact_runs
from bpy.types import Object, PoseBone

from support import file_data
from support.held import everything, keys, keys_of
from support.rigs import animate
from support.truth import on_frame, save_and_load
from support.walker import captured, walker


def new_keys(rig: Object) -> None:
    animate(rig.pose.bones["heel.L"], location={5: (0, 0, 0), 20: (0, 0, 0)})


def moved_key(rig: Object) -> None:
    curve = next(curve for curve in versions.curves(rig) if curve.data_path.startswith('pose.bones["hips"].rotation'))
    curve.keyframe_points[7].co.y += 0.1


def removed_curve(rig: Object) -> None:
    curves = versions.ensure_channelbag(rig).fcurves
    curves.remove(next(curve for curve in curves if curve.data_path.startswith('pose.bones["hips"].rotation')))


@pytest.mark.parametrize("edit", [new_keys, moved_key, removed_curve], ids=lambda function: function.__name__)
def test_keys_set_by_hand_are_kept_and_told(edit: Callable[[Object], None]) -> None:
    rig = walker(captured("walk", 1.0))
    api.plant(rig)
    once = everything(rig)
    edit(rig)
    edited, name = everything(rig), versions.played(rig)[0].name
    alerts = api.plant(rig).as_dict()["alerts"]
    assert any(f'"{name}"' in alert for alert in alerts)
    planted, slot = versions.played(rig)
    assert everything(rig) == once
    versions.play(rig, bpy.data.actions[name], slot)
    assert everything(rig) == edited
    versions.play(rig, planted, slot)
    save_and_load()
    assert name in bpy.data.actions
    assert not api.plant(bpy.data.objects["Walker"]).as_dict()["alerts"], "the next press finds no edits"


def test_a_press_for_fewer_limbs_finds_no_edits() -> None:
    rig = walker(captured("walk", 1.0))
    api.plant(rig)
    animate(rig.pose.bones["shin.L"], two_bone_ik_contact={10: "NONE"})
    assert not api.plant(rig, ["Leg.R"]).as_dict()["alerts"]
    assert len(bpy.data.actions) == 2


BONE, ROW = "shin.L", "two_bone_ik_contact"


@pytest.fixture
def rig() -> Object:
    found = walker(captured("walk", 1.5))
    bpy.context.view_layer.objects.active = found
    return found


def changed(rig: Object, frame: int = 30) -> PoseBone:
    """The bone, which says on this frame what its keys do not."""
    bone = rig.evaluated_get(on_frame(frame)).pose.bones[BONE]
    kind = "HEEL" if getattr(bone, ROW) == "BOTH" else "BOTH"
    setattr(rig.pose.bones[BONE], ROW, kind)
    return rig.pose.bones[BONE]


def stands(rig: Object, frame: int) -> bool:
    """Whether it is to stand on this frame, by its keys."""
    row = contact_runs.rows(rig)[BONE]
    return contact_runs.run_at(row, frame).kind != "NONE"


def planting(rig: Object) -> None:
    api.plant(rig)


def pressing(_rig: Object) -> None:
    bpy.ops.two_bone_ik.plant()


@pytest.mark.parametrize(("plant", "presses"), [(planting, 1), (pressing, 0)])
def test_a_contact_without_a_key_is_not_dropped(rig: Object, plant: Callable, presses: int) -> None:
    for _ in range(presses):
        api.plant(rig)
    bone = changed(rig)
    kind, before = getattr(bone, ROW), file_data.dump()
    with pytest.raises((api.Refused, RuntimeError), match=f'"{BONE}".*changed to {kind.capitalize()} without a key'):
        plant(rig)
    assert not file_data.changed(before)
    setattr(bone, ROW, "NONE")
    on_frame(30)
    plant(rig)


@pytest.mark.parametrize(("presses", "frames"), [(0, None), (0, (5, 20)), (1, (5, 20))], ids=str)
def test_with_auto_keying_it_counts_as_a_key(rig: Object, presses: int, frames: tuple[int, int] | None) -> None:
    twin = walker(captured("walk", 1.5), name="Twin")
    for each in (rig, twin):
        for _ in range(presses):
            api.plant(each)
    changed(twin).keyframe_insert(ROW)
    action, slot = versions.played(rig)
    before = everything(rig)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    changed(rig)
    for each in (rig, twin):
        api.plant(each, frames=frames)
    assert keys(rig) == keys(twin)
    assert presses or keys_of(rig, action, slot) == before, "the captured action stays as it is"


def test_given_up_it_leaves_no_key(rig: Object) -> None:
    api.plant(rig)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    changed(rig)
    before = file_data.dump()
    request = api.plant.request(rig)
    for _ in request.prepare():
        pass
    request.close()
    assert not file_data.changed(before)


def test_what_a_script_has_just_keyed_is_no_change(rig: Object) -> None:
    bone = rig.pose.bones[BONE]
    for frame, kind in {1: "BOTH", 9: "BALL", 14: "NONE"}.items():
        setattr(bone, ROW, kind)
        bone.keyframe_insert(ROW, frame=frame)
    assert api.plant(rig).feet[0].frames > 10


def test_what_a_planted_action_has_left_is_no_change(rig: Object) -> None:
    played = versions.played(rig)
    api.plant(rig)
    on_frame(next(frame for frame in range(1, 40) if stands(rig, frame)))
    versions.play(rig, *played)
    on_frame(bpy.context.scene.frame_current)
    assert getattr(rig.pose.bones[BONE], ROW) != "NONE"
    save_and_load()
    assert api.plant(bpy.data.objects["Walker"])


def test_what_a_hidden_character_says_is_no_change(rig: Object) -> None:
    api.plant(rig)
    on_frame(next(frame for frame in range(1, 40) if stands(rig, frame)))
    rig.hide_viewport = True
    on_frame(next(frame for frame in range(1, 40) if not stands(rig, frame)))
    assert getattr(rig.pose.bones[BONE], ROW) != "NONE"
    assert api.plant(rig)


def test_a_row_that_was_deleted_is_no_change(rig: Object) -> None:
    api.plant(rig)
    on_frame(next(frame for frame in range(1, 40) if stands(rig, frame)))
    versions.ensure_channelbag(rig).fcurves.remove(contact_runs.rows(rig)[BONE])
    assert list(contact_keys.unkeyed(rig, bpy.context.scene, [BONE])) == []


def test_under_another_capture_it_is_told(rig: Object) -> None:
    captured_action, _ = versions.played(rig)
    other = captured_action.copy()
    api.plant(rig)
    rig.animation_data.action = other
    on_frame(30)
    setattr(rig.pose.bones[BONE], ROW, "NONE")
    changed(rig)
    with pytest.raises(api.Refused, match="without a key"):
        api.plant(rig)
