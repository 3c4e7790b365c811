"""Where keyed options are kept: on the end bone, found by its name, so that no curve ever acts on another limb."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.settings.keyed_options import NAMES, bone_field
from bpy.types import Object

from support import rigs
from support.characters import select_bones
from support.empty_file import open_empty_file
from support.truth import on_frame, save_and_load

pytestmark = pytest.mark.versions

VALUES = {
    "hock_angle": 0.75,
    "pole_angle": 0.5,
    "pole_influence": 0.25,
    "pole_pin": 0.0625,
    "softness": 0.125,
    "max_stretch": 3.0,
    "bend_min": -0.5,
    "bend_max": 1.5,
    "rotation_influence": 0.75,
    "influence": 0.375,
}
TWO_ARMS = (
    rigs.Bone("spine", (0, 0, 0), (0, 0, 1)),
    *(
        rigs.Bone(f"{name}.{side}", *[(sign * x, y, z) for x, y, z in ends], parent)
        for side, sign in (("L", 1), ("R", -1))
        for name, ends, parent in (
            ("upper", ((0, 0, 1), (1, 0.2, 1)), "spine"),
            ("lower", ((1, 0.2, 1), (1.8, 0, 1.1)), f"upper.{side}"),
        )
    ),
)


def as_before(rig: Object) -> None:
    """Keep the values as older versions did: on the chains alone."""
    for chain in rig.two_bone_ik_chains:
        bone = rig.pose.bones.get(chain.end_bone)
        for name in NAMES:
            value = getattr(chain, name)
            if bone:
                bone.property_unset(bone_field(name))
            versions.stored(chain)[name] = value


def values(chain: object) -> dict[str, float]:
    return {name: getattr(chain, name) for name in NAMES}


def on_bone(rig: Object, bone: str) -> dict[str, float]:
    return {name: getattr(rig.pose.bones[bone], bone_field(name)) for name in NAMES}


def two_arms() -> Object:
    """Two arms, each with a target; the influence of the right one is keyed."""
    rig = rigs.armature(TWO_ARMS)
    for side, sign in (("L", 1), ("R", -1)):
        target = rigs.empty(f"Target.{side}", (sign * 1.0, 0.7, 1.4))
        rigs.chain(rig, f"lower.{side}", target=target)
    bone = rig.pose.bones["lower.R"]
    for frame, value in ((1, 0.0), (11, 1.0)):
        bone.two_bone_ik_influence = value
        bone.keyframe_insert("two_bone_ik_influence", frame=frame)
    return rig


def assert_only_the_right_arm_is_keyed(rig: Object) -> None:
    """After a bake the left tip is on its target on all frames, the right one on the last alone."""
    api.bake(rig, frames=(1, 11))
    off = {"L": [], "R": []}
    for frame in range(1, 12):
        bones = rig.evaluated_get(on_frame(frame)).pose.bones
        for side, found in off.items():
            found.append((bones[f"lower.{side}"].tail - bpy.data.objects[f"Target.{side}"].location).length)
    assert max(off["L"]) < 1e-5
    assert off["R"][0] > 0.5
    assert off["R"][-1] < 1e-5


def test_what_an_older_file_has_comes_over_to_the_bone() -> None:
    rig = rigs.arm(**VALUES).id_data
    as_before(rig)
    assert values(rig.two_bone_ik_chains[0]) == pytest.approx(VALUES), "read even before the file is loaded"
    save_and_load()
    rig = bpy.data.objects["Rig"]
    assert on_bone(rig, "lower") == pytest.approx(VALUES)
    assert values(rig.two_bone_ik_chains[0]) == pytest.approx(VALUES)


def test_an_edited_option_of_an_older_override_comes_over(tmp_path: Path) -> None:
    library, shot = str(tmp_path / "rig.blend"), str(tmp_path / "shot.blend")
    rig = rigs.arm(**VALUES).id_data
    as_before(rig)
    bpy.data.libraries.write(library, {rig})
    open_empty_file()
    with bpy.data.libraries.load(library, link=True) as (_, wanted):
        wanted.objects = ["Rig"]
    rig = wanted.objects[0].override_create(remap_local_usages=True)
    bpy.context.scene.collection.objects.link(rig)
    rig.two_bone_ik_chains[0].softness = 0.875
    as_before(rig)
    for _ in range(2):
        bpy.ops.wm.save_as_mainfile(filepath=shot)
        bpy.ops.wm.open_mainfile(filepath=shot)
        (rig,) = (item for item in bpy.data.objects if item.override_library)
        assert values(rig.two_bone_ik_chains[0]) == pytest.approx(VALUES | {"softness": 0.875})
        assert on_bone(rig, "lower") == pytest.approx(VALUES | {"softness": 0.875})


@pytest.mark.parametrize("link", [False, True], ids=["appended", "linked"])
def test_a_rig_of_an_older_file_is_read_and_can_be_keyed(tmp_path: Path, link: bool) -> None:
    """If it is appended, from the moment on in which it is in hand: before, its bones have nothing to key."""
    as_before(rigs.arm(**VALUES).id_data)
    bpy.data.libraries.write(str(tmp_path / "rig.blend"), {bpy.data.objects["Rig"]})
    open_empty_file()
    with bpy.data.libraries.load(str(tmp_path / "rig.blend"), link=link) as (_, wanted):
        wanted.objects = ["Rig"]
    (rig,) = wanted.objects
    bpy.context.scene.collection.objects.link(rig)
    if not link:
        bpy.context.view_layer.objects.active = rig
        bpy.context.view_layer.update()
        assert on_bone(rig, "lower") == pytest.approx(VALUES)
    assert values(rig.two_bone_ik_chains[0]) == pytest.approx(VALUES)


def test_the_chain_is_a_door_to_the_bone() -> None:
    chain = rigs.arm()
    bone = chain.id_data.pose.bones["lower"]
    for name, value in VALUES.items():
        setattr(chain, name, value)
        assert getattr(bone, bone_field(name)) == pytest.approx(value)
        default = bone.bl_rna.properties[bone_field(name)].default
        setattr(bone, bone_field(name), default)
        assert getattr(chain, name) == pytest.approx(default)


def test_values_set_before_there_is_an_end_bone_go_to_it() -> None:
    rig = rigs.armature()
    chain = rig.two_bone_ik_chains.add()
    for name, value in VALUES.items():
        setattr(chain, name, value)
    save_and_load()
    rig = bpy.data.objects["Rig"]
    chain = rig.two_bone_ik_chains[0]
    assert values(chain) == pytest.approx(VALUES)
    chain.end_bone = "lower"
    assert values(chain) == on_bone(rig, "lower") == pytest.approx(VALUES)


def test_a_chain_brings_its_values_to_an_end_bone_or_shares_its() -> None:
    rig = rigs.arm(**VALUES).id_data
    (chain,) = rig.two_bone_ik_chains
    chain.end_bone = "hand"
    assert values(chain) == on_bone(rig, "hand") == pytest.approx(VALUES)
    rig.pose.bones["hand"].two_bone_ik_softness = 0.25
    chain.end_bone = "lower"
    assert values(chain) == on_bone(rig, "lower") == pytest.approx(VALUES | {"softness": 0.25})
    rig.pose.bones["lower"].two_bone_ik_softness = VALUES["softness"]
    other = rig.two_bone_ik_chains.add()
    other.influence = 0.0
    other.mute, other.end_bone = True, "lower"
    assert values(other) == on_bone(rig, "lower") == pytest.approx(VALUES)


def test_a_bone_that_is_made_anew_gets_the_values_back() -> None:
    """A generated rig is generated again: all of its bones are removed and made anew."""
    rig = rigs.arm(**VALUES).id_data
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    bones.remove(bones["lower"])
    bone = bones.new("lower")
    bone.head, bone.tail, bone.parent = (1, 0.2, 1), (1.8, 0, 1.1), bones["upper"]
    bpy.ops.object.mode_set(mode="OBJECT")
    assert values(rig.two_bone_ik_chains[0]) == pytest.approx(VALUES)
    save_and_load()
    assert on_bone(bpy.data.objects["Rig"], "lower") == pytest.approx(VALUES)


def test_a_renamed_bone_keeps_values_and_curves() -> None:
    rig = two_arms()
    rig.two_bone_ik_chains["lower.R"].softness = 0.3
    rig.data.bones["lower.R"].name = "forearm.R"
    chain = rig.two_bone_ik_chains["lower.R"]
    chain.end_bone = "forearm.R"
    assert chain.softness == pytest.approx(0.3)
    rig.data.bones["forearm.R"].name = "lower.R"
    chain.end_bone = "lower.R"
    assert_only_the_right_arm_is_keyed(rig)


@pytest.mark.parametrize("edit", ["move", "remove and add", "add in front"])
def test_an_edited_list_leaves_curves_with_their_limb(edit: str) -> None:
    rig = two_arms()
    chains = rig.two_bone_ik_chains
    if edit == "remove and add":
        chains.remove(0)
        rigs.chain(rig, "lower.L", target=bpy.data.objects["Target.L"])
    else:
        if edit == "add in front":
            chains.add().mute = True
        chains.move(len(chains) - 1, 0)
    assert_only_the_right_arm_is_keyed(rig)


def test_a_library_that_adds_a_chain_hands_no_curve_on(tmp_path: Path) -> None:
    library, shot = str(tmp_path / "rig.blend"), str(tmp_path / "shot.blend")
    rig = rigs.armature(TWO_ARMS)
    for side, sign in (("L", 1), ("R", -1)):
        rigs.chain(rig, f"lower.{side}", target=rigs.empty(f"Target.{side}", (sign * 1.0, 0.7, 1.4)))
    character = bpy.data.collections.new("Character")
    bpy.context.scene.collection.children.link(character)
    for item in list(bpy.context.scene.collection.objects):
        character.objects.link(item)
        bpy.context.scene.collection.objects.unlink(item)
    bpy.ops.wm.save_as_mainfile(filepath=library)

    open_empty_file()
    with bpy.data.libraries.load(library, link=True) as (_, wanted):
        wanted.collections = ["Character"]
    bpy.context.scene.collection.children.link(wanted.collections[0])
    wanted.collections[0].override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    (rig,) = (item for item in bpy.data.objects if item.override_library and item.type == "ARMATURE")
    for frame, value in ((1, 0.0), (11, 1.0)):
        rig.pose.bones["lower.R"].two_bone_ik_influence = value
        rig.pose.bones["lower.R"].keyframe_insert("two_bone_ik_influence", frame=frame)
    rig.two_bone_ik_chains["lower.L"].softness = 0.25
    rig.pose.bones["lower.R"].two_bone_ik_softness = 0.5
    bpy.ops.wm.save_as_mainfile(filepath=shot)

    bpy.ops.wm.open_mainfile(filepath=library)
    chains = bpy.data.objects["Rig"].two_bone_ik_chains
    added = chains.add()
    added.name, added.mute = "new", True
    chains.move(2, 0)
    chains.move(2, 1)
    bpy.ops.wm.save_as_mainfile(filepath=library)

    bpy.ops.wm.open_mainfile(filepath=shot)
    (rig,) = (item for item in bpy.data.objects if item.override_library and item.type == "ARMATURE")
    assert rig.two_bone_ik_chains.keys() == ["new", "lower.R", "lower.L"]
    found = {chain.name: chain.softness for chain in rig.two_bone_ik_chains if chain.end_bone}
    assert found == {"lower.L": 0.25, "lower.R": 0.5}
    for chain in rig.two_bone_ik_chains:
        chain.softness = 0.0
        chain.target = bpy.data.objects.get(f"Target.{chain.name[-1]}") if chain.end_bone else None
    targets = {item.name: item for item in bpy.data.objects if item.name.startswith("Target") and item.override_library}
    for side in "LR":
        rig.two_bone_ik_chains[f"lower.{side}"].target = targets[f"Target.{side}"]
    assert_only_the_right_arm_is_keyed(rig)


def test_a_new_chain_has_defaults_whatever_one_before_left() -> None:
    rig = rigs.arm(**VALUES).id_data
    target = rig.two_bone_ik_chains[0].target
    rig.two_bone_ik_chains.remove(0)
    fresh = rigs.chain(rig, "lower", target=target)
    assert values(fresh) == pytest.approx({name: fresh.bl_rna.properties[name].default for name in NAMES})


def test_after_paste_flipped_only_pole_angle_is_to_be_turned() -> None:
    """As the manual says: with its sign turned, the arm of the other side is the mirror image."""
    rig = rigs.armature(TWO_ARMS)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        target = rigs.empty(f"Target.{side}", (sign * 0.5, 0.3, 1.2))
        pole = rigs.empty(f"Pole.{side}", (sign * 1.0, 0.9, 1.6))
        rigs.chain(rig, f"lower.{side}", target=target).pole_target = pole
    left, right = rig.two_bone_ik_chains
    left.use_bend_limits = right.use_bend_limits = True
    left.bend_min, left.bend_max, left.pole_angle = 0.35, 1.3, 0.4
    select_bones(rig, "lower.L", "upper.L")
    bpy.ops.pose.copy()
    bpy.ops.pose.paste(flipped=True)
    assert values(right) == values(left)
    right.pole_angle = -right.pole_angle
    api.solve(rig)
    bpy.context.view_layer.update()
    joints = [[rig.pose.bones[f"lower.{side}"].head, rig.pose.bones[f"lower.{side}"].tail] for side in "LR"]
    here, there = np.array(joints)
    np.testing.assert_allclose(here * (-1.0, 1.0, 1.0), there, atol=1e-6)  # Blender's single precision
    hinge = (here[0] - (0, 0, 1)) @ (here[1] - here[0])
    lengths = [rig.data.bones[name].length for name in ("upper.L", "lower.L")]
    assert np.arccos(hinge / np.prod(lengths)) == pytest.approx(1.3, abs=1e-4)  # the target is closer than the limit


def test_a_setup_file_holds_and_resets_them(tmp_path: Path) -> None:
    rig = rigs.arm(**VALUES).id_data
    api.save_setup(rig, tmp_path / "setup.toml")
    (tmp_path / "plain.toml").write_text('[[chain]]\nend_bone = "lower"\ntarget = "Target"\n')
    api.apply_setup(rig, api.load_setup(tmp_path / "plain.toml"))
    (chain,) = rig.two_bone_ik_chains
    assert values(chain) == pytest.approx({name: chain.bl_rna.properties[name].default for name in NAMES})
    api.apply_setup(rig, api.load_setup(tmp_path / "setup.toml"))
    assert on_bone(rig, "lower") == pytest.approx(VALUES, abs=1e-6)
