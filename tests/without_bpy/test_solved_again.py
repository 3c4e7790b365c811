"""A limb that is right already stays as it is, whatever it is solved for: no press of Solve turns its bones over."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import pi

import numpy as np
import pytest

from solver import Bend, Chain, Goals, Options, Plane, Reference, rotation, solve
from support.limbs import lengths, random_limb, random_pose, targets_within_reach, total_length

PLANES = [(Plane.POLE, True), (Plane.AIM, False), (Plane.REST, True), (Plane.REST, False), (Plane.AUTO, True)]
LIMITS = [(-pi, pi), (-2.5, -0.3), (-2.0, 0.0), (0.0, 2.0), (0.2, 2.5), (-1.0, 2.0)]


def as_keyed(rotations: np.ndarray) -> np.ndarray:
    """The rotations as quaternions in the precision of Blender's keys hold them."""
    keyed = rotation.quaternions(rotations).astype(np.float32).astype(np.float64)
    return rotation.from_quaternions(keyed / np.linalg.norm(keyed, axis=-1, keepdims=True))


def far_and_near(rng: np.random.Generator, chain: Chain) -> np.ndarray:
    """(9, 3) targets; out of reach in the middle and at the end, and all but out of reach beside them."""
    targets = targets_within_reach(rng, chain, 9)
    parts = np.array((0.8, 0.999999, 1.5, 1.5, 0.99999999, 0.9, 0.7, 1.01, 2.0))[:, None]
    far = parts * total_length(chain) * targets / np.linalg.norm(targets, axis=-1, keepdims=True)
    return np.where(np.arange(9)[:, None] == 6, targets, far)


@pytest.mark.once
@pytest.mark.parametrize("pinned", [0.0, 1.0])
@pytest.mark.parametrize("still", [True, False])
def test_solved_again_a_limb_stays_as_it_is(still: bool, pinned: float) -> None:
    """Limbs side by side, each within limits of its own."""
    rng = np.random.default_rng(47)
    low, high = np.array(LIMITS).T[:, None]
    for reference, (plane, has_pole), bend in product(Reference, PLANES, Bend):
        if bend == Bend.NEAREST and not still:
            continue  # the least motion is another one once straight frames no longer show what they were posed like
        chains, frames = [random_limb(rng) for _ in LIMITS], 1 if still else 9
        joints, axes = (np.stack([getattr(one, name) for one in chains])[None] for name in ("joints", "hinge_axis"))
        limbs = Chain(joints=joints, hinge_axis=axes)
        targets = np.stack([far_and_near(rng, chain) for chain in chains], axis=1)
        pole = np.stack([rng.normal(size=(9, 3)) * lengths(chain).max() for chain in chains], axis=1)
        choices = {"plane": plane, "reference": reference, "bend": bend}
        options = Options(**choices, bend_min=low, bend_max=high, pole_pin=pinned, tolerance=1e-6)
        pose = np.stack([np.broadcast_to(as_keyed(random_pose(rng, frames)), (9, 2, 3, 3)) for _ in chains], axis=1)
        goals = Goals(target=targets, pole=pole if has_pole else None, pose=pose)
        first = solve(limbs, goals, options)
        again = solve(limbs, replace(goals, pose=as_keyed(first.rotations)), options)
        np.testing.assert_allclose(again.rotations, first.rotations, atol=1e-6, err_msg=str(choices))


@pytest.mark.parametrize(("low", "high"), LIMITS)
@pytest.mark.parametrize("bend", [Bend.REST, Bend.POSITIVE, Bend.LIMITS])
def test_a_posed_limb_at_its_pole_stays(bend: Bend, low: float, high: float) -> None:
    """A capture, too, that bends against the rest pose, where no limits forbid that."""
    rng = np.random.default_rng(48)
    options = Options(reference=Reference.POSE, bend=bend, bend_min=low, bend_max=high)
    for _ in range(40):
        chain, pose = random_limb(rng), random_pose(rng, 1)
        links = (pose @ np.diff(chain.joints, axis=0)[:, :, None])[..., 0]
        hinge = pose[0, 1] @ np.cross(*np.diff(chain.joints, axis=0))
        first, second = links[0] / np.linalg.norm(links[0], axis=-1, keepdims=True)
        angle = np.arctan2(np.linalg.norm(np.cross(first, second)), first @ second)
        angle *= np.sign(np.cross(first, second) @ hinge)
        own, other = (min(each - low, high - each) for each in (angle, -angle))
        if own < 0.0 or (bend == Bend.LIMITS and own < other):
            continue  # it is not right yet
        goals = Goals(target=links.sum(axis=1), pole=2.0 * links[:, 0] - links.sum(axis=1) / 2.0, pose=pose)
        np.testing.assert_allclose(solve(chain, goals, options).rotations, pose, atol=1e-6)
