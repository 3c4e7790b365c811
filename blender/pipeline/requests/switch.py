"""The order of the steps that switch limbs from IK to FK or back: the pose stays, the controls of the other layer move.

Where constraints come in between, only Blender tells how controls move bones. So these are keyed on trial, and controls
that hang on such bones, or turn an IK chain, follow from what is evaluated.
"""

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter

import numpy as np
from bpy.types import Scene
from numpy.typing import NDArray

from ....skeleton.ik_chain import IkChain
from ....skeleton.layer_channels import NOTHING_BETWEEN, Between, gaps, values_between
from ....skeleton.layers import LayerPlan, Setting, to_place, wanted
from ....skeleton.place_bones import Control, Evaluated, place
from ....skeleton.steps import part
from ....skeleton.transform import Basis, each_array
from ....skeleton.values import Channel, Plan, Samples
from ....solver.values import Array
from ...armatures import Rig
from ...chains.rigs import rig_files
from ...chains.rigs.known_limbs import known_limbs
from ...chains.rigs.switch_property import property_label
from ...key_settings import Keys, KeySettings
from ...messages.report import Report
from ...messages.translation import translated
from .. import trial_keys, unkeyed_edits
from ..checks import keys
from ..checks.armature import refuse_unposable
from ..checks.frames import refuse_stretched_time
from ..measure.compare_limbs import compare_limbs, world_units
from ..phases import Opened, Preparation, request
from ..read.build_plan import Frames, frame_range, steps
from ..read.chosen_chains import scene_of
from ..read.layers import (
    Layer,
    borders,
    kept_beside,
    read_layers,
    setting_channel,
    shown_beside,
    shown_request,
    shows,
    ties,
    trial_bones,
    with_source_keys,
)
from ..sample import sampling
from .layer_keys import LayerKeys, write_keys

_MOST = 8
"""Evaluations on trial: an IK chain that does not fit after so many is as near as it comes."""


@request
def switch(
    opened: Opened,
    rig: Rig,
    to: Layer,
    names: Sequence[str] | None,
    frames: Frames | None,
    scene: Scene | None,
    settings: KeySettings,
) -> Preparation:
    """Let the limbs show their FK controls, or IK, over the range, posed as they are."""
    refuse_unposable(rig)
    scene = scene_of(rig, scene)
    start, end, step = frame_range(rig, frames, scene)
    solved, asked = steps(start, end, step), known_limbs(rig, names)
    if settings.keys in (Keys.SOURCE, Keys.TARGET_KEYS):
        solved = with_source_keys(rig, asked, to, solved)
    plan = Plan(rig=rig, name=rig.name, scene=scene, ranks=(), frames=solved)
    refuse_stretched_time(plan)
    known = [read_layers(rig, limb, to, solved) for limb in asked]
    limbs = [limb for limb in known if not shows(rig, limb, solved)]
    already = ", ".join(limb.name for limb in known if limb not in limbs)
    _refuse_unwritable(rig, limbs, (one for limb in limbs for one in (*limb.switches, *limb.rigid)), solved, settings)

    tied = ties(rig, limbs)
    need = shown_request(rig, limbs, tied.depends)
    sampler = opened.enter_context(sampling.Sampler(plan, settings.sampling, slow=opened.slow.append))
    samples = yield from part(sampler.of(need), 0.0, 0.2)
    poses = _by_bone(samples, limbs, solved)
    reduced = settings.keys == Keys.REDUCED
    layer_keys = LayerKeys(plan, limbs)
    rows = gaps(limbs, poses, layer_keys.turning)
    halves = 0.5 * (solved[rows] + solved[rows + 1])
    on_halves = {name: pose[:0] for name, pose in poses.items()}
    if len(rows):
        on_halves = _by_bone((yield from part(sampler.between(need, halves), 0.2, 0.3)), limbs, halves)
    own = {point.bone: basis for point, basis in samples.basis.items()}
    chains = [IkChain(limb, poses, own) for limb in limbs if limb.chain]
    placing = _controls(plan, limbs, (poses, on_halves), chains, layer_keys, tied, rows)
    bases, between, held = yield from part(placing, 0.3, 0.6 if reduced else 1.0)
    _refuse_unwritable(rig, (), held, solved, settings)
    unit = float(world_units(samples.to_world[rig]).max())
    keying = layer_keys.asked(bases, between, held, poses, settings, unit)
    channels = yield from part(keying, 0.6 if reduced else 1.0, 1.0)
    found = [
        kept_beside(rig, channel, *shown_beside(rig, limb, channel.group, solved))
        for limb in limbs
        for channel in channels[limb.name]
    ]
    set_keys = [setting_channel(rig, setting, solved) for setting in held]
    told = [*rig_files.notes(), *([translated("note.shows_already", limbs=already, layer=to)] if already else [])]
    told += _settings_told(limbs, held)

    def write_and_measure() -> Report:
        sampler.removal.refuse()
        written = {channel.path for channel in (*found, *(channel for channel, _ in set_keys))}
        span, notes = (solved[0], solved[-1]), [*told]
        with unkeyed_edits.preserve_edits(rig, scene, written):
            notes += write_keys(rig, found, span, settings)
            for row, (channel, going_on) in enumerate(set_keys):
                anew = settings.new_action and not found and row == 0
                style = replace(settings, new_action=anew, interpolation=going_on)
                notes += write_keys(rig, [channel], span, style)
        sampler.renew()
        look = partial(sampler.played, keyed={rig: written})
        suspects = frozenset().union(*(chain.suspects for chain in chains))
        reports, off = compare_limbs(plan, limbs, (solved, halves), (poses, on_halves), suspects, settings, look)
        return Report(rig=plan.name, chains=tuple(reports), notes=(*off, *dict.fromkeys(notes)), operation="Switch")

    return write_and_measure


