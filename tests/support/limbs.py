"""Limbs and goals for the solver, and checks that hold for every solution."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from hypothesis import strategies as st

from solver import Bend, Chain, Goals, Options, Plane, Reference, Solution, Unreachable, solve

from .oracles import random_rotation

X, Y, Z = np.eye(3)


def limb(mid: object, tip: object, hinge_axis: object = X, use_hinge_axis: bool = False) -> Chain:
    """A chain from the origin over `mid` to `tip`."""
    joints = np.array((np.zeros(3), mid, tip), dtype=float)
    return Chain(joints=joints, hinge_axis=np.array(hinge_axis, dtype=float), use_hinge_axis=use_hinge_axis)


LEG = limb((0.0, 1.0, 0.1), (0.0, 1.9, -0.1))
"""Bends about x: the knee stands out to +z."""

STRAIGHT = limb((0.0, 1.0, 0.0), (0.0, 1.8, 0.0))

OPTIONS = st.fixed_dictionaries(
    {
        "plane": st.sampled_from([Plane.AUTO, Plane.POLE, Plane.AIM, Plane.REST]),
        "reference": st.sampled_from(Reference),
        "bend": st.sampled_from(Bend),
        "unreachable": st.sampled_from(Unreachable),
        "pole_angle": st.sampled_from((0.0, 0.7, -3.0)),
        "pole_influence": st.sampled_from((1.0, 0.4, 0.0)),
        "softness": st.sampled_from((0.0, 0.1, 1.0)),
        "max_stretch": st.sampled_from((1.0, 1.5)),
        "use_extension_limit": st.booleans(),
        "bend_min": st.sampled_from((-np.pi, -0.5, 0.0, 0.3)),
        "bend_max": st.sampled_from((np.pi, 2.0, 0.4)),
        "influence": st.sampled_from((1.0, 0.3, 0.0)),
    }
)
"""Combinations of all options of the solver."""


def random_limb(rng: np.random.Generator) -> Chain:
    """A limb with a random rest pose and ratios of lengths from 1:5 to 5:1."""
    first, second = rng.normal(size=(2, 3))
    second *= np.linalg.norm(first) / np.linalg.norm(second) * 5 ** rng.uniform(-1, 1)
    return limb(first, first + second, rng.normal(size=3))


def random_pose(rng: np.random.Generator, count: int) -> np.ndarray:
    """(count, 2, 3, 3) random rotations of root and end bone."""
    return np.array([[random_rotation(rng), random_rotation(rng)] for _ in range(count)])


def lengths(chain: Chain) -> np.ndarray:
    """(2,) of the root bone and of the end bone."""
    return np.linalg.norm(np.diff(chain.joints, axis=-2), axis=-1)


def total_length(chain: Chain) -> float:
    """The reach of the straight chain."""
    return float(lengths(chain).sum())


def targets_within_reach(rng: np.random.Generator, chain: Chain, count: int) -> np.ndarray:
    """(count, 3) random targets throughout the shell that the tip can reach."""
    inner, outer = abs(np.subtract(*lengths(chain))), total_length(chain)
    directions = rng.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    return directions * rng.uniform(inner, outer, (count, 1))


def solved(
    chain: Chain, target: object, pole: object = None, pose: np.ndarray | None = None, **options: object
) -> Solution:
    """The solution with these options, checked by `assert_sound`."""
    pole = None if pole is None else np.array(pole, dtype=float)
    goals = Goals(target=np.array(target, dtype=float), pole=pole, pose=pose)
    solution = solve(chain, goals, Options(**options))
    assert_sound(solution, chain)
    return solution


def assert_same(found: Solution, expected: Solution, close: float = 0.0, row: object = ..., of: object = ...) -> None:
    """All that rows of one solution say is what rows of the other one say."""
    for field in fields(Solution):
        one, other = getattr(found, field.name)[row], getattr(expected, field.name)[of]
        if field.name == "hinge_angle" and close:  # half a turn to either side is the same fold
            other = np.where(np.abs(other - one) > np.pi, other + 2.0 * np.pi * np.sign(one - other), other)
        np.testing.assert_allclose(one, other, rtol=0, atol=close, err_msg=field.name)


def assert_sound(solution: Solution, chain: Chain) -> None:
    """Rotations are rotations and take the bones from rest to the joints; hinge and angle are those of the joints."""
    size = total_length(chain)
    links = np.diff(chain.joints, axis=-2) * solution.stretch[:, :, None]
    assert np.isfinite(solution.rotations).all()
    identity = solution.rotations @ np.swapaxes(solution.rotations, -1, -2)
    # Lengths of 1:5 cost the shorter bone's direction one digit.
    np.testing.assert_allclose(identity, np.broadcast_to(np.eye(3), identity.shape), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(solution.rotations), 1, atol=1e-14)
    turned = (solution.rotations @ links[..., None])[..., 0]
    np.testing.assert_allclose(np.cumsum(turned, axis=-2), solution.joints[:, 1:], atol=1e-12 * size)
    assert (solution.joints[:, 0] == 0).all()
    np.testing.assert_allclose(np.linalg.norm(solution.hinge, axis=-1), 1, atol=1e-14)
    first, second = np.moveaxis(turned / np.linalg.norm(turned, axis=-1, keepdims=True), 1, 0)
    about = np.sin(solution.hinge_angle)[:, None] * solution.hinge
    # A chain so straight has no plane of its own.
    bent = np.abs(np.sin(solution.hinge_angle)) > 1e-4
    np.testing.assert_allclose(np.cross(first, second)[bent], about[bent], atol=1e-12)
    np.testing.assert_allclose(np.sum(first * second, axis=-1), np.cos(solution.hinge_angle), atol=1e-12)
    np.testing.assert_allclose(solution.target - solution.joints[:, 2], solution.miss, atol=1e-12 * size)
