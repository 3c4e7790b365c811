"""Poses of bones side by side follow from their parents' as plain products of matrices say."""

from __future__ import annotations

import numpy as np
import pytest
from two_bone_ik.skeleton import inherit, twist_bones
from two_bone_ik.skeleton.values import Bone

from support.oracles import random_rotation
from support.plain_rig import basis as own_basis
from support.plain_rig import matrix

FRAMES, BONES = 7, 3
RNG = np.random.default_rng(5)


def transforms(scale: float = 0.0) -> np.ndarray:
    """(n, c, 4, 4) any, with scales of up to e to the power of `scale`."""
    return np.array(
        [
            [
                matrix(RNG.normal(size=3), random_rotation(RNG), np.exp(RNG.uniform(-scale, scale, 3)))
                for _ in range(BONES)
            ]
            for _ in range(FRAMES)
        ]
    )


def bones(**fields: object) -> tuple[Bone, ...]:
    offsets = [matrix(RNG.normal(size=3), random_rotation(RNG)) for _ in range(BONES)]
    names = [f"bone.{index}" for index in range(BONES)]
    fields = {"has_parent": True, "length": 1.0, **fields}
    return tuple(
        Bone(name=name, path=f'pose.bones["{name}"]', offset=offset, **fields)
        for name, offset in zip(names, offsets, strict=True)
    )


