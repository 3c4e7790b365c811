"""Makes armature and action from a BVH file, as Blender's own importer makes them of files that it reads.

So heads and tails, connected bones, rotation modes, names and keys follow its rules, and what was set up for the one
fits the other. BVH says neither which way is up in a capture, nor how high its character stands: its legs do.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import bpy
import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import ArrayLike, NDArray

from ...skeleton.rotation_mode import rotation_values
from ...skeleton.values import Channel
from ...solver.values import Array
from ...solver.vectors import norm
from .. import versions
from ..armatures import Rig, is_rig
from ..chains.detect.find_limbs import Kind, limbs
from ..curves import write
from ..messages.refused import Refused
from ..messages.translation import translated
from ..settings.key_settings import KeyStyle
from ..targets.edit_bones import in_edit_mode
from . import frame_rate
from .bvh_capture import Capture, captured, rate
from .take import Import, Intake, Up

_TO_BLENDER = Matrix(((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, -1.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)))
"""From the axes of the file, y up, to Blender's."""

_SHORT = 0.001
"""Bones are longer; a shorter one gets a length."""

_ABOVE = 0.7
"""Lengths of the legs by which hips are above ankles, in the median, where they stand and walk."""

_UPRIGHT = 0.9
"""Lengths of the legs by which hips are above ankles on frames on which a leg is nearly straight beneath them."""

_Single: TypeAlias = NDArray[np.float32]
"""Single precision, as the importer computes, for Blender rolls bones that go straight down by their last bits."""


class _Bone(NamedTuple):
    """A bone at rest, in the axes of the file; `along` goes from head to tail, but for what versions.py says."""

    head: _Single
    tail: _Single
    along: _Single


def made(take: Import) -> Intake:
    """Make armature and action, selected and active in the scene."""
    capture = captured(take.path)
    frame_rate.set_rate(take.scene, take.fps or rate(take.path, capture))
    name = bpy.path.display_name_from_filepath(str(take.path))
    rig = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    assert is_rig(rig)
    take.scene.collection.objects.link(rig)
    _add_bones(rig, capture, float(np.float32(take.scale)))
    rest = [np.array(rig.data.bones[joint.name].matrix_local, dtype=np.float64)[:3, :3] for joint in capture.joints]
    rig.data.transform(_TO_BLENDER)
    axis, notes = (take.up, []) if take.up else _up(take.path, rig, capture)
    scale = take.height / _stature(take.path, rig, capture, axis) if take.height else take.scale
    if axis == Up.Z or take.height:
        rig.data.transform(Matrix.Scale(scale / take.scale, 4) @ (_TO_BLENDER.inverted() if axis == Up.Z else Matrix()))
    versions.new_action(rig, name)
    channels = [*_channels(rig, capture, rest, scale)]
    write.keys(rig, channels, span=(1.0, float(len(capture.rows))), style=KeyStyle(interpolation="LINEAR"))
    layer = take.scene.view_layers[0]
    for item in (*layer.objects, rig):
        item.select_set(item is rig, view_layer=layer)
    layer.objects.active = rig
    return Intake([*capture.notes, *notes], scale, axis)


def _add_bones(rig: Rig, capture: Capture, scale: float) -> None:
    rest = _scaled(capture.rest, scale)
    joints, bones = capture.joints, _at_rest(capture, rest, scale)
    lengths = [length for bone in bones if (length := np.linalg.norm(bone.along))]
    short = {number for number, bone in enumerate(bones) if np.linalg.norm(bone.tail - bone.head) < _SHORT}
    with in_edit_mode(rig) as edited:
        for number, (joint, bone) in enumerate(zip(joints, bones, strict=True)):
            added, missing = edited.new(joint.name), _along_y(0.0)
            if number in short:
                above = missing if joint.parent is None else bones[joint.parent].along
                missing = above if above.any() else _along_y(float(np.mean(lengths)) if lengths else 0.1)
            added.head, added.tail = Vector(bone.head.tolist()), Vector((bone.tail + missing).tolist())
        for number, joint in enumerate(joints):
            if joint.parent is None:
                continue
            added = edited[joint.name]
            added.parent = edited[joints[joint.parent].name]
            apart = rest[joint.parent] + bones[joint.parent].along - rest[number]
            is_at_tail = bool((np.abs(apart) <= np.spacing(np.abs(rest[number]))).all())
            added.use_connect = is_at_tail and joint.parent not in short and not capture.has[number, 1].any()


