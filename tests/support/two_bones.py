"""A rig of two bones, channels with random values for it, and the values that Blender then holds and plays."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.curves import key_checks as keys
from bl_ext.user_default.two_bone_ik.blender.curves import write
from bl_ext.user_default.two_bone_ik.blender.settings.key_settings import KeyStyle
from bl_ext.user_default.two_bone_ik.skeleton.values import Channel
from bpy.types import FCurve, Object

ATTRIBUTES = {p.identifier for p in bpy.types.Keyframe.bl_rna.properties} - {"rna_type", "co_ui"}
PROPERTIES = {"rotation_quaternion": 4, "rotation_euler": 3, "scale": 3}


def two_bones() -> Object:
    """An armature "Rig" with the bones "upper" and "lower"."""
    armature = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    upper, lower = (armature.data.edit_bones.new(name) for name in ("upper", "lower"))
    upper.tail = lower.head = (0, 0.1, 1)
    lower.tail = (0, 0, 2)
    lower.parent = upper
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def path(bone: str, name: str = "rotation_quaternion") -> str:
    """RNA path of a bone's property."""
    return f'pose.bones["{bone}"].{name}'


def channel(bone: str, frames: Iterable[float], name: str = "rotation_quaternion", seed: int = 1) -> Channel:
    """A channel of random values, one row a frame."""
    frames = np.asarray(frames, float)
    values = np.random.default_rng(seed).uniform(-1, 1, (len(frames), PROPERTIES[name]))
    return Channel(path=path(bone, name), group=bone, frames=frames, values=values)


def write_keys(rig: Object, *channels: Channel, span: tuple[float, float] = (1, 10), **style: object) -> list[str]:
    """As every request does it: what cannot be written or would not play is refused first."""
    keys.refuse_unwritable(rig, {channel.path for channel in channels}, KeyStyle(**style))
    return write.keys(rig, channels, span=span, style=KeyStyle(**style))


def curve(rig: Object, index: int = 0, name: str = "rotation_quaternion") -> FCurve:
    """An F-curve of the bone "upper"."""
    return next(c for c in versions.curves(rig) if (c.data_path, c.array_index) == (path("upper", name), index))


def key_attribute(curve: FCurve, name: str) -> np.ndarray:
    """(m, 2) for a point, (m, 1) otherwise: one attribute of all keys of the F-curve."""
    width = 2 if name in ("co", "handle_left", "handle_right") else 1
    values = np.empty((len(curve.keyframe_points), width))
    curve.keyframe_points.foreach_get(name, values.reshape(-1))
    return values


def key_frames(curve: FCurve) -> np.ndarray:
    """(m,) frames of all keys of the curve."""
    return key_attribute(curve, "co")[:, 0]


def played(rig: Object, channel: Channel) -> np.ndarray:
    """(m, k) values of the property while Blender steps through the frames of the channel."""
    values = []
    for frame in channel.frames:
        bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1))
        values.append(tuple(rig.path_resolve(channel.path)))
    return np.array(values)


def keyed_state(rig: Object) -> list:
    """All actions, and all attributes of all keys that animate the rig."""
    curves = [
        (c.data_path, c.array_index, [key_attribute(c, name).tolist() for name in sorted(ATTRIBUTES)])
        for c in versions.curves(rig)
    ]
    return [[action.name for action in bpy.data.actions], rig.animation_data is None, sorted(curves, key=str)]
