"""Where keyed options are kept: on the end bone, found by its name, so that no curve ever acts on another limb."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.keyed_options import NAMES, bone_field
from bpy.types import Object

from support import rigs
from support.truth import on_frame, save_and_load

VALUES = {
    "pole_angle": 0.5,
    "pole_influence": 0.25,
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
            versions.stored(chain, create=True)[name] = value


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
    assert not set(NAMES) & set(versions.stored(rig.two_bone_ik_chains[0]).keys())


def test_a_linked_rig_of_an_older_file_is_read_as_it_was(tmp_path: Path) -> None:
    as_before(rigs.arm(**VALUES).id_data)
    bpy.data.libraries.write(str(tmp_path / "rig.blend"), {bpy.data.objects["Rig"]})
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "rig.blend"), link=True) as (_, wanted):
        wanted.objects = ["Rig"]
    (rig,) = wanted.objects
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

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
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


def test_a_setup_file_holds_and_resets_them(tmp_path: Path) -> None:
    rig = rigs.arm(**VALUES).id_data
    api.save_setup(rig, tmp_path / "setup.toml")
    (tmp_path / "plain.toml").write_text('[[chain]]\nend_bone = "lower"\ntarget = "Target"\n')
    api.apply_setup(rig, api.load_setup(tmp_path / "plain.toml"))
    (chain,) = rig.two_bone_ik_chains
    assert values(chain) == pytest.approx({name: chain.bl_rna.properties[name].default for name in NAMES})
    api.apply_setup(rig, api.load_setup(tmp_path / "setup.toml"))
    assert on_bone(rig, "lower") == pytest.approx(VALUES, abs=1e-6)


@pytest.mark.parametrize("sampling", ["AUTO", "ISOLATED"])
def test_limits_that_cross_on_one_frame_are_refused(sampling: str) -> None:
    rig = rigs.arm(use_bend_limits=True, bend_min=0.0, bend_max=1.0).id_data
    bone = rig.pose.bones["lower"]
    for frame, value in ((1, 0.0), (11, 2.0)):
        bone.two_bone_ik_bend_min = value
        bone.keyframe_insert("two_bone_ik_bend_min", frame=frame)
    bpy.context.scene.frame_set(1)
    with pytest.raises(api.Refused, match=r'Bone "lower" of "Rig" has bend limits .* on frame \d+') as refusal:
        api.bake(rig, frames=(1, 11), sampling=sampling)
    assert refusal.value.kind == "CROSSED_LIMITS"


def test_half_a_pole_poses_a_frame_as_any_range_does() -> None:
    """A pole that circles the arm: where the range begins must not count."""
    chain = rigs.arm(pole=(0, 0, 0), pole_influence=0.5)
    rig, pole = chain.id_data, chain.pole_target
    turns = np.linspace(0.2, 4 * np.pi, 41)
    rigs.animate(
        pole, location={frame: (0.5, 3 * np.cos(turn), 1 + 3 * np.sin(turn)) for frame, turn in enumerate(turns, 1)}
    )

    def elbow(frame: int) -> np.ndarray:
        bones = rig.evaluated_get(on_frame(frame)).pose.bones
        return np.array(bones["lower"].head)

    api.bake(rig, frames=(1, 41))
    whole = [elbow(frame) for frame in range(1, 42)]
    for start in (8, 15, 22, 29, 36):
        api.bake(rig, frames=(start, start + 3))
        np.testing.assert_allclose(
            [elbow(frame) for frame in range(start, start + 4)], whole[start - 1 : start + 3], atol=1e-5
        )
        bpy.context.scene.frame_set(start)
        api.solve(rig)
        bpy.context.view_layer.update()
        np.testing.assert_allclose(np.array(rig.pose.bones["lower"].head), whole[start - 1], atol=1e-5)
    rig.two_bone_ik_live = True
    rig.animation_data_clear()
    np.testing.assert_allclose([elbow(frame) for frame in range(1, 42)], whole, atol=1e-5)


@pytest.mark.parametrize("name", ["pole_angle", "softness", "bend_max"])
def test_targets_follow_a_pose_by_the_options_of_each_frame(name: str) -> None:
    """Bake, targets from the pose, and bake again: the same motion."""
    chain = rigs.arm(pole=(0.5, 2.0, 1.5), use_bend_limits=name == "bend_max")
    rig = chain.id_data
    rigs.animate(chain.target, location={1: (1.2, 0.6, 1.3), 11: (0.7, -0.5, 1.6)})
    for frame, value in ((1, 0.1), (11, 0.4)):
        value = 3.0 - value if name == "bend_max" else value
        setattr(rig.pose.bones["lower"], bone_field(name), value)
        rig.pose.bones["lower"].keyframe_insert(bone_field(name), frame=frame)

    def joints() -> np.ndarray:
        found = []
        for frame in range(1, 12):
            bones = rig.evaluated_get(on_frame(frame)).pose.bones
            found.append((*bones["lower"].head, *bones["lower"].tail))
        return np.array(found)

    api.bake(rig, frames=(1, 11))
    before = joints()
    api.bake_targets(rig, frames=(1, 11))
    api.bake(rig, frames=(1, 11))
    np.testing.assert_allclose(joints(), before, atol=1e-4)
