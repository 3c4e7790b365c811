"""Arms with twist bones whose hand turns about the forearm, and how their bones turn, by their keys and in Blender."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object, PropertyGroup
from mathutils import Matrix, Quaternion, Vector

from . import rigs
from .truth import on_frame

FRAMES = (1, 60)
ALL = range(FRAMES[0], FRAMES[1] + 1)

CLOSE = 1e-5
"""Radians and metres: single precision, after the products of five matrices."""

UPPER, LOWER, HAND = rigs.ARM[1:]


def along(bone: rigs.Bone, place: float, name: str, parent: str = "") -> rigs.Bone:
    """A short bone on another one's axis."""
    head, tail = Vector(bone.head), Vector(bone.tail)
    return rigs.Bone(name, head.lerp(tail, place), head.lerp(tail, place + 0.1), parent or bone.name, roll=0.4)


SIDE = (
    *rigs.ARM,
    along(LOWER, 0.3, "lower_twist_a"),
    along(LOWER, 0.7, "lower_twist_b"),
    along(UPPER, 0.25, "upper_twist_a"),
    along(UPPER, 0.75, "upper_twist_b"),
)
SHARES = {"lower_twist_a": 0.3, "lower_twist_b": 0.7, "upper_twist_a": -0.75, "upper_twist_b": -0.25}
"""By which part of its half's twist each bone turns against the bone that carries it."""

LINE = (
    *rigs.ARM[:2],
    along(UPPER, 0.4, "upper_line_a", "upper"),
    along(UPPER, 0.8, "upper_line_b", "upper_line_a"),
    LOWER._replace(parent="upper_line_b"),
    along(LOWER, 0.5, "lower_line", "lower"),
    HAND._replace(parent="lower_line"),
)
"""An arm whose twist bones carry each other."""


def arm(
    *, turns: float = 2.0, swing: float = 0.0, bones: Sequence[rigs.Bone] = SIDE, **fields: object
) -> PropertyGroup:
    """An arm whose target stands while it turns so often about the forearm, over the frames; `swing` as for `turn`."""
    rig = rigs.armature(bones)
    fields = {"root_bone": "upper", "tip_bone": "hand", "use_rotation": True, "use_twist": True} | fields
    chain = rigs.chain(rig, "lower", target=(1.2, 0.6, 1.3), pole=(0.5, 1.0, 2.5), **fields)
    bpy.context.scene.frame_end = FRAMES[1]
    turn(chain, turns, swing)
    return chain


def turn(chain: PropertyGroup, turns: float, swing: float = 0.0) -> None:
    """Key the target on every frame: it turns about the forearm as that lies in the pose without twist.

    swing : radians by which it is swung on all frames about one axis, with half of the turn before and half after it.
        So a hand that is swung far turns by much less from frame to frame than it is twisted
    """
    rig, target = chain.id_data, chain.target
    on = chain.use_twist, chain.use_rotation
    chain.use_twist = chain.use_rotation = False
    api.solve(rig)
    bpy.context.view_layer.update()
    pose = rig.pose.bones["lower"].matrix @ rig.data.bones["lower"].matrix_local.inverted()
    hand = (pose @ rig.data.bones["hand"].matrix_local).to_quaternion()
    line = (rig.pose.bones["hand"].head - rig.pose.bones["lower"].head).normalized()
    chain.use_twist, chain.use_rotation = on
    target.rotation_mode = "QUATERNION"
    for frame in range(FRAMES[0], FRAMES[1] + 1):
        angle = 2 * np.pi * turns * (frame - FRAMES[0]) / (FRAMES[1] - FRAMES[0])
        half = Quaternion(line, 0.5 * angle)
        target.rotation_quaternion = half @ Quaternion(line.orthogonal(), swing) @ half @ hand
        target.keyframe_insert("rotation_quaternion", frame=frame)
    for bone in rig.pose.bones:
        bone.matrix_basis = Matrix()


