"""Armatures that are solved together: a limb that follows another armature's limb is solved after it."""

from __future__ import annotations

from itertools import pairwise, permutations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rigs import armature, chain, empty
from support.truth import Limb

NAMES = ("First", "Second", "Third")


def row_of_arms() -> list[Object]:
    """Each reaches for the elbow of the one before; the first for a target. All are selected."""
    rigs = [armature(name=name) for name in NAMES]
    target, subtarget = empty("Target", (1.2, 0.6, 1.3)), ""
    for rig in rigs:
        chain(rig, "lower", target=target, subtarget=subtarget)
        rig.select_set(True)
        target, subtarget = rig, "lower"
    for number, rig in enumerate(rigs):
        rig.location = (0.3 * number, 0.2 * number, 0.0)
    bpy.context.view_layer.update()
    return rigs


def misses() -> list[float]:
    """How far each tip is from what it reaches for, as Blender evaluates both."""
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    limbs = [
        Limb(rig="First"),
        *(Limb(rig=rig, target=other, subtarget="lower") for other, rig in pairwise(NAMES)),
    ]
    return [float(np.linalg.norm(limb.joints(depsgraph)[2] - limb.goal(depsgraph))) for limb in limbs]


@pytest.mark.parametrize("active", NAMES)
def test_a_solve_poses_each_after_those_that_it_follows(active: str) -> None:
    row_of_arms()
    assert min(misses()) > 0.01
    bpy.context.view_layer.objects.active = bpy.data.objects[active]
    bpy.ops.two_bone_ik.solve()
    assert max(misses()) < 1e-5


def test_the_order_is_the_same_in_whatever_order_they_are_given() -> None:
    rigs = row_of_arms()
    assert all(api.followed_first(order) == rigs for order in permutations(rigs))


def test_armatures_that_follow_each_other_are_refused() -> None:
    rigs = row_of_arms()
    rigs[0].two_bone_ik_chains[0].target, rigs[0].two_bone_ik_chains[0].subtarget = rigs[2], "upper"
    before = [tuple(rig.pose.bones["upper"].rotation_quaternion) for rig in rigs]
    with pytest.raises(RuntimeError, match=r"follow each other .*bake one of these at a time"):
        bpy.ops.two_bone_ik.solve()
    assert [tuple(rig.pose.bones["upper"].rotation_quaternion) for rig in rigs] == before
    for rig in rigs[1:]:
        rig.select_set(False)
    bpy.context.view_layer.objects.active = rigs[0]
    assert bpy.ops.two_bone_ik.solve() == {"FINISHED"}


def test_one_that_is_refused_leaves_the_order_of_the_others() -> None:
    rigs = row_of_arms()
    chain(armature(name="Bad"), "lower", target=empty("Gone")).target = None
    bad = bpy.data.objects["Bad"]
    assert [rig for rig in api.followed_first([bad, *reversed(rigs)]) if rig != bad] == rigs
