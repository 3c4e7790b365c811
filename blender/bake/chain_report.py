"""The report of one chain: arrays with a value for each frame, and what they tell in words."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from bpy.app.translations import pgettext_iface
from numpy.typing import NDArray

from ...solver.numbers import true_runs
from ...solver.values import Array, Options, Plane, Status
from ..messages.translation import frame_text, translated

_BOOLS = ("degenerate", "flips", "near_straight", "undecided_twist", "measured", "misposed")
_TYPES = {"status": np.int8} | dict.fromkeys(_BOOLS, np.bool_)
"""Types of arrays in a chain's report; the others are float64."""
_NAMES = {"name", "off_bone", "held_by"}
_WHOLE = ("sin_hinge", "stretch", "least_stretch")
"""They are 1 where nothing was solved."""
_NEWER = (
    *("degenerate", "angles", "undecided_twist", "swivel", "least_stretch", "off_pole", "past_bend", "past_extension"),
    *("measured", "off", "misposed", "off_bone"),
)
"""Fields that reports of older versions do not have: those of options that a limb goes without, and of measuring."""

_STATUS_WORDS = ("reached", "too_far", "too_close", "held")
"""By `Status`, what a summary calls it."""

_SEEN = np.radians(0.5)
"""Radians: users do not see a limb turn by less."""

APART = 1e-4
"""World units: users do not see a limb off its target by less."""

_DEGENERATE = 3
"""The status by which older reports told a frame degenerate, whether the tip arrived or not."""

_RUNS = 4
"""The most runs of frames that a sentence names."""

NO_KEY = -1
"""The status of a frame without a key on which the solved pose does not play, as far as it was measured."""

AS_PLAYED = ("played", "strays")
"""What is measured where a chain may have no key: the distance from tip to target, NaN where that was not measured; and
how far the farthest joint is off its solution, 0 where it is on it."""

Measurements = tuple[dict[str, dict[str, Any]], list[str]]
"""The fields of each chain's report that were measured, by chain, and sentences for the whole report."""


POLE_PIN = "Pin to Pole"
"""The label of the option, where it is what keeps a limb off its pole."""


