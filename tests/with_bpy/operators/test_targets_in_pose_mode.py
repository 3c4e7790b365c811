"""Targets made in Pose Mode are bones, since a click there selects no empty; a kind that was chosen wins."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import file_data, rigs
from support.characters import select
from support.rigs import Bone
from support.truth import posed

CLOSE = 1e-5
ARM = [
    Bone("upper.L", (0.2, 0, 1.5), (0.5, 0.03, 1.5)),
    Bone("lower.L", (0.5, 0.03, 1.5), (0.8, 0, 1.5), "upper.L"),
    Bone("hand.L", (0.8, 0, 1.5), (0.95, 0, 1.5), "lower.L"),
]
BONES = {"kind": "BONES", "or_empties": True}
PRESSES = [bpy.ops.two_bone_ik.create_targets, bpy.ops.two_bone_ik.pin]


def hero(name: str = "Hero", x: float = 0.0) -> Object:
    rig = rigs.armature(ARM, name)
    rig.location.x = x
    api.add_chain(rig, "lower.L", name="Arm.L")
    rig.pose.bones["lower.L"].rotation_quaternion = (1, 0, 0, -0.4)
    bpy.context.view_layer.update()
    return rig


def pose_mode(*these: Object) -> None:
    select(*these)
    bpy.ops.object.mode_set(mode="POSE")


def used(rig: Object) -> list[tuple[str, str]]:
    """What the arm reaches for and bends towards: objects and bones."""
    chain = rig.two_bone_ik_chains["Arm.L"]
    return [(chain.target.name, chain.subtarget), (chain.pole_target.name, chain.pole_subtarget)]


def kinds(rig: Object) -> set[str]:
    return {bpy.data.objects[name].type for name, _ in used(rig)}


@pytest.mark.parametrize("press", PRESSES)
def test_in_pose_mode_targets_are_bones(press) -> None:
    rig = hero()
    pose_mode(rig)
    before = posed(rig, "hand.L")
    assert press() == {"FINISHED"}
    assert used(rig) == [("Hero", "Arm Target.L"), ("Hero", "Arm Pole.L")]
    assert rig.mode == "POSE"
    bpy.context.view_layer.update()
    np.testing.assert_allclose(posed(rig, "hand.L"), before, atol=CLOSE)


@pytest.mark.parametrize("press", PRESSES)
def test_in_object_mode_targets_are_empties(press) -> None:
    rig = hero()
    press()
    assert used(rig) == [("Arm Target.L", ""), ("Arm Pole.L", "")]


@pytest.mark.parametrize("press", PRESSES)
@pytest.mark.parametrize(("mode", "kind", "types"), [("POSE", "EMPTIES", {"EMPTY"}), ("OBJECT", "BONES", {"ARMATURE"})])
def test_a_kind_that_was_chosen_wins(press, mode: str, kind: str, types: set[str]) -> None:
    rig = hero()
    pose_mode(rig)
    bpy.ops.object.mode_set(mode=mode)
    press(kind=kind)
    assert kinds(rig) == types


@pytest.mark.parametrize("press", PRESSES)
def test_the_last_kind_is_not_that_of_the_next_character(press) -> None:
    one, two = hero("One"), hero("Two")
    pose_mode(one)
    press("INVOKE_DEFAULT", True, only_active=True, kind="EMPTIES")
    bpy.ops.object.mode_set(mode="OBJECT")
    pose_mode(two)
    press("INVOKE_DEFAULT", True, only_active=True)
    assert (kinds(one), kinds(two)) == ({"EMPTY"}, {"ARMATURE"})


@pytest.mark.parametrize("press", PRESSES)
def test_each_rig_that_takes_no_bones_gets_empties(press) -> None:
    first, shared, twin = hero("First"), hero("Shared", 2.0), hero("Twin", 4.0)
    twin.data = shared.data
    pose_mode(first, shared)
    assert press() == {"FINISHED"}
    assert (kinds(first), kinds(shared)) == ({"ARMATURE"}, {"EMPTY"})


@pytest.mark.parametrize("ask", [api.create_targets, api.pin])
def test_a_report_says_why_targets_are_empties(ask) -> None:
    rig, twin = hero(), hero("Twin", 2.0)
    assert not [note for note in ask(rig, **BONES).notes if note.startswith("Empties")]
    rig.two_bone_ik_chains[0].target = rig.two_bone_ik_chains[0].pole_target = None
    twin.data = rig.data
    notes = ask(rig, **BONES).notes
    assert 'Empties instead of bones: "Hero" shares armature "Hero" with "Twin"' in notes


@pytest.mark.parametrize("press", PRESSES)
def test_bones_that_were_chosen_are_refused_all_the_same(press) -> None:
    rig, twin = hero(), hero("Twin")
    twin.data = rig.data
    pose_mode(rig)
    before = file_data.dump()
    with pytest.raises(RuntimeError, match='shares armature "Hero" with "Twin"'):
        press(kind="BONES", only_active=True)
    assert not file_data.changed(before)


@pytest.mark.parametrize("press", PRESSES)
def test_an_overridden_rig_gets_empties_and_a_reason(press, tmp_path: Path) -> None:
    rig = hero()
    holder = bpy.data.collections.new("Cast")
    holder.objects.link(rig)
    bpy.data.libraries.write(str(tmp_path / "hero.blend"), {holder})
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "hero.blend"), link=True) as (_, wanted):
        wanted.collections = ["Cast"]
    cast = wanted.collections[0]
    bpy.context.scene.collection.children.link(cast)
    cast.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    rig = next(item for item in bpy.context.scene.objects if item.type == "ARMATURE" and item.override_library)
    bpy.context.view_layer.update()
    pose_mode(rig)
    assert press() == {"FINISHED"}
    assert kinds(rig) == {"EMPTY"}
    rig.two_bone_ik_chains[0].target = rig.two_bone_ik_chains[0].pole_target = None
    notes = api.create_targets(rig, **BONES).notes
    assert 'Empties instead of bones: "Hero" has its bones from a library' in notes
