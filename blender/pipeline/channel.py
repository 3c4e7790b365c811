"""Keys on their way from the solution to the F-curves: what `convert` gives and `write` takes."""

from __future__ import annotations

from dataclasses import dataclass

from ...solver.values import Array


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Channel:
    """All keys of one animated property of one bone.

    path : RNA path from the armature object, such as `pose.bones["forearm.L"].rotation_quaternion`
    group : the bone's name, which names the group of the F-curves
    frames : (m,)        rising, may be fractional
    values : (m, k)      a column for each index of the property; finite
    """

    path: str
    group: str
    frames: Array
    values: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStyle:
    """How keys are written; the identifiers are Blender's own (`Keyframe.interpolation`, `Keyframe.type`)."""

    interpolation: str = "BEZIER"
    key_type: str = "KEYFRAME"
    new_action: bool = False
