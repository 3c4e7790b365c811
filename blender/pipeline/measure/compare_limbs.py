"""What shows of limbs that were switched against what showed before: places, directions and scale of their bones."""

from collections.abc import Mapping, Sequence
from math import degrees

import numpy as np

from ....skeleton.layers import LayerPlan
from ....skeleton.limb_pose import differences
from ....skeleton.values import Plan, Point, Samples
from ....solver.values import Array
from ...key_settings import Keys, KeyStyle
from ...messages.chain_report import ChainReport, frame_text
from ...messages.translation import translated

_KEPT = np.array((1e-4, np.radians(0.1), 1e-3))
"""What nobody sees: parts of the limb's length, radians, and parts of its scale."""


def world_units(to_world: Array) -> Array:
    """(n,) how many there are in one unit of an object with these matrices (n, 4, 4)."""
    return np.cbrt(np.abs(np.linalg.det(to_world[..., :3, :3])))


def compare_limbs(
    plan: Plan,
    limbs: Sequence[LayerPlan],
    wanted: Mapping[Point, Array],
    played: Samples,
    style: KeyStyle,
) -> tuple[list[ChainReport], list[str]]:
    """A report of each limb, and sentences that tell how far those are off that did not stay.

    wanted : by bone (n, 4, 4) in armature space
    style : of the keys, which may allow limbs to be off
    """
    reports, notes = [], []
    frames, factor = plan.frames, world_units(played.to_world[plan.rig])
    for limb in limbs:
        found = []
        for bone in limb.shown:
            point = Point(plan.rig, bone.name)
            now, then = np.broadcast_arrays(played.pose[point], wanted[point])
            found.append(differences(now, then, np.array(bone.tail)))
        moved, turned, scaled = (np.stack(each) for each in zip(*found, strict=True))
        size = sum(bone.length for bone in limb.shown[:2])
        off, count = (moved * factor).max(axis=0), len(frames)
        allowed = _KEPT * np.array((size, 1.0, 1.0))
        if style.keys == Keys.REDUCED:
            near = style.tolerance / factor.min()
            allowed = np.maximum(allowed, near * np.array((1.0, *2 * (1.0 / min(bone.length for bone in limb.shown),))))
        differing = np.stack([each.max(axis=0) for each in (moved, turned, scaled)], axis=-1)
        misposed = (differing > allowed).any(axis=-1)
        worst = int(np.argmax(np.where(misposed, moved.max(axis=0), -1.0)))
        fields = {
            "name": limb.name,
            "frames": frames,
            **dict.fromkeys(("status", "degenerate", "miss", "speed", "flips", "near_straight"), np.zeros(count)),
            **dict.fromkeys(("sin_hinge", "stretch", "measured"), np.ones(count)),
            "off": off,
            "misposed": misposed,
            "off_bone": limb.shown[int(np.argmax(moved[:, worst]))].name if misposed.any() else "",
        }
        reports.append(ChainReport.from_dict(fields))
        if misposed.any():
            notes.append(
                translated(
                    "alert.not_kept",
                    limb=limb.name,
                    off=float(off.max()),
                    angle=degrees(float(turned.max())),
                    scale=float(scaled.max()),
                    frame=frame_text(frames[worst]),
                )
            )
    return reports, notes
