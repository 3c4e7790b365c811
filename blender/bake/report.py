"""The report of a bake or check: that of each chain and notes, in words for users, as JSON for programs.

JSON has the fields by their names, and arrays as lists; numbers survive to the last digit.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import md5
from typing import Any

import bpy
import numpy as np
from bpy.app.translations import pgettext_iface
from bpy.types import Scene
from numpy.typing import NDArray

from ...skeleton import shown, solve
from ...skeleton.bone_channels import keyed_rows
from ...skeleton.solved_group import SolvedGroup
from ...skeleton.transform import each_array, on_columns, on_rows
from ...skeleton.values import Plan
from ...solver import diagnostics
from ...solver.values import Array, Options, Solution
from ..armatures import Rig
from ..messages.numbers import unit_name
from ..messages.translation import Alert, frame_text, translated
from ..session import session
from . import chain_report, foot_report
from .chain_report import APART, ChainReport, Finding, Measurements
from .convert import Rows
from .foot_report import FootReport

_PLANT, _SWITCH = "Plant", "Switch"
"""The operations whose limbs reach for nothing: they should stay where they were."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Report:
    """All chains of one armature; `notes` are sentences about what the user should know.

    left_out : names of chains that were not chosen by name, and that have no target or lack a bone
    lacking : those of them that lack a bone
    operation : what was done, such as "Bake"
    action : the action baked, if each of several was baked; otherwise ""
    unit : of all distances, as users call it; "" for Blender units
    feet : those that were planted, measured
    """

    rig: str
    chains: tuple[ChainReport, ...]
    notes: tuple[str, ...] = ()
    operation: str = ""
    unit: str = ""
    left_out: tuple[str, ...] = ()
    feet: tuple[FootReport, ...] = ()
    lacking: tuple[str, ...] = ()
    action: str = ""

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "Report":
        """The report from the fields that `as_dict` gives; ValueError names the first that is missing."""
        chain_report.check_fields(cls, fields, older=("alerts",))
        chains = tuple(ChainReport.from_dict(chain) for chain in fields["chains"])
        # Reports of older versions do not have these.
        feet = tuple(FootReport.from_dict(foot) for foot in fields.get("feet", ()))
        left_out, lacking, alerts = (tuple(fields.get(name, ())) for name in ("left_out", "lacking", "alerts"))
        notes = tuple(Alert(note) if note in alerts else note for note in fields.get("notes", ()))
        others = {name: value for name, value in fields.items() if name != "alerts"}
        names = {"left_out": left_out, "lacking": lacking}
        return cls(**{**others, **names, "chains": chains, "notes": notes, "feet": feet})

    @classmethod
    def from_json(cls, text: str) -> "Report":
        """The report from the text that `to_json` gives; ValueError for no JSON, and for JSON without its fields."""
        return cls.from_dict(json.loads(text))

    def as_dict(self) -> dict[str, Any]:
        """The report as names, numbers and lists only, as in JSON; `alerts` are the notes that the user must know."""
        alerts = [str(note) for note in self.notes if isinstance(note, Alert)]
        return {**asdict(self, dict_factory=_plain), "alerts": alerts}

    def summary(self) -> dict[str, Any]:
        """The report without its arrays: single numbers for each chain, as `ChainReport.summary` gives them."""
        return replace(self, chains=()).as_dict() | {"chains": [chain.summary() for chain in self.chains]}

    def to_json(self) -> str:
        """The report as a JSON object."""
        return json.dumps(self.as_dict(), allow_nan=False)

    @property
    def subject(self) -> str:
        """The armature, with its action where there is a report for each."""
        return ", ".join(filter(None, (self.rig, self.action)))

    @property
    def posed(self) -> bool:
        """True if no chain has a misposed frame."""
        return all(chain.posed for chain in self.chains)

    @property
    def worst(self) -> tuple[float, float] | None:
        """Frame and distance, world units, at which a chain is farthest off; None if no chain is misposed."""
        return max((chain.worst for chain in self.chains if chain.worst), key=lambda worst: worst[1], default=None)

    @property
    def reached(self) -> bool:
        """True if every chain met its target on every frame, and none is misposed."""
        return all(chain.reached for chain in self.chains)

    @property
    def to_know(self) -> int:
        """The number of things the user must know: chains that fell short or are misposed, and notes of that weight."""
        return sum(not chain.reached for chain in self.chains) + sum(isinstance(note, Alert) for note in self.notes)

    @property
    def title(self) -> str:
        """What was done, to which action if there are several, and on which frames."""
        operation = pgettext_iface(self.operation)
        if self.action:
            operation = translated("part.operation", operation=operation, action=self.action)
        if not self.chains:
            return operation
        frames = self.chains[0].frames
        span = "-".join(frame_text(frame) for frame in dict.fromkeys((frames[0], frames[-1])))
        return translated("report.title" if len(frames) > 1 else "report.title_of_one", operation=operation, span=span)

    def table(self) -> list[tuple[str, ...]]:
        """A row for each planted foot, below one that says what the columns are; empty where none was planted."""
        return foot_report.table(self.feet, self.unit)

    def findings(self) -> list[Finding]:
        """The report in words, one line each, but for its table; notes that the user must know come first."""
        notes = sorted(self.notes, key=lambda note: not isinstance(note, Alert))
        feet = [Finding(text) for text in foot_report.below_table(self.feet, self.unit)]
        # Limbs that are planted have no targets.
        planted = self.operation == _PLANT
        by_chain = (
            [chain.kept()] if self.operation == _SWITCH else chain.findings(planted, self.unit) for chain in self.chains
        )
        return [*feet, *(line for lines in by_chain for line in lines), *map(Finding, notes)]

    def lines(self) -> list[str]:
        """The table and the findings, as text."""
        table = self.table()
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        rows = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)
        return [*rows, *(finding.text for finding in self.findings())]

    def headline(self) -> str:
        """The most important of it, in one line."""
        alerts = [note for note in self.notes if isinstance(note, Alert)]
        notes = alerts or self.notes
        if self.operation == _SWITCH and not self.chains and notes:
            return notes[0]  # no limb was switched
        return ". ".join([self._result(), *(notes if self.reached else alerts)[:1]])

    def _result(self) -> str:
        """What has come of it, the worst first, in one sentence."""
        switched, planted = self.operation == _SWITCH, self.operation == _PLANT
        if misposed := [chain.name for chain in self.chains if not chain.posed]:
            names = ", ".join(misposed)
            return translated("report.switched_but_moved" if switched else "report.done_but_misposed", chains=names)
        if short := [chain.name for chain in self.chains if not chain.reached]:
            return translated("report.out_of_place" if planted else "report.fell_short", chains=", ".join(short))
        if switched:
            stays = any(chain.measured.any() for chain in self.chains)
            return translated("report.all_kept" if stays else "report.switched")
        if self.feet:
            return foot_report.headline(self.feet, self.unit)
        if not planted and (held := [chain for chain in self.chains if chain.as_set > APART]):
            causes = (f" ({pgettext_iface(chain.held_by)})" if chain.held_by else "" for chain in held)
            names = ", ".join(f"{chain.name}{cause}" for chain, cause in zip(held, causes, strict=True))
            off = max(chain.as_set for chain in held)
            return translated("report.as_set", unit=self.unit, off=off, chains=names)
        return translated("report.feet_planted" if planted else "report.all_reached")

    def __str__(self) -> str:
        return "\n".join(self.lines())


