"""The order of the steps for holds: targets that stay where they are, relative to something, over a range of frames.

All keys of a target are made on a copy, one hold after another, so that each begins from what those before it left.
Writing lets the target play the copy's action.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from math import ceil, floor

from bpy.types import Scene

from ...skeleton.hold import Hold
from ...skeleton.steps import part, run
from ...skeleton.values import ChainPlan, Plan
from ..armatures import Rig
from ..bake.bake import check
from ..bake.build_plan import Frames, Names, build_plan
from ..bake.checks import refuse_shared_bones, refuse_stretched_time, refuse_too_many_frames
from ..bake.report import Report
from ..bake.request import MeasurePhase, Preparation, Resources, request
from ..curves.kept_action import plays_other
from ..curves.unkeyed_edits import Keeper, preserved
from ..messages.numbers import unit_name
from ..messages.refused import Refused
from ..messages.translation import translated
from ..scene import dependencies
from ..scene.checks import Removal
from ..settings.key_settings import Sampling
from ..settings.properties import holds_of
from . import holds, leaders
from .held_targets import HeldTargets


@request
def hold_targets(resources: Resources, rig: Rig, names: Names, hold: Hold, scene: Scene | None) -> Preparation:
    """Hold the targets of the chains as asked."""
    plan = _plan(rig, names, hold.span, scene)
    refuse_too_many_frames(replace(plan, frames=hold.frames))
    return (yield from _made(resources, plan, {chain: [hold] for chain in plan.chains}, again=False))


@request
def update_holds(resources: Resources, rig: Rig, names: Names, scene: Scene | None) -> Preparation:
    """Make all holds of the chains' targets again from the actions before them."""
    return (yield from _made(resources, *_kept(rig, names, (), scene), again=True))


def remove_holds(rig: Rig, name: str, without: Collection[int], scene: Scene | None) -> None:
    """Make the holds of the chain's target again, but for those at these places in its list.

    raises : Refused where one cannot be made; then nothing has changed
    """
    with Resources() as resources, preserved() as keep:
        run(_made(resources, *_kept(rig, [name], without, scene), again=True))(keep)


def _plan(rig: Rig, names: Names, frames: Frames | None, scene: Scene | None) -> Plan:
    plan = build_plan(rig, names, frames, scene)
    refuse_stretched_time(plan)
    refuse_shared_bones(plan.chains)
    return plan


def _kept(
    rig: Rig, names: Names, without: Collection[int], scene: Scene | None
) -> tuple[Plan, dict[ChainPlan, list[Hold]]]:
    """The chains whose targets are held, with their holds; Refused where there are none, or one cannot be made."""
    plan = _plan(rig, names, None, scene)
    kept: dict[ChainPlan, list[Hold]] = {}
    for chain in plan.chains:
        records = holds_of(chain.target)
        staying = [record for row, record in enumerate(records) if row not in without]
        if lost := next(filter(holds.lost, staying), None):
            raise Refused("HOLD_LOST", chain=chain, value=lost.name)
        if records:
            kept[chain] = [*map(holds.read, staying)]
    if not kept:
        raise Refused("NO_HOLDS.at_all", object=rig)
    return plan, kept


def _made(
    resources: Resources, plan: Plan, new_holds: Mapping[ChainPlan, Sequence[Hold]], *, again: bool
) -> Preparation:
    """Make these holds of the chains' targets; Refused where one cannot be made.

    again : in place of those that the targets have
    """
    removal, work = Removal(plan), resources.enter_context(HeldTargets(plan.scene, new_holds))
    by_root = {dependencies.root_of(chain): of_chain for chain, of_chain in new_holds.items()}
    of_targets = {chain.target: of_chain for chain, of_chain in new_holds.items()}
    done, total = 0, max(sum(map(len, of_targets.values())), 1)
    for chain in leaders.in_order(by_root, work.limbs):
        root = dependencies.root_of(chain)
        if root in by_root and chain.target not in work.targets:
            work.begin(chain, [*map(holds.read, holds_of(chain.target))] if again else by_root[root])
            if again:
                work.restore(chain.target)
            for one in by_root[root]:
                yield from part(work.add(chain, one), done / total, (done + 1) / total)
                done += 1

    def write(keep: Keeper) -> MeasurePhase:
        removal.refuse()
        work.write(keep, again=again)
        work.close()
        return MeasurePhase(None, lambda _: _report("Update Holds" if again else "Hold", plan, new_holds))

    return write


def _report(operation: str, plan: Plan, new_holds: Mapping[ChainPlan, Sequence[Hold]]) -> Report:
    """Reports what plays now, on the frames that may have changed."""
    starts, ends = zip(*(hold.span for of_chain in new_holds.values() for hold in of_chain), strict=True)
    start = ceil(min(starts))
    frames = float(start), float(max(floor(max(ends)), start))
    names = [chain.name for chain in new_holds]
    report = check(plan.rig, names, frames, plan.scene, Sampling.AUTO, more_notes=notes)
    return replace(report, operation=operation)


def notes(plan: Plan, *, baking: bool = False) -> Iterator[str]:
    """A sentence for each hold whose target is not where the hold has it, on frames of the plan.

    baking : what cannot be evaluated refuses no bake; and where each action is baked, holds in another one do not count
    """
    chains = [one for one in plan.chains if holds_of(one.target) and not (baking and plays_other(one.target.object))]
    if not chains:
        return
    work = HeldTargets(plan.scene, chains)
    for chain in chains:
        for record, hold, later in holds.shown(chain.target):
            if holds.lost(record):
                yield translated("alert.hold_lost", chain=chain.name, hold=record.name)
                continue
            frames = holds.undisputed(hold, later, plan.frames)
            with suppress(Refused) if baking else nullcontext():
                off, near = work.distance(chain, hold, frames) if len(frames) else (0.0, 0.0)
                if off > near:
                    named = {"chain": chain.name, "hold": holds.title(hold), "off": off}
                    yield translated("alert.hold_out_of_date", unit=unit_name(plan.scene), **named)
