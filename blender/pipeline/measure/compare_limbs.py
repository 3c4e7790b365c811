"""What shows of limbs that were switched against what showed before: places, directions and scale of their bones."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import degrees

import numpy as np
from numpy.typing import NDArray

from ....skeleton.layers import LayerPlan
from ....skeleton.limb_pose import differences
from ....skeleton.values import Plan, Point
from ....solver.values import Array
from ...key_settings import Keys, KeySettings
from ...messages.chain_report import ChainReport, frame_text
from ...messages.translation import translated
from ..sample.request import SampleRequest
from .chosen_frames import chosen
from .compare import Look

_KEPT = np.array((1e-4, np.radians(0.1), 1e-3))
"""What nobody sees: parts of the limb's length, radians, and parts of its scale."""


def world_units(to_world: Array) -> Array:
    """(n,) how many there are in one unit of an object with these matrices (n, 4, 4)."""
    return np.cbrt(np.abs(np.linalg.det(to_world[..., :3, :3])))


def compare_limbs(
    plan: Plan, limbs: Sequence[LayerPlan], wanted: Mapping[str, Array], settings: KeySettings, look: Look
) -> tuple[list[ChainReport], list[str]]:
    """A report of each limb, and sentences for the whole report, that tell how far those are off that did not stay.

    wanted : by bone (n, 4, 4) in armature space
    settings : which frames are measured, and by how much keys allow limbs to be off
    """
    rows, total = chosen(plan.frames, plan.rig, settings.measure), len(plan.frames)
    measured = np.isin(np.arange(total), rows)
    if not len(rows):
        return [_report(limb.name, plan.frames, measured) for limb in limbs], [translated("report.not_measured")]
    bones = frozenset(Point(plan.rig, bone.name) for limb in limbs for bone in limb.shown)
    played = look(SampleRequest(objects=frozenset({plan.rig}), bones=bones), plan.frames[rows])
    factor = world_units(played.to_world[plan.rig])
    reports, notes = [], []
    for limb in limbs:
        now = {bone: played.pose[Point(plan.rig, bone.name)] for bone in limb.shown}
        found = [differences(pose, wanted[bone.name][rows], np.array(bone.tail)) for bone, pose in now.items()]
        # (bones, m, 3) metres, radians, and parts of the scale
        off = np.stack([np.stack((moved * factor, turned, scaled), axis=-1) for moved, turned, scaled in found])
        misposed = (off > _allowed(limb, settings, factor.max())).any(axis=(0, 2))
        at = int(np.argmax(np.where(misposed, off[..., 0].max(axis=0), -1.0)))
        report = _report(limb.name, plan.frames, measured)
        report.off[rows], report.misposed[rows] = off[..., 0].max(axis=0), misposed
        if misposed.any():
            worst = limb.shown[int(np.argmax(off[:, at, 0]))].name
            report = replace(report, off_bone=worst)
            moved, turned, scaled = off.max(axis=(0, 1)).tolist()
            frame = frame_text(plan.frames[rows][at])
            told = {"limb": limb.name, "off": moved, "angle": degrees(turned), "scale": scaled, "frame": frame}
            notes.append(translated("alert.not_kept", **told))
        reports.append(report)
    sampled = [translated("report.measured", count=len(rows), total=total)]
    return reports, notes + (sampled if len(rows) < total else [])


def _allowed(limb: LayerPlan, settings: KeySettings, unit: float) -> Array:
    """(3,) by how much a bone may be off: world units, radians, and parts of its scale."""
    size = unit * sum(bone.length for bone in limb.shown[:2])
    kept = _KEPT * np.array((size, 1.0, 1.0))
    if settings.keys != Keys.REDUCED:
        return kept
    turned = settings.tolerance / (unit * min(bone.length for bone in limb.shown))
    return np.maximum(kept, (settings.tolerance, turned, turned))


def _report(name: str, frames: Array, measured: NDArray[np.bool_]) -> ChainReport:
    nothing = ("status", "degenerate", "miss", "speed", "flips", "near_straight", "off", "misposed")
    fields = {
        "name": name,
        "frames": frames,
        **{field: np.zeros(len(frames)) for field in nothing},
        **dict.fromkeys(("sin_hinge", "stretch"), np.ones(len(frames))),
        "measured": measured,
    }
    return ChainReport.from_dict(fields)