def without_scale(parent: np.ndarray, offset: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """(4, 4) a bone with this rest offset by Blender's rule for Inherit Scale None."""
    linear = parent[:3, :3] / np.linalg.norm(parent[:3, :3], axis=0)
    return matrix((parent @ offset @ basis)[:3, 3], linear @ offset[:3, :3] @ basis[:3, :3])


def test_a_plain_pose_is_parent_times_rest_times_basis() -> None:
    limbs, parents, basis = bones(), transforms(0.5), transforms(0.5)
    expected = [
        [parents[row, column] @ limbs[column].offset @ basis[row, column] for column in range(BONES)]
        for row in range(FRAMES)
    ]
    np.testing.assert_allclose(inherit.pose(limbs, parents, basis), expected, atol=1e-12)


def test_a_bone_without_parent_is_posed_from_its_rest() -> None:
    limbs, basis = bones(has_parent=False), transforms()
    expected = [[limbs[column].offset @ basis[row, column] for column in range(BONES)] for row in range(FRAMES)]
    np.testing.assert_allclose(inherit.pose(limbs, None, basis), expected, atol=1e-12)


def test_what_is_the_same_on_all_frames_is_given_once() -> None:
    limbs, parents, basis = bones(), transforms(), transforms()
    once = inherit.pose(limbs, parents[:1], basis)
    np.testing.assert_array_equal(once, inherit.pose(limbs, np.repeat(parents[:1], FRAMES, axis=0), basis))


@pytest.mark.parametrize("scale", [0.7, 0.0])
def test_bones_that_take_no_scale_are_posed_without_it(scale: float) -> None:
    limbs, parents, basis = bones(inherit_scale="NONE"), transforms(scale), transforms()
    assert inherit.is_plain(limbs, parents) == (scale == 0.0)
    expected = [
        [without_scale(parents[row, column], limbs[column].offset, basis[row, column]) for column in range(BONES)]
        for row in range(FRAMES)
    ]
    np.testing.assert_allclose(inherit.pose(limbs, parents, basis), expected, atol=1e-12)


@pytest.mark.parametrize("signs", [(1, 1, 1), (-1, 1, 1), (-1, -1, 1), (1, -1, -1), (-1, -1, -1)])
@pytest.mark.parametrize("inherit_scale", ["FULL", "NONE"])
def test_a_rotation_points_the_axes_as_asked(inherit_scale: str, signs: tuple[int, ...]) -> None:
    limbs, parents = bones(inherit_scale=inherit_scale), transforms(0.4)
    scale = np.broadcast_to(np.array(signs, dtype=float), (FRAMES, BONES, 3))
    wanted = transforms()[..., :3, :3]
    turn = inherit.rotation(limbs, parents, scale, wanted)
    np.testing.assert_allclose(np.linalg.det(turn), 1.0, atol=1e-12)
    basis = np.zeros((FRAMES, BONES, 4, 4))
    basis[..., :3, :3], basis[..., 3, 3] = turn * scale[..., None, :], 1.0
    # Below a sheared parent only the bone's direction, y, can be met.
    direction = inherit.pose(limbs, parents, basis)[..., :3, 1]
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    np.testing.assert_allclose(direction, wanted[..., 1], atol=1e-9)


@pytest.mark.parametrize("size", [1e-5, 1e5])
def test_below_a_flat_parent_rotations_have_no_unit(size: float) -> None:
    limbs, parents, scale = bones(), transforms(0.4), np.ones((FRAMES, BONES, 3))
    parents[..., :3, 0], wanted = 0.0, transforms()[..., :3, :3]
    larger = parents.copy()
    larger[..., :3, :3] *= size
    expected = inherit.rotation(limbs, parents, scale, wanted)
    np.testing.assert_allclose(inherit.rotation(limbs, larger, scale, wanted), expected, atol=1e-9)


@pytest.mark.parametrize("local", [True, False])
@pytest.mark.parametrize("turned", [True, False])
def test_a_location_puts_the_head_where_it_is_asked(turned: bool, local: bool) -> None:
    limbs = bones(inherit_scale="NONE", use_inherit_rotation=turned, use_local_location=local)
    parents, head = transforms(0.4), RNG.normal(size=(FRAMES, BONES, 3))
    basis = np.broadcast_to(np.eye(4), (FRAMES, BONES, 4, 4)).copy()
    basis[..., :3, 3] = inherit.location(limbs, parents, head)
    np.testing.assert_allclose(inherit.pose(limbs, parents, basis)[..., :3, 3], head, atol=1e-9)


@pytest.mark.parametrize("inherit_scale", ["FULL", "ALIGNED"])
def test_a_bone_in_line_turns_about_its_length_in_each_pose(inherit_scale: str) -> None:
    """Though the axes of bones at rest, as Blender has them, are at right angles to 1e-5 only."""
    skewed = random_rotation(RNG) @ (np.eye(3) + RNG.uniform(-1e-5, 1e-5, (3, 3)))
    bone, *_ = bones(inherit_scale=inherit_scale)
    poses = np.array([matrix(RNG.normal(size=3), skewed @ random_rotation(RNG)) for _ in range(FRAMES)])[:, None]
    line = twist_bones.line_to((bone, bone), 0, [poses, poses @ matrix((0.0, 1.2, 0.0))], own_basis())
    np.testing.assert_allclose(line, np.broadcast_to((0.0, 1.0, 0.0), line.shape), atol=1e-12)


def test_aligned_channels_come_back_from_rounded_parents() -> None:
    """Blender's own rest matrices are sheared by up to 4e-5, and what is posed on them."""
    limbs, shear = bones(inherit_scale="ALIGNED"), np.eye(4)
    shear[:3, :3] += RNG.uniform(-3e-5, 3e-5, (3, 3))
    parents = transforms() @ shear * (1.0, 1.7, 0.6, 1.0)
    turns = np.array([[random_rotation(RNG) for _ in range(BONES)] for _ in range(FRAMES)])
    scales = np.exp(RNG.uniform(-0.3, 0.3, (FRAMES, BONES, 3)))
    own = np.zeros((FRAMES, BONES, 4, 4))
    own[..., :3, :3], own[..., 3, 3] = turns * scales[..., None, :], 1.0
    poses = inherit.pose(limbs, parents, own)
    found = inherit.rotation(limbs, parents, scales, inherit.transform.orientation(poses[..., :3, :3]))
    np.testing.assert_allclose(found, turns, atol=1e-12)
    basis = inherit.basis(limbs, parents, poses)
    np.testing.assert_allclose(basis.rotation, turns, atol=1e-12)
    np.testing.assert_allclose(basis.scale, scales, atol=1e-12)