def _refuse_unwritable(
    rig: Rig, limbs: Sequence[LayerPlan], held: Iterable[Setting], frames: Array, settings: KeySettings
) -> None:
    """Raise `Refused` where all these keys could not be written, or would change what is outside of the frames."""
    spans = {one.path: [borders(rig, one.path, frames)] for one in held}
    for limb in limbs:
        for bone in limb.keyed:
            beside = shown_beside(rig, limb, bone.name, frames)
            spans |= {path: [borders(rig, path, frames, *beside)] for path in limb.paths(bone)}
    keys.refuse_unwritable(rig, spans, settings)
    keys.refuse_unkept(rig, spans)


def _settings_told(limbs: Sequence[LayerPlan], held: Collection[Setting]) -> Iterator[str]:
    """Sentences about what else is keyed so that IK shows these limbs."""
    for limb in limbs:
        if not {*limb.rigid}.isdisjoint(held):
            yield translated("note.rigid", limb=limb.name)
    for limb in limbs:
        for setting in limb.far:
            if setting in held:
                yield translated("note.reach", limb=limb.name, property=property_label(setting.path))


def _controls(
    plan: Plan,
    limbs: Sequence[LayerPlan],
    poses: Sequence[Mapping[str, Array]],
    chains: Sequence[IkChain],
    layer_keys: LayerKeys,
    tied: Evaluated,
    rows: NDArray[np.intp],
) -> Generator[float, None, tuple[dict[str, Basis], Between, list[Setting]]]:
    """The bases of all controls, by what was sampled as far as that goes, then by trial; and what is set besides.

    poses : by bone, sampled on the frames and halfway behind those of which `rows` controls have to be right as well
    """
    ends, (_, on_halves) = np.unique(plan.frames[[0, -1]]), poses
    (bases, waiting), (known, unknown) = _placed(plan, limbs, poses, tied)
    between = Between(rows=rows, values=_values(limbs, known))
    held = switches = [one for limb in limbs for one in limb.switches]
    if not (chains or waiting):
        return bases, between, held
    with trial_keys.Trial(plan, trial_bones(limbs).union(tied.depends)) as trial:

        def keyed(between: Between = NOTHING_BETWEEN) -> list[Channel]:
            channels = (channel for limb in limbs for channel in layer_keys.every(limb, bases, between))
            return [*(setting.channel(ends) for setting in held), *channels]

        for number in range(_MOST):
            now = yield from part(trial.evaluate(keyed()), number / _MOST, (number + 1) / _MOST)
            late = {control.bone.name for control in waiting}
            for chain in chains:
                waiting += chain.controls(now, late)
                bases |= chain.bases
            held = [*switches, *(one for chain in chains for one in chain.settings)]
            found, waiting = place(waiting, replace(tied, poses=now, stale=()))
            bases |= found
            if not waiting and all(chain.fits for chain in chains):
                break
        begun = [chain for chain in chains if chain.begun]
        unknown = [control for control in unknown if control.bone.name in bases]
        if len(rows) and (begun or unknown):
            # What carries pole, swivel and some controls hangs on others that are known only now.
            halves = 0.5 * (plan.frames[rows] + plan.frames[rows + 1])
            now = yield from trial.evaluate(keyed(between), halves)
            shown = {bone.name: on_halves[bone.name] for limb in limbs for bone in limb.shown}
            carried = replace(tied, poses={**now, **shown}, stale=())
            values = {path: each for chain in begun for path, each in chain.between(rows, carried).items()}
            found, _ = place(unknown, carried)
            between = replace(between, values={**between.values, **values, **_values(limbs, found)})
    return bases, between, held


def _placed(
    plan: Plan, limbs: Sequence[LayerPlan], poses: Sequence[Mapping[str, Array]], tied: Evaluated
) -> Iterator[tuple[dict[str, Basis], list[Control]]]:
    """Bases by what was sampled, and controls that have to wait: on the frames those without IK chain, halfway all."""
    both = {name: np.concatenate([each[name] for each in poses]) for name in poses[0]}
    found, late = place([control for limb in limbs for control in to_place(limb, both)], replace(tied, poses=both))
    free = {carried.bone.name for limb in limbs if not limb.chain for carried, _ in limb.controls}
    every = {carried.bone.name for limb in limbs for carried, _ in limb.controls}
    for names, rows in ((free, slice(len(plan.frames))), (every, slice(len(plan.frames), None))):
        bases = {name: each_array(itemgetter(rows), basis) for name, basis in found.items() if name in names}
        yield bases, [replace(control, pose=control.pose[rows]) for control in late if control.bone.name in names]


def _values(limbs: Sequence[LayerPlan], bases: Mapping[str, Basis]) -> dict[str, Array]:
    """By RNA path what `Between` has of these controls."""
    bones = (carried.bone for limb in limbs for carried, _ in limb.controls)
    return {
        path: values
        for bone in bones
        if bone.name in bases
        for path, values in values_between(bone, bases[bone.name]).items()
    }


def _by_bone(samples: Samples, limbs: Sequence[LayerPlan], frames: Array) -> dict[str, Array]:
    """(n, 4, 4) each, those of the bones that are to show the limbs among them."""
    shape = len(frames), 4, 4
    poses = {point.bone: np.broadcast_to(pose, shape) for point, pose in samples.pose.items()}
    return poses | {name: pose for limb in limbs for name, pose in wanted(limb, poses).items()}
