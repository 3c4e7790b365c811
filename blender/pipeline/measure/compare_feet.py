"""Feet that were planted, as Blender evaluates them now, beside how they were captured."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....skeleton import feet
from ....skeleton.feet import Foot
from ....skeleton.plant import PlantedFeet
from ....skeleton.values import Plan, Point
from ....solver.contacts import on_ground
from ....solver.corrections import slide
from ...key_settings import Measure
from ...messages.foot_report import FootReport, slide_of
from ...messages.refused import Refused
from ..sample.request import SampleRequest
from .build_report import millimetres
from .compare import Look

MOVES = 1e-4
"""Leg lengths: by less nobody sees hips or feet move, or feet fall short."""

_MOST = 200
"""Up to so many frames all are measured, and of more as many on which feet stand, unless all are asked for."""


def compare_feet(
    plan: Plan,
    planted_feet: Sequence[Foot],
    planted: PlantedFeet,
    rate: float,
    bones: frozenset[Point],
    measure: Measure,
    look: Look,
) -> tuple[FootReport, ...]:
    """The report of each foot that is planted; empty where nothing is measured.

    rate : frames of the plan a second
    bones : all that is to be measured; Blender evaluates later only what is asked for now
    """
    rows = _rows(planted.stands, measure)
    if not len(rows):
        return ()
    try:
        samples = look(SampleRequest(objects=frozenset({plan.rig}), bones=bones), plan.frames[rows])
    except Refused:
        return ()  # the chains' part of the report tells it
    now = np.full_like(planted.points, np.nan)
    now[rows] = feet.contact_points(samples, planted_feet, len(rows))
    a_frame = rate / plan.frame_rate  # from sample to sample
    found = []
    for column, foot in enumerate(planted_feet):
        if not foot.is_planted:
            continue
        stands = planted.stands[:, column]
        seen = (on_ground(each[:, column], rate, planted.velocity[column]) for each in (planted.points, now))
        before, after = (slide_of(a_frame * slide(points, stands, feet.UP)) for points in seen)
        short = float(planted.short[:, column].max())
        found.append(
            FootReport(
                name=foot.chain.name,
                contacts=len(feet.contacts([foot], planted.stands[:, [column]], plan.frames)),
                frames=int(np.count_nonzero(stands.any(axis=1))),
                measured=len(rows),
                total=len(plan.frames),
                before=before,
                after=after,
                moved=float(planted.moved[:, column].max()),
                short=short if short > MOVES * planted.lengths[column] else 0.0,
                millimetres=millimetres(plan.scene),
            )
        )
    return tuple(found)


def _rows(stands: NDArray[np.bool_], measure: Measure) -> NDArray[np.intp]:
    """(m,) rising, which frames are measured; where not all are, two and two side by side on which a foot stands.

    stands : (n, f, 2)
    """
    if measure == Measure.NONE:
        return np.arange(0)
    if measure == Measure.ALL or len(stands) <= _MOST:
        return np.arange(len(stands))
    both = (stands[1:] & stands[:-1]).any(axis=(1, 2))
    first = np.flatnonzero(both if both.any() else ~both)
    first = first[np.linspace(0, len(first) - 1, _MOST // 2).astype(np.intp)]
    return np.unique((first, first + 1))
