"""What plays against what was written: places in the world as Blender evaluates them, beside those that are to be.

The last step. It looks at joints, or at targets, and finds whatever acts on top of the keys, known to us or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....skeleton import transform
from ....skeleton.chain_group import SolvedGroup, one_by_one
from ....skeleton.target_channels import WorldTransform
from ....skeleton.targets_from_pose import TargetsFromPose
from ....skeleton.values import Plan, Point, Samples
from ....solver.values import Array
from ....solver.vectors import norm
from ...key_settings import Keys, KeyStyle, Measure
from ...messages.refused import Refused
from ...messages.translation import translated
from ..convert import Rows
from ..sample.request import SampleRequest
from .chosen_frames import chosen

_PART = 1e-4
"""Of the chain's length: what nobody sees."""
_STEPS = 4.0
"""Of single precision at the largest coordinate: what is left of a few products of matrices."""

Look = Callable[[SampleRequest, Array], Samples]
"""Gives what plays on some frames; Refused where that cannot be evaluated."""


Measured = tuple[dict[str, dict[str, Any]], list[str]]
"""By name the fields that the report of each chain has of it, and sentences for the whole report."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Expected:
    """Where some things of one chain are to be.

    things : each with a place in its own space
    keyed : (n,) bool             frames of the plan on which they were keyed
    world : (m, p, 3)             their places on the frames to measure
    size : (m,)                   the chain's length
    """

    chain: str
    things: Sequence[tuple[Point, tuple[float, float, float]]]
    keyed: NDArray[np.bool_]
    world: Array
    size: Array


def compare_joints(
    plan: Plan, solved: Iterable[SolvedGroup], keyed_rows: Rows, style: KeyStyle, measure: Measure, look: Look
) -> Measured:
    """Mid joints and tips against the solution, wherever a chain was keyed."""
    keyed = {name: _keyed(plan, rows) for name, rows in keyed_rows.items()}
    rows = _rows(plan, keyed.values(), measure)
    expected = [_joints(one, keyed[one.plan.name], rows) for one in one_by_one(plan, solved)]
    return _compared(plan, expected, rows, style.tolerance if style.keys == Keys.REDUCED else 0.0, look)


def compare_targets(
    plan: Plan, aimed: Iterable[TargetsFromPose], places: Mapping[Point, WorldTransform], measure: Measure, look: Look
) -> Measured:
    """Targets and pole targets against where they were to be."""
    keyed = np.ones(len(plan.frames), dtype=bool)
    rows = _rows(plan, [keyed], measure)
    expected = []
    for one in aimed:
        points = [point for point in (one.solved.plan.target, one.solved.plan.pole) if point]
        world = np.stack([places[point].location[rows] for point in points], axis=-2)
        things = [(point, (0.0, 0.0, 0.0)) for point in points]
        size = np.full(len(rows), one.size)
        expected.append(_Expected(chain=one.solved.plan.name, things=things, keyed=keyed, world=world, size=size))
    return _compared(plan, expected, rows, 0.0, look)


def _keyed(plan: Plan, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    keyed, asked = np.zeros((2, len(plan.frames)), dtype=bool)
    keyed[rows] = True
    asked[plan.asked] = True
    return keyed & asked


def _rows(plan: Plan, keyed: Iterable[NDArray[np.bool_]], measure: Measure) -> NDArray[np.intp]:
    """(m,) which of the plan's frames to measure, of those on which anything was keyed."""
    rows = np.flatnonzero(np.logical_or.reduce(list(keyed)))
    return rows[chosen(plan.frames[rows], plan.rig, measure)]


def _joints(solved: SolvedGroup, keyed: NDArray[np.bool_], rows: NDArray[np.intp]) -> _Expected:
    to_world, chain = solved.group.to_world, solved.plan
    to_world = to_world if len(to_world) == 1 else to_world[rows]
    world = transform.transform_points(to_world, solved.solution.joints[rows, 0])
    end = Point(chain.rig, chain.end.name)
    tip = (Point(chain.rig, chain.tip_bone), (0.0, 0.0, 0.0)) if chain.tip_bone else (end, chain.end.tail)
    return _Expected(
        chain=chain.name,
        things=[(end, (0.0, 0.0, 0.0)), tip],
        keyed=keyed,
        world=world[:, 1:],
        size=norm(np.diff(world, axis=-2)).sum(axis=-1),
    )


def _compared(
    plan: Plan, expected: Sequence[_Expected], rows: NDArray[np.intp], tolerance: float, look: Look
) -> Measured:
    points = {point for one in expected for point, _ in one.things}
    need = SampleRequest(
        objects=frozenset(point.object for point in points),
        bones=frozenset(point for point in points if point.bone),
        own=frozenset(),
        turned=frozenset(),
    )
    total = np.count_nonzero(np.logical_or.reduce([one.keyed for one in expected]))
    if not len(rows):
        return {}, [translated("report.not_measured")] if total else []
    try:
        samples = look(need, plan.frames[rows])
    except Refused as refusal:
        return {}, [translated("report.unmeasurable", reason=refusal)]
    sampled = [translated("report.measured", count=len(rows), total=total)]
    chains = {one.chain: _measured(plan, one, samples, rows, tolerance) for one in expected}
    return chains, sampled if len(rows) < total else []


def _measured(
    plan: Plan, expected: _Expected, samples: Samples, rows: NDArray[np.intp], tolerance: float
) -> dict[str, Any]:
    """The fields of the chain's report, on the frames that were asked for."""
    matrices = [samples.world(point) for point, _ in expected.things]
    world = np.empty_like(expected.world)
    for column, (matrix, (_, at)) in enumerate(zip(matrices, expected.things, strict=True)):
        world[:, column] = transform.transform_points(matrix, np.array(at))
    distances = np.nan_to_num(norm(world - expected.world), nan=np.finfo(np.float64).max)
    origins = [samples.to_world[point.object][..., :3, 3] for point, _ in expected.things]
    far = max(
        float(np.abs(places).max(initial=0.0, where=np.isfinite(places))) for places in (expected.world, *origins)
    )
    near = _PART * expected.size + tolerance + _STEPS * float(np.spacing(np.float32(far)))

    count, keyed = len(expected.keyed), expected.keyed[rows]
    measured, misposed, off = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool), np.zeros(count)
    measured[rows], off[rows] = keyed, np.where(keyed, distances.max(axis=-1), 0.0)
    misposed[rows] = keyed & (distances.max(axis=-1) > near)
    found = {"measured": measured[plan.asked], "off": off[plan.asked], "misposed": misposed[plan.asked]}
    if not misposed.any():
        return {**found, "off_bone": ""}
    worst = np.argmax(np.where(misposed, off, -1.0)[rows])
    point, _ = expected.things[int(np.argmax(distances[worst]))]
    return {**found, "off_bone": point.bone or point.object.name}