class Finding(NamedTuple):
    """A line of a report, and the frame on which it shows most; None if it is about no frame."""

    text: str
    frame: float | None = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ChainReport:
    """One chain over all frames. On those without a key, what only the solver tells is NaN, and a miss if unmeasured.

    frames : (n,)                the solved frames, may be fractional
    status : (n,) int8           a `Status` each: whether the target is within reach; `NO_KEY` where it is, but the
                                 chain has no key and its pose was not found to be the solved one
    degenerate : (n,) bool       a direction is undecided: target on the root, or a bone without length
    miss : (n,)                  distance from the tip to the target, world units; without a key as it plays
    sin_hinge : (n,)             closeness to singular: 0 straight or folded, 1 at a right angle
    angles : (n, 2)              radians: the turn of the root bone from rest, which is signed in plane Rest, and the
                                 hinge angle, 0 when straight; empty where no limb was solved
    speed : (n,)                 the faster of root joint and hinge since the frame before, radians a frame
    stretch : (n,)               the greater one of the factors on the distances from joint to joint
    least_stretch : (n,)         the lesser one; below 1 only where the limb is pinned to its pole
    off_pole, past_extension : (n,)   of a limb pinned to its pole: how far the mid joint is off the pole, and how much
                                 farther the tip reaches than the extension limit allows, world units
    past_bend : (n,)             of such a limb: radians by which it passes its bend limits
    flips : (n,) bool            the chain bends to the other side than before
    near_straight : (n,) bool    almost straight: small steps of the target turn the joints far
    swivel : (n,)                radians by which pole smoothing turned the plane off the pole
    undecided_twist : (n,) bool  a joint swings so far that its twist is taken from the frames around
    measured : (n,) bool         the frame was measured on the character as Blender evaluates it
    off : (n,)                   where measured: distance of the farthest joint from its solution, world units; not
                                 on frames without keys whose target is out of reach
    misposed : (n,) bool         where measured: `off` is more than single precision and tolerance explain
    off_bone : str               the bone, or the target, that is farthest off; "" if none is misposed
    held_by : str                label of the option that accounts for the most of `as_set`; "" if none does
    """

    name: str
    frames: Array
    status: NDArray[np.int8]
    degenerate: NDArray[np.bool_]
    miss: Array
    sin_hinge: Array
    angles: Array
    speed: Array
    stretch: Array
    least_stretch: Array
    off_pole: Array
    past_bend: Array
    past_extension: Array
    flips: NDArray[np.bool_]
    near_straight: NDArray[np.bool_]
    swivel: Array
    undecided_twist: NDArray[np.bool_]
    measured: NDArray[np.bool_]
    off: Array
    misposed: NDArray[np.bool_]
    off_bone: str
    held_by: str = ""

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "ChainReport":
        """The report from `fields`, a part of `Report.as_dict`."""
        check_fields(cls, fields, newer=_NEWER)
        if "degenerate" not in fields:
            fields = _with_degenerate(fields)
        arrays: dict[str, Any] = {
            key: value if key in _NAMES else np.array(value, _TYPES.get(key, np.float64))
            for key, value in fields.items()
        }
        return cls(**blank(len(arrays["frames"])) | arrays)

    @property
    def posed(self) -> bool:
        """True if no measured frame is misposed."""
        return not self.misposed.any()

    @property
    def reached(self) -> bool:
        """True if the tip met its target on every frame, but for unmeasured ones without keys, and none is misposed."""
        return self.posed and not (self.status[~self.unmeasured] != int(Status.REACHED)).any()

    @property
    def unmeasured(self) -> NDArray[np.bool_]:
        """(n,) True on frames between keys that were not measured."""
        return (self.status == NO_KEY) & np.isnan(self.miss)

    @property
    def as_set(self) -> float:
        """How far options hold it off its target or its pole on frames that count as reached, world units at most."""
        return float(self.held_off.max(initial=0.0))

    @property
    def held_off(self) -> Array:
        """(n,) how far options hold it off on each frame, in world units; 0 on those that do not count as reached."""
        return np.where(self.status == int(Status.REACHED), np.fmax(self.miss, self.off_pole), 0.0)

    @property
    def worst(self) -> tuple[float, float] | None:
        """Frame and distance, world units, at which the chain is farthest off; None if no frame is misposed."""
        if self.posed:
            return None
        row = np.argmax(np.where(self.misposed, self.off, -1.0))
        return float(self.frames[row]), float(self.off[row])

    def summary(self) -> dict[str, Any]:
        """What the arrays tell in single numbers: on how many frames each thing is so, and the largest distances."""
        counts = {word: int((self.status == status).sum()) for status, word in zip(Status, _STATUS_WORDS, strict=True)}
        counts |= {"unmeasured": int(self.unmeasured.sum())}
        counts |= {name: int(getattr(self, name).sum()) for name in _BOOLS}
        return {
            "name": self.name,
            "frames": {"start": float(self.frames[0]), "end": float(self.frames[-1]), "count": len(self.frames)},
            **counts,
            "worst_miss": float(np.fmax.reduce(self.miss, initial=0.0)),
            "worst_off": float(self.off.max(initial=0.0)),
            "off_bone": self.off_bone,
        }

    def findings(self, planted: bool = False, unit: str = "") -> list[Finding]:
        """A headline, then a line for each thing that an animator should look at, with its frames.

        planted : the limb was to be somewhere, and had no target
        unit : what a world unit is, as `Report` has it
        """
        reached = self.status == int(Status.REACHED)  # by the word itself, NumPy takes ten times as long
        # Off its pole, the list does not call it reached either: both go by what `off_pole` is.
        on_pole = np.count_nonzero(reached & ~(self.off_pole > 0.0))
        counts = {"reached": on_pole, "count": np.count_nonzero(~self.unmeasured)}
        details = self._details(reached, planted, unit)
        worst = self.worst
        if worst is None:
            text = translated("report.in_place" if planted else "report.reached", chain=self.name, **counts)
            return [Finding(text), *details]
        frame, off = worst
        named = {"chain": self.name, "when": when(self.frames, self.misposed), "off": off, "bone": self.off_bone}
        misposed = translated("report.misposed", unit=unit, **named, frame=frame_text(frame))
        as_solved = "  " + translated("report.as_solved", **counts)
        return [Finding(misposed, frame), Finding(as_solved), *details]

    def kept(self) -> Finding:
        """For a limb that was to stay: the number of measured frames on which it did, and the bone that moved most."""
        count, misposed = np.count_nonzero(self.measured), np.count_nonzero(self.misposed)
        if not count:
            return Finding(translated("report.kept_unmeasured", limb=self.name))
        if self.worst is None:
            return Finding(translated("report.kept", limb=self.name, count=count))
        named = {"limb": self.name, "kept": count - misposed, "count": count, "when": when(self.frames, self.misposed)}
        return Finding(translated("report.not_kept", **named, bone=self.off_bone), self.worst[0])

    def lines(self) -> list[str]:
        """The texts of the findings, without frames."""
        return [finding.text for finding in self.findings()]

    def _details(self, reached: NDArray[np.bool_], planted: bool, unit: str) -> Iterator[Finding]:
        """What there is to say."""

        def told(sentence: str, where: NDArray[np.bool_], weight: Array, **named: str) -> Iterator[Finding]:
            """A finding, if `where` is True on some frames: `weight` (n,) is how much of it shows on each."""
            if where.any():
                most = abs(weight[where].max())
                # A sentence has one of these.
                amounts = {"stretch": most, "off": most, "angle": np.degrees(most), "miss": self.miss[where].max()}
                values = {"unit": unit, "when": when(self.frames, where), "arrived": np.count_nonzero(where & reached)}
                text = translated(sentence, **values, **amounts, **named)
                yield Finding(f"  {text}", float(self.frames[np.argmax(np.where(where, weight, -np.inf))]))

        if self.status.any():
            known = np.isfinite(self.miss)
            yield from told("report.too_far", known & (self.status == int(Status.TOO_FAR)), self.miss)
            yield from told("report.too_close", known & (self.status == int(Status.TOO_CLOSE)), self.miss)
            yield from told("report.held", known & (self.status == int(Status.LIMITED)), self.miss)
            yield from told("report.skipped", ~known & (self.status > int(Status.REACHED)), self.off)
            yield from told("report.between_keys", known & (self.status == NO_KEY), self.off)
            yield from told("report.unmeasured_between", self.unmeasured, self.off)
        some, every = reached[self.degenerate].any(), reached[self.degenerate].all()
        yield from told("report.degenerate_short", self.degenerate & ~some, self.miss)
        yield from told("report.degenerate_reached", self.degenerate & every, self.miss)
        yield from told("report.degenerate", self.degenerate & some & ~every, self.miss)
        swivel, straight = np.abs(self.swivel), self.near_straight & reached & ~self.degenerate
        yield from told("report.stretched", self.stretch > 1.0, self.stretch)
        yield from told("report.shortened", self.least_stretch < 1.0, -self.least_stretch)
        yield from told("report.off_pole", self.off_pole > 0.0, self.off_pole)
        yield from told("report.past_bend", self.past_bend > 0.0, self.past_bend)
        yield from told("report.past_extension", self.past_extension > 0.0, self.past_extension)
        yield from told("report.flips", self.flips, self.speed)
        yield from told("report.smoothed", swivel > _SEEN, swivel)
        yield from told("report.undecided_twist", self.undecided_twist, self.speed)
        yield from told("report.near_straight", straight, -self.sin_hinge)
        # A target within reach; how far options hold the limb off its pole, another line says.
        miss = np.where(reached, self.miss, 0.0)
        where = (miss > APART) & (not planted)
        cause = pgettext_iface(self.held_by) if self.held_by and self.held_by != POLE_PIN else ""
        yield from told("report.held_off_by" if cause else "report.held_off", where, miss, cause=cause)


