"""Several characters in a file, linked or duplicated: each has targets of its own, made with one call for all."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Collection, Object
from mathutils import Euler, Vector

from support import file_data, rigs
from support.empty_file import open_empty_file
from support.refused import refused
from support.rigs import arm
from support.truth import on_frame, save_and_load

KINDS = pytest.mark.parametrize("kind", ["EMPTIES", "BONES"])


def collection(name: str, parent: Collection | None = None) -> Collection:
    made = bpy.data.collections.new(name)
    (parent or bpy.context.scene.collection).children.link(made)
    return made


def hero(name: str = "Hero", holder: Collection | None = None) -> Object:
    rig = rigs.armature(name=name)
    api.add_chain(rig, "lower", name="Arm.L", tip_bone="hand")
    if holder:
        bpy.context.scene.collection.objects.unlink(rig)
        holder.objects.link(rig)
    return rig


def duplicated(*items: Object) -> list[Object]:
    """Shift+D."""
    bpy.ops.object.select_all(action="DESELECT")
    for item in items:
        item.select_set(True)
    bpy.context.view_layer.objects.active = items[0]
    bpy.ops.object.duplicate()
    return list(bpy.context.selected_objects)


def used(rig: Object) -> list[tuple[str, str]]:
    chain = rig.two_bone_ik_chains[0]
    return [(chain.target.name, chain.subtarget), (chain.pole_target.name, chain.pole_subtarget)]


def test_empties_of_two_characters_tell_whose_they_are() -> None:
    for name, number in (("Hero", ""), ("Villain", ".001")):
        api.create_targets(hero(name))
        names = [f"Arm Target.L{number}", f"Arm Pole.L{number}"]
        assert used(bpy.data.objects[name]) == [(each, "") for each in names]
        assert bpy.data.collections[f"{name} Targets"].objects.keys() == names
    assert bpy.utils.flip_name(names[0]) == "Arm Target.R.001", "as those of the first"


def test_empties_lie_in_the_deepest_collection_of_the_rig() -> None:
    actors = collection("Actors")
    deep = collection("Hero", collection("Left", actors))
    rig = hero(holder=deep)
    actors.objects.link(rig)
    collection("Deeper", collection("Other", deep))
    report = api.create_targets(rig)
    assert deep.children.keys() == ["Other", "Hero Targets"]
    assert not [note for note in report.notes if note.startswith("Linking")]
    api.add_chain(rig, "hand")
    api.create_targets(rig)
    assert len(deep.children["Hero Targets"].objects) == 4


def test_a_rig_in_no_collection_is_told_of() -> None:
    report = api.create_targets(hero())
    assert bpy.context.scene.collection.children.keys() == ["Hero Targets"]
    assert [note for note in report.notes if 'Linking "Hero" alone will not take the empties along' in note]


def test_a_duplicate_gets_targets_of_its_own_in_one_press() -> None:
    rig = hero(holder=collection("Hero"))
    api.create_targets(rig)
    rigs.animate(rig.two_bone_ik_chains[0].target, location={1: (1.2, 0.6, 1.3), 9: (1.0, 0.4, 1.5)})
    (twin,) = duplicated(rig)
    assert used(twin) == used(rig)
    before = file_data.dump()
    bpy.ops.two_bone_ik.create_targets()
    assert used(twin) == [("Arm Target.L.001", ""), ("Arm Pole.L.001", "")]
    changed = {path for path in file_data.changed(before) if path in before}
    lists = ("collections['Hero']", "scenes['Scene'].view_layers[0].objects")
    assert {path for path in changed if "Hero.001" not in path and not path.startswith(lists)} == set()
    before = file_data.dump()
    for one in (rig, twin):
        assert api.create_targets(one).notes == ("Every chain has a target and a pole target",)
    assert not file_data.changed(before)


def test_a_duplicate_with_bones_has_its_own_at_once() -> None:
    rig = hero()
    api.create_targets(rig, kind="BONES")
    (twin,) = duplicated(rig)
    assert used(twin) == [("Hero.001", "Arm Target.L"), ("Hero.001", "Arm Pole.L")]
    assert api.create_targets(twin).notes == ("Every chain has a target and a pole target",)
    assert used(rig) == [("Hero", "Arm Target.L"), ("Hero", "Arm Pole.L")]


def test_a_character_duplicated_with_its_empties_has_them() -> None:
    rig = hero()
    api.create_targets(rig)
    chain = rig.two_bone_ik_chains[0]
    duplicated(rig, chain.target, chain.pole_target)
    twin = bpy.data.objects["Hero.001"]
    assert used(twin) == [("Arm Target.L.001", ""), ("Arm Pole.L.001", "")]
    assert api.create_targets(twin).notes == ("Every chain has a target and a pole target",)


@pytest.mark.parametrize("duplicate", [True, False])
def test_a_renamed_character_keeps_its_targets(duplicate: bool) -> None:
    rig = hero()
    api.create_targets(rig)
    twins = duplicated(rig) if duplicate else []
    rig.name = "Boss"
    before = used(rig)
    assert api.create_targets(rig).notes == ("Every chain has a target and a pole target",)
    assert used(rig) == before
    for twin in twins:
        api.create_targets(twin)
        assert used(twin) == [("Arm Target.L.001", ""), ("Arm Pole.L.001", "")]


def test_a_hand_that_holds_anothers_target_goes_on_to() -> None:
    rig, other = hero(), rigs.armature(name="Other")
    api.create_targets(rig)
    target = rig.two_bone_ik_chains[0].target
    chain = api.add_chain(other, "hand", target=target, plane="AIM")
    assert api.create_targets(other).notes == ("Every chain has a target and a pole target",)
    assert chain.target == target


@KINDS
@pytest.mark.parametrize("way", ["instance", "objects"])
def test_an_override_takes_chains_and_targets_along(tmp_path: Path, kind: str, way: str) -> None:
    rig = hero(holder=collection("Hero"))
    api.create_targets(rig, kind=kind)
    path = str(tmp_path / "hero.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    open_empty_file()
    bpy.ops.wm.link(directory=f"{path}/Collection/", filename="Hero", instance_collections=way == "instance")
    linked = next(item for item in bpy.data.objects if item.type == "ARMATURE")
    if way == "objects":
        bpy.ops.object.select_all(action="DESELECT")
        linked.select_set(True)
        bpy.context.view_layer.objects.active = linked
        bpy.ops.object.make_override_library(collection=bpy.data.collections["Hero"].session_uid)
    else:
        bpy.ops.object.make_override_library()
    save_and_load()
    (rig,) = (item for item in bpy.data.objects if item.type == "ARMATURE" and not item.library)
    (chain,) = rig.two_bone_ik_chains
    assert not chain.target.library
    assert not chain.pole_target.library
    assert chain.target == rig or kind == "EMPTIES"
    if kind == "EMPTIES":  # the further step that the manual names
        bpy.ops.object.select_all(action="DESELECT")
        for item in (chain.target, chain.pole_target):
            item.select_set(True)
        bpy.context.view_layer.objects.active = chain.target
        bpy.ops.object.make_override_library()
        assert not chain.target.override_library.is_system_override
        assert not chain.pole_target.override_library.is_system_override
        assert api.snap_targets(rig).reached
    owner = rig.pose.bones[chain.subtarget] if kind == "BONES" else chain.target
    rigs.animate(owner, location={frame: owner.location + shift for frame, shift in SHIFTS.items()})
    assert api.bake(rig, frames=(1, 9)).reached
    for frame in range(1, 10):
        evaluated = rig.evaluated_get(on_frame(frame))
        bones = evaluated.pose.bones
        wanted = bones[chain.subtarget].head if kind == "BONES" else chain.target.matrix_world.translation
        np.testing.assert_allclose(bones["hand"].head, wanted, atol=1e-5)


SHIFTS = {1: Vector((0, -0.1, 0)), 9: Vector((-0.1, -0.3, 0.1))}


def test_an_override_is_offered_empties_in_place_of_bones(tmp_path: Path) -> None:
    hero(holder=collection("Hero"))
    path = str(tmp_path / "hero.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    open_empty_file()
    bpy.ops.wm.link(directory=f"{path}/Collection/", filename="Hero", instance_collections=True)
    bpy.ops.object.make_override_library()
    (rig,) = (item for item in bpy.data.objects if item.type == "ARMATURE" and not item.library)
    with refused(match=r"has its bones from a library .* create empties, or"):
        api.create_targets(rig, kind="BONES")
    assert api.create_targets(rig).reached
    target = rig.two_bone_ik_chains[0].target
    assert not target.library
    assert target.users_collection[0] in bpy.context.scene.collection.children_recursive


def characters(count: int) -> list[Object]:
    """Arms in different places and poses, selected, without targets."""
    rigs = []
    for number in range(count):
        link = arm()
        rig = link.id_data
        rig.name, rig.location, rig.rotation_euler = f"Rig {number}", (2.0 * number, 0.3, 0.1), (0.2, 0.1 * number, 0.4)
        rig.pose.bones["upper"].rotation_quaternion = Euler((0.3, 0.2 * number, -0.5)).to_quaternion()
        link.target = None
        rig.select_set(True)
        rigs.append(rig)
    bpy.context.view_layer.update()
    return rigs


def shown(rigs: list[Object]) -> np.ndarray:
    bpy.context.view_layer.update()
    return np.array([[rig.matrix_world @ bone.matrix for bone in rig.pose.bones] for rig in rigs], dtype=float)


@KINDS
def test_the_poses_of_many_stay(kind: str) -> None:
    rigs = characters(3)
    before = shown(rigs)
    bones = len(rigs[0].pose.bones)
    reports = api.create_targets(rigs, kind=kind)
    assert [report.rig for report in reports] == [rig.name for rig in rigs]
    for rig in rigs:
        api.solve(rig)
        [chain] = rig.two_bone_ik_chains
        assert (chain.target == rig) == (kind == "BONES")
        assert chain.target
        assert chain.pole_target
    after = np.array([[rig.matrix_world @ bone.matrix for bone in list(rig.pose.bones)[:bones]] for rig in rigs])
    assert np.abs(after - before).max() < 1e-5  # float32 within some metres


def test_one_that_is_refused_leaves_all_without_targets() -> None:
    rigs = characters(3)
    rigs[2].two_bone_ik_chains[0].end_bone = "gone"
    objects = set(bpy.data.objects)
    with pytest.raises(api.Refused):
        api.create_targets(rigs)
    assert set(bpy.data.objects) == objects
    assert not any(rig.two_bone_ik_chains[0].target or rig.two_bone_ik_chains[0].use_rotation for rig in rigs)


def test_one_that_lacks_none_is_told_beside_others() -> None:
    rigs = characters(2)
    api.create_targets(rigs[0])
    told, made = api.create_targets(rigs)
    assert not told.chains
    assert [chain.name for chain in made.chains] == [rigs[1].two_bone_ik_chains[0].name]
    assert rigs[1].two_bone_ik_chains[0].target
    one, other = rigs
    assert [report.rig for report in api.create_targets([one, other, one])] == [one.name, other.name, one.name]


def evaluations(**options: str) -> int:
    """How often Blender evaluates the scene while targets are created."""
    seen: list[object] = []

    def notice(scene: object, *_: object) -> None:
        seen.append(scene)

    bpy.app.handlers.depsgraph_update_post.append(notice)
    try:
        bpy.ops.two_bone_ik.create_targets(**options)
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(notice)
    return len(seen)


def test_four_take_as_many_evaluations_as_one() -> None:
    characters(1)
    for_one = evaluations()
    bpy.ops.object.select_all(action="DESELECT")
    rigs = characters(4)
    assert evaluations() == for_one
    assert all(rig.two_bone_ik_chains[0].target for rig in rigs)


@KINDS
def test_one_that_is_refused_leaves_the_others_theirs(kind: str) -> None:
    rigs = characters(3)
    rigs[1].two_bone_ik_chains[0].end_bone = "gone"
    with pytest.raises(RuntimeError, match="gone"):
        bpy.ops.two_bone_ik.create_targets(kind=kind)
    assert [bool(rig.two_bone_ik_chains[0].target) for rig in rigs] == [True, False, True]


@pytest.mark.parametrize("how", ["exclude", "hide_viewport"])
def test_empties_land_where_the_view_layer_shows_them(how: str) -> None:
    char = collection("Char")
    rig = hero(holder=char)
    collection("Backup", char).objects.link(rig)
    setattr(bpy.context.view_layer.layer_collection.children["Char"].children["Backup"], how, True)
    rig.location = (1, 2, 3)
    api.create_targets(rig)
    [chain] = rig.two_bone_ik_chains
    assert chain.target.visible_get()
    assert [made.name for made in char.children] == ["Backup", "Hero Targets"]
    bpy.context.view_layer.update()
    tip = rig.matrix_world @ rig.pose.bones["lower"].tail
    assert (chain.target.matrix_world.translation - tip).length < 1e-5


def test_a_character_has_one_collection_for_its_targets() -> None:
    bpy.data.collections.new("Rig Targets")
    rig = rigs.armature()
    chains = [api.add_chain(rig, bone) for bone in ("lower", "hand")]
    for chain in chains:
        api.create_targets(rig, [chain.name])
    assert chains[0].target.users_collection == chains[1].target.users_collection


def test_a_character_that_is_hidden_keeps_its_empties() -> None:
    char = collection("Char")
    rig = hero(holder=char)
    bpy.context.view_layer.layer_collection.children["Char"].hide_viewport = True
    api.create_targets(rig)
    assert [made.name for made in char.children] == ["Hero Targets"]
