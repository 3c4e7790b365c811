"""Solutions into channels: the basis of the bones, each in its rotation mode, continuous with the keys before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..solver.values import Array, Unreachable
from .batches import batches, stacked
from .bone_basis import BoneBasis, bone_bases
from .chain_group import out_of_reach
from .rotation_mode import rotation_values
from .solved_group import SolvedGroup
from .values import Bone, ChainPlan, Channel, Plan


class KeyedBone(NamedTuple):
    """A bone with its rotation (n, 3, 3), and its scale (n, 3) if that is keyed."""

    bone: Bone
    basis: BoneBasis


def channels(
    plan: Plan, solved: Iterable[SolvedGroup], rows: Mapping[str, NDArray[np.intp]], before: Mapping[str, Array]
) -> dict[str, list[Channel]]:
    """By chain a channel for each bone's rotation, and scale if it stretches, on these `rows` of the frames.

    before : by RNA path (3 or 4,), the value of each bone's rotation from which its keys go on without a jump
    """
    bones = {}
    for group in solved:
        bases = bone_bases(group)
        for row, chain in enumerate(group.plans):
            keyed = zip(chain.keyed, bases, strict=True)
            bones[chain.name] = [KeyedBone(bone, basis.of(row)) for bone, basis in keyed]
    rotations = _rotation_values(plan, [bone for chain in bones.values() for bone in chain], before)
    names = [chain.name for chain in plan.chains if chain.name in bones]
    return {name: list(_channels(plan, bones[name], rotations, rows[name])) for name in names}


def keyed_rows(plan: Plan, solved: Iterable[SolvedGroup]) -> dict[str, NDArray[np.intp]]:
    """By chain (m,) which of the plan's frames get keys."""
    return {
        chain.name: _keyed_rows(plan, chain, out)
        for group in solved
        for chain, out in zip(group.plans, out_of_reach(group.solution).T, strict=True)
    }


def _keyed_rows(plan: Plan, chain: ChainPlan, out: NDArray[np.bool_]) -> NDArray[np.intp]:
    """out : (n,) True on frames on which the target is out of reach"""
    rows = np.arange(len(plan.frames))
    if chain.target_keys is not None:
        rows = rows[np.isin(plan.frames, chain.target_keys)]
    return rows[~out[rows]] if chain.options.unreachable == Unreachable.SKIP else rows


def _rotation_values(plan: Plan, keyed: Iterable[KeyedBone], before: Mapping[str, Array]) -> dict[str, Array]:
    """By RNA path (n, 3 or 4), the bones' rotations as values of their rotation modes."""
    values: dict[str, Array] = {}
    for part in batches(keyed, lambda each: each.bone.rotation_mode, rows=len(plan.frames)):
        paths = [each.bone.rotation_path for each in part]
        rotations = stacked(each.basis.rotation for each in part)
        start = np.stack([before[path] for path in paths])
        by_bone = rotation_values(rotations, part[0].bone.rotation_mode, start).swapaxes(0, 1)
        values |= zip(paths, by_bone, strict=True)
    return values


def _channels(
    plan: Plan, keyed: Iterable[KeyedBone], rotations: Mapping[str, Array], rows: NDArray[np.intp]
) -> Iterator[Channel]:
    frames, every = plan.frames[rows], len(rows) == len(plan.frames)
    for bone, basis in keyed:
        values = {bone.rotation_path: rotations[bone.rotation_path]}
        if basis.scale is not None:
            values[bone.scale_path] = basis.scale
        for path, value in values.items():
            yield Channel(path=path, group=bone.name, frames=frames, values=value if every else value[rows])
