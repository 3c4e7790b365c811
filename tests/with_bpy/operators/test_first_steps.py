"""From a rig or a capture that nobody has set up, a few operators with nothing but defaults to limbs that work."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.bake.chain import chain_bones
from bpy.types import Object, PropertyGroup
from mathutils import Vector

from support import file_data
from support.bvh import CMU, bvh, imported, t_pose, walk
from support.rigify import metarig
from support.rigs import animate
from support.truth import Limb, on_frame, worlds

FRAMES = range(1, 21)
CLOSE = 1e-5  # of the chain's length


@pytest.fixture
def rig(empty_file: None) -> Object:
    """Rigify's human, turned and moved, after detect, create targets and bake."""
    rig = metarig("human")
    rig.location, rig.rotation_euler = (1, 2, 3), (0.1, 0.2, 1)
    bpy.context.scene.frame_end = FRAMES[-1]
    bpy.context.view_layer.update()
    bpy.ops.two_bone_ik.chains_detect()
    bpy.ops.two_bone_ik.create_targets()
    bpy.ops.two_bone_ik.bake()
    return rig


def limb(chain: PropertyGroup) -> Limb:
    bones = chain_bones(chain.id_data, chain.end_bone, chain.root_bone)
    names = {"rig": chain.id_data.name, "root": bones[0], "end": bones[-1], "tip": chain.tip_bone}
    return Limb(**names, target=chain.target.name, pole=chain.pole_target.name)


def test_four_limbs_are_keyed_as_they_stood(rig: Object) -> None:
    assert {chain.end_bone for chain in rig.two_bone_ik_chains} == {"forearm.L", "forearm.R", "shin.L", "shin.R"}
    keyed = {curve.data_path for curve in versions.curves(rig)}
    assert len(keyed) == 12  # hands and feet follow the rotation of their targets
    for frame in FRAMES:
        on_frame(frame)
        for path in keyed:
            assert rig.path_resolve(path)[0] == pytest.approx(1, abs=1e-6), "the metarig stands at rest"


def test_the_limbs_then_follow_their_targets(rig: Object) -> None:
    limbs = [limb(chain) for chain in rig.two_bone_ik_chains]
    for index, chain in enumerate(rig.two_bone_ik_chains):
        start = chain.target.location.copy()
        elsewhere = start.lerp(chain.pole_target.location, 0.2) + Vector((0, 0, 0.05 * index))
        animate(chain.target, location={1: start, 20: elsewhere})
    bpy.ops.two_bone_ik.bake()
    for chain in limbs:
        assert chain.misses(FRAMES).max() < CLOSE


def test_the_same_three_calls_again_change_nothing(rig: Object) -> None:
    before = file_data.dump()
    bpy.ops.two_bone_ik.chains_detect()
    bpy.ops.two_bone_ik.create_targets()
    bpy.ops.two_bone_ik.bake()
    assert not file_data.changed(before)


CAPTURED = range(1, 31)
LENGTH = 14.0
"""Of a leg, in the units of the file."""

LIMBS = [f"{side}{bone}" for side in ("Left", "Right") for bone in ("Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot")]


@pytest.mark.parametrize("skeleton", [CMU, t_pose(0.8)], ids=["CMU", "T-pose"])
def test_four_presses_keep_the_capture(tmp_path: Path, skeleton: str) -> None:
    rig = imported(tmp_path, bvh(skeleton, walk(len(CAPTURED))))
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = CAPTURED[0], CAPTURED[-1]
    captured = worlds(rig, CAPTURED, *LIMBS)
    for press in ("chains_detect", "create_targets", "bake_targets", "bake"):
        assert getattr(bpy.ops.two_bone_ik, press)() == {"FINISHED"}
    after = worlds(rig, CAPTURED, *LIMBS)
    # For the sake of a steady pole the mid joint near straight may be off by so much.
    np.testing.assert_allclose(after[..., 3], captured[..., 3], atol=2e-3 * LENGTH)
    np.testing.assert_allclose(after[..., :3], captured[..., :3], atol=5e-3)
