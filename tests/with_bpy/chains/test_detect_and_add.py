"""What is added for detected limbs: once, under a name of its own, ready for a bake; and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object
from hypothesis import given, settings
from hypothesis import strategies as st

from support import file_data
from support.characters import in_hand, select_bones
from support.library import linked, overridden
from support.rigify import generated, metarig
from support.rigs import ARM, STRAIGHT, Bone, armature, empty
from support.skeletons import NAMINGS
from support.truth import save_and_load

KINDS = ("ARMS", "LEGS", "FINGERS", "SPINE")


def chains(rig: Object) -> dict[str, tuple[str, str, str]]:
    return {chain.name: (chain.root_bone, chain.end_bone, chain.tip_bone) for chain in rig.two_bone_ik_chains}


def detect(**options: object) -> str:
    """What the operator refuses, "" where it is done."""
    try:
        bpy.ops.two_bone_ik.chains_detect(**options)
    except RuntimeError as refused:
        return str(refused)
    return ""


def test_arms_and_legs_are_added_once_and_others_on_request() -> None:
    rig = metarig("human")
    assert not detect()
    added = chains(rig)
    assert added == {
        "Arm.L": ("", "forearm.L", "hand.L"),
        "Arm.R": ("", "forearm.R", "hand.R"),
        "Leg.L": ("", "shin.L", "foot.L"),
        "Leg.R": ("", "shin.R", "foot.R"),
    }
    assert not detect()
    assert chains(rig) == added
    rig.two_bone_ik_chains.clear()
    assert not detect(kinds={"FINGERS", "SPINE"})
    fingers = {
        f"{name}.{side}": ("", f"{bone}.02.{side}", f"{bone}.03.{side}")
        for name, bone in zip(
            ("Thumb", "Index", "Middle", "Ring", "Pinky"),
            ("thumb", "f_index", "f_middle", "f_ring", "f_pinky"),
            strict=True,
        )
        for side in "LR"
    }
    assert chains(rig) == fingers | {"Spine": ("", "spine.002", "spine.003")}


def test_a_limb_that_has_a_chain_under_any_name_is_left_alone() -> None:
    rig = metarig("human")
    api.add_chain(rig, "shin.L", name="Mine")
    assert {limb.name: limb.chain for limb in api.detect(rig, ["LEGS"])} == {"Leg.L": "Mine", "Leg.R": ""}
    assert [limb.chain for limb in api.add_detected(rig, ["LEGS"])] == ["Leg.R"]
    assert chains(rig) == {"Mine": ("", "shin.L", ""), "Leg.R": ("", "shin.R", "foot.R")}


def test_fingers_are_controls_of_a_generated_rig_and_no_toes() -> None:
    rig = generated("human")
    found = {limb.name: limb for limb in api.detect(rig, ["FINGERS"])}
    assert len(found) == 10
    index = found["Index.L"]
    assert (index.root_bone, index.end_bone, index.tip_bone) == ("f_index.01.L", "f_index.02.L", "f_index.03.L")
    metarig("bird")
    assert "No limbs" in detect(kinds={"FINGERS"})


@pytest.mark.parametrize("program", ["Unreal, twist bones in between", "SMPL"])
def test_the_root_bone_is_named_where_it_is_not_the_parent(program: str) -> None:
    rig = NAMINGS[program].armature()
    api.add_detected(rig)
    between = program.startswith("Unreal")
    assert {name: bool(root) for name, (root, _, _) in chains(rig).items()} == dict.fromkeys(chains(rig), between)


def test_an_armature_that_is_one_limb_is_found() -> None:
    assert not detect_in(STRAIGHT)
    assert chains(bpy.context.object) == {"Limb": ("", "lower", "")}
    # By the word "hand", and without the bone that is named as a spine.
    assert not detect_in(ARM)
    assert chains(bpy.context.object) == {"Arm": ("", "lower", "hand")}


def detect_in(bones: tuple[Bone, ...]) -> str:
    armature(bones)
    return detect()


ROPE = tuple(Bone(f"Bone.{i}", (0, 0, i), (0, 0, i + 1), f"Bone.{i - 1}" if i else "") for i in range(12))
TENTACLES = (
    Bone("Body", (0, 0, 0), (0, 0, 1)),
    *(
        Bone(f"Arm{i}.{s}", (x * i, 0, 1), (x * (i + 1), 0, 1), f"Arm{i - 1}.{s}" if i else "Body")
        for s, x in (("L", 1), ("R", -1))
        for i in range(9)
    ),
)
EARS = (
    Bone("Body", (0, 0, 0), (0, 0, 9)),
    *(Bone(f"A.{s}", (x, 0, 9), (x, 0, 9.4), "Body") for s, x in (("L", 1), ("R", -1))),
    *(Bone(f"B.{s}", (x, 0, 9.4), (x, 0, 9.8), f"A.{s}") for s, x in (("L", 1), ("R", -1))),
)


@pytest.mark.parametrize("bones", [ROPE, TENTACLES, EARS, ARM[:1]], ids=["rope", "tentacles", "ears", "one bone"])
def test_what_is_no_limb_is_refused_with_what_to_do(bones: tuple[Bone, ...]) -> None:
    assert "select the end bone" in detect_in(bones)
    assert not chains(bpy.context.object)


def test_only_an_armature_has_limbs() -> None:
    with pytest.raises(api.Refused, match='"Target" is not an armature'):
        api.detect(empty("Target"))


def test_nothing_but_the_list_of_chains_changes() -> None:
    rig = metarig("human")
    before = file_data.dump()
    api.detect(rig, KINDS)
    assert not file_data.changed(before)
    api.add_detected(rig, KINDS)
    changed = {path.partition("].")[2] for path in file_data.changed(before)}
    ours = ("two_bone_ik_chains", "two_bone_ik_active", "view_layers[0].two_bone_ik_in_hand")
    # The bones that a chain names have marks, by which it goes along when they are renamed.
    assert all(path.startswith(ours) or path.endswith(".two_bone_ik_mark") for path in changed)
    assert changed


def test_an_override_gets_chains_beside_those_of_its_library(tmp_path: Path) -> None:
    rig = NAMINGS["Mixamo"].armature()
    api.add_detected(rig, ["LEGS"])
    library = linked(tmp_path, "Hero")
    assert len(api.detect(library)) == 4
    with pytest.raises(api.Refused, match="library override"):
        api.add_detected(library)
    rig = overridden(library)
    assert [limb.chain for limb in api.add_detected(rig)] == ["Arm.L", "Arm.R"]
    save_and_load()
    (rig,) = (item for item in bpy.data.objects if item.override_library)
    assert list(chains(rig)) == ["Leg.L", "Leg.R", "Arm.L", "Arm.R"]


WORDS = ["arm", "leg", "upper", "lower", "fore", "hand", "foot", "thigh", "shin", "hip", "spine", "index", "wing", "x"]
MARKS = ["", ".L", ".R", "_l", "_r", "Left", "Right", ".001", "_fk", "_ik", "_twist", "DEF-", "MCH-", "mixamorig:", "ü"]
NAMES = st.builds("".join, st.lists(st.sampled_from(WORDS + MARKS), min_size=1, max_size=4))
PLACES = st.tuples(*[st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0, 1e-3])] * 3)
SKELETONS = st.lists(st.tuples(NAMES, PLACES, PLACES, st.integers(-1, 12)), min_size=1, max_size=24)


@settings(max_examples=120)
@given(SKELETONS)
def test_whatever_the_armature_its_limbs_are_sound(bones: list[tuple]) -> None:
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    rig = bpy.data.objects.new("Any", bpy.data.armatures.new("Any"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    made = []
    for name, head, tail, parent in bones:
        bone = rig.data.edit_bones.new(name)
        # Blender removes bones without length.
        bone.head, bone.tail = head, [end + 0.1 * (head == tail) for end in tail]
        bone.parent = made[parent] if 0 <= parent < len(made) else None
        made.append(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    found = api.detect(rig, KINDS)
    assert len({limb.end_bone for limb in found}) == len(found)
    for limb in found:
        end = rig.data.bones[limb.end_bone]
        assert not limb.root_bone or rig.data.bones[limb.root_bone] in end.parent_recursive
        assert not limb.tip_bone or end in rig.data.bones[limb.tip_bone].parent_recursive
        assert limb.side in {"L", "R", ""}
        assert not limb.chain
    if not found:
        with pytest.raises(api.Refused):
            api.add_detected(rig, KINDS)
        return
    assert [limb.end_bone for limb in api.add_detected(rig, KINDS)] == [limb.end_bone for limb in found]
    assert api.add_detected(rig, KINDS) == ()
    assert len(rig.two_bone_ik_chains) == len(found)


@pytest.mark.parametrize(("kind", "bone"), [("metarig", "foot.L"), ("generated", "foot_ik.L")])
def test_the_limb_that_is_selected_is_in_hand_once_it_is_found(kind: str, bone: str) -> None:
    rig = metarig("human") if kind == "metarig" else generated("human")
    select_bones(rig, bone)
    assert not detect()
    assert len(rig.two_bone_ik_chains) == 4
    assert in_hand() == (rig.name, "Leg.L")
    assert rig.two_bone_ik_chains[rig.two_bone_ik_active].name == "Leg.L"
    rig.two_bone_ik_active = rig.two_bone_ik_chains.find("Arm.R")
    assert not detect()  # adds none, and changes nothing
    assert in_hand() == (rig.name, "Arm.R")
