"""The order of the steps for holds: targets that stay where they are, relative to something, over a range of frames.

All keys of a target are made on a copy, one hold after another, so that each begins from what those before it left.
Writing lets the target play the copy's action.
"""

from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from dataclasses import replace
from math import ceil, floor

from bpy.types import Scene

from ...skeleton.hold import Hold
from ...skeleton.steps import part, run
from ...skeleton.values import ChainPlan, Plan
from ...solver.values import Array
from ..armatures import Rig
from ..bake.bake import check
from ..bake.build_plan import Names, build_plan
from ..bake.checks import refuse_shared_bones, refuse_stretched_time, refuse_too_many_frames
from ..bake.report import Report
from ..bake.request import MeasurePhase, Preparation, Resources, request
from ..curves.unkeyed_edits import Keeper, preserved
from ..messages.numbers import unit_name
from ..messages.refused import Refused
from ..messages.translation import translated
from ..scene import dependencies
from ..scene.checks import Removal
from ..settings.hold_and_plant_properties import holds_of
from ..settings.key_settings import Sampling
from . import holds, leaders
from .held_targets import HeldTargets


@request
def hold_targets(resources: Resources, rig: Rig, names: Names, hold: Hold, scene: Scene | None) -> Preparation:
    """Hold the targets of the chains as asked."""
    plan = build_plan(rig, names, hold.span, scene)
    refuse_stretched_time(plan)
    refuse_shared_bones(plan.chains)
    refuse_too_many_frames(replace(plan, frames=hold.frames))
    removal, work = Removal(plan), resources.enter_context(HeldTargets(plan.scene, plan.chains))
    by_root = {dependencies.root_of(chain): [hold] for chain in plan.chains}
    order = [chain for chain in leaders.in_order(by_root, work.limbs) if dependencies.root_of(chain) in by_root]
    for number, chain in enumerate(order):
        work.begin(chain, [hold])
        yield from part(work.add(chain, hold), number / len(order), (number + 1) / len(order))

    def write(keep: Keeper) -> MeasurePhase:
        removal.refuse()
        work.write(keep, kept=None)
        work.close()
        chain_names = [chain.name for chain in plan.chains]
        return MeasurePhase(None, lambda _: _report("Hold", plan, chain_names, [hold]))

    return write


@request
def update_holds(resources: Resources, rig: Rig, names: Names, scene: Scene | None) -> Preparation:
    """Make all holds of the chains' targets again from the actions before them."""
    plan, chains, write_holds = yield from _remade(resources, rig, names, (), scene)

    def write(keep: Keeper) -> MeasurePhase:
        write_holds(keep)
        all_holds = [holds.read(record) for chain in chains for record in holds_of(chain.target)]
        chain_names = [chain.name for chain in chains]
        return MeasurePhase(None, lambda _: _report("Update Holds", plan, chain_names, all_holds))

    return write


def remove_holds(rig: Rig, name: str, without: Collection[int], scene: Scene | None) -> None:
    """Make the holds of the chain's target again, but for those at these places in its list.

    raises : Refused where one cannot be made; then nothing has changed
    """
    with Resources() as resources, preserved() as keep:
        _, _, write_holds = run(_remade(resources, rig, [name], without, scene))
        write_holds(keep)


def _remade(
    resources: Resources,
    rig: Rig,
    names: Names,
    without: Collection[int],
    scene: Scene | None,
) -> Generator[float, None, tuple[Plan, list[ChainPlan], Callable[[Keeper], None]]]:
    """The chains whose targets are held, and what writes their holds; Refused where one cannot be made."""
    plan = build_plan(rig, names, None, scene)
    refuse_stretched_time(plan)
    refuse_shared_bones(plan.chains)
    chains = [chain for chain in plan.chains if holds_of(chain.target)]
    if not chains:
        raise Refused("NO_HOLDS.at_all", object=rig)
    removal, work = Removal(plan), resources.enter_context(HeldTargets(plan.scene, chains))
    kept = {}
    for chain in chains:
        for row, record in enumerate(holds_of(chain.target)):
            if row not in without and holds.lost(record):
                raise Refused("HOLD_LOST", chain=chain, value=record.name)
        kept[chain.target] = [holds.read(one) for row, one in enumerate(holds_of(chain.target)) if row not in without]
    by_root = {dependencies.root_of(chain): kept[chain.target] for chain in chains}
    done, total = 0, max(sum(map(len, kept.values())), 1)
    for chain in leaders.in_order(by_root, work.limbs):
        if dependencies.root_of(chain) in by_root and chain.target not in work.targets:
            before = [holds.read(record) for record in holds_of(chain.target)]
            work.begin(chain, before)
            work.restore(chain.target)
            for one in kept[chain.target]:
                yield from part(work.add(chain, one), done / total, (done + 1) / total)
                done += 1

    def write(keep: Keeper) -> None:
        removal.refuse()
        work.write(keep, kept=kept)
        work.close()

    return plan, chains, write


def _report(operation: str, plan: Plan, names: Sequence[str], all_holds: Sequence[Hold]) -> Report:
    """What plays now, on the frames that may have changed."""
    start, end = min(hold.span[0] for hold in all_holds), max(hold.span[1] for hold in all_holds)
    frames = float(ceil(start)), float(max(floor(end), ceil(start)))
    report = check(plan.rig, names, frames, plan.scene, Sampling.AUTO, more_notes=notes)
    return replace(report, operation=operation)


def notes(plan: Plan) -> list[str]:
    """A sentence for each hold whose target is not where the hold has it, on frames of the plan."""
    chains = [chain for chain in plan.chains if holds_of(chain.target)]
    if not chains:
        return []
    work, sentences = HeldTargets(plan.scene, chains), []
    for chain in chains:
        for record, hold, later in holds.shown(chain.target):
            if holds.lost(record):
                sentences.append(translated("alert.hold_lost", chain=chain.name, hold=record.name))
                continue
            frames = _undisputed(hold, later, plan.frames)
            if len(frames):
                off, near = work.distance(chain, hold, frames)
                if off > near:
                    named = {"chain": chain.name, "hold": holds.title(hold), "off": off}
                    sentences.append(translated("alert.hold_out_of_date", unit=unit_name(plan.scene), **named))
    return sentences


def _undisputed(hold: Hold, later: Iterable[Hold], frames: Array) -> Array:
    """Those of the frames on which the hold decides alone."""
    inside = (frames >= hold.start) & (frames <= hold.end)
    for other in later:
        inside &= (frames < other.span[0]) | (frames > other.span[1])
    return frames[inside]