def _plain(fields: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of a report, with lists for its arrays and tuples."""
    kinds: dict[type, Any] = {np.ndarray: _listed, tuple: list, list: list, int: int, float: float}
    return {key: kinds.get(type(value), str)(value) for key, value in fields}


def _listed(values: NDArray[Any]) -> list[Any]:
    """JSON has no NaN: it is None, which becomes NaN again."""
    if values.dtype.kind == "f" and np.isnan(values).any():
        values = np.where(np.isnan(values), None, values)
    return values.tolist()


def left_out_alerts(left_out: Iterable[str], lacking: Mapping[str, str]) -> Iterator[str]:
    """Sentences about chains that are left out: `lacking` has, by name of those that lack a bone, its name or ""."""
    without_target = [name for name in left_out if name not in lacking]
    bones = [f'{name} ("{bone}")' if bone else name for name, bone in lacking.items()]
    if without_target:
        yield translated("alert.left_out", chains=", ".join(without_target))
    if bones:
        yield translated("alert.lacking", chains=", ".join(bones))


_MOST = 8
"""The most reports that are kept of an armature: undo and redo go back and forth between them."""

# By `session_uid` of armature objects, which outlives a new name, and by the mark that the report has left there.
_kept: dict[int, dict[str, Report]] = session.of_file({})


def remember(report: Report) -> None:
    """Keep the report of this armature, for users to read again, until there is another.

    The armature gets a mark, which undo takes back together with what the report tells of. A report in the same words
    has the same mark: a request that changes nothing leaves the armature as it is.
    """
    rig: Any = bpy.data.objects[report.rig, None]
    words = "\n".join((report.title, *report.lines()))
    mark = md5(words.encode(), usedforsecurity=False).hexdigest()
    if rig.two_bone_ik_report != mark:
        rig.two_bone_ik_report = mark
    kept = _kept.setdefault(rig.session_uid, {})
    kept.pop(mark, None)  # the last one comes last
    kept[mark] = report
    while len(kept) > _MOST:
        del kept[next(iter(kept))]


def last(rig: Rig) -> Report | None:
    """The report of what was done to this armature last and not undone; None since the file was opened."""
    return _kept.get(rig.session_uid, {}).get(rig.two_bone_ik_report)


def build_report(
    operation: str,
    plan: Plan,
    solved: Iterable[SolvedGroup],
    notes: Iterable[str],
    measured: Measurements | None = None,
    rows: Rows | None = None,
) -> Report:
    """The report of all chains of the plan on the frames that were asked for; `notes` come before what was measured.

    rows : by chain those of the plan's frames that get keys; by default those that a bake keys
    """
    chain_fields, measured_notes = measured or ({}, [])
    solved = [*solved]
    rows = keyed_rows(plan, solved) if rows is None else rows
    reports = {report.name: report for group in solved for report in _chain_reports(plan, group, chain_fields, rows)}
    chains = tuple(reports[chain.name] for chain in plan.chains)
    return Report(
        rig=plan.name,
        chains=chains,
        notes=(*left_out_alerts(plan.left_out, plan.lacking), *notes, *measured_notes),
        operation=operation,
        unit=unit_name(plan.scene),
        left_out=plan.left_out,
        lacking=tuple(plan.lacking),
    )


def millimetres(scene: Scene) -> float:
    """Millimetres in a Blender unit of this scene; 0 where the scene has no units."""
    settings = scene.unit_settings
    return 0.0 if settings.system == "NONE" else 1000.0 * settings.scale_length


def _chain_reports(
    plan: Plan, solved: SolvedGroup, measured: Mapping[str, Mapping[str, Any]], rows: Rows
) -> Iterator[ChainReport]:
    """The reports of a group's chains, on the frames that were asked for."""
    solution, frames = solved.solution, plan.frames[plan.requested]
    if plan.step > 1:
        solution = each_array(lambda values: values[plan.requested], solution)
    arrays, nothing = _solved_fields(plan, solved, solution), chain_report.blank(len(frames))
    for index, chain in enumerate(solved.plans):
        of_measured = measured.get(chain.name, {})
        columns = nothing | {name: values[:, index] for name, values in arrays.items()}
        columns |= {name: values for name, values in of_measured.items() if name not in chain_report.AS_PLAYED}
        if len(rows[chain.name]) < len(plan.frames):
            keyed = np.isin(np.arange(len(plan.frames))[plan.requested], rows[chain.name])
            columns |= _from_key_to_key(each_array(on_columns([index]), solution), frames, keyed)
            columns |= chain_report.without_keys(columns, arrays.keys(), ~keyed, of_measured)
        report = ChainReport(name=chain.name, frames=frames, **columns)
        if report.as_set > APART:
            report = replace(report, held_by=_held_by(report, solved.group.options_of(index), plan))
        yield report


def _solved_fields(plan: Plan, solved: SolvedGroup, solution: Solution) -> dict[str, NDArray[Any]]:
    """(n, c, ...) what the solver tells of a group's chains; `solution` is that on the frames that were asked for."""
    arrays: dict[str, NDArray[Any]] = {
        "status": solution.status.astype(np.int8),
        "degenerate": solution.degenerate,
        "miss": solve.world_miss(solved)[plan.requested],
        "sin_hinge": solution.sin_hinge,
        "speed": diagnostics.speed(solution, plan.frames[plan.requested]),
        "stretch": np.maximum(*np.moveaxis(solution.stretch, -1, 0)),
        "flips": diagnostics.flips(solution),
        "near_straight": diagnostics.near_straight(solution),
        "swivel": solution.swivel,
        "angles": solved.angles()[plan.requested],
    }
    if solved.plan.twists:
        arrays["undecided_twist"] = shown.undecided_twist(solved)[plan.requested]
    if solved.plan.pole_pins and solved.plan.pole:
        arrays |= {name: values[plan.requested] for name, values in shown.pole_pin_fields(solved).items()}
    return arrays


def _from_key_to_key(solution: Solution, frames: Array, keyed: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    """(n,) how one chain moves on frames that are keyed (n,), without those between, on which another pose plays."""
    alone, found = each_array(on_rows(np.flatnonzero(keyed)), solution), {}
    for name, values in (("speed", diagnostics.speed(alone, frames[keyed])), ("flips", diagnostics.flips(alone))):
        found[name] = np.zeros(len(frames), values.dtype)
        found[name][keyed] = values[:, 0]
    return found


def _held_by(report: ChainReport, options: Options, plan: Plan) -> str:
    """`ChainReport.held_by`, of one that is held off"""
    row = int(np.argmax(report.held_off))
    if report.off_pole[row] > report.miss[row]:
        return chain_report.POLE_PIN
    return chain_report.holding_option(options, int(np.arange(len(plan.frames))[plan.requested][row]))
