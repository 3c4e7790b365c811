"""Where the controls of limbs that switch go: by samples as far as these tell, then by trial.

Where constraints come in between, only Blender tells how controls move bones. So these are keyed on trial, and controls
that hang on such bones, or turn an IK chain, follow from what is evaluated.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from ...skeleton.steps import part
from ...skeleton.switch.control_channels import NOTHING_BETWEEN, Between, halfway, values_by_path
from ...skeleton.switch.ik_chain import IkChain
from ...skeleton.switch.place_bones import Control, Evaluation, place
from ...skeleton.switch.switch_plan import Setting, SwitchPlan, to_place
from ...skeleton.transform import Basis, each_array
from ...skeleton.values import Channel, Plan
from ...solver.values import Array
from ..bake import write_channels
from .compare_limbs import Poses
from .control_keys import ControlKeys
from .switch_plan import trial_bones

_MOST = 8
"""Evaluations on trial: an IK chain that does not fit after this many is as near as it comes."""


def controls(
    control_keys: ControlKeys, poses: Poses, chains: Sequence[IkChain], tied: Evaluation, rows: NDArray[np.intp]
) -> Generator[float, None, tuple[dict[str, Basis], Between, list[Setting]]]:
    """The bases of all controls, by what was sampled as far as that goes, then by trial; and what is set besides.

    poses : by bone, sampled on the frames and halfway behind those of which `rows` controls have to be right as well
    """
    plan, limbs, (_, on_halves) = control_keys.plan, control_keys.limbs, poses
    ends = np.unique(plan.frames[[0, -1]])
    (bases, waiting), (placed, unknown) = _placed(plan, limbs, poses, tied)
    between = Between(rows=rows, values=_values(limbs, placed))
    fixed = switches = [setting for limb in limbs for setting in limb.switches]
    if not (chains or waiting):
        return bases, between, fixed
    with write_channels.Trial(plan, trial_bones(limbs).union(tied.depends)) as trial:

        def keyed(between: Between = NOTHING_BETWEEN) -> list[Channel]:
            channels = (channel for limb in limbs for channel in control_keys.every(limb, bases, between))
            return [*(setting.channel(ends) for setting in fixed), *channels]

        for number in range(_MOST):
            now = yield from part(trial.evaluate(keyed()), number / _MOST, (number + 1) / _MOST)
            late = {control.bone.name for control in waiting}
            for chain in chains:
                waiting += chain.controls(now, late)
                bases |= chain.bases
            fixed = [*switches, *(setting for chain in chains for setting in chain.settings)]
            newly_placed, waiting = place(waiting, replace(tied, poses=now, stale=()))
            bases |= newly_placed
            if not waiting and all(chain.fits for chain in chains):
                break
        begun = [chain for chain in chains if chain.begun]
        unknown = [control for control in unknown if control.bone.name in bases]
        if len(rows) and (begun or unknown):
            # What carries pole, swivel and some controls hangs on others that are known only now.
            now = yield from trial.evaluate(keyed(between), halfway(plan.frames, rows))
            shown = {bone.name: on_halves[bone.name] for limb in limbs for bone in limb.shown}
            carried = replace(tied, poses={**now, **shown}, stale=())
            values = {path: way for chain in begun for path, way in chain.between(rows, carried).items()}
            newly_placed, _ = place(unknown, carried)
            between = replace(between, values={**between.values, **values, **_values(limbs, newly_placed)})
    return bases, between, fixed


def _placed(
    plan: Plan, limbs: Sequence[SwitchPlan], poses: Poses, tied: Evaluation
) -> Iterator[tuple[dict[str, Basis], list[Control]]]:
    """Bases by what was sampled, and controls that have to wait: on the frames those without IK chain, halfway all."""
    both = {name: np.concatenate([by_bone[name] for by_bone in poses]) for name in poses[0]}
    placed, late = place([control for limb in limbs for control in to_place(limb, both)], replace(tied, poses=both))
    free = {carried.bone.name for limb in limbs if not limb.chain for carried, _ in limb.controls}
    every = {carried.bone.name for limb in limbs for carried, _ in limb.controls}
    for names, rows in ((free, slice(len(plan.frames))), (every, slice(len(plan.frames), None))):
        bases = {name: each_array(itemgetter(rows), basis) for name, basis in placed.items() if name in names}
        yield bases, [replace(control, pose=control.pose[rows]) for control in late if control.bone.name in names]


def _values(limbs: Sequence[SwitchPlan], bases: Mapping[str, Basis]) -> dict[str, Array]:
    """By RNA path what `Between` has of these controls."""
    bones = (carried.bone for limb in limbs for carried, _ in limb.controls if carried.bone.name in bases)
    return {path: values for bone in bones for path, values in values_by_path(bone, bases[bone.name]).items()}