def bone_turns(rig: Object, names: Iterable[str], frames: Iterable[float]) -> dict[str, np.ndarray]:
    """(n,) by name how far each bone has turned against what carries it, about the line of that half; no jumps."""
    lines = {"lower": ("lower", "hand"), "upper": ("upper", "lower")}
    found: dict[str, list[float]] = {name: [] for name in names}
    for frame in frames:
        evaluated = rig.evaluated_get(on_frame(frame))
        for name, angles in found.items():
            bone = rig.data.bones[name]
            start, end = (rig.data.bones[joint].head_local for joint in lines[name.split("_")[0]])
            line = bone.matrix_local.to_quaternion().inverted() @ (end - start)
            rest = bone.parent.matrix_local.to_quaternion().inverted() @ bone.matrix_local.to_quaternion()
            parent, own = (evaluated.pose.bones[each].matrix.to_quaternion() for each in (bone.parent.name, name))
            quaternion = (parent @ rest).inverted() @ own
            axis = Vector(quaternion[1:])
            assert axis.cross(line.normalized()).length < CLOSE
            angles.append(2 * np.arctan2(axis.dot(line.normalized()), quaternion.w))
    return {name: np.unwrap(angles) for name, angles in found.items()}


def shown(rig: Object, frames: Iterable[float], names: Sequence[str] = ("lower", "hand")) -> np.ndarray:
    """(n, k, 4, 4) poses as evaluated."""
    poses = []
    for frame in frames:
        bones = rig.evaluated_get(on_frame(frame)).pose.bones
        poses.append([np.array(bones[name].matrix) for name in names])
    return np.array(poses)


def twist_of(rig: Object, bone: str, joint: str, frames: Iterable[float]) -> np.ndarray:
    """(n,) how far a bone has turned from rest against its parent, about its line to a joint; no jumps."""
    angles = []
    for frame in frames:
        evaluated, data = rig.evaluated_get(on_frame(frame)), rig.data.bones
        own = data[bone]
        parent = own.parent
        line = (data[joint].head_local - own.head_local).normalized()
        now = (
            evaluated.pose.bones[parent.name].matrix.to_quaternion().inverted()
            @ evaluated.pose.bones[bone].matrix.to_quaternion()
        )
        turned = parent.matrix_local.to_quaternion() @ now @ own.matrix_local.to_quaternion().inverted()
        angles.append(2 * np.arctan2(Vector(turned[1:]).dot(line), turned.w))
    return np.unwrap(angles, period=4 * np.pi)


def keyed_poses(rig: Object, names: Sequence[str] = ("lower", "hand")) -> np.ndarray:
    """(n, k, 4, 4) poses in double precision by the keys alone, of quaternions, on n frames on which all have one."""
    keys, poses = all_keys(rig), {}
    for bone in rig.data.bones:
        path = f'pose.bones["{bone.name}"].rotation_quaternion'
        now = rig.pose.bones[bone.name].rotation_quaternion
        w, *vector = (np.array(keys.get((path, index), [now[index]]), dtype=np.float64) for index in range(4))
        vector = np.stack(vector, axis=-1)
        size = w**2 + (vector**2).sum(axis=-1)
        basis = np.tile(np.eye(4), (len(w), 1, 1))
        # Each axis turned by a quaternion (w, v): x + 2 v x (v x x + w x), with a part of its length squared.
        for column, axis in enumerate(np.eye(3)):
            turned = np.cross(vector, np.cross(vector, axis) + w[:, None] * axis)
            basis[:, :3, column] = axis + 2.0 * turned / size[:, None]
        rest, above = np.array(bone.matrix_local, dtype=np.float64), np.eye(4)
        if bone.parent:
            above = poses[bone.parent.name] @ np.linalg.inv(np.array(bone.parent.matrix_local, dtype=np.float64))
        poses[bone.name] = above @ rest @ basis
    return np.stack([poses[name] for name in names], axis=1)


def all_keys(rig: Object) -> dict[tuple[str, int], list[float]]:
    """The values of the keys of each F-curve."""
    curves = versions.curves(rig)
    return {(curve.data_path, curve.array_index): [key.co.y for key in curve.keyframe_points] for curve in curves}
