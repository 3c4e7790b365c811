"""What shows of limbs that were switched against what showed before: places, directions and scale of their bones."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import degrees
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...skeleton.switch.limb_pose import differences, extremes
from ...skeleton.switch.switch_plan import SwitchPlan, joints_of
from ...skeleton.values import Plan, Point, Samples
from ...solver.values import Array
from ..armatures import Rig
from ..bake.chain_report import ChainReport, blank
from ..bake.compare import chosen_frames, unmeasurable
from ..bake.request import Answer
from ..messages.numbers import unit_name
from ..messages.translation import frame_text, translated
from ..scene.need import SampleNeed
from ..settings.key_settings import Measure

_KEPT = np.array((1e-4, np.radians(0.1), 1e-3))
"""What is too small to see: parts of the limb's length, radians, and parts of its scale."""

_FEW = 16
"""Up to this many frames, all are measured: the whole rig is evaluated for each, which takes most of the time."""

_OF_CONTROL_SETS = {"IK", "COPY_TRANSFORMS"}
"""Types of the constraints by which bones show one control set or the other, or are bent by IK."""


def _world_units(to_world: Array) -> Array:
    """(n,) how many there are in one unit of an object with these matrices (n, 4, 4)."""
    return np.cbrt(np.abs(np.linalg.det(to_world[..., :3, :3])))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LimbComparison:
    """How limbs show, compared with how they showed before.

    rows : (m,) which of the plan's frames are measured
    poses : by bone (m, 4, 4) in armature space, as they are to be
    """

    plan: Plan
    limbs: Sequence[SwitchPlan]
    rows: NDArray[np.intp]
    poses: Mapping[str, Array]

    @property
    def points(self) -> SampleNeed | None:
        """What has to be sampled; None where nothing is measured."""
        if not (len(self.rows) and self.limbs):
            return None
        return SampleNeed.at(Point(self.plan.rig, name) for name in self.poses)

    def measured(self, sampled: Answer) -> tuple[list[ChainReport], list[str]]:
        """A report of each limb, and sentences for the whole report, that tell how far those are off that moved."""
        if isinstance(sampled, Samples):
            return self._measured(sampled)
        notes = [unmeasurable(sampled) if sampled else translated("report.not_measured")] if self.limbs else []
        return [self._report(limb, blank(len(self.plan.frames))) for limb in self.limbs], notes

    def _report(self, limb: SwitchPlan, fields: dict[str, Any]) -> ChainReport:
        return ChainReport(name=limb.name, frames=self.plan.frames, **fields)

    def _measured(self, played: Samples) -> tuple[list[ChainReport], list[str]]:
        count, total = len(self.rows), len(self.plan.frames)
        unit = unit_name(self.plan.scene)
        measured = np.isin(np.arange(total), self.rows)
        factor = np.broadcast_to(_world_units(played.to_world[self.plan.rig]), count)
        now = {point.bone: np.broadcast_to(pose, (count, 4, 4)) for point, pose in played.pose.items()}
        reports, notes = list[ChainReport](), list[str]()
        for limb in self.limbs:
            moved, turned, scaled = differences(limb.shown, now, self.poses)
            off = np.stack((moved * factor, turned, scaled), axis=-1)
            size = factor.max() * sum(bone.length for bone in limb.shown[:2])
            allowed = _KEPT * np.array((size, 1.0, 1.0))
            fields = blank(total) | {"measured": measured}
            fields["off"][self.rows] = off[..., 0].max(axis=0)
            fields["misposed"][self.rows] = np.logical_or.reduce(off > allowed, axis=(0, 2))
            if fields["misposed"].any():
                fields["off_bone"] = limb.shown[int((off / allowed).max(axis=(1, 2)).argmax())].name
                notes += _told(limb, off, allowed, self.plan.frames[self.rows], unit)
            reports.append(self._report(limb, fields))
        sampled = [translated("report.limbs_measured", count=count, total=total)]
        return reports, notes + (sampled if count < total else [])


def compare_limbs(
    plan: Plan, limbs: Sequence[SwitchPlan], poses: Mapping[str, Array], suspects: frozenset[int], measure: Measure
) -> LimbComparison:
    """Which frames are to be measured, and how the limbs are to be there: of many, where limbs move or bend most.

    Constraints on top of keys may turn a limb on any frame, by what drives them or what they aim at: then on all.

    poses : by bone, on the frames of the plan
    suspects : rows of the frames on which limbs are likely to be off
    measure : which frames are measured
    """
    if measure == Measure.AUTO and any(_constrained(plan.rig, limb) for limb in limbs):
        measure = Measure.ALL
    likely = suspects.union(*(extremes(joints_of(limb, poses)) for limb in limbs))
    keyed = {path for limb in limbs for bone in limb.keyed for path in limb.paths(bone)}
    rows = chosen_frames(plan.frames, plan.rig, measure, _FEW, likely, keyed)
    names = {bone.name for limb in limbs for bone in limb.shown}
    return LimbComparison(plan=plan, limbs=limbs, rows=rows, poses={name: poses[name][rows] for name in names})


def _constrained(rig: Rig, limb: SwitchPlan) -> bool:
    """Whether controls of the limb, or bones that show it, have constraints beside those of control sets."""
    names = {bone.name for bone in (*limb.keyed, *limb.shown)}
    types = {constraint.type for name in names for constraint in rig.pose.bones[name].constraints}
    return not types <= _OF_CONTROL_SETS


def _told(limb: SwitchPlan, off: Array, allowed: Array, frames: Array, unit: str) -> Iterator[str]:
    """A sentence for each way in which a bone is off (bones, m, 3) more than `allowed` (3,): which, how far, when."""

    def worst(which: int) -> dict[str, Any]:
        bone, row = np.unravel_index(int(off[..., which].argmax()), off.shape[:2])
        return {"limb": limb.name, "bone": limb.shown[bone].name, "frame": frame_text(frames[row])}

    moved, turned, scaled = off.max(axis=(0, 1)).tolist()
    if moved > allowed[0]:
        yield translated("alert.limb_moved", unit=unit, **worst(0), off=moved)
    if turned > allowed[1]:
        yield translated("alert.limb_turned", **worst(1), angle=degrees(turned))
    if scaled > allowed[2]:
        yield translated("alert.limb_scaled", **worst(2), scale=scaled)
