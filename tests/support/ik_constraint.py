"""A limb with Blender's own IK constraint, and the distance between two poses of the limb."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import KinematicConstraint, Object
from mathutils import Matrix

from . import rigs

JOINTS, DEGREES = 1e-3, 0.1  # what the constraint's own iteration leaves, of the chain's length and of a turn
BONES = ("upper", "lower")


def shown(rig: Object, *names: str) -> np.ndarray:
    """(k, 4, 4) the bones in armature space, and last the tail of the end bone, as Blender evaluates them."""
    bpy.context.view_layer.update()
    bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    tail = Matrix.Translation(bones["lower"].tail)
    return np.array([*(bones[name].matrix for name in names or BONES), tail], dtype=float)


def apart(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """The largest distance of a joint, as part of the chain's length, and the largest turn of a bone, in degrees."""
    heads = one[:, :3, 3]
    length = np.linalg.norm(np.diff(heads[-3:], axis=0), axis=-1).sum()
    axes = [m[:-1, :3, :3] / np.linalg.norm(m[:-1, :3, :3], axis=-2, keepdims=True) for m in (one, other)]
    chord = np.linalg.norm(axes[0] - axes[1], axis=(-2, -1)).max()
    return np.linalg.norm(heads - other[:, :3, 3], axis=-1).max() / length, np.degrees(2 * np.arcsin(chord / 8**0.5))


def limb(bones: tuple, owner: str = "lower", pole: object = (1, 3, 1), **fields: object) -> KinematicConstraint:
    """An IK constraint of two bones on a rig, with empties for target and pole, and enough iterations to converge."""
    constraint = rigs.armature(bones).pose.bones[owner].constraints.new("IK")
    constraint.target, constraint.chain_count, constraint.iterations = rigs.empty("Target", (1.2, 0.6, 1.3)), 2, 500
    constraint.use_tail = owner == "lower"
    if pole:
        constraint.pole_target = rigs.empty("Pole", pole)
    for name, value in fields.items():
        setattr(constraint, name, value)
    return constraint
