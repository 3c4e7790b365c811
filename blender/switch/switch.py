"""The order of the steps that switch limbs from IK to FK or back: the pose stays, the other control set moves."""

from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from bpy.types import Scene

from ...skeleton.steps import part
from ...skeleton.switch.control_channels import NO_MIDPOINTS, gaps, halfway
from ...skeleton.switch.ik_chain import IkChain
from ...skeleton.switch.switch_plan import Setting, SwitchPlan, wanted
from ...skeleton.values import Plan, Samples
from ...solver.values import Array, Integers
from ..armatures import Rig
from ..bake.build_plan import Frames, Names, limb_plan
from ..bake.checks import refuse_stretched_time
from ..bake.report import Report
from ..bake.request import Answer, MeasurePhase, Need, Preparation, Resources, finish, request
from ..curves import key_checks
from ..curves.border_keys import kept_span, setting_channel, shown_outside, with_border_keys
from ..curves.unkeyed_edits import Keeper
from ..messages.refused import Refused
from ..messages.translation import translated
from ..rigs import rig_files
from ..rigs.known_limbs import known_limbs
from ..rigs.switch_property import property_label
from ..scene import sampling
from ..scene.checks import refuse_unposable
from ..scene.need import SampleNeed
from ..settings.key_settings import Keys, KeySettings
from .built_targets import follow_pose
from .compare_limbs import compare_limbs
from .control_keys import ControlKeys, Poses, write_keys, write_settings
from .switch_plan import ControlSet, shown_need, shows, switch_plan, ties, with_source_keys


@request
def switch(
    resources: Resources,
    rig: Rig,
    to: ControlSet,
    names: Names,
    frames: Frames | None,
    scene: Scene | None,
    settings: KeySettings,
) -> Preparation:
    """Let the limbs show their FK controls, or IK, over the range, posed as they are."""
    plan, limbs, following, sentences = _read(rig, to, names, frames, scene, settings)
    control_keys, tied = ControlKeys(plan, limbs, settings), ties(rig, limbs)
    sampler = resources.enter_context(sampling.Sampler(plan, settings.sampling, slow=resources.slow.append))
    sampled = _sampled(sampler, plan, limbs, shown_need(rig, limbs, tied.depends), control_keys)
    samples, poses, rows = yield from part(sampled, 0.0, 0.3)
    own = {point.bone: basis for point, basis in samples.basis.items()}
    chains = [IkChain(limb, poses[0], own) for limb in limbs if limb.chain]
    bases, between, fixed = yield from part(control_keys.placed(poses, chains, tied, rows), 0.3, 1.0)
    _refuse_unwritable(rig, (), fixed, plan.frames, settings)
    channels = control_keys.in_style(bases, between)
    write_targets = (yield from follow_pose(resources, plan, frames, following, settings)) if following else None
    control_channels = [
        with_border_keys(rig, channel, *shows[channel.path])
        for limb in limbs
        for shows in [_shown_outside(rig, limb, plan.frames)]
        for channel in channels[limb.name]
    ]
    set_keys = [setting_channel(rig, setting, plan.frames) for setting in fixed]
    sentences += _settings_told(limbs, fixed)

    def write(keep: Keeper) -> MeasurePhase:
        sampler.removal.refuse()
        keyed = {channel.path for channel in control_channels} | {setting.path for setting in fixed}
        keep(rig, plan.scene, keyed)
        span, as_new = (plan.frames[0], plan.frames[-1]), settings.new_action and not control_channels
        notes = [*sentences, *write_keys(rig, control_channels, span, settings)]
        notes += write_settings(rig, set_keys, span, settings, as_new=as_new)
        followed = finish(write_targets, keep) if write_targets else Report(rig=plan.name, chains=())
        sampler.renew()
        suspects = frozenset().union(*(chain.suspects for chain in chains))
        comparison = compare_limbs(plan, limbs, poses[0], suspects, settings.measure)

        def measure(sampled: Answer) -> Report:
            reports, off = comparison.measured(sampled)
            told = *off, *dict.fromkeys(notes), *followed.notes
            return Report(rig=plan.name, chains=(*reports, *followed.chains), notes=told, operation="Switch")

        times = plan.frames[comparison.rows]
        return MeasurePhase(Need.of(comparison.points, times, sampler, {rig: keyed}), measure)

    return write


