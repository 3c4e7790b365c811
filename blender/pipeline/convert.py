"""Solution into channels: own rotations of the bones, each in its rotation mode, continuous with the keys before."""

from __future__ import annotations

import numpy as np
from bpy.types import PoseBone
from numpy.typing import NDArray

from ...solver import rotation
from ...solver.values import Array, Solution, Unreachable
from .. import versions
from .channel import Channel
from .plan import Plan
from .space import ChainSpace, bases, out_of_reach


def channels(plan: Plan, space: ChainSpace, solution: Solution) -> list[Channel]:
    """One channel a bone: its rotation on every frame that is to have a key."""
    keyed = _keyed(space, solution)
    return [
        Channel(
            path=rotation_path(bone),
            group=bone.name,
            frames=plan.frames[keyed],
            values=_values(bone, matrices, _before(plan, bone))[keyed],
        )
        for bone, matrices in zip(space.plan.keyed, bases(space, solution), strict=True)
    ]


def rotation_path(bone: PoseBone) -> str:
    """RNA path, from the armature object, of the property that holds the bone's rotation."""
    name = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
    return f"{bone.path_from_id()}.{name.get(bone.rotation_mode, 'rotation_euler')}"


def _keyed(space: ChainSpace, solution: Solution) -> NDArray[np.bool_]:
    out = out_of_reach(solution)
    return ~out if space.plan.options.unreachable == Unreachable.SKIP else np.ones_like(out)


def _values(bone: PoseBone, matrices: Array, before: Array | None) -> Array:
    if bone.rotation_mode == "QUATERNION":
        return rotation.quaternions(matrices, before)
    if bone.rotation_mode == "AXIS_ANGLE":
        return rotation.axis_angles(matrices, before)
    return rotation.eulers(matrices, bone.rotation_mode, before)


def _before(plan: Plan, bone: PoseBone) -> Array | None:
    """The value that the last key ahead of the range leaves; where there is none, the bone's own as it stands."""
    prefix = rotation_path(bone)
    value = np.array(plan.rig.path_resolve(prefix), dtype=np.float64)
    for curve in versions.curves(plan.rig):
        if curve.data_path == prefix:
            keys = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
            curve.keyframe_points.foreach_get("co", keys)
            ahead = keys[::2] < plan.frames[0] - 0.01
            if ahead.any():
                value[curve.array_index] = keys[1::2][ahead][-1]
    return value
