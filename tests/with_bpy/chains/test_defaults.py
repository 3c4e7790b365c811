"""Chains that are set up follow the rotation of their target, and keep the roll of keys; what was chosen stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.settings.properties import chain_fields
from bpy.types import Object, PropertyGroup
from mathutils import Quaternion, Vector

from support import rigs
from support.refused import refused
from support.rigify import metarig
from support.twisted import shown

pytestmark = pytest.mark.versions

FRAMES = range(1, 31)


def settings(chain: PropertyGroup) -> tuple[bool, str]:
    return chain.use_rotation, chain.reference


def poses(rig: Object, *names: str) -> np.ndarray:
    """(n, k, 4, 4) bones in the armature on every frame, as Blender evaluates them."""
    return shown(rig, FRAMES, names)


def keyed(rig: Object) -> Object:
    rigs.animate(rig.pose.bones["lower"], rotation_quaternion={1: (1, 0, 0, 0), 9: (0.8, 0, 0.6, 0)})
    return rig


def test_feet_stay_level_when_the_hips_go_down() -> None:
    rig = metarig("human")
    api.add_detected(rig)
    api.create_targets(rig)
    feet = ("foot.L", "toe.L", "foot.R", "toe.R")
    before = poses(rig, *feet)[0]
    hips = rig.pose.bones["spine"]
    hips.location = hips.bone.matrix_local.to_3x3().inverted() @ Vector((0, 0, -0.1))
    api.solve(rig)
    bpy.context.view_layer.update()
    after = np.array([np.array(rig.pose.bones[name].matrix) for name in feet])
    assert np.abs(after - before).max() < 1e-5


def test_detected_limbs_without_keys_refer_to_the_rest_pose() -> None:
    fields = chain_fields()
    assert (fields["use_rotation"].default, fields["reference"].default) == (False, "REST")
    rig = metarig("human")
    api.add_detected(rig)
    assert {settings(chain) for chain in rig.two_bone_ik_chains} == {(True, "REST")}


def onto_a_strip(rig: Object) -> Object:
    animation = keyed(rig).animation_data
    animation.nla_tracks.new().strips.new("Walk", 1, animation.action)
    animation.action = None
    return rig


def keyed_otherwise(rig: Object) -> Object:
    """Other bones, and the limb's in other ways: they choose no reference."""
    for name in ("spine", "hand"):
        rigs.animate(rig.pose.bones[name], rotation_quaternion={1: (1, 0, 0, 0)})
    rigs.animate(rig.pose.bones["lower"], location={1: (0, 0, 0)})
    return rig


@pytest.mark.parametrize(
    ("key", "fields", "expected"),
    [
        (keyed, {}, (True, "POSE")),
        (onto_a_strip, {}, (True, "POSE")),
        (keyed_otherwise, {}, (True, "REST")),
        (keyed, {"use_rotation": False, "reference": "REST"}, (False, "REST")),
        (keyed, {"target": "Target"}, (False, "REST")),
    ],
    ids=["action", "strip", "other keys", "chosen before", "with a target"],
)
def test_created_targets_take_the_keyed_pose_as_reference(key: Callable, fields: dict, expected: tuple) -> None:
    """Where nothing was chosen, and for a chain without a target."""
    rig = key(rigs.armature())
    if "target" in fields:
        fields = {"target": rigs.empty("Target", (1.2, 0.6, 1.3))}
    chain = api.add_chain(rig, "lower", tip_bone="hand", **fields)
    assert settings(chain) == (False, "REST")
    api.create_targets(rig)
    assert chain.pole_target
    assert settings(chain) == expected


def test_a_refusal_takes_the_settings_back() -> None:
    rig = keyed(rigs.armature())
    api.add_chain(rig, "lower", tip_bone="hand")
    api.add_chain(rig, "upper", use_rotation=True)
    with refused(match="turns its tip bone but has none"):
        api.create_targets(rig)


def test_a_setup_file_says_all_by_itself(tmp_path: Path) -> None:
    rig = keyed(rigs.armature())
    path = tmp_path / "hero.toml"
    path.write_text('[[chain]]\nend_bone = "lower"\ntip_bone = "hand"\ncreate_targets = true\n', "utf-8")
    api.apply_setup(rig, api.load_setup(path))
    assert settings(rig.two_bone_ik_chains[0]) == (False, "REST")


def test_a_constraint_is_taken_over_without_rotation() -> None:
    rig = metarig("human")
    api.add_detected(rig)
    constraint = rig.pose.bones["forearm.L"].constraints.new("IK")
    constraint.target, constraint.chain_count = rigs.empty("Target", (0.5, -0.3, 1.2)), 2
    constraint.target.rotation_quaternion = Quaternion((1, 2, 3, 4)).normalized()
    api.chains_from_constraints(rig)
    chain = rig.two_bone_ik_chains["Arm.L"]
    assert (chain.target.name, *settings(chain)) == ("Target", False, "POSE")
    api.solve(rig, ["Arm.L"])


def test_settings_still_fit_the_work_after_a_refusal() -> None:
    rig = rigs.armature()
    rigs.animate(rig.pose.bones["upper"], rotation_quaternion={1: (1, 0, 0, 0), 8: (0.9, 0.1, 0.3, 0.2)})
    chain = api.add_chain(rig, "lower", tip_bone="hand", softness=0.25)
    chosen = {name for name in chain.bl_rna.properties.keys() if chain.is_property_set(name)}
    with pytest.raises(api.Refused):
        api.ensure_chain(rig, "lower", softness=0.5, bend_max=1.0, bend="SIDEWAYS")
    assert {name for name in chain.bl_rna.properties.keys() if chain.is_property_set(name)} == chosen
    assert chain.softness == 0.25
    api.create_targets(rig)
    assert (chain.use_rotation, chain.reference) == (True, "POSE")
