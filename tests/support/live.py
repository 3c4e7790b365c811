"""An arm with Live on, attached to a spine, and the place of its tip."""

from __future__ import annotations

import bpy
import numpy as np

from . import rigs
from .auto_keying import auto_keying
from .characters import select_bones

WITHIN_REACH = {1: (1.2, 0.6, 1.3), 5: (0.9, -0.5, 1.8), 10: (1.1, 0.2, 0.4)}
CLOSE = 1e-5


def live_arm(**fields: object) -> bpy.types.Object:
    """The arm of `rigs`, live, its chain with these fields."""
    rigs.arm(**fields)
    rig = bpy.data.objects["Rig"]
    rig.two_bone_ik_live = True
    bpy.context.view_layer.update()
    return rig


def move_target(place: tuple[float, float, float]) -> None:
    """Put the target at this place, and let Blender evaluate the scene."""
    bpy.data.objects["Target"].location = place
    bpy.context.view_layer.update()


def tip() -> np.ndarray:
    """The tip in the world, as Blender evaluates it now."""
    rig = bpy.data.objects["Rig"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array(rig.matrix_world @ rig.pose.bones["lower"].tail)


def pose() -> np.ndarray:
    """(2, 4, 4) the basis matrices of the arm."""
    return pose_of(bpy.data.objects["Rig"])


def pose_of(rig: bpy.types.Object) -> np.ndarray:
    """(2, 4, 4) the basis matrices of the arm of this rig."""
    return np.array([rig.pose.bones[name].matrix_basis for name in ("upper", "lower")])


def rotate_by_hand(rig: bpy.types.Object, name: str) -> None:
    """Turn a bone in Pose Mode, with auto keying on."""
    auto_keying()
    select_bones(rig, name)
    bpy.ops.transform.rotate(value=0.7, orient_axis="X")
    bpy.context.view_layer.update()
