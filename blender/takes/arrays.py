"""Motion as NumPy arrays in one file, for programs without Blender: `numpy.load(path)`, and no pickles in it."""

from pathlib import Path
from typing import Any

import numpy as np
from bpy.types import Scene

from ...skeleton.transform import orientation
from ...skeleton.values import MERGE, Point
from ...solver.rotation import quaternions
from ...solver.values import Array
from ..armatures import Rig
from ..bake.report import Report
from ..plant import contact_keys
from ..plant.feet import found_limbs, names_by_end
from ..scene import sampling
from ..scene.need import SampleNeed

VERSION = 1
"""Number of the format; another number means that programs have to read it in another way."""


def write(path: Path, scene: Scene, rig: Rig, report: Report, frames: Array) -> None:
    """Write the motion of the armature on these frames (n,) and those of the report, and what it says of its limbs.

    raises : Refused where something cannot be evaluated
    """
    frames = np.unique(np.concatenate((frames, *(_as_whole(chain.frames) for chain in report.chains))))
    # Opened here: NumPy adds a suffix to names.
    with path.open("wb") as file:
        np.savez_compressed(file, **_motion(scene, rig, frames), **_limbs(rig, report, frames))


def _as_whole(frames: Array) -> Array:
    """(n,) the frames, whole where they lie so near a whole one that its keys are theirs."""
    whole = np.rint(frames)
    return np.where(np.abs(frames - whole) <= MERGE / 2.0, whole, frames)


def bone_matrices(scene: Scene, rig: Rig, frames: Array) -> dict[str, Array]:
    """By bone (n, 4, 4), from its space to the world, on these frames (n,) as they play, in the armature's order.

    raises : Refused where something cannot be evaluated
    """
    points = [Point(rig, bone.name) for bone in rig.data.bones]
    samples = sampling.played_on(scene, SampleNeed.at([Point(rig), *points]), frames)
    return {point.bone: np.broadcast_to(samples.world(point), (len(frames), 4, 4)) for point in points}


def _motion(scene: Scene, rig: Rig, frames: Array) -> dict[str, Any]:
    bones = [*rig.data.bones]
    matrices = np.stack([*bone_matrices(scene, rig, frames).values()], axis=1)
    lengths = np.array([bone.length for bone in bones])
    rotations = quaternions(orientation(matrices[..., :3, :3]))
    return {
        "version": np.int32(VERSION),
        "frames": frames,
        "fps": np.float64(scene.render.fps / scene.render.fps_base),
        "metres": np.float64(scene.unit_settings.scale_length),
        "bones": np.array([bone.name for bone in bones]),
        "parents": np.array([bones.index(bone.parent) if bone.parent else -1 for bone in bones], np.int32),
        "heads": matrices[..., :3, 3].astype(np.float32),
        "tails": (matrices[..., :3, 3] + matrices[..., :3, 1] * lengths[:, None]).astype(np.float32),
        "rotations": rotations.astype(np.float32),
    }


def _limbs(rig: Rig, report: Report, frames: Array) -> dict[str, Any]:
    shape = len(frames), len(report.chains)
    contacts, status = np.zeros(shape, np.uint8), np.full(shape, -1, np.int8)
    miss, angles = np.full(shape, np.nan), np.full((*shape, 2), np.nan)
    ends = {name: end_bone for end_bone, name in names_by_end(rig, found_limbs(rig)).items()}
    for column, chain in enumerate(report.chains):
        # 0 where it is free, 1 where its ball stands, 2 for its heel, 3 for both, as keyed.
        if row := contact_keys.row_of(rig, rig.pose.bones[ends[chain.name]].path_from_id()):
            contacts[:, column] = row.within(frames)
        _, here, there = np.intersect1d(frames, _as_whole(chain.frames), return_indices=True)
        miss[here, column], status[here, column] = chain.miss[there], chain.status[there]
        if len(chain.angles):
            angles[here, column] = chain.angles[there]
    names = np.array([chain.name for chain in report.chains], np.str_)
    return {"limbs": names, "contacts": contacts, "miss": miss, "status": status, "angles": angles}
