"""An arm moved by keys on its own bones, as animators do without IK."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import cos, sin

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object
from mathutils import Euler, Matrix, Quaternion

from .rigs import ARM, Bone, animate, armature, empty
from .truth import on_frame

KEYED = range(1, 41, 3)
FRAMES = range(1, 38)


def hinge(rig: Object, angle: float) -> Quaternion:
    """The rotation of the bone "lower" that opens the hinge by an angle from rest; a straight hinge bends about x."""
    lower = rig.data.bones["lower"]
    axis = (lower.parent.tail_local - lower.parent.head_local).cross(lower.tail_local - lower.head_local)
    return Quaternion(lower.matrix_local.to_3x3().inverted() @ axis if axis.length > 1e-6 else (1, 0, 0), angle)


def swing(rig: Object, angle: Callable[[float], float] = lambda frame: 0.9 * (1 + sin(frame / 4))) -> None:
    """Key the arm: the upper bone turns about all axes, the lower one about its hinge only."""
    for frame in range(KEYED[0], KEYED[-1] + 1):
        turn = Euler((sin(frame / 9), cos(frame / 7), 0.4 * sin(frame / 5)))
        pose(rig, "upper", turn.to_matrix(), frame)
        pose(rig, "lower", hinge(rig, angle(frame)).to_matrix(), frame)


def two_arms() -> Object:
    """A rig with two arms that swing; each follows empties "Target" and "Pole", those of the second with ".L"."""
    left = (
        Bone("upper.L", (0, 0, 1), (-1, 0.2, 1), "spine"),
        Bone("lower.L", (-1, 0.2, 1), (-1.8, 0, 1), "upper.L"),
    )
    rig = armature((*ARM, *left))
    swing(rig)
    animate(rig.pose.bones["upper.L"], rotation_quaternion={1: (1, 0.3, 1, 0), 40: (1, 1, 0, 0)})
    for side in ("", ".L"):
        api.add_chain(rig, f"lower{side}", target=empty(f"Target{side}"), pole_target=empty(f"Pole{side}"))
    return rig


def carry(rig: Object) -> None:
    """Key the spine, if there is one, and the armature object."""
    for frame in KEYED:
        if "spine" in rig.pose.bones:
            turn = Euler((0.3 * sin(frame / 8), 0.2, 0.1 * cos(frame / 5))).to_quaternion()
            animate(rig.pose.bones["spine"], rotation_quaternion={frame: turn}, location={frame: (frame / 50, 0, 0.1)})
        animate(rig, location={frame: (frame / 10, sin(frame / 6), 1)}, rotation_euler={frame: (0, 0.1, frame / 20)})


def pose(rig: Object, name: str, turn: Matrix, frame: float | None = None) -> None:
    """Turn a bone, in its rotation mode, and key it if a frame is given."""
    bone = rig.pose.bones[name]
    before = bone.rotation_euler.copy()
    path, value = {
        "QUATERNION": ("rotation_quaternion", turn.to_quaternion()),
        "AXIS_ANGLE": ("rotation_axis_angle", _axis_angle(turn.to_quaternion())),
    }.get(bone.rotation_mode) or ("rotation_euler", turn.to_euler(bone.rotation_mode, before))
    if path == "rotation_quaternion" and value.dot(bone.rotation_quaternion) < 0:
        value = -value
    setattr(bone, path, value)
    if frame is not None:
        bone.keyframe_insert(path, frame=frame, group=name)


def forget(rig: Object, *names: str) -> None:
    """Remove the keys of these bones and reset the bones to rest."""
    channelbag = versions.ensure_channelbag(rig)
    for curve in list(channelbag.fcurves):
        if any(curve.data_path.startswith(rig.pose.bones[name].path_from_id()) for name in names):
            channelbag.fcurves.remove(curve)
    for name in names:
        rig.pose.bones[name].matrix_basis = Matrix()


def turns(rig: Object, *names: str, frames: Iterable[float] = FRAMES) -> np.ndarray:
    """(n, k, 4) the bones' channels as unit quaternions on each frame."""
    found = []
    for frame in frames:
        on_frame(frame)
        found.append([rig.pose.bones[name].matrix_basis.to_quaternion() for name in names])
    bpy.context.scene.frame_set(1)
    return np.array(found, dtype=float)


def _axis_angle(turn: Quaternion) -> tuple[float, ...]:
    axis, angle = turn.to_axis_angle()
    return (angle, *axis)
