"""A described scene into the open file, and out of it again. Shares nothing with the extension but its properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from math import isfinite
from typing import Any

import bpy
from bpy.types import Constraint, Object, PoseBone
from mathutils import Euler, Vector

from . import state

RIG = "Rig"


def clear() -> None:
    """Empty the file of all that a scene has brought; cheaper than to load an empty one."""
    scene = bpy.context.scene
    for handlers in (bpy.app.handlers.frame_change_pre, bpy.app.handlers.frame_change_post):
        handlers[:] = [handler for handler in handlers if not isinstance(handler, _Remover)]
    blocks = ("objects", "armatures", "actions", "curves", "collections", "meshes")
    bpy.data.batch_remove([block for name in blocks for block in getattr(bpy.data, name)])
    for other in bpy.data.scenes:
        if other != scene:
            bpy.data.scenes.remove(other)
    scene.animation_data_clear()
    scene.timeline_markers.clear()
    scene.frame_start, scene.frame_end = 1, 6
    scene.frame_set(1)


def build(description: Mapping) -> None:
    """Everything that the description holds, on the frame that it names."""
    rig = _armature(description)
    for name in description["objects"]:
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, None))
    _place(rig, description["rig"])
    for name, pose in description["poses"].items():
        _pose(rig.pose.bones[name], pose)
    for name, item in description["objects"].items():
        _settle(bpy.data.objects[name], item, rig)
    for chain in description["chains"]:
        _chain(rig, chain)
    _style(description.get("around", ()))
    show(description, description.get("frame", 1.0))
    for name, item in description["objects"].items():
        bpy.data.objects[name].hide_viewport = item.get("hidden", False)
    for bone in rig.pose.bones:
        for constraint in bone.constraints:
            if constraint.type == "STRETCH_TO" and not constraint.rest_length:
                # Blender itself sets it as soon as the target is anywhere else, on whatever frame is played first.
                constraint.rest_length = 1.0
    if "handler" in description:
        bpy.app.handlers.frame_change_post.append(_Remover(**description["handler"]))


def show(description: Mapping, frame: float) -> None:
    """The scene on a frame, with its edits that have no keys."""
    whole = int(frame // 1)
    bpy.context.scene.frame_set(whole, subframe=frame - whole)
    if "edit" in description:
        bone = bpy.data.objects[RIG].pose.bones[description["edit"]["bone"]]
        bone.location = description["edit"]["location"]
    bpy.context.view_layer.update()


class _Remover:
    """A frame handler that deletes what is being baked after so many frames."""

    def __init__(self, removes: str, after: int) -> None:
        self.removes, self.left = removes, after
        self.gone = False

    def __call__(self, *_: object) -> None:
        self.left -= 1
        if self.left or self.gone:
            return
        self.gone = True
        if self.removes == "bones" and RIG in bpy.data.objects:
            bpy.data.objects[RIG].data = bpy.data.armatures.new("Other")
        elif self.removes in bpy.data.objects:
            bpy.data.objects.remove(bpy.data.objects[self.removes])


def show_all() -> None:
    """What was hidden has no place that can be asked for."""
    for item in bpy.data.objects:
        item.hide_viewport = False
    bpy.context.view_layer.update()


def _armature(description: Mapping) -> Object:
    rig = bpy.data.objects.new(RIG, bpy.data.armatures.new(RIG))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bones = dict(description["bones"])
    first = next(iter(bones), "")
    names = [f"rope {index}" for index in range(description.get("rope", 0))]
    for index, name in enumerate(names):
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail = (0, 0, 0), (0, 0, 0.5 + index % 2)
        bone.parent = rig.data.edit_bones[names[index - 1]] if index else None
    for name, rest in bones.items():
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail, bone.roll = rest["head"], rest["tail"], rest.get("roll", 0.0)
        parent = rest.get("parent") or (names[-1] if names and name == first else "")
        bone.parent = rig.data.edit_bones.get(parent)
        bone.use_connect = rest.get("connect", False)
        bone.inherit_scale = rest.get("inherit_scale", "FULL")
        bone.use_inherit_rotation = rest.get("inherit_rotation", True)
        bone.use_local_location = rest.get("local_location", True)
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def _place(owner: Object, item: Mapping) -> None:
    owner.location = _numbers(item.get("location", (0, 0, 0)))
    owner.rotation_euler = item.get("rotation", (0, 0, 0))
    owner.scale = item.get("scale", (1, 1, 1))
    bpy.context.view_layer.update()


def _style(around: Sequence[Mapping]) -> None:
    """Give all keys of the file these interpolations and handles, one after the other."""
    for action in bpy.data.actions if around else ():
        for curve in state.curves(action):
            for key, given in zip(curve.keyframe_points, cycle(around), strict=False):
                key.interpolation, key.easing = given["interpolation"], given["easing"]
                key.handle_left_type, key.handle_right_type = given["handles"]
                (x, y), (left, right) = key.co, given["at"]
                if "ALIGNED" in given["handles"]:
                    right = -left  # Blender aligns them with the next key that is inserted
                key.handle_left, key.handle_right = (x - 1.0, y + left), (x + 1.0, y + right)
            curve.update()


def _settle(empty: Object, item: Mapping, rig: Object) -> None:
    """Places near the armature are told in its rest space, wherever the armature is."""
    to_world = rig.matrix_basis.copy()
    if "follows" in item:
        empty.parent = bpy.data.objects[item["follows"]]
        to_world = empty.parent.matrix_basis.inverted_safe() @ to_world
    finite = all(isfinite(part) for row in to_world for part in row)

    def placed(near: Sequence[float]) -> Vector:
        return to_world @ Vector(near) if finite else Vector(near)

    empty.location = _numbers(item["at"]) if "at" in item else placed(item.get("near", (0, 0, 0)))
    for frame, near in item.get("keys", {}).items():
        empty.location = placed(near)
        empty.keyframe_insert("location", frame=float(frame))
    for frame, turn in item.get("turns", {}).items():
        empty.rotation_euler = turn
        empty.keyframe_insert("rotation_euler", frame=float(frame))
    if "interpolation" in item and empty.animation_data:
        for curve in state.curves(empty.animation_data.action):
            for key in curve.keyframe_points:
                key.interpolation = item["interpolation"]
    if item.get("path"):
        path = bpy.data.objects.new("Path", bpy.data.curves.new("Path", "CURVE"))
        path.data.splines.new("POLY").points.add(1)
        path.data.use_path = True
        bpy.context.scene.collection.objects.link(path)
        empty.constraints.new("FOLLOW_PATH").target = path


def _pose(bone: PoseBone, pose: Mapping) -> None:
    bone.rotation_mode = pose.get("mode", "QUATERNION")
    for name in ("location", "rotation", "scale", "share"):
        if name in pose:
            set_pose(bone, name, pose[name])
        for frame, value in pose.get("keys", {}).get(name, {}).items():
            bone.keyframe_insert(set_pose(bone, name, value), frame=float(frame))
    if pose.get("muted") and bone.id_data.animation_data:
        for curve in state.curves(bone.id_data.animation_data.action):
            if curve.data_path.startswith(bone.path_from_id()):
                curve.mute = True
    if "driver" in pose:
        bone.driver_add("rotation_euler", 1).driver.expression = pose["driver"]
    for given in pose.get("constraints", ()):
        _constrain(bone.constraints.new(given["type"]), given)


def set_pose(bone: PoseBone, name: str, value: Any) -> str:
    """Set location, rotation, scale or share, the rotation as the bone's mode has it; returns the property's name."""
    if name == "share":
        bone.two_bone_ik_twist = value
        return "two_bone_ik_twist"
    if name != "rotation":
        setattr(bone, name, _numbers(value))
        return name
    turn = Euler(value)
    if bone.rotation_mode == "QUATERNION":
        bone.rotation_quaternion = turn.to_quaternion()
        return "rotation_quaternion"
    if bone.rotation_mode == "AXIS_ANGLE":
        axis, angle = turn.to_quaternion().to_axis_angle()
        bone.rotation_axis_angle = (angle, *axis)
        return "rotation_axis_angle"
    bone.rotation_euler = turn.to_matrix().to_euler(bone.rotation_mode)
    return "rotation_euler"


def _constrain(constraint: Constraint, given: Mapping) -> None:
    for name, value in given.items():
        if name != "type":
            setattr(constraint, name, bpy.data.objects.get(value) if name in {"target", "pole_target"} else value)


def _chain(rig: Object, given: Mapping) -> None:
    chain = rig.two_bone_ik_chains.add()
    chain.end_bone, chain.root_bone, chain.tip_bone = given["end"], given.get("root", ""), given.get("tip", "")
    chain.name = given["end"]
    chain.target, chain.subtarget = bpy.data.objects.get(given["target"]), given.get("subtarget", "")
    chain.pole_target = bpy.data.objects.get(given.get("pole", ""))
    for name, value in given.get("fields", {}).items():
        setattr(chain, name, value)
    for name, keys in given.get("keyed", {}).items():
        bone, option = rig.pose.bones[given["end"]], f"two_bone_ik_{name}"
        for frame, value in keys.items():
            setattr(bone, option, value)
            bone.keyframe_insert(option, frame=float(frame))


def _numbers(values: Sequence[float | str]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