def _read(
    rig: Rig, to: ControlSet, names: Names, frames: Frames | None, scene: Scene | None, settings: KeySettings
) -> tuple[Plan, list[SwitchPlan], list[SwitchPlan], list[str]]:
    """The frames, the limbs that do not show that control set yet, those that are to follow targets, and sentences."""
    refuse_unposable(rig)
    if settings.keys == Keys.REDUCED:
        raise Refused("SWITCH_REDUCED", object=rig)
    plan, chosen = limb_plan(rig, (), frames, scene), known_limbs(rig, names)
    if settings.keys in (Keys.SOURCE, Keys.TARGET_KEYS):
        plan = replace(plan, frames=with_source_keys(rig, chosen, to, plan.frames))
    refuse_stretched_time(plan)
    plans = [switch_plan(rig, limb, to, plan.frames) for limb in chosen]
    limbs = [limb for limb in plans if not shows(rig, limb, plan.frames)]
    switched = [setting for limb in limbs for setting in (*limb.switches, *limb.rigid)]
    _refuse_unwritable(rig, limbs, switched, plan.frames, settings)
    already = ", ".join(limb.name for limb in plans if limb not in limbs)
    sentences = [*rig_files.notes(), *([translated("note.shows_already", limbs=already, shown=to)] if already else [])]
    following = [limb for limb in limbs if not limb.controls]
    return plan, [limb for limb in limbs if limb.controls], following, sentences


def _sampled(
    sampler: sampling.Sampler, plan: Plan, limbs: Sequence[SwitchPlan], need: SampleNeed, keys: ControlKeys
) -> Generator[float, None, tuple[Samples, Poses, Integers]]:
    """Samples, the poses by bone on the frames and halfway behind some of them, and the indices of these."""
    samples = yield from part(sampler.of(need), 0.0, 0.7)
    poses = _by_bone(samples, limbs, plan.frames)
    # Curves with fewer keys cannot pass where the controls have to be.
    rows = gaps(limbs, poses, keys.corners, keys.turning) if keys.on_every_frame else NO_MIDPOINTS.rows
    on_halves = {name: pose[:0] for name, pose in poses.items()}
    if len(rows):
        halves = halfway(plan.frames, rows)
        on_halves = _by_bone((yield from part(sampler.between(need, halves), 0.7, 1.0)), limbs, halves)
    return samples, (poses, on_halves), rows


def _shown_outside(rig: Rig, limb: SwitchPlan, frames: Array) -> dict[str, tuple[bool, bool]]:
    """By RNA path of what gets keys, whether that shows before the frames, and after them."""
    shows = shown_outside(rig, limb.switch, frames)
    paths = ((bone, path) for bone in limb.keyed for path in limb.paths(bone))
    return {path: (True, True) if bone.name in limb.shared else shows for bone, path in paths}


def _refuse_unwritable(
    rig: Rig, limbs: Sequence[SwitchPlan], fixed: Iterable[Setting], frames: Array, settings: KeySettings
) -> None:
    """Raise `Refused` where all these keys could not be written, or would change what is outside of the frames."""
    spans = {setting.path: [kept_span(rig, setting.path, frames)] for setting in fixed}
    for limb in limbs:
        shown = _shown_outside(rig, limb, frames)
        spans |= {path: [kept_span(rig, path, frames, *shows)] for path, shows in shown.items()}
    key_checks.refuse_unwritable(rig, spans, settings, frames=frames)
    key_checks.refuse_unkept(rig, spans)


def _settings_told(limbs: Sequence[SwitchPlan], fixed: Collection[Setting]) -> Iterator[str]:
    """Sentences about the other settings that are keyed so that IK matches the pose."""
    for limb in limbs:
        if not {*limb.rigid}.isdisjoint(fixed):
            yield translated("note.rigid", limb=limb.name)
    for limb in limbs:
        for setting in limb.far:
            if setting in fixed:
                yield translated("note.reach", limb=limb.name, property=property_label(setting.path))


def _by_bone(samples: Samples, limbs: Sequence[SwitchPlan], frames: Array) -> dict[str, Array]:
    """(n, 4, 4) each, those of the bones that are to show the limbs among them."""
    shape = len(frames), 4, 4
    poses = {point.bone: np.broadcast_to(pose, shape) for point, pose in samples.pose.items()}
    return poses | {name: pose for limb in limbs for name, pose in wanted(limb, poses).items()}
