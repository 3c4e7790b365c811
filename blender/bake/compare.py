"""What plays, compared with what was written: places in the world as Blender evaluates them, and as they should be.

The last step. It looks at joints, or at targets, and finds whatever acts on top of the keys, known to us or not.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any
from zlib import crc32

import numpy as np
from bpy.types import FCurve
from numpy.typing import NDArray

from ...skeleton import transform
from ...skeleton.reduced_keys import SIDE
from ...skeleton.rounding import near
from ...skeleton.shown import twist_points
from ...skeleton.solve import world_joints
from ...skeleton.solved_group import SolvedGroup
from ...skeleton.tail import world_tails
from ...skeleton.target_channels import WorldTransform
from ...skeleton.values import ChainPlan, Plan, Point, Samples
from ...solver.numbers import true_runs
from ...solver.values import Array
from ...solver.vectors import norm
from .. import versions
from ..armatures import Rig
from ..curves.keys import key_points
from ..messages.refused import Refused
from ..messages.translation import translated
from ..rna_paths import owner_and_property
from ..scene.need import SampleNeed
from ..settings.key_settings import Keys, KeySettings, Measure
from .chain_report import Measurements
from .convert import Rows
from .request import Answer

Place = tuple[float, float, float]

_Keyed = Mapping[str, NDArray[np.bool_]]
"""By chain (n,) True on frames that were asked for and keyed."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Comparison:
    """Compares what Blender plays with what was solved.

    points : objects and bones that have to be sampled; None where nothing is measured
    frames : (m,) those that are measured
    notes : sentences for the whole report
    against : the fields of each chain's report, given samples on these frames
    """

    points: SampleNeed | None = None
    frames: Array = field(default_factory=lambda: np.empty(0))
    notes: list[str] = field(default_factory=list)
    against: Callable[[Samples], Iterable[tuple[str, dict[str, Any]]]] = lambda _: ()

    def measured(self, sampled: Answer) -> Measurements:
        """The comparison on these samples; a sentence where the scene cannot be evaluated."""
        if isinstance(sampled, Refused):
            return {}, [unmeasurable(sampled)]
        return dict(self.against(sampled)) if sampled else {}, self.notes

    def measured_now(self, look: Callable[[SampleNeed], Samples]) -> Measurements:
        """The comparison on samples that `look` gives at once; a sentence where the scene cannot be evaluated."""
        try:
            return self.measured(look(self.points) if self.points else None)
        except Refused as refusal:
            return self.measured(refusal)


def unmeasurable(refusal: Refused) -> str:
    """The sentence for the report where what plays cannot be evaluated."""
    return translated("report.unmeasurable", reason=refusal)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Expectation:
    """Where some things of one chain should be on the measured frames.

    things : each with a place in its own space
    world : (m, p, 3)             their places
    size : (m,)                   the chain's length
    target, tip : what it reaches for, and which of the things is to come there; None where that is not told
    """

    chain: str
    things: Sequence[tuple[Point, Place]]
    world: Array
    size: Array
    target: Point | None = None
    tip: int = 0


def compare_joints(
    plan: Plan,
    solved: Iterable[SolvedGroup],
    keyed_rows: Rows,
    settings: KeySettings,
    suspects: Collection[int] = (),
    *,
    everywhere: bool = True,
) -> Comparison:
    """Compare mid joints, hocks, tips, and tails that reach with the solution.

    On frames on which a chain got no key, which its other keys pose, it is told how far from the target it plays.

    suspects : rows of the plan's frames on which they are likely to be off
    everywhere : False where nothing was written: frames without keys are left alone
    """

    def expected(rows: NDArray[np.intp]) -> Iterator[_Expectation]:
        for group in solved:
            joints = world_joints(group, rows)
            shown, sizes = joints[:, :, 1:], _size(joints)
            if group.plan.by_tail:
                shown = np.concatenate((shown, transform.on_rows(rows)(world_tails(group))[:, :, None]), axis=2)
            if group.plan.twists:
                shown = np.concatenate((shown, twist_points(group, rows)), axis=2)
            for column, chain in enumerate(group.plans):
                joints_below = _below_root(chain)
                yield _Expectation(
                    chain=chain.name,
                    things=[*joints_below, *_twists(chain)],
                    world=shown[:, column],
                    size=sizes[:, column],
                    target=chain.target if everywhere else None,
                    tip=len(joints_below) - 1,
                )

    return _compare(plan, expected, keyed_rows, settings, suspects, everywhere=everywhere)


