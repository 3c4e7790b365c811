"""Two chains that pose the same bone: refused by name, told by Live, and no harm in a set-up script that runs twice."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.live import state
from bpy.types import Object

from support import file_data
from support.refused import refused
from support.rigs import ARM, Bone, armature, empty

TWIST = (
    Bone("spine", (0, 0, 0), (0, 0, 1)),
    Bone("upper", (0, 0, 1), (0.5, 0.1, 1), "spine"),
    Bone("twist", (0.5, 0.1, 1), (1, 0.2, 1), "upper"),
    Bone("lower", (1, 0.2, 1), (1.8, 0, 1.1), "twist"),
    Bone("spare", (1, 0.2, 1), (1, 1, 1), "twist"),
    Bone("hand", (1.8, 0, 1.1), (2, 0, 1.1), "lower"),
    Bone("finger", (2, 0, 1.1), (2.2, 0.1, 1.1), "hand"),
    Bone("nail", (2.2, 0.1, 1.1), (2.3, 0, 1.1), "finger"),
)
FORK = (*ARM, Bone("other", (1, 0.2, 1), (1.5, 0.9, 1), "upper"))


def chain(rig: Object, name: str, **fields: object) -> None:
    """As files have them that were made before adding a second one was refused."""
    new = rig.two_bone_ik_chains.add()
    for field, value in {"name": name, "target": empty(name, (1, 0.5, 1.5)), **fields}.items():
        setattr(new, field, value)


COLLIDING = {
    "the same limb twice": (ARM, {"end_bone": "lower"}, {"end_bone": "lower"}, "upper"),
    "a common root bone": (FORK, {"end_bone": "lower"}, {"end_bone": "other"}, "upper"),
    "an end bone as root bone": (ARM, {"end_bone": "lower"}, {"end_bone": "hand"}, "lower"),
    "a tip bone that turns as root bone": (
        TWIST,
        {"end_bone": "lower", "root_bone": "upper", "tip_bone": "hand", "use_rotation": True},
        {"end_bone": "finger"},
        "hand",
    ),
    "a bone in between as root bone": (
        TWIST,
        {"end_bone": "lower", "root_bone": "upper"},
        {"end_bone": "spare"},
        "twist",
    ),
    "a bone below as root bone": (
        TWIST,
        {"end_bone": "lower", "root_bone": "upper", "tip_bone": "nail"},
        {"end_bone": "finger"},
        "hand",
    ),
}
"""Bones, the fields of two chains, and the first bone that both pose: what is carried along rigidly counts too."""


def colliding(case: str) -> tuple[Object, str]:
    bones, one, two, shared = COLLIDING[case]
    rig = armature(bones)
    chain(rig, "One", **one)
    chain(rig, "Two", **two)
    return rig, shared


@pytest.mark.parametrize("case", COLLIDING)
def test_chains_that_pose_one_bone_are_refused_by_name(case: str) -> None:
    rig, shared = colliding(case)
    for request in (api.bake, api.check, api.solve):
        with refused("SHARED_BONE", '"One"', '"Two"', f'"{shared}"', '"Rig"', "mute") as found:
            request(rig)
        assert (found.value.object, found.value.bone) == ("Rig", shared)


@pytest.mark.parametrize("case", COLLIDING)
def test_only_chains_that_take_part_count(case: str) -> None:
    rig, _ = colliding(case)
    assert [found.name for found in api.bake(rig, ["Two"], (1, 2)).chains] == ["Two"]
    rig.two_bone_ik_chains["Two"].mute = True
    assert [found.name for found in api.bake(rig, frames=(1, 2)).chains] == ["One"]


def test_a_finger_of_a_hand_that_does_not_turn_is_free() -> None:
    """The arm looks at the head of its tip bone, which the finger does not move."""
    rig, _ = colliding("a tip bone that turns as root bone")
    rig.two_bone_ik_chains["One"].use_rotation = False
    assert len(api.bake(rig, frames=(1, 2)).chains) == 2


def test_live_goes_on_beside_chains_that_share_a_bone() -> None:
    rig = armature(
        (*FORK, Bone("left", (0, 0, 1), (-1, 0.2, 1), "spine"), Bone("fore", (-1, 0.2, 1), (-1.8, 0, 1), "left"))
    )
    chain(rig, "One", end_bone="lower")
    chain(rig, "Two", end_bone="other")
    chain(rig, "Free", end_bone="fore", target=empty("There", (-1, 0.6, 1.2)))
    bpy.context.view_layer.update()
    rig.two_bone_ik_live = True
    refused = state.update(rig, bpy.context.scene, bpy.context.evaluated_depsgraph_get()).refused
    assert set(refused) == {"One", "Two"}
    assert {refusal.kind for refusal in refused.values()} == {"SHARED_BONE"}
    assert all('"One"' in str(refusal) and '"Two"' in str(refusal) for refusal in refused.values())
    np.testing.assert_allclose(rig.pose.bones["fore"].tail, (-1, 0.6, 1.2), atol=1e-5)
    np.testing.assert_allclose(rig.pose.bones["lower"].tail, rig.data.bones["lower"].tail_local, atol=1e-6)


def test_live_goes_on_when_one_of_the_two_is_muted() -> None:
    rig, _ = colliding("a common root bone")
    rig.two_bone_ik_live = True
    bpy.context.view_layer.update()
    rig.two_bone_ik_chains["Two"].mute = True
    bpy.context.view_layer.update()
    np.testing.assert_allclose(rig.pose.bones["lower"].tail, (1, 0.5, 1.5), atol=1e-5)


def test_a_second_chain_for_an_end_bone_is_refused_by_name() -> None:
    rig = armature()
    api.add_chain(rig, "lower", name="Arm")
    rig.data.bones.active = rig.data.bones["lower"]
    with refused("HAS_CHAIN", 'Bone "lower" of "Rig" has chain "Arm"'):
        api.add_chain(rig, "lower")
    before = file_data.dump()
    with pytest.raises(RuntimeError, match='"Arm"'):
        bpy.ops.two_bone_ik.chain_add()
    assert not file_data.changed(before)


def test_an_ensured_chain_keeps_what_is_not_named() -> None:
    rig = armature()
    first = api.ensure_chain(rig, "lower", name="Arm", softness=0.25)
    first.bend = "NEAREST"
    second = api.ensure_chain(rig, "lower", softness=0.5)
    assert second == first
    assert [(one.name, one.softness, one.bend) for one in rig.two_bone_ik_chains] == [("Arm", 0.5, "NEAREST")]


def test_of_twins_the_one_that_takes_part_is_ensured_and_baked() -> None:
    rig = armature()
    for name in ("Off", "On"):
        api.add_chain(rig, "lower", name=name, mute=name == "Off", target=empty(name, (1, 0.5, 1.5)))
    assert api.ensure_chain(rig, "lower").name == "On"
    rig.two_bone_ik_chains["On"].mute = True
    assert api.ensure_chain(rig, "lower").name == "Off"
    for one, other in (("On", "Off"), ("Off", "On")):
        rig.two_bone_ik_chains[one].mute, rig.two_bone_ik_chains[other].mute = False, True
        assert [chain.name for chain in api.bake(rig, frames=(1, 2)).chains] == [one]
    assert len(rig.two_bone_ik_chains) == 2


def test_a_set_up_script_may_run_twice(tmp_path: Path) -> None:
    rig = armature()
    target, thing = empty("Target", (1, 0.5, 1.5)), empty("Thing")
    rig.pose.bones["lower"].constraints.new("IK").target = thing
    rig.pose.bones["lower"].constraints["IK"].chain_count = 2
    (tmp_path / "rig.toml").write_text('[[chain]]\nname = "Arm"\nend_bone = "lower"\ntarget = "Target"\n')

    def set_up() -> None:
        api.add_detected(rig)
        api.ensure_chain(rig, "lower", name="Arm", target=target)
        api.chains_from_constraints(rig)
        api.apply_setup(rig, api.load_setup(tmp_path / "rig.toml"))

    set_up()
    before = file_data.dump()
    set_up()
    assert not file_data.changed(before)
    assert len(api.bake(rig, frames=(1, 2)).chains) == 1


def test_a_constraint_takes_the_chain_of_its_end_bone() -> None:
    """It moves the end bone and its parent, whatever root bone the chain had without a target."""
    rig = armature(TWIST)
    constraint = rig.pose.bones["lower"].constraints.new("IK")
    constraint.target, constraint.chain_count = empty("Target", (1, 0.5, 1.5)), 2
    api.add_chain(rig, "lower", root_bone="upper")
    assert [found.chain for found in api.chains_from_constraints(rig)] == ["lower"]
    (only,) = rig.two_bone_ik_chains
    assert (only.root_bone, only.target.name) == ("", "Target")
