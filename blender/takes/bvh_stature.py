"""Which way is up in a capture, and how high its character stands: BVH says neither."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ...solver.values import Array
from ...solver.vectors import norm
from ..armatures import Rig
from ..chains.detect.find_limbs import Kind, limbs
from ..messages.refused import Refused
from ..messages.translation import translated
from .bvh_capture import Capture
from .take import Up

_ABOVE = 0.7
"""Lengths of the legs by which hips are above ankles, in the median, where they stand and walk."""

_UPRIGHT = 0.9
"""The same on frames on which a leg is nearly straight beneath them."""


def up(path: Path, rig: Rig, capture: Capture) -> tuple[Up, list[str]]:
    """The axis along which hips are above ankles, otherwise y; and sentences for the report."""
    legs = [*_legs(rig, capture)]
    above = np.median(np.mean(legs, axis=0), axis=0) if legs else np.array((0.0, 1.0, 0.0))
    if above[1] >= _ABOVE:
        return Up.Y, []
    if above[2] >= _ABOVE:
        return Up.Z, [translated("report.bvh_z_up", file=path)]
    return Up.Y, [translated("report.bvh_up_unknown", file=path)]


def stature(path: Path, rig: Rig, capture: Capture, up: Up) -> float:
    """From sole to crown, in the median of the frames on which it stands; Refused where it never does."""
    axis, legs = "XYZ".index(up), [*_legs(rig, capture)]
    upright = np.max(legs, axis=0)[:, axis] >= _UPRIGHT if legs else np.zeros(1, np.bool_)
    if not upright.any():
        raise Refused("NEVER_UPRIGHT", value=str(path))
    return float(np.median(np.ptp(capture.points[upright, :, axis], axis=1)))


def _legs(rig: Rig, capture: Capture) -> Iterator[Array]:
    """(n, 3) of each leg how far the hip is from the ankle, in lengths of the leg at rest."""
    numbers, places = {joint.name: number for number, joint in enumerate(capture.joints)}, capture.points
    for leg in limbs(rig, [Kind.LEGS]):
        end = numbers[leg.end_bone]
        root, tip = numbers[leg.root_bone] if leg.root_bone else capture.joints[end].parent, numbers.get(leg.tip_bone)
        length = float(norm(np.diff(capture.rest_heads[[root, end, tip]], axis=0)).sum()) if tip is not None else 0.0
        if length:
            yield (places[:, root] - places[:, tip]) / length
