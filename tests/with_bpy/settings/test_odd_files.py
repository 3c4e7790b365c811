"""Files as they come: bones that are gone, objects that are new, requests of which only a part can be carried out."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.bake import report
from bpy.types import Object

from support import rigs
from support.empty_file import open_empty_file
from support.refused import refused
from support.truth import Limb

pytestmark = pytest.mark.versions


@pytest.fixture
def target_on_a_bone_that_is_gone() -> Object:
    """Keyed, and parented to a bone that its armature does not have: Blender takes the armature object."""
    target = rigs.arm().target
    other = rigs.armature(name="Other")
    other.location = (0.2, -0.3, 0.4)
    target.parent, target.parent_type, target.parent_bone = other, "BONE", "gone"
    rigs.animate(target, location={1: (1.0, 0.6, 1.0), 5: (0.5, -0.4, 1.1)})
    return target


@pytest.mark.parametrize("sampling", ["AUTO", "ISOLATED", "SCENE"])
def test_a_target_without_its_parent_bone_is_met_where_it_shows(
    target_on_a_bone_that_is_gone: Object, sampling: str
) -> None:
    assert api.bake(bpy.data.objects["Rig"], frames=(1, 5), sampling=sampling).reached
    assert Limb().offs(range(1, 6)).max() < 1e-5


def test_keys_of_a_target_without_its_parent_bone_are_found(target_on_a_bone_that_is_gone: Object) -> None:
    assert api.target_keys(bpy.data.objects["Rig"]) == [1.0, 5.0]


def test_an_armature_not_yet_evaluated_is_refused() -> None:
    new = bpy.data.objects.new("New", rigs.armature().data)
    bpy.context.scene.collection.objects.link(new)
    with refused("NO_POSE", evaluated=False):
        api.add_chain(new, "lower")
    bpy.context.view_layer.update()
    rigs.chain(new, "lower", target=(1.2, 0.6, 1.3))
    assert api.bake(new, frames=(1, 2)).reached


def test_armatures_not_yet_evaluated_have_an_order() -> None:
    old = rigs.arm().id_data
    new = bpy.data.objects.new("New", old.data)
    chain = new.two_bone_ik_chains.add()
    chain.name, chain.end_bone, chain.target = "lower", "lower", old.two_bone_ik_chains[0].target
    assert new.pose is None
    assert set(api.followed_first([old, new])) == {old, new}


def test_a_bone_not_yet_evaluated_is_no_target() -> None:
    rig = rigs.arm().id_data
    new = bpy.data.objects.new("New", rig.data.copy())
    new.location = (1.2, 0.6, 0.3)
    bpy.context.scene.collection.objects.link(new)
    rig.two_bone_ik_chains[0].target, rig.two_bone_ik_chains[0].subtarget = new, "spine"
    with refused("NO_POSE", evaluated=False):
        api.bake(rig)
    bpy.context.view_layer.update()
    assert api.bake(rig, frames=(1, 2)).reached


def test_an_armature_in_no_scene_is_not_pulled() -> None:
    rig = rigs.arm().id_data
    bpy.context.scene.collection.objects.unlink(rig)
    with refused("NO_SCENE"):
        api.drag(rig, "lower")


def test_a_chain_that_cannot_be_posed_keeps_its_bend() -> None:
    rig = rigs.arm(target=(9.0, 0.0, 1.0), unreachable="ERROR").id_data
    with refused("UNREACHABLE"):
        api.flip_bend(rig)


def test_driven_targets_and_bones_are_not_posed() -> None:
    rig = rigs.arm().id_data
    target = bpy.data.objects["Target"]
    driver = target.driver_add("location", 0)
    with refused("CURVE_DRIVEN"):
        api.snap_targets(rig)
    driver.mute = True
    api.snap_targets(rig)
    rig.pose.bones["lower"].driver_add("rotation_quaternion", 1)
    with refused("CURVE_DRIVEN"):
        api.solve(rig)
    with refused("CURVE_DRIVEN"):
        api.drag(rig, "lower")


def test_reports_end_with_their_file() -> None:
    rigs.arm()
    bpy.ops.two_bone_ik.check()
    assert report.last(bpy.data.objects["Rig"])
    open_empty_file()
    rigs.arm()
    assert report.last(bpy.data.objects["Rig"]) is None