def _scaled(lengths: ArrayLike, scale: float) -> _Single:
    return np.multiply(np.asarray(lengths, np.float32), np.float32(scale), dtype=np.float32)


def _along_y(length: float) -> _Single:
    return np.array((0.0, length, 0.0), np.float32)


def _at_rest(capture: Capture, rest: _Single, scale: float) -> list[_Bone]:
    """A bone goes to its End Site, else to the middle of its children; without any, and if that is near, along y."""
    heads, bones = np.zeros_like(rest), []
    for number, joint in enumerate(capture.joints):
        heads[number] = rest[number] + (0.0 if joint.parent is None else heads[joint.parent])
    for number, joint in enumerate(capture.joints):
        children = [child for child, other in enumerate(capture.joints) if other.parent == number]
        if joint.end is not None:
            along = _scaled(joint.end, scale)
            tail = heads[number] + along
        elif children:
            along, tail = (_scaled(of.sum(axis=0), 1.0 / len(children)) for of in (rest[children], heads[children]))
            if len(children) > 1 and versions.MEASURES_BVH_FROM_PARENT:
                along = along - rest[number]
        else:
            along, tail = np.zeros(3, np.float32), heads[number]
        longer = _along_y(scale / 10.0 if np.linalg.norm(along) <= np.float32(_SHORT * scale) else 0.0)
        bones.append(_Bone(heads[number], tail + longer, along + longer))
    return bones


def _channels(rig: Rig, capture: Capture, rest: Sequence[Array], scale: float) -> Iterator[Channel]:
    """The keys of all bones, from frame 1 on; `rest` (3, 3) has the axes of each bone in those of the file."""
    frames = np.arange(1.0, len(capture.rows) + 1.0)
    bone: Any
    for number, (joint, axes) in enumerate(zip(capture.joints, rest, strict=True)):
        bone = rig.pose.bones[joint.name]
        bone.rotation_mode = joint.order
        if capture.has[number, 1].any():
            values = scale * (capture.places(number) - capture.rest[number]) @ axes
            yield Channel(path=bone.path_from_id("location"), group=bone.name, frames=frames, values=values)
        if capture.has[number, 0].any():
            values = rotation_values(axes.T @ capture.turns(number) @ axes, joint.order, np.zeros(3))
            yield Channel(path=bone.path_from_id("rotation_euler"), group=bone.name, frames=frames, values=values)


def _up(path: Path, rig: Rig, capture: Capture) -> tuple[Up, list[str]]:
    """The axis along which hips are above ankles, otherwise y; and sentences for the report."""
    legs = [*_legs(rig, capture)]
    above = np.median(np.mean(legs, axis=0), axis=0) if legs else np.array((0.0, 1.0, 0.0))
    if above[1] >= _ABOVE:
        return Up.Y, []
    if above[2] >= _ABOVE:
        return Up.Z, [translated("report.bvh_z_up", file=path)]
    return Up.Y, [translated("report.bvh_up_unknown", file=path)]


def _stature(path: Path, rig: Rig, capture: Capture, axis: Up) -> float:
    """The height from sole to crown, in the median of the frames on which it stands; Refused where it never does."""
    row, legs = "XYZ".index(axis), [*_legs(rig, capture)]
    upright = np.max(legs, axis=0)[:, row] >= _UPRIGHT if legs else np.zeros(1, np.bool_)
    if not upright.any():
        raise Refused("NEVER_UPRIGHT", value=str(path))
    return float(np.median(np.ptp(capture.points[upright, :, row], axis=1)))


def _legs(rig: Rig, capture: Capture) -> Iterator[Array]:
    """(n, 3) how far the hip of each leg is from its ankle, in lengths of the leg at rest."""
    numbers, places = {joint.name: number for number, joint in enumerate(capture.joints)}, capture.points
    for leg in limbs(rig, [Kind.LEGS]):
        end = numbers[leg.end_bone]
        root, tip = numbers[leg.root_bone] if leg.root_bone else capture.joints[end].parent, numbers.get(leg.tip_bone)
        length = float(norm(np.diff(capture.rest_heads[[root, end, tip]], axis=0)).sum()) if tip is not None else 0.0
        if length:
            yield (places[:, root] - places[:, tip]) / length
