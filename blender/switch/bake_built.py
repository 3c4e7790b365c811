"""The order of the steps for a bake where limbs are built into the rig: these show FK from then on, as they were."""

from dataclasses import fields, replace

import numpy as np
from bpy.types import Scene

from ...skeleton.steps import part
from ..armatures import Rig
from ..bake.bake import bake, check
from ..bake.build_plan import Frames, Names, Participants, build_plan, chains_taking_part
from ..bake.chain_report import ChainReport
from ..bake.report import Report
from ..bake.request import MeasurePhase, Preparation, Resources, WritePhase, finish, request
from ..curves.unkeyed_edits import Keeper
from ..rigs.built_limbs import built_limbs
from ..scene import dependencies
from ..settings.key_settings import KeySettings
from .switch import switch
from .switch_plan import ControlSet


@request
def bake_all(
    resources: Resources, rig: Rig, names: Names, frames: Frames | None, scene: Scene | None, settings: KeySettings
) -> Preparation:
    """Key the chains over the range; limbs that are built get the keys of their pose, and show these."""
    limbs = built_limbs(rig)
    taking_part = chains_taking_part(rig, names) if limbs else Participants([])
    chosen = {chain.name for chain in taking_part.chains}
    built = [limb.name for limb in limbs if limb.name in chosen]
    if not built:
        return (yield from bake.part(resources, rig, names, frames, scene, settings))

    def check_built() -> Report:
        """How far they are off their targets as they show, and will stay."""
        return check(rig, built, frames, scene, settings.sampling, more_notes=lambda _: ())

    checked, chains = check_built(), build_plan(rig, names, frames, scene).chains
    places = [place for chain in chains if chain.name in built for place in dependencies.places_of(chain)]
    moving = {dependencies.root_of(chain) for chain in chains if chain.name not in built}
    follow = not moving.isdisjoint(dependencies.upstream(*places))
    others = [chain.name for chain in taking_part.chains if chain.name not in built]
    told = [*resources.more_notes(build_plan(rig, built, frames, scene))]
    writes: list[WritePhase] = []
    if others:
        writes.append((yield from part(bake.part(resources, rig, others, frames, scene, settings), 0.0, 0.5)))
    # Both write to one action.
    settings = replace(settings, new_action=settings.new_action and not others)
    to_fk = rig, ControlSet.FK, built, frames, scene, settings
    write_fk = yield from part(switch.part(resources, *to_fk), 0.5, 1.0)

    def write(keep: Keeper) -> MeasurePhase:
        reports = [finish(phase, keep) for phase in writes]
        # Those that follow the others show another pose by now.
        kept = {chain.name: chain for chain in (check_built() if follow else checked).chains}
        reports.append(switch.within(keep, *to_fk) if follow else finish(write_fk, keep))
        chains = {limb.name: limb for report in reports for limb in report.chains}
        chains |= {name: _kept(kept[name], chains[name]) for name in built if name in chains}
        notes = *taking_part.alerts, *(note for report in reports for note in report.notes), *told
        report = replace(
            reports[0],
            chains=tuple(chains[name] for name in (*others, *built) if name in chains),
            notes=notes,
            operation="Bake",
            unit=checked.unit,
            left_out=taking_part.left_out,
            lacking=tuple(taking_part.lacking),
        )
        return MeasurePhase(None, lambda _: report)

    return write


def _kept(checked: ChainReport, kept: ChainReport) -> ChainReport:
    """The check of a limb on the frames that were keyed, misposed also where the limb did not stay."""
    _, rows, keyed = np.intersect1d(checked.frames, kept.frames, return_indices=True)
    arrays = {field.name: getattr(checked, field.name) for field in fields(checked)}
    arrays = {name: values[rows] for name, values in arrays.items() if isinstance(values, np.ndarray) and len(values)}
    for name, further in (("measured", np.logical_or), ("misposed", np.logical_or), ("off", np.maximum)):
        arrays[name] = further(arrays[name], getattr(kept, name)[keyed])
    return replace(checked, off_bone=kept.off_bone or checked.off_bone, **arrays)
