"""Limbs are found in rigs as they come: all arms and legs, under the names that animators use, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.bvh import bvh
from support.empty_file import open_empty_file
from support.rigify import generated, metarig, metarigs
from support.skeletons import NAMINGS

Limbs = dict[str, tuple[str, str, str]]


def limbs(rig: Object, *kinds: str) -> Limbs:
    """Root bone, end bone and tip bone of each limb that is found, by the limb's name."""
    found = {}
    for limb in api.detect(rig, kinds or ("ARMS", "LEGS")):
        assert limb.name not in found
        parent = rig.data.bones[limb.end_bone].parent.name
        assert limb.root_bone != parent, "named only where it is not the parent anyway"
        found[limb.name] = (limb.root_bone or parent, limb.end_bone, limb.tip_bone)
    return found


def sides(**limbs: str) -> Limbs:
    """Both sides of limbs: "root end tip", with {} for the side."""
    return {
        f"{name.replace('_', ' ')}.{side}": tuple(bones.format(side).split(" "))
        for name, bones in limbs.items()
        for side in "LR"
    }


HUMAN = sides(Arm="upper_arm.{0} forearm.{0} hand.{0}", Leg="thigh.{0} shin.{0} foot.{0}")
WOLF = sides(
    Front_Leg="front_thigh.{0} front_shin.{0} front_toe.{0}",
    Hind_Leg="thigh.{0} shin.{0} toe.{0}",
)
METARIGS = {
    "human": HUMAN,
    "basic_human": HUMAN,
    "basic_quadruped": WOLF,
    "wolf": WOLF,
    "cat": sides(Front_Leg="upper_arm.{0} forearm.{0} hand.{0}", Hind_Leg="thigh.{0} shin.{0} r_toe.{0}"),
    "horse": sides(
        Front_Leg="upper_arm.{0} forearm.{0} f_toe.{0}",
        Hind_Leg="thigh.{0} lower_leg.{0} r_toe.{0}",
    ),
    "bird": sides(Wing="Wing.{0} Wing.001.{0} Wing.002.{0}", Leg="thigh.{0} shin.{0} foot.{0}"),
    "shark": {},
}
"""What there is to be found in each metarig that Rigify ships, read off the rigs by eye."""


def without_names(rig: Object) -> dict[str, str]:
    """Rename all bones so that their names tell nothing; the old name by the new one."""
    old = {}
    for index, bone in enumerate(rig.data.bones):
        old[f"Bone.{index:03}"], bone.name = bone.name, f"Bone.{index:03}"
    return old


def test_the_metarigs_are_all_that_rigify_ships() -> None:
    assert set(metarigs()) == set(METARIGS)


@pytest.mark.parametrize("name", METARIGS)
def test_all_arms_and_legs_of_a_metarig_are_found(name: str) -> None:
    assert limbs(metarig(name)) == METARIGS[name]


# A wing with feathers is no arm by its structure, and a fin is one.
@pytest.mark.parametrize("name", [name for name in METARIGS if name not in {"bird", "shark"}])
def test_all_arms_and_legs_of_a_metarig_are_found_without_a_name(name: str) -> None:
    rig = metarig(name)
    old = without_names(rig)
    found = {limb: tuple(old[bone] for bone in bones) for limb, bones in limbs(rig).items()}
    assert found == METARIGS[name]


@pytest.mark.parametrize("name", ["human", "basic_quadruped", "horse"])
def test_in_a_generated_rig_the_fk_controls_are_found(name: str) -> None:
    fk = {
        limb: tuple(bone.replace(f".{limb[-1]}", f"_fk.{limb[-1]}") for bone in bones)
        for limb, bones in METARIGS[name].items()
    }
    # Rigify's IK of forelegs turns their third bone with neither of the others: two bones follow it exactly.
    third = {"basic_quadruped": "front_foot_fk", "horse": "forefoot_fk"}
    fk |= {limb: (*bones[:2], f"{third[name]}.{limb[-1]}") for limb, bones in fk.items() if limb.startswith("Front")}
    if name == "basic_quadruped":  # its toes have no FK controls: the tip is the tail of the third bone
        fk |= {f"Hind Leg.{side}": (f"thigh_fk.{side}", f"shin_fk.{side}", "") for side in "LR"}
    assert limbs(generated(name)) == fk


def test_plain_controls_are_found_in_a_rig_without_fk_layer() -> None:
    found = limbs(generated("bird"))
    assert {name: bones for name, bones in found.items() if name.startswith("Wing")} == {
        name: bones for name, bones in METARIGS["bird"].items() if name.startswith("Wing")
    }
    assert len(found) == 4


@pytest.mark.parametrize("kind", ["COPY_TRANSFORMS", "IK"])
def test_bones_that_constraints_move_have_limbs_as_well(kind: str) -> None:
    """As those that follow a captured actor, or an IK constraint that is to be taken over."""
    rig = metarig("human")
    for bone in rig.pose.bones:
        bone.constraints.new(kind)
    assert limbs(rig) == HUMAN


@pytest.mark.parametrize("program", NAMINGS)
def test_the_names_that_programs_give_are_known(program: str) -> None:
    naming = NAMINGS[program]
    assert limbs(naming.armature()) == naming.limbs


def through_gltf(path: Path) -> None:
    bpy.ops.export_scene.gltf(filepath=str(path))
    open_empty_file()
    bpy.ops.import_scene.gltf(filepath=str(path))


def through_fbx(path: Path) -> None:
    bpy.ops.export_scene.fbx(filepath=str(path))
    open_empty_file()
    bpy.ops.import_scene.fbx(filepath=str(path))


def with_skin(rig: Object) -> None:
    """A mesh that follows the armature: without one a glTF file has no armature."""
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    skin = bpy.data.objects.new("Skin", mesh)
    bpy.context.scene.collection.objects.link(skin)
    skin.vertex_groups.new(name=rig.data.bones[0].name).add([0, 1, 2], 1.0, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    skin.parent = rig


@pytest.mark.parametrize("through", [through_gltf, through_fbx], ids=["glTF", "FBX"])
@pytest.mark.parametrize(("name", "named"), [("human", True), ("wolf", False)], ids=["human", "wolf without names"])
def test_an_exported_armature_has_the_same_limbs(
    name: str, named: bool, through: Callable[[Path], None], tmp_path: Path
) -> None:
    rig = metarig(name)
    old = {} if named else without_names(rig)
    with_skin(rig)
    through(tmp_path / ("rig.glb" if through is through_gltf else "rig.fbx"))
    (rig,) = (item for item in bpy.data.objects if item.type == "ARMATURE")
    found = {limb: tuple(old.get(bone, bone) for bone in bones) for limb, bones in limbs(rig).items()}
    assert found == METARIGS[name]


def test_the_limbs_of_a_captured_actor_are_found(tmp_path: Path) -> None:
    (tmp_path / "actor.bvh").write_text(bvh())
    bpy.ops.import_anim.bvh(filepath=str(tmp_path / "actor.bvh"))
    rig = bpy.context.object
    assert limbs(rig) == {
        f"{limb}.{side[0]}": tuple(f"{side}{bone}" for bone in bones)
        for limb, bones in {"Arm": ("Arm", "ForeArm", "Hand"), "Leg": ("UpLeg", "Leg", "Foot")}.items()
        for side in ("Left", "Right")
    }
