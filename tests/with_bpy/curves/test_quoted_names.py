"""Names of bones and properties may hold quotes, brackets and backslashes, which RNA paths escape."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.rna_paths import bone_and_property, owner_and_property
from bpy.types import Object
from hypothesis import given
from hypothesis import strategies as st

from support.rigs import animate, arm, keys
from support.truth import Limb

pytestmark = pytest.mark.versions

NAMES = ['the "spine"', "spine\\", '"]["spine', "spine.[0]"]
TEXT = st.text(st.sampled_from('ab"\\[].\n'), min_size=1, max_size=6)


def arm_on(spine: str) -> Object:
    """An arm on a spine of this name, which turns; the target moves."""
    link = arm(pole=(1, 3, 1))
    rig = link.id_data
    rig.data.bones["spine"].name = spine
    animate(link.target, location={1: (1.2, 0.6, 1.3), 8: (0.5, 0.8, 1.5)})
    animate(rig.pose.bones[spine], rotation_quaternion={1: (1, 0, 0, 0), 8: (1, 0.1, 0.1, 0.2)})
    return rig


@pytest.mark.parametrize("spine", NAMES)
def test_a_driver_on_the_parent_is_seen(spine: str) -> None:
    rig = arm_on(spine)
    rig.pose.bones[spine].driver_add("location", 0).driver.expression = "frame / 30"
    api.bake(rig, frames=(1, 8))
    assert Limb(pole="Pole").misses(range(1, 9)).max() < 1e-5


@pytest.mark.parametrize("spine", NAMES)
def test_a_muted_curve_of_the_parent_is_seen(spine: str) -> None:
    rig = arm_on(spine)
    for curve in versions.curves(rig):
        curve.mute = True
    rig.pose.bones[spine].rotation_quaternion = (1, 0, 0.5, 0)
    api.bake(rig, frames=(1, 8))
    assert Limb(pole="Pole").misses(range(1, 9)).max() < 1e-5


@pytest.mark.parametrize("bone", NAMES)
def test_keys_of_a_target_bone_are_found(bone: str) -> None:
    rig = arm_on("spine")
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.new(bone).tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    animate(rig.pose.bones[bone], location={2: (1.2, 0.6, 1.3), 5: (0.5, 0.8, 1.5)})
    chain = rig.two_bone_ik_chains["lower"]
    chain.target, chain.subtarget, chain.pole_target = rig, bone, None
    api.bake(rig, frames=(1, 8), keys="TARGET_KEYS")
    assert list(keys(rig.pose.bones["lower"])) == [2.0, 5.0]


@pytest.mark.parametrize("name", ["x[", '["', "a.b", "\\"])
def test_an_edit_of_a_custom_property_stays(name: str) -> None:
    rig = arm_on("spine")
    rig[name] = 1.0
    rig.keyframe_insert(f'["{bpy.utils.escape_identifier(name)}"]', frame=1)
    rig[name] = 5.0
    api.bake(rig, frames=(1, 8))
    assert rig[name] == 5.0


@given(bone=TEXT, name=TEXT)
def test_any_path_comes_apart_as_it_was_made(bone: str, name: str) -> None:
    owner = f'pose.bones["{bpy.utils.escape_identifier(bone)}"]'
    custom = f'["{bpy.utils.escape_identifier(name)}"]'
    assert bone_and_property(f"{owner}.location") == (bone, "location")
    assert bone_and_property(f"{owner}{custom}") == (bone, custom)
    assert owner_and_property(f"{owner}.location") == (owner, "location")
    assert owner_and_property(f"{owner}{custom}") == (owner, custom)
    assert owner_and_property(custom) == ("", custom)
