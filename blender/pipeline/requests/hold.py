"""The order of the steps for holds: targets that stay where they are, relative to something, over a range of frames.

All keys of a target are made on a copy of it, hold after hold, so that each begins from what the ones before have left.
To write is to let the target play the copy's action.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from bpy.types import Scene

from ....skeleton.hold import Hold
from ....skeleton.values import Plan
from ....solver.values import Array
from ... import holds
from ...armatures import Rig
from ...hold_and_plant_properties import holds_of
from ...messages.refused import Refused
from ...messages.translation import translated
from ..checks.frames import refuse_stretched_time, refuse_too_many_frames
from ..checks.shared_bones import refuse_shared_bones
from ..read import dependencies, leaders
from ..read.build_plan import build_plan
from ..sample import sampling
from .held_targets import HeldTargets


def hold_targets(
    rig: Rig, names: Sequence[str] | None, asked: Hold, scene: Scene | None, pose_before: sampling.PoseBefore
) -> tuple[str, ...]:
    """Hold the targets of the chains as asked; returns the names of the chains.

    raises : Refused where a target cannot be held so; then nothing has changed
    """
    plan = build_plan(rig, names, asked.span, scene)
    refuse_stretched_time(plan)
    refuse_shared_bones(plan.chains)
    refuse_too_many_frames(replace(plan, frames=asked.frames))
    work = HeldTargets(plan.scene, pose_before)
    wanted = {dependencies.root_of(chain): [asked] for chain in plan.chains}
    work.known |= {dependencies.root_of(chain): chain for chain in plan.chains}  # muted ones may be named
    with work:
        for chain in leaders.in_order(wanted, work.known):
            if dependencies.root_of(chain) in wanted:
                work.begin(chain, [asked])
                work.add(chain, asked)
        work.write(kept=None)
    return tuple(chain.name for chain in plan.chains)


def remake_holds(
    rig: Rig,
    names: Sequence[str] | None,
    without: Collection[int],
    scene: Scene | None,
    pose_before: sampling.PoseBefore,
) -> tuple[str, ...]:
    """Make all holds of the chains' targets anew from the actions before them; returns names of chains that have some.

    without : places of holds in their target's list that go
    raises : Refused where one cannot be made; then nothing has changed
    """
    plan = build_plan(rig, names, None, scene)
    refuse_stretched_time(plan)
    refuse_shared_bones(plan.chains)
    held = [chain for chain in plan.chains if holds_of(chain.target)]
    if not held:
        raise Refused("NO_HOLDS.at_all", object=rig)
    work, kept = HeldTargets(plan.scene, pose_before), {}
    work.known |= {dependencies.root_of(chain): chain for chain in held}
    for chain in held:
        for row, record in enumerate(holds_of(chain.target)):
            if row not in without and holds.lost(record):
                raise Refused("HOLD_LOST", chain=chain, value=record.name)
        kept[chain.target] = [holds.read(one) for row, one in enumerate(holds_of(chain.target)) if row not in without]
    wanted = {dependencies.root_of(chain): kept[chain.target] for chain in held}
    with work:
        for chain in leaders.in_order(wanted, work.known):
            if dependencies.root_of(chain) in wanted and chain.target not in work.targets:
                before = [holds.read(record) for record in holds_of(chain.target)]
                work.begin(chain, before)
                work.restore(chain.target)
                for one in kept[chain.target]:
                    work.add(chain, one)
        work.write(kept=kept)
    return tuple(chain.name for chain in held)


def notes(plan: Plan, pose_before: sampling.PoseBefore) -> list[str]:
    """A sentence for each hold of the chains' targets that is not where it was asked for, on frames of the plan."""
    held = [chain for chain in plan.chains if holds_of(chain.target)]
    if not held:
        return []
    work, found = HeldTargets(plan.scene, pose_before), []
    work.known |= {dependencies.root_of(chain): chain for chain in held}  # muted ones may be named
    for chain in held:
        for record, one, later in holds.shown(chain.target):
            if holds.lost(record):
                found.append(translated("alert.hold_lost", chain=chain.name, hold=record.name))
                continue
            frames = _undisputed(one, later, plan.frames)
            if len(frames):
                off, near = work.distance(chain, one, frames)
                if off > near:
                    named = {"chain": chain.name, "hold": holds.title(one), "off": off}
                    found.append(translated("alert.hold_out_of_date", **named))
    return found


def _undisputed(one: Hold, later: Iterable[Hold], frames: Array) -> Array:
    """Those of the frames on which the hold decides alone."""
    inside = (frames >= one.start) & (frames <= one.end)
    for other in later:
        inside &= (frames < other.span[0]) | (frames > other.span[1])
    return frames[inside]
