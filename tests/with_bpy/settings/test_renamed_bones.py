"""A bone that is renamed takes its chains along, and files, undo, Live and holds, as Blender does its constraints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.empty_file import open_empty_file
from support.live import live_arm, move_target, tip
from support.renamed import OWN, evaluate, in_edit_mode, named, nobody_looking, sides, swap
from support.rigs import ARM, animate, arm, armature, chain
from support.truth import on_frame

LEFT, RIGHT = (tuple(f"{name}.{side}" for name in ("lower", "upper", "hand")) for side in "LR")


def rename(rig: Object) -> None:
    for bone, name in zip(LEFT, ("forearm.L", "arm.L", "palm.L"), strict=True):
        rig.data.bones[bone].name = name


def swap_sides(rig: Object) -> None:
    for one, other in zip(LEFT, RIGHT, strict=True):
        swap(rig, one, other)


def copy_and_rename(rig: Object) -> None:
    in_edit_mode(rig, lambda: bpy.ops.armature.duplicate())
    rig.data.bones["lower.L.001"].name = "copy"


def copy_and_delete(rig: Object) -> None:
    bpy.ops.armature.duplicate()
    rig.data.edit_bones.remove(rig.data.edit_bones["lower.L"])


def symmetrize(rig: Object) -> None:
    for bone in rig.data.edit_bones:
        bone.select = bone.select_head = bone.select_tail = bone.name.endswith(".L")
    bpy.ops.armature.symmetrize()


def replace_hand(rig: Object) -> None:
    bones = rig.data.edit_bones
    bones.remove(bones["hand.L"])
    new = bones.new("hand.L")
    new.head, new.tail, new.parent = (1.8, 0.1, 1.1), (2.1, 0.1, 1.1), bones["lower.L"]


def there_and_back(rig: Object) -> None:
    rig.data.edit_bones["lower.L"].name = "forearm.L"
    evaluate()
    rig.data.edit_bones["forearm.L"].name = "lower.L"


def edited(act: Callable[[Object], object]) -> Callable[[Object], None]:
    return lambda rig: in_edit_mode(rig, lambda: act(rig))


@pytest.mark.parametrize(
    ("act", "left", "right"),
    [
        (rename, ("forearm.L", "arm.L", "palm.L"), RIGHT),
        (swap_sides, RIGHT, LEFT),
        (edited(lambda _rig: bpy.ops.armature.flip_names()), RIGHT, LEFT),
        *((act, LEFT, RIGHT) for act in (copy_and_rename, edited(symmetrize), edited(replace_hand))),
        *((act, LEFT, RIGHT) for act in (edited(there_and_back), edited(copy_and_delete))),
    ],
    ids=["renamed", "swapped", "flipped", "copied", "symmetrized", "made anew", "there and back", "copied and deleted"],
)
def test_a_chain_goes_along_with_each_of_its_bones(
    act: Callable, left: tuple[str, ...], right: tuple[str, ...]
) -> None:
    """And again with the next rename of its bones, not with that of copies."""
    rig = sides()
    act(rig)
    evaluate()
    chains = rig.two_bone_ik_chains
    assert [named(chains[name]) for name in ("Arm.L", "Arm.R")] == [left, right]
    for name in (name for name in (*left, *right) if name in rig.data.bones):
        rig.data.bones[name].name = f"new {name}"
    evaluate()
    new = [tuple(f"new {name}" if f"new {name}" in rig.data.bones else name for name in side) for side in (left, right)]
    assert [named(chains[name]) for name in ("Arm.L", "Arm.R")] == new


def test_names_swapped_that_nobody_evaluated_are_followed() -> None:
    rig = sides()
    swap_sides(rig)
    api.check(rig, frames=(1, 1))
    assert [named(rig.two_bone_ik_chains[name]) for name in ("Arm.L", "Arm.R")] == [RIGHT, LEFT]


def test_a_request_follows_a_rename_that_nobody_evaluated() -> None:
    rig = sides()
    rig.data.bones["lower.L"].name = "forearm.L"
    report = api.bake(rig, frames=(1, 2))
    assert [one.name for one in report.chains] == ["Arm.L", "Arm.R"]
    assert rig.two_bone_ik_chains["Arm.L"].end_bone == "forearm.L"


def test_names_flipped_in_pose_mode_take_their_chains_along() -> None:
    rig = sides()
    bpy.ops.object.mode_set(mode="POSE")
    for bone in versions.selectable_bones(rig):
        bone.select = True
    bpy.ops.pose.flip_names()
    evaluate()
    assert named(rig.two_bone_ik_chains["Arm.L"]) == ("lower.R", "upper.R", "hand.R")
    rig.two_bone_ik_chains["Arm.R"].mute = True
    assert api.solve(rig).reached
    hand = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["hand.R"]
    assert np.linalg.norm(np.array(hand.head) - (1.2, 0.6, 1.3)) < 1e-5


def test_another_rig_follows_the_renamed_control_bone() -> None:
    control, other = sides("Control"), armature(ARM, "Other")
    found = chain(other, "lower", target=control, subtarget="hand.L")
    found.pole_target, found.pole_subtarget = control, "hand.R"
    swap(control, "hand.L", "hand.R")
    evaluate()
    assert named(found, ("subtarget", "pole_subtarget")) == ("hand.R", "hand.L")


def test_copies_stay_apart_and_objects_of_an_armature_together() -> None:
    rig = sides()
    copy = rig.copy()
    copy.data = rig.data.copy()
    bpy.context.scene.collection.objects.link(copy)
    evaluate()
    copy.data.bones["lower.L"].name = "forearm.L"
    evaluate()
    assert rig.two_bone_ik_chains["Arm.L"].end_bone == "lower.L"
    assert copy.two_bone_ik_chains["Arm.L"].end_bone == "forearm.L"
    rig.data.bones["forearm.L" if "forearm.L" in rig.data.bones else "lower.L"].name = "lower.L"
    twin = rig.copy()
    bpy.context.scene.collection.objects.link(twin)
    evaluate()
    rig.data.bones["lower.L"].name = "forearm.L"
    evaluate()
    assert [item.two_bone_ik_chains["Arm.L"].end_bone for item in (rig, twin)] == ["forearm.L"] * 2


def strip(*rigs: Object) -> None:
    """Leave the file as earlier versions of the extension made it, which knew of no marks."""
    for rig in rigs:
        for bone in rig.pose.bones:
            bone.property_unset("two_bone_ik_mark")
        for one in rig.two_bone_ik_chains:
            one.property_unset("bone_marks")


def assert_followed(rig: Object) -> None:
    rig.data.bones["lower.L"].name = "forearm.L"
    evaluate()
    assert rig.two_bone_ik_chains["Arm.L"].end_bone == "forearm.L"


def test_files_and_appended_rigs_without_marks_get_them(tmp_path: Path) -> None:
    strip(sides())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "earlier.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "earlier.blend"))
    assert_followed(bpy.data.objects["Sides"])
    open_empty_file()
    with bpy.data.libraries.load(str(tmp_path / "earlier.blend")) as (_, wanted):
        wanted.objects = ["Sides"]
    bpy.context.scene.collection.objects.link(bpy.data.objects["Sides"])
    evaluate()
    assert_followed(bpy.data.objects["Sides"])


def test_a_rename_without_the_extension_is_followed_later(tmp_path: Path) -> None:
    rig = sides()
    with nobody_looking():
        rig.data.bones["lower.L"].name = "forearm.L"
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "renamed.blend"))
    assert rig.two_bone_ik_chains["Arm.L"].end_bone == "lower.L"
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "renamed.blend"))
    assert bpy.data.objects["Sides"].two_bone_ik_chains["Arm.L"].end_bone == "forearm.L"


def test_an_override_goes_along_with_a_local_target(tmp_path: Path) -> None:
    sides("Hero")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hero.blend"))
    library = bpy.data.objects["Hero"].pose.bones["lower.L"].two_bone_ik_mark
    open_empty_file()
    with bpy.data.libraries.load(str(tmp_path / "hero.blend"), link=True) as (_, wanted):
        wanted.objects = ["Hero"]
    linked = bpy.data.objects["Hero"]
    hero, control = linked.override_create(), armature(ARM, "Control")
    bpy.context.scene.collection.objects.link(hero)
    found = hero.two_bone_ik_chains["Arm.L"]
    found.target, found.subtarget = control, "hand"
    evaluate()
    control.data.bones["hand"].name = "palm"
    evaluate()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    hero = next(item for item in bpy.data.objects if item.override_library)
    assert named(hero.two_bone_ik_chains["Arm.L"], (*OWN, "subtarget")) == ("lower.L", "upper.L", "hand.L", "palm")
    assert hero.pose.bones["lower.L"].two_bone_ik_mark == library
    bpy.data.objects["Control"].data.bones["palm"].name = "grip"
    evaluate()
    assert hero.two_bone_ik_chains["Arm.L"].subtarget == "grip"


def test_undo_of_a_rename_gives_all_chains_the_old_names() -> None:
    bpy.context.preferences.edit.use_global_undo = True
    control, other = sides("Control"), armature(ARM, "Other")
    chain(other, "lower", target=control, subtarget="hand.L")
    evaluate()
    bpy.ops.ed.undo_push(message="before")

    def bones() -> list[str]:
        rigs = bpy.data.objects["Control"], bpy.data.objects["Other"]
        return [rigs[0].two_bone_ik_chains["Arm.L"].tip_bone, rigs[1].two_bone_ik_chains["lower"].subtarget]

    swap(control, "hand.L", "hand.R")
    bpy.ops.ed.undo_push(message="renamed")  # as in a window: before anything is evaluated
    evaluate()
    assert bones() == ["hand.R", "hand.R"]
    bpy.ops.ed.undo()
    assert bones() == ["hand.L", "hand.L"]
    bpy.ops.ed.redo()
    evaluate()
    assert bones() == ["hand.R", "hand.R"]


def test_a_live_limb_goes_on_after_its_bones_are_renamed() -> None:
    rig = live_arm(reference="POSE")
    for name in ("lower", "upper"):
        rig.data.bones[name].name = f"{name}.new"
    evaluate()
    bpy.data.objects["Target"].location = (0.9, -0.5, 1.6)
    evaluate()
    bone = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["lower.new"]
    assert np.linalg.norm(np.array(bone.tail) - (0.9, -0.5, 1.6)) < 1e-5


@pytest.mark.parametrize("evaluated", [True, False])
def test_live_switched_off_after_a_rename_shows_the_keys(evaluated: bool) -> None:
    rig = live_arm()
    animate(rig.pose.bones["lower"], rotation_quaternion={1: (1, 0, 0, 0), 5: (1, 0, 0, 0)})
    move_target((0.9, -0.5, 1.6))
    assert np.linalg.norm(tip() - (0.9, -0.5, 1.6)) < 1e-5
    rig.data.bones["lower"].name = "forearm"
    if evaluated:
        evaluate()
    rig.two_bone_ik_live = False
    assert tuple(rig.pose.bones["forearm"].rotation_quaternion) == (1, 0, 0, 0)


def test_live_can_be_switched_off_after_a_bone_was_removed() -> None:
    rig = live_arm()
    evaluate()
    with nobody_looking():
        in_edit_mode(rig, lambda: rig.data.edit_bones.remove(rig.data.edit_bones["lower"]))
        rig.two_bone_ik_live = False
    assert not rig.two_bone_ik_live


def test_a_hold_goes_along_with_the_bones_that_it_names() -> None:
    control, other = sides("Control"), armature(ARM, "Other")
    animate(control.pose.bones["hand.L"], location={1: (0, 0, 0), 20: (0.1, 0, 0)})
    chain(other, "lower", target=control, subtarget="hand.L")
    api.hold(other, frames=(5, 10), space=(control, "lower.R"))
    record = control.two_bone_ik_holds[0]
    control.data.bones["hand.L"].name = "palm.L"
    control.data.bones["lower.R"].name = "forearm.R"
    evaluate()
    assert (record.bone, record.space_bone) == ("palm.L", "forearm.R")
    api.remove_hold(other, "lower")
    held = {curve.data_path: len(curve.keyframe_points) for curve in versions.curves(control)}
    assert held == {'pose.bones["palm.L"].location': 2}


@pytest.mark.versions
def test_hips_and_what_is_held_to_go_along() -> None:
    rig = sides()
    scene = bpy.context.scene
    rig.two_bone_ik_hips = "upper.L"
    scene.two_bone_ik_hold_to, scene.two_bone_ik_hold_to_bone = rig, "hand.R"
    rig.data.bones["upper.L"].name, rig.data.bones["hand.R"].name = "hips", "palm.R"
    evaluate()
    assert (rig.two_bone_ik_hips, scene.two_bone_ik_hold_to_bone) == ("hips", "palm.R")


def test_options_keep_their_values_and_curves_through_a_rename() -> None:
    found = arm(influence=0.25)
    rig = found.id_data
    animate(rig.pose.bones["lower"], two_bone_ik_influence={1: 0.5, 3: 0.75})
    rig.data.bones["lower"].name = "forearm"
    on_frame(3)
    assert (found.end_bone, found.influence) == ("forearm", 0.75)


def test_a_choice_of_another_bone_wins_over_the_mark() -> None:
    rig = sides()
    found = rig.two_bone_ik_chains["Arm.L"]
    found.tip_bone = ""
    rig.data.bones["hand.L"].name = "palm.L"
    found.tip_bone = "palm.L"
    evaluate()
    assert found.tip_bone == "palm.L"
    found.target, found.subtarget = rig, "hand.R"
    found.subtarget = "upper.R"
    rig.data.bones["hand.R"].name = "palm.R"
    evaluate()
    assert found.subtarget == "upper.R"


def test_what_nobody_renames_is_not_evaluated_and_gets_no_marks() -> None:
    rig = sides()
    evaluate()
    seen: list[int] = []

    def count(*_: object) -> None:
        seen.append(1)

    bpy.app.handlers.depsgraph_update_post.append(count)
    rig.data.bones["lower.L"].name = "forearm.L"
    evaluate()
    evaluate()
    bpy.app.handlers.depsgraph_update_post.remove(count)
    assert len(seen) == 1
    armature(ARM, "Other")
    evaluate()
    assert all(bone.two_bone_ik_mark for bone in rig.pose.bones)
    assert not any(bone.two_bone_ik_mark for bone in bpy.data.objects["Other"].pose.bones)
