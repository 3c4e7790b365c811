"""Compares planted feet, as Blender evaluates them now, with the feet that were captured."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...skeleton.bone_channels import keyed_rows
from ...skeleton.feet import feet
from ...skeleton.feet.feet import Foot
from ...skeleton.feet.plant import PlantedFeet
from ...skeleton.solve import world_joints
from ...skeleton.solved_group import SolvedGroup
from ...skeleton.switch.limb_pose import extremes
from ...skeleton.values import Plan, Point, Samples
from ...solver.feet.contacts import on_ground
from ...solver.feet.statistics import slide, turning
from ...solver.numbers import true_runs
from ...solver.values import Array
from ...solver.vectors import norm, product
from ..bake.compare import Comparison, compare_joints
from ..bake.foot_report import FootReport, median_and_worst
from ..bake.report import millimetres
from ..bake.request import Answer
from ..messages.refused import Refused
from ..scene.need import SampleNeed
from ..settings.key_settings import KeySettings, Measure

MOVES = 1e-4
"""Leg lengths: moves of hips and feet, and feet that fall short, are too small to see below this."""

_MOST = 200
"""Up to this many frames, all are measured; of more, as many on which feet stand, unless all are to be measured."""

_SPREAD = 16
"""Where feet stand on more than `_MOST` frames, this many of these are measured."""

_EDGES = 3
"""Then this many stands of each foot are also measured at their beginning and end."""


def compare_feet(
    plan: Plan, planted_feet: Sequence[Foot], planted: PlantedFeet, solved: Sequence[SolvedGroup], settings: KeySettings
) -> Comparison:
    """Mid joints and tips of all limbs with the solution; the same samples tell of the feet that are planted."""
    if settings.measure == Measure.AUTO and len(plan.frames) <= _MOST:
        settings = replace(settings, measure=Measure.ALL)
    suspects = _suspects(planted, solved).tolist() if settings.measure == Measure.AUTO else ()
    comparison = compare_joints(plan, solved, keyed_rows(plan, solved), settings, suspects)
    those = [foot for foot in planted_feet if foot.is_planted]
    names = [place.bone for foot in those for place in foot.points]
    names += [foot.chain.tip_bone for foot in those if foot.chain.below]
    feet_too = SampleNeed.at(Point(plan.rig, name) for name in names)
    return replace(comparison, points=comparison.points | feet_too if comparison.points else None)


def foot_reports(
    plan: Plan, planted_feet: Sequence[Foot], planted: PlantedFeet, frames: Array, sampled: Answer
) -> tuple[FootReport, ...]:
    """The report of each foot that is planted; none where nothing is measured."""
    if sampled is None or isinstance(sampled, Refused):
        return ()
    those = ((column, foot) for column, foot in enumerate(planted_feet) if foot.is_planted)
    return tuple(_report(plan, foot, planted, column, frames, sampled) for column, foot in those)


def _report(plan: Plan, foot: Foot, planted: PlantedFeet, column: int, frames: Array, samples: Samples) -> FootReport:
    """Reports how far one foot slid and turned as captured, does as planted, and does as measured on frames (n,)."""
    stands, short = planted.stands[:, column], float(planted.short[:, column].max())
    rows = np.searchsorted(plan.frames, frames)
    points, captured = planted.captured.points[:, column], planted.captured.feet[:, column]
    now, seen_feet = (np.full_like(each, np.nan) for each in (points, captured))
    now[rows] = feet.contact_points(samples, [foot], len(frames))[:, 0]
    seen_feet[rows] = feet.orientations(samples, foot, len(frames))
    a_frame = plan.rate / plan.frame_rate  # from sample to sample
    places = points, planted.placed[:, column], now
    turned = captured, product(planted.turns[:, column], captured), seen_feet
    slides = [slide(on_ground(each, plan.rate, planted.velocity[column]), stands) for each in places]
    turns = [np.degrees(turning(each, points, stands)) for each in turned]
    before, as_planted, after = (median_and_worst(a_frame * each) for each in slides)
    turn_before, turn_planted, turn_after = (median_and_worst(a_frame * each) for each in turns)
    return FootReport(
        name=foot.chain.name,
        contacts=len(feet.contacts([foot], planted.stands[:, [column]], plan.frames)),
        frames=int(np.count_nonzero(stands.any(axis=1))),
        measured=len(frames),
        total=len(plan.frames),
        before=before,
        after=after,
        planted=as_planted,
        turn_before=turn_before,
        turn_after=turn_after,
        turn_planted=turn_planted,
        moved=float(planted.moved[:, column].max()),
        short=short if short > MOVES * planted.captured.lengths[column] else 0.0,
        millimetres=millimetres(plan.scene),
    )


def _suspects(planted: PlantedFeet, solved: Sequence[SolvedGroup]) -> NDArray[np.intp]:
    """(m,) rising, on which frames feet are likely to slide, and limbs to be off; two and two side by side."""
    standing = np.flatnonzero((planted.stands[1:] & planted.stands[:-1]).any(axis=(1, 2)))
    if len(standing) > _MOST:
        standing = np.concatenate((_spread(standing, _SPREAD), *_edges(planted.stands)))
    changes = (planted.moved, planted.short, planted.lowering[:, None], norm(np.diff(planted.shift, axis=0))[:, None])
    most = [each.argmax(axis=0) for each in (*changes, np.abs(np.diff(planted.moved, axis=0)))]
    joints = (joints for group in solved for joints in np.moveaxis(world_joints(group), 1, 0))
    first = np.concatenate((standing, *most, [row for each in joints for row in extremes(each)]))
    first = first.clip(max=len(planted.stands) - 2).astype(np.intp)
    return np.unique((first, first + 1))


def _edges(stands: NDArray[np.bool_]) -> Iterator[NDArray[np.intp]]:
    """(m,) rows where some stands of a foot begin, then (m,) the last but one of each, for each foot of (n, f, 2)."""
    for stands_at in np.logical_or.reduce(stands, axis=2).T:
        spans = _spread(true_runs(stands_at), _EDGES)
        yield from (spans[:, 0], spans[:, 1] - 1)


def _spread(rows: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """(m, ...) this many of the rows (n, ...) from the first to the last, if there are any."""
    return rows[np.linspace(0, len(rows) - 1, count).astype(np.intp)] if len(rows) else rows
