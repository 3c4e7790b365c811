"""Solution into channels: own poses of the bones, each in its rotation mode, continuous with the keys before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from bpy.types import Object, PoseBone
from numpy.typing import NDArray

from ..blender import versions
from ..solver.values import Array, Unreachable
from .batches import batches, stacked
from .bone_basis import BoneBasis, bone_bases
from .chain_group import out_of_reach
from .channel import MERGE, Channel
from .plan import ChainPlan, Plan
from .rotation_mode import rotation_name, rotation_values
from .solved_group import SolvedGroup


class Posed(NamedTuple):
    """A bone, the RNA path of its rotation, that rotation (n, 3, 3), and its own scale (n, 3) where that is keyed."""

    bone: PoseBone
    path: str
    rotation: Array
    scale: Array | None


def channels(
    plan: Plan, solved: Iterable[SolvedGroup], rows: Mapping[str, NDArray[np.intp]]
) -> dict[str, list[Channel]]:
    """By chain a channel for each bone's rotation, and scale where it stretches, on these `rows` of the frames."""
    own = {}
    for group in solved:
        poses = bone_bases(group)
        for row, chain in enumerate(group.here.plans):
            own[chain.name] = [_posed(bone, pose.of(row)) for bone, pose in zip(chain.keyed, poses, strict=True)]
    turns = _turns(plan, [posed for chain in own.values() for posed in chain])
    names = [chain.name for chain in plan.chains if chain.name in own]
    return {name: list(_channels(plan, own[name], turns, rows[name])) for name in names}


def _posed(bone: PoseBone, pose: BoneBasis) -> Posed:
    return Posed(bone, rotation_path(bone), pose.rotation, pose.scale)


def keyed_rows(plan: Plan, solved: Iterable[SolvedGroup]) -> dict[str, NDArray[np.intp]]:
    """By chain (m,) which of the plan's frames get keys."""
    return {
        chain.name: _keyed_rows(plan, chain, out)
        for group in solved
        for chain, out in zip(group.here.plans, out_of_reach(group.solution).T, strict=True)
    }


def _keyed_rows(plan: Plan, chain: ChainPlan, out: NDArray[np.bool_]) -> NDArray[np.intp]:
    """out : (n,) where the target is out of reach"""
    rows = np.arange(len(plan.frames))
    if chain.target_keys is not None:
        rows = rows[np.isin(plan.frames, chain.target_keys)]
    return rows[~out[rows]] if chain.options.unreachable == Unreachable.SKIP else rows


def scale_path(bone: PoseBone) -> str:
    """RNA path, from the armature object, of the bone's scale."""
    return f"{bone.path_from_id()}.scale"


def rotation_path(bone: PoseBone) -> str:
    """RNA path, from the armature object, of the property that holds the bone's rotation."""
    return f"{bone.path_from_id()}.{rotation_name(bone.rotation_mode)}"


def _turns(plan: Plan, own: Iterable[Posed]) -> dict[str, Array]:
    """By RNA path (n, 3 or 4), the values that turn each bone so."""
    found: dict[str, Array] = {}
    for part in batches(own, lambda posed: posed.bone.rotation_mode, rows=len(plan.frames)):
        paths = [posed.path for posed in part]
        before = np.stack(values_before(plan.rig, paths, plan.frames[0]))
        values = rotation_values(stacked(posed.rotation for posed in part), part[0].bone.rotation_mode, before)
        found |= zip(paths, values.swapaxes(0, 1), strict=True)
    return found


def _channels(plan: Plan, own: Iterable[Posed], turns: dict[str, Array], rows: NDArray[np.intp]) -> Iterator[Channel]:
    frames, every = plan.frames[rows], len(rows) == len(plan.frames)
    for posed in own:
        values = {posed.path: turns[posed.path]}
        if posed.scale is not None:
            values[scale_path(posed.bone)] = posed.scale
        for path, value in values.items():
            yield Channel(path=path, group=posed.bone.name, frames=frames, values=value if every else value[rows])


def values_before(item: Object, paths: Sequence[str], start: float) -> list[Array]:
    """For each RNA path what the last keys ahead of `start` leave; where there are none, the property as it stands."""
    find = versions.curve_finder(item)
    values = [np.array(item.path_resolve(path), dtype=np.float64) for path in paths]
    for path, value in zip(paths, values, strict=True):
        for index in range(len(value)):
            curve = find(path, index=index)
            if curve and curve.keyframe_points and curve.range()[0] < start - MERGE:
                keys = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
                curve.keyframe_points.foreach_get("co", keys)
                value[index] = keys[1::2][keys[::2] < start - MERGE][-1]
    return values
