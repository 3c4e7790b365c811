"""Writes a BVH file from an armature that was imported from one: the same skeleton with other motion.

Blender's exporter writes Z up, without the transform of the object, and six channels for each joint.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from bpy.types import Scene

from ...skeleton.transform import orientation
from ...solver.rotation import eulers
from ...solver.values import Array
from ...solver.vectors import norm
from ..armatures import Rig
from ..messages.translation import translated
from .arrays import bone_matrices
from .bvh_capture import Capture, captured
from .take import Intake

_TO_FILE = {"Y": np.array(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0))), "Z": np.eye(3)}
"""From Blender's axes, z up, to those of the file, of which this one is up."""

_TOLD = 6e-5
"""Part of the skeleton's size: 0.1 mm of a human."""


def write(path: Path, source: Path, scene: Scene, rig: Rig, unit: str, fps: float | None, taken: Intake) -> list[str]:
    """Write what the armature does on the frames of `source`, from which it was imported, to `path`.

    unit : of the lengths that are told
    fps : in place of the frame rate of the source
    returns : sentences for the report, of joints that have too few channels for their motion
    raises : Refused where something cannot be evaluated
    """
    capture = captured(source)
    motion = bone_matrices(scene, rig, np.arange(1.0, len(capture.rows) + 1.0))
    values, off = _values(capture, rig, motion, taken)
    lines = [f"Frames: {len(values)}", f"Frame Time: {1.0 / fps:.9g}" if fps else f"Frame Time: {capture.frame_time}"]
    lines += [" ".join(f"{value:.6f}" for value in row) for row in values[:, *capture.channels.T].tolist()]
    path.write_text("\n".join((f"{capture.skeleton.rstrip()}\nMOTION", *lines, "")), capture.encoding)
    joint = max(off, key=lambda name: off[name], default="")
    if not joint or off[joint] <= _TOLD * capture.size:
        return []
    return [translated("report.bvh_channels", joint=joint, off=taken.scale * off[joint], unit=unit, file=source)]


def _values(capture: Capture, rig: Rig, motion: Mapping[str, Array], taken: Intake) -> tuple[Array, dict[str, float]]:
    """(n, j, 2, 3) as `Capture.values`; those of a joint without a bone are as in the source.

    returns : also by joint how far it or its End Site is from where it belongs, as channels do not have its motion
    """
    written, to_file = replace(capture), _TO_FILE[taken.up]  # with values of its own
    turns: dict[int | None, Array] = {None: np.eye(3)[None]}
    places: dict[int | None, Array] = {None: np.zeros((1, 3))}
    off: dict[str, float] = {}
    for number, joint in enumerate(capture.joints):
        above, base = turns[joint.parent], places[joint.parent]
        world = motion.get(joint.name)
        if world is not None:
            rest = np.array(rig.data.bones[joint.name].matrix_local)[:3, :3]
            back, turn = np.swapaxes(above, 1, 2), to_file @ orientation(world[:, :3, :3]) @ rest.T @ to_file.T
            place = np.einsum("nij,nj->ni", back, world[:, :3, 3] @ to_file.T / taken.scale - base)
            angles = np.degrees(eulers(back @ turn, joint.order[::-1], np.radians(written.values[0, number, 0])))
            values = np.stack((angles, place - capture.base[number]), axis=1)
            written.values[:, number] = np.where(capture.has[number], values, 0.0)
            off[joint.name] = float(norm(place - written.places(number)).max())
        # Joints below go on from what the channels have.
        turns[number] = above @ written.turns(number)
        if world is not None and joint.end is not None:
            off[f"{joint.name}, End Site"] = float(norm((turns[number] - turn) @ np.array(joint.end)).max())
        places[number] = base + np.einsum("nij,nj->ni", above, written.places(number))
    return written.values, off