def compare_targets(
    plan: Plan, solved: Iterable[SolvedGroup], places: Mapping[Point, WorldTransform], settings: KeySettings
) -> Comparison:
    """Compare targets and pole targets with their wanted places, wherever they were keyed."""

    def expected(rows: NDArray[np.intp]) -> Iterator[_Expectation]:
        for group in solved:
            sizes = _size(world_joints(group, rows))
            for chain, size in zip(group.plans, sizes.T, strict=True):
                world = np.stack([places[point].location[rows] for point in chain.targets], axis=-2)
                things = [(point, (0.0, 0.0, 0.0)) for point in chain.targets]
                yield _Expectation(chain=chain.name, things=things, world=world, size=size)

    rows = {chain.name: plan.rows_to_key(chain) for chain in plan.chains}
    return _compare(plan, expected, rows, settings)


def _size(joints: Array) -> Array:
    """(...) the length of a chain with these joints (..., 3, 3)."""
    return norm(np.diff(joints, axis=-2)).sum(axis=-1)


def _below_root(chain: ChainPlan) -> Sequence[tuple[Point, Place]]:
    """The joints of a chain but for the root, and the tail if that comes to the target."""
    places = [*((bone.name, (0.0, 0.0, 0.0)) for bone in (chain.end, *chain.third)), chain.tip_place]
    places += [(chain.tip_bone, chain.below[-1].tail)] if chain.by_tail else []
    return [(Point(chain.rig, bone), place) for bone, place in places]


def _twists(chain: ChainPlan) -> Iterator[tuple[Point, Place]]:
    """Beside the tail of a twist bone shows how it turns."""
    for bone in (part.bone for part in chain.twists):
        yield Point(chain.rig, bone.name), (SIDE * bone.length, bone.length, 0.0)


def _compare(
    plan: Plan,
    expected: Callable[[NDArray[np.intp]], Iterable[_Expectation]],
    keyed_rows: Rows,
    settings: KeySettings,
    suspects: Collection[int] = (),
    *,
    everywhere: bool = False,
) -> Comparison:
    """
    expected : of rows of the plan's frames where things are to be there
    everywhere : frames without keys are measured too
    """
    if settings.measure == Measure.NONE:
        return Comparison(notes=[translated("report.not_measured")] if any(map(len, keyed_rows.values())) else [])
    tolerance = settings.tolerance if settings.keys == Keys.REDUCED else 0.0
    keyed = {name: _keyed(plan, rows) for name, rows in keyed_rows.items()}
    anywhere = np.flatnonzero(np.logical_or.reduce(list(keyed.values())))
    likely = np.flatnonzero(np.isin(anywhere, list(suspects))) if suspects else ()
    rows = anywhere[chosen_frames(plan.frames[anywhere], plan.rig, settings.measure, suspects=likely)]
    asked = np.arange(len(plan.frames))[plan.requested] if everywhere else anywhere
    if everywhere and not np.logical_and.reduce([*keyed.values()])[asked].all():
        between = chosen_frames(plan.frames[asked], plan.rig, settings.measure, suspects=_between_keys(keyed, asked))
        rows = np.union1d(rows, asked[between])
    total = len(asked)
    if not total:
        return Comparison()
    compared = list(expected(rows))
    points = {point for expectation in compared for point, _ in expectation.things}
    points |= {item.target for item in compared if item.target and not keyed[item.chain][rows].all()}
    sampled = [translated("report.measured", count=len(rows), total=total)]
    return Comparison(
        points=SampleNeed.at(points),
        frames=plan.frames[rows],
        notes=sampled if len(rows) < total else [],
        against=partial(_measured, plan, compared, keyed, rows=rows, tolerance=tolerance),
    )


