"""Keyed options have to fit on every frame: keys and drivers may give NaN, or bend limits that cross."""

from math import degrees

import numpy as np

from ...skeleton.values import Point, Samples
from ...solver.values import Array
from ..messages.frame_and_point import frame_text
from ..messages.refused import Refused
from ..settings.keyed_options import bone_field


def refuse_unfit_numbers(samples: Samples, frames: Array) -> None:
    """Raise `Refused` for the first of the `frames` (n,) on which a chain's options make no sense."""
    for point, numbers in samples.numbers.items():
        for name, values in numbers.items():
            if not np.isfinite(values).all():
                row = int(np.argmin(np.isfinite(values)))
                raise Refused(
                    "NOT_FINITE.option",
                    object=point.object,
                    bone=point.bone,
                    value=float(values[row]),
                    frame=frame_text(frames[row]),
                    property=bone_field(name),
                )
        if {"bend_min", "bend_max"} <= numbers.keys():
            _refuse_crossed(point, numbers["bend_min"], numbers["bend_max"], frames)


def _refuse_crossed(point: Point, least: Array, most: Array, frames: Array) -> None:
    crossed = np.broadcast_to(least > most, np.broadcast_shapes(least.shape, most.shape))
    if crossed.any():
        row = int(np.argmax(crossed))
        low, high = (degrees(values[min(row, len(values) - 1)]) for values in (least, most))
        raise Refused(
            "CROSSED_LIMITS.keyed",
            object=point.object,
            bone=point.bone,
            value=(low, high),
            low=low,
            high=high,
            frame=frame_text(frames[row]),
        )
