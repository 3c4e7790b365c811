"""Scale a hair off 1, as Blender's own bake leaves it: solved as none, and still true."""

from __future__ import annotations

import numpy as np
import pytest
from two_bone_ik.skeleton.solve import solve_groups
from two_bone_ik.skeleton.values import Point

from support.plain_rig import RIG, PlainRig, about, basis, before, channels, matrix, path_of, plan

COUNT = 40
RNG = np.random.default_rng(8)
LENGTH = 1.8


def arm(scales: np.ndarray) -> PlainRig:
    """An arm whose two bones have these scales (2, 3), and whose target goes all over the place within its reach."""
    rig = PlainRig()
    rig.add("upper", rotation=about("X", 0.2))
    rig.add("lower", "upper", rotation=about("X", -0.5), length=0.8)
    for name, scale in zip(("upper", "lower"), scales, strict=True):
        rig.basis[name] = basis(scale=tuple(scale))
    rig.objects[RIG] = matrix((0.3, -0.2, 0.1), about("Z", 0.4))[None]
    ways = RNG.normal(size=(COUNT, 3))
    ways *= RNG.uniform(0.3, 1.7, (COUNT, 1)) / np.linalg.norm(ways, axis=-1, keepdims=True)
    rig.objects["Target"] = path_of(ways + rig.to_world("upper", 0)[:3, 3])
    return rig


@pytest.mark.parametrize("seed", range(5))
def test_scale_that_rounding_leaves_is_solved_as_none(seed: int) -> None:
    rig = arm(1.0 + np.random.default_rng(seed).uniform(-7e-6, 7e-6, (2, 3)))
    whole = plan((rig.chain("upper", "lower", target=Point("Target")),), count=COUNT)
    solved = solve_groups(whole, rig.samples(COUNT))
    assert all(group.group.kinematics.rigid for group in solved)
    for keys in channels(whole, solved, before(whole)):
        rig.play(keys)
    tips = np.array([rig.to_world("lower", row) @ (*rig.bones["lower"].tail, 1.0) for row in range(COUNT)])[:, :3]
    off = np.linalg.norm(tips - rig.objects["Target"][:, :3, 3], axis=-1)
    assert off.max() < 1e-5 * LENGTH
