"""Solution into channels: own poses of the bones, each in its rotation mode, continuous with the keys before."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from bpy.types import Object, PoseBone
from numpy.typing import NDArray

from ....solver.values import Array, Solution, Unreachable
from ... import versions
from ..bones.rotation_mode import rotation_name, rotation_values
from ..channel import MERGE, Channel
from ..plan import Plan
from ..samples import Samples
from ..solve.own_pose import OwnPose, own_poses
from ..solve.space import ChainSpace, out_of_reach


def channels(plan: Plan, here: ChainSpace, solution: Solution, samples: Samples) -> list[Channel]:
    """A channel for each bone's rotation, and for its scale where the chain stretches, on every frame to be keyed."""
    rows = keyed_rows(plan, here, solution)
    return [
        Channel(path=path, group=own.bone.name, frames=plan.frames[rows], values=values[rows])
        for own in own_poses(here, solution, samples)
        for path, values in _values(plan, own)
    ]


def keyed_rows(plan: Plan, here: ChainSpace, solution: Solution) -> NDArray[np.intp]:
    """(m,) which of the plan's frames get keys."""
    frames = here.plan.target_keys
    keyed = np.ones(len(plan.frames), dtype=bool) if frames is None else np.isin(plan.frames, frames)
    return np.flatnonzero(
        keyed & ~out_of_reach(solution) if here.plan.options.unreachable == Unreachable.SKIP else keyed
    )


def scale_path(bone: PoseBone) -> str:
    """RNA path, from the armature object, of the bone's scale."""
    return f"{bone.path_from_id()}.scale"


def rotation_path(bone: PoseBone) -> str:
    """RNA path, from the armature object, of the property that holds the bone's rotation."""
    return f"{bone.path_from_id()}.{rotation_name(bone.rotation_mode)}"


def _values(plan: Plan, own: OwnPose) -> Iterator[tuple[str, Array]]:
    path = rotation_path(own.bone)
    yield path, rotation_values(own.rotation, own.bone.rotation_mode, value_before(plan.rig, path, plan.frames[0]))
    if own.scale is not None:
        yield scale_path(own.bone), own.scale


def value_before(item: Object, path: str, start: float) -> Array:
    """The value that the last key ahead of `start` leaves; where there is none, the property's as it stands."""
    value = np.array(item.path_resolve(path), dtype=np.float64)
    for index, curve in enumerate(versions.find_curves(item, path, len(value))):
        if curve and curve.keyframe_points and curve.range()[0] < start - MERGE:
            keys = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
            curve.keyframe_points.foreach_get("co", keys)
            value[index] = keys[1::2][keys[::2] < start - MERGE][-1]
    return value
