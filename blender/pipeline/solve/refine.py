"""Bones that change their length as they turn: under uneven scale, chains are solved again with the lengths they got.

How long a sheared bone is depends on the pose, and the pose on how long the bone is. Their fixed point is sought by
substitution, on each frame with the secant method's step where that is safe (Wegstein, 1958).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....solver import solve
from ....solver.values import Array, Goals
from ..bones import transform
from ..samples import Samples
from . import space
from .own_pose import applied, own_poses
from .solved import Solved
from .space import ChainSpace

_ROUNDS = 30
_CLOSE = 1e-7
"""Part of the chain's length: poses that are not one product of matrices come from Blender in float32."""


def solved(here: ChainSpace, goals: Goals, samples: Samples) -> Solved:
    """The chains with the joints that fit their solved pose, and their solution."""

    def found(here: ChainSpace) -> Solved:
        solution = solve(here.ready, goals, here.plan.options)
        return Solved(here=here, goals=goals, solution=solution, samples=samples)

    result = found(here)
    if here.stage.rigid:
        return result
    joints = here.chain.joints
    moved, before = np.zeros_like(joints), np.zeros_like(joints)
    for _ in range(_ROUNDS):
        change = _fitting(result) - joints
        if np.abs(change).max() <= _CLOSE * np.abs(joints).max():
            break
        moved = _step(change, moved, change - before + moved)
        joints, before = joints + moved, change
        result = found(replace(here, chain=replace(here.chain, joints=joints)))
    return result


def _step(change: Array, moved: Array, answered: Array) -> Array:
    """(n, c, 3, 3) where to go next, when the last step `moved` moved the answer by `answered`."""
    size = np.square(moved).sum(axis=(-2, -1), keepdims=True)
    slope = (answered * moved).sum(axis=(-2, -1), keepdims=True) / np.where(size > 0.0, size, 1.0)
    # Near full reach the secant runs off; held back it only takes a few rounds more.
    return change / (1.0 - np.clip(slope, -4.0, 0.8))


def _fitting(solved: Solved) -> Array:
    """(n, c, 3, 3) joints at rest, in chain space, of rigid chains that would look as these do when they are posed."""
    here, solution = solved.here, solved.solution
    root, end, *_ = own_poses(solved)
    first, *between, last = here.basis
    pose = here.stage.posed((applied(first, root), *between, applied(last, end)))[-1]
    tips = space.tip(here.plans, pose, solved.samples)
    from_stage = transform.inverse(here.stage.from_space)
    mid, tip = (transform.place(from_stage, point) for point in (pose[..., :3, 3], tips))
    links = np.stack((mid, tip - mid), axis=-2) / solution.stretch[..., None, None]
    upper, lower = np.moveaxis(np.einsum("...ji,...j->...i", solution.rotations, links), -2, 0)
    return np.stack((np.zeros_like(upper), upper, upper + lower), axis=-2)
