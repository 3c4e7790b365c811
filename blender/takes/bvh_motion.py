"""Writes a BVH file from an armature that was imported from one: the same skeleton with other motion.

Blender's exporter writes Z up, without the transform of the object, and six channels for each joint.
"""

from pathlib import Path

import numpy as np
from bpy.types import Scene

from ...skeleton.transform import orientation
from ...solver.rotation import eulers
from ...solver.values import Array
from ..armatures import Rig
from ..messages.refused import Refused
from .bvh import BvhFile, Joint, read
from .motion import Motion, sampled

_TO_FILE = np.array(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)))
"""From Blender's axes, z up, to those of the file, y up: the way back of the importer."""


def write(path: Path, source: Path, scene: Scene, rig: Rig, fps: float | None, scale: float) -> None:
    """Write what the armature does on the frames of `source`, from which it was imported, to `path`.

    fps : in place of the frame rate of the source
    scale : by which the lengths of the source were multiplied
    raises : Refused where something cannot be evaluated, or the importer has passed over a fault of the source
    """
    try:
        file = read(source)
    except ValueError:
        raise Refused("NOT_OF_BVH.faulty", source=source) from None
    motion = sampled(scene, rig, np.arange(1.0, len(file.rows) + 1.0))
    rows = _rows(file, rig, motion, scale)
    lines = [f"Frames: {len(rows)}", f"Frame Time: {1.0 / fps:.9g}" if fps else f"Frame Time: {file.frame_time}"]
    lines += [" ".join(f"{value:.6f}" for value in row) for row in rows.tolist()]
    path.write_text("\n".join((f"{file.skeleton.rstrip()}\nMOTION", *lines, "")), "utf-8")


def _rows(file: BvhFile, rig: Rig, motion: Motion, scale: float) -> Array:
    """(n, c) the channels; those of a joint without a bone are as in the source."""
    rows = file.rows.copy()
    turns: dict[int | None, Array] = {None: np.eye(3)[None]}
    places: dict[int | None, Array] = {None: np.zeros((1, 3))}
    first = 0
    for number, joint in enumerate(file.joints):
        channels = slice(first, first := first + len(joint.channels))
        if joint.name not in motion.matrices:
            turns[number], places[number] = turns[joint.parent], places[joint.parent]
            continue
        world = motion.matrices[joint.name]
        rest = np.array(rig.data.bones[joint.name].matrix_local)[:3, :3]
        turns[number] = _TO_FILE @ orientation(world[:, :3, :3]) @ rest.T @ _TO_FILE.T
        places[number] = world[:, :3, 3] @ _TO_FILE.T / scale
        back = np.swapaxes(turns[joint.parent], 1, 2)
        place = np.einsum("nij,nj->ni", back, places[number] - places[joint.parent])
        rows[:, channels] = _channels(joint, rows[:, channels], back @ turns[number], place)
    return rows


def _channels(joint: Joint, source: Array, turns: Array, places: Array) -> Array:
    """(n, k) the values of a joint's channels, its rotation (n, 3, 3) and place (n, 3) being those from its parent."""
    axes = [axis for axis, is_position in joint.channels if not is_position]
    # The channel that is listed last turns first. A joint that lacks some turns about the others alone.
    order = "".join("XYZ"[axis] for axis in reversed([*axes, *(axis for axis in range(3) if axis not in axes)]))
    before = np.zeros(3)
    for column, (axis, is_position) in enumerate(joint.channels):
        if not is_position:
            before[axis] = np.radians(source[0, column])
    angles = np.degrees(eulers(turns, order, before))
    values = np.empty_like(source)
    for column, (axis, is_position) in enumerate(joint.channels):
        values[:, column] = (places if is_position else angles)[:, axis]
    return values