def holding_option(options: Options, row: int) -> str:
    """The label of the option that on one frame holds a limb off a target that is within its reach."""
    influence = np.ravel(options.influence)
    if influence[min(row, len(influence) - 1)] < 1.0:
        return "Influence"
    return "Plane" if options.plane == Plane.REST else "Softness"


def _with_degenerate(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A chain's fields from an older report, whose status had the degenerate frames; `miss` says which fell short."""
    status, miss = np.array(fields["status"]), np.array(fields["miss"])
    degenerate = status == _DEGENERATE
    short = np.where(miss > 1e-5, Status.TOO_CLOSE, Status.REACHED)
    return {**fields, "status": np.where(degenerate, short, status), "degenerate": degenerate}


def blank(count: int) -> dict[str, Any]:
    """All fields but name and frames, over this many frames, of a limb that was neither solved nor measured."""
    names = {field.name for field in fields(ChainReport)} - {*_NAMES, "frames", "angles"}
    arrays = {name: np.zeros(count, _TYPES.get(name, np.float64)) for name in names}
    return arrays | dict.fromkeys(_WHOLE, np.ones(count)) | {"angles": np.empty((0, 2)), "off_bone": "", "held_by": ""}


def when(frames: Array, where: NDArray[np.bool_]) -> str:
    """The number of frames and the first runs of them, in words."""
    count, runs = np.count_nonzero(where), frames[true_runs(where)[: _RUNS + 1]].tolist()
    spans = ["-".join(map(frame_text, dict.fromkeys(run))) for run in runs]
    text = ", ".join([*spans[:_RUNS], *(["..."] if len(spans) > _RUNS else [])])
    return translated("report.one_frame" if count == 1 else "report.frames", count=count, spans=text)


def without_keys(
    columns: Mapping[str, Any], solved: Collection[str], unkeyed: NDArray[np.bool_], measured: Mapping[str, Any]
) -> dict[str, Any]:
    """The fields of a chain that are otherwise on frames without keys (n,): what plays there is none of its solutions.

    solved : names of the fields that the solver told
    measured : of these frames `AS_PLAYED`, where it was measured
    """
    found = {}
    for name in solved:
        values = columns[name].copy()
        values[unkeyed] = np.nan if values.dtype.kind == "f" else 0
        found[name] = values
    status = found["status"] = columns["status"].copy()
    played = measured.get("played", np.full(len(unkeyed), np.nan))
    strays = measured.get("strays", np.zeros(len(unkeyed)))
    found["miss"][unkeyed] = played[unkeyed]
    elsewhere = np.isnan(played) | (strays > 0.0)
    status[unkeyed & (status == int(Status.REACHED)) & elsewhere] = NO_KEY
    found["off"] = np.where(status == NO_KEY, strays, columns["off"])
    return found


def check_fields(kind: type, values: Any, *, newer: Collection[str] = (), older: Collection[str] = ()) -> None:
    """Raise ValueError unless these are the fields of a report of this kind.

    newer : fields that reports of older versions do not have
    older : names that reports have beside the fields
    """
    if not isinstance(values, dict):
        raise ValueError(f"a {kind.__name__} must be an object with its fields, but is {values!r}")
    needed = {field.name: field.default is MISSING and field.name not in newer for field in fields(kind)}
    for name, is_needed in needed.items():
        if is_needed and name not in values:
            raise ValueError(f'a {kind.__name__} must have the field "{name}", but has {", ".join(values) or "none"}')
    for name in values:
        if name not in needed and name not in older:
            raise ValueError(f'a {kind.__name__} has no field "{name}": a later version may have written it')