def _keyed(plan: Plan, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """(n,) True on frames that were asked for and keyed."""
    keyed = np.zeros(len(plan.frames), dtype=np.bool_)
    keyed[rows[rows % plan.step == 0]] = True
    return keyed


def _between_keys(keyed: _Keyed, asked: NDArray[np.intp]) -> list[int]:
    """Where among the rows `asked` a chain is likely to stray: halfway between its keys, of those farthest apart."""
    runs = np.concatenate([true_runs(~of_chain[asked]) for of_chain in keyed.values()])
    longest = np.argsort(runs[:, 0] - runs[:, 1], kind="stable")[:_FEW]
    return (runs[longest].sum(axis=1) // 2).tolist()


def _measured(
    plan: Plan, compared: list[_Expectation], keyed: _Keyed, samples: Samples, rows: NDArray[np.intp], tolerance: float
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The fields of each chain's report, on the frames that were asked for."""
    # All side by side: NumPy takes nearly as long for one of them.
    things = [thing for expectation in compared for thing in expectation.things]
    counts = np.array([len(expectation.things) for expectation in compared], dtype=np.intp)
    ends = np.cumsum(counts)
    firsts = ends - counts
    expected = np.concatenate([expectation.world for expectation in compared], axis=1)
    to_world = transform.stacked(samples.to_world[point.object] for point, _ in things)
    played = transform.transform_points(to_world, _in_objects(things, samples))
    distances = _finite(norm(played - expected))
    largest = np.maximum.reduceat(_largest(expected, to_world[..., :3, 3]), firsts)
    close = near(np.stack([expectation.size for expectation in compared], axis=-1), largest) + tolerance
    measured = np.stack([keyed[expectation.chain][rows] for expectation in compared], axis=-1)
    farthest = np.maximum.reduceat(distances, firsts, axis=1)
    misposed, strays = measured & (farthest > close), ~measured & (farthest > close)

    def on_frames(values: NDArray[Any], elsewhere: float = 0) -> NDArray[Any]:
        every = np.full((len(plan.frames), *values.shape[1:]), elsewhere, values.dtype)
        every[rows] = values
        return every[plan.requested]

    everywhere = np.ones_like(measured) if compared[0].target else measured
    off = on_frames(np.where(measured, farthest, 0.0))
    by_field = {"measured": on_frames(everywhere), "off": off, "misposed": on_frames(misposed)}
    for column, (expectation, first, end) in enumerate(zip(compared, firsts, ends, strict=True)):
        of_chain: dict[str, Any] = {name: values[:, column] for name, values in by_field.items()}
        if expectation.target and not measured[:, column].all():
            goal = samples.world(expectation.target)[..., :3, 3]
            miss = _finite(norm(played[:, first + expectation.tip] - goal))
            stray = np.where(strays[:, column], farthest[:, column], 0.0)
            of_chain |= {"played": on_frames(miss, elsewhere=np.nan), "strays": on_frames(stray)}
        of_chain["off_bone"] = _farthest_off(expectation, distances[misposed[:, column], first:end])
        yield expectation.chain, of_chain


def _farthest_off(expectation: _Expectation, distances: Array) -> str:
    """The bone or object that is farthest off on these frames, (m, p) for each of the things; "" without frames."""
    if not len(distances):
        return ""
    worst = np.argmax(distances.max(axis=1))
    point, _ = expectation.things[int(np.argmax(distances[worst]))]
    return point.bone or point.object.name


def _finite(distances: Array) -> Array:
    """The distances; of what plays nowhere the greatest that there is."""
    return np.where(np.isfinite(distances), distances, np.finfo(np.float64).max)


def _in_objects(things: Sequence[tuple[Point, Place]], samples: Samples) -> Array:
    """(m, p, 3) where the things are in the spaces of their objects."""
    poses = transform.stacked(samples.pose[point] if point.bone else np.eye(4)[None] for point, _ in things)
    return transform.transform_points(poses, np.array([place for _, place in things]))


def _largest(expected: Array, origins: Array) -> Array:
    """(p,) for each thing the largest coordinate of where it is to be and of where its object is, each (m, p, 3)."""
    sizes = (np.abs(np.where(np.isfinite(places), places, 0.0)).max(axis=(0, 2)) for places in (expected, origins))
    return np.maximum(*sizes)


_FEW = 64
"""Up to this many frames, all are measured; of more, this many on which something changes."""
_PER_DRAWN = 4
_CHANGING = {"influence", "mute", "enabled", "scale", "delta_scale"}


def chosen_frames(
    frames: Array,
    rig: Rig,
    measure: Measure,
    few: int = _FEW,
    suspects: Iterable[int] = (),
    intended: Collection[str] = (),
) -> NDArray[np.intp]:
    """(m,) rising, the rows of `frames` (n,) on which to measure; the same each time.

    With AUTO and more than a `few` frames: the first, the last, some drawn from all parts, those on which constraints,
    scale or NLA strips of `rig` begin or end to change, or are halfway, and `suspects`.

    few : up to this many frames all are chosen; of more, as many rows of those that change
    suspects : rows of frames on which something else is likely to be wrong
    intended : RNA paths whose changes are as they were meant
    """
    count = len(frames)
    if measure == Measure.NONE:
        return np.arange(0)
    if measure == Measure.ALL or count <= few:
        return np.arange(count)
    bounds = np.linspace(0, count, few // _PER_DRAWN + 1).astype(np.intp)
    generator = Random(crc32(frames.tobytes()))  # NumPy's takes ten times as long to make
    drawn = [generator.randrange(*part) for part in pairwise(bounds.tolist())]
    rows = {0, count - 1, *drawn, *_changing(frames, rig, intended)[:few], *suspects}
    return np.array(sorted(rows), dtype=np.intp)


def _changing(frames: Array, rig: Rig, intended: Collection[str]) -> list[int]:
    """Where among `frames` what acts on top of keys changes, the greatest changes first."""
    times, sizes = np.concatenate([np.empty((0, 2)), *_changes(rig, intended)]).T
    inside = (times >= frames[0]) & (times <= frames[-1])
    rows = np.searchsorted(frames, times[inside])[np.argsort(-sizes[inside], kind="stable")]
    return list(dict.fromkeys(rows.tolist()))


def _changes(rig: Rig, intended: Collection[str]) -> Iterator[Array]:
    """(k, 2) each: a time at which something changes, and how much."""
    yield from _of_curves(curve for curve in versions.curves(rig) if curve.data_path not in intended)
    for strip, curves in versions.strips(rig):
        start, end = strip.frame_start, strip.frame_end
        inside = (start + strip.blend_in / 2.0, start + strip.blend_in, end - strip.blend_out)
        # What counts up to the end has ended on the next frame.
        times = np.array((start, *inside, end - strip.blend_out / 2.0, end, end + 1.0))
        yield np.stack((times, np.full(len(times), np.inf)), axis=-1)
        yield from _of_curves(strip.fcurves)
        for changes in _of_curves(curves):
            # Where a strip plays forward and once; Measure All sees the others.
            times = strip.frame_start + strip.scale * (changes[:, 0] - strip.action_frame_start)
            yield np.stack((times, changes[:, 1]), axis=-1)


def _of_curves(curves: Iterable[FCurve]) -> Iterator[Array]:
    for curve in curves:
        # Custom properties are what drivers of constraints mostly read.
        name = owner_and_property(curve.data_path)[1]
        if name in _CHANGING or name.startswith("["):
            times, values = key_points(curve)
            sizes = np.abs(np.diff(values))
            spans = np.stack((times[:-1], (times[:-1] + times[1:]) / 2.0, times[1:]), axis=-1)
            yield np.stack((spans, np.broadcast_to(sizes[:, None], spans.shape)), axis=-1)[sizes > 0.0].reshape(-1, 2)
