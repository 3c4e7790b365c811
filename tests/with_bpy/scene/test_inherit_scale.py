"""Bones are posed as Blender poses them by each rule of inheritance, below any parent."""

from __future__ import annotations

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik.blender.scene.bone import read_bone
from bl_ext.user_default.two_bone_ik.skeleton import inherit
from mathutils import Matrix

from support.oracles import random_rotation
from support.rigs import armature

COUNT = 40


def parents(rng: np.random.Generator, kind: str) -> np.ndarray:
    """(n, 1, 4, 4)"""
    found = np.tile(np.eye(4), (COUNT, 1, 1, 1))
    for matrix in found[:, 0]:
        linear = random_rotation(rng)
        if kind != "turned":
            linear = linear * np.exp(rng.uniform(-1, 1, 3)) * (rng.choice((-1, 1), 3) if kind == "mirrored" else 1)
        if kind == "flat":
            linear[:, rng.integers(3)] = 0.0
        if kind == "sheared along y":
            linear[:, [0, 2]] += linear[:, 1:2] * rng.uniform(-0.5, 0.5, 2)
        if kind == "sheared":
            linear = np.diag(np.exp(rng.uniform(-1, 1, 3))) @ linear
        matrix[:3, :3], matrix[:3, 3] = linear, rng.normal(size=3)
    return found


@pytest.mark.versions
@pytest.mark.parametrize("kind", ["turned", "scaled", "mirrored", "flat", "sheared along y", "sheared"])
@pytest.mark.parametrize("rule", ["FULL", "ALIGNED", "NONE", "AVERAGE", "FIX_SHEAR", "NONE_LEGACY"])
@pytest.mark.parametrize("turned", [True, False])
@pytest.mark.parametrize("local", [True, False])
def test_a_bone_is_posed_as_blender_does(kind: str, rule: str, turned: bool, local: bool) -> None:
    """Though without Blender, which goes frame by frame, in single precision."""
    rig, rng = armature(), np.random.default_rng(20)
    lower, rest = rig.data.bones["lower"], rig.data.bones["upper"].matrix_local
    lower.inherit_scale, lower.use_inherit_rotation, lower.use_local_location = rule, turned, local
    above, own = parents(rng, kind), parents(rng, "scaled")
    bones = (read_bone(rig, "lower"),)
    expected = [
        lower.convert_local_to_pose(
            Matrix(basis), lower.matrix_local, parent_matrix=Matrix(parent), parent_matrix_local=rest
        )
        for basis, parent in zip(own[:, 0], above[:, 0], strict=True)
    ]
    np.testing.assert_allclose(inherit.pose(bones, above, own)[:, 0], np.array(expected), atol=5e-6)


@pytest.mark.versions
@pytest.mark.parametrize("local", [True, False])
def test_so_is_a_bone_without_a_parent(local: bool) -> None:
    rig, own = armature(), parents(np.random.default_rng(20), "scaled")
    spine = rig.data.bones["spine"]
    spine.use_local_location = local
    expected = [spine.convert_local_to_pose(Matrix(basis), spine.matrix_local) for basis in own[:, 0]]
    np.testing.assert_allclose(inherit.pose((read_bone(rig, "spine"),), None, own)[:, 0], np.array(expected), atol=5e-6)
