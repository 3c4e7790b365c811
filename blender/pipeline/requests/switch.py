"""The order of the steps that switch limbs from IK to FK or back: the pose stays, the controls of the other layer move.

Where constraints come in between, only Blender tells how controls move bones. So these are keyed on trial, and controls
that hang on such bones, or turn an IK chain, follow from what is evaluated.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from bpy.types import Scene

from ....skeleton.layers import IkChain, LayerPlan, basis_channels, to_place
from ....skeleton.place_bones import Evaluated, place
from ....skeleton.steps import part
from ....skeleton.transform import Basis
from ....skeleton.values import Channel, Plan, Point, Samples
from ....solver.values import Array
from ... import versions
from ...armatures import Rig
from ...chains.rigs.known_limbs import known_limbs
from ...key_settings import KeySettings
from ...messages.report import Report
from .. import trial_keys, unkeyed_edits, write
from ..checks import keys
from ..checks.armature import refuse_unposable
from ..checks.frames import refuse_stretched_time
from ..measure.compare_limbs import compare_limbs
from ..phases import Opened, Preparation, request
from ..read.build_plan import Frames, frame_range
from ..read.chosen_chains import scene_of
from ..read.keys import values_before
from ..read.layers import (
    Layer,
    kept_beside,
    read_layers,
    shown_beside,
    shown_request,
    switch_channel,
    ties,
    trial_bones,
)
from ..sample import sampling

_MOST = 8
"""Evaluations on trial: an IK chain that does not fit after so many is as near as it comes."""

_SAME = 1e-5
"""Of locations, scale and rotation values: what differs less from what is there needs no keys."""


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
    scene = scene or scene_of(rig)
    start, end, step = frame_range(rig, frames, scene)
    solved = start + step * np.arange(int((end - start) / step + 1e-6) + 1, dtype=np.float64)
    plan = Plan(rig=rig, name=rig.name, scene=scene, ranks=(), frames=solved)
    refuse_stretched_time(plan)
    read = [read_layers(rig, limb, to, solved) for limb in known_limbs(rig, names)]
    limbs, switches = [limb for limb, _ in read], [switched for _, switched in read]
    bones = {bone.name: bone for limb in limbs for bone in limb.keyed}
    paths = {path for bone in bones.values() for path in (bone.location_path, bone.rotation_path, bone.scale_path)}
    keys.refuse_unwritable(rig, paths | {switched.path for switched in switches}, settings)
    switched_keys = [switch_channel(rig, switched, solved) for switched in switches]
    before = values_before(rig, (bone.rotation_path for bone in bones.values()), solved[0])
    unchanged = _Unchanged(rig)
    poles = {limb.pole.bone.name for limb in limbs if limb.pole}

    need = shown_request(rig, limbs)
    sampler = opened.enter_context(sampling.Sampler(plan, settings.sampling, slow=opened.slow.append))
    samples = yield from part(sampler.of(need), 0.0, 0.3)
    ends = np.unique(solved[[0, -1]])
    constant = [
        Channel(path=one.path, group=one.group, frames=ends, values=np.full((len(ends), 1), one.value))
        for one in switches
    ]

    def channels(bases: Mapping[str, Basis]) -> list[Channel]:
        found = [
            channel
            for name, basis in bases.items()
            for channel in basis_channels(bones[name], basis, solved, before[bones[name].rotation_path])
            if name not in poles or channel.path == bones[name].location_path
        ]
        return [channel for channel in found if not unchanged(channel)]

    steps = _controls(plan, limbs, samples, constant, channels, ties(rig, switches, trial_bones(limbs)))
    found = yield from part(steps, 0.3, 1.0)
    beside = {bone.name: shown_beside(rig, switched, solved) for limb, switched in read for bone in limb.keyed}
    found = [kept_beside(rig, channel, *beside[channel.group]) for channel in found]

    def write_and_measure() -> Report:
        sampler.removal.refuse()
        written = {*(channel.path for channel in found), *(switched.path for switched in switches)}
        span, notes = (solved[0], solved[-1]), []
        with unkeyed_edits.preserve_edits(rig, scene, written):
            notes += write.keys(rig, found, span=span, style=settings)
            for channel, going_on in switched_keys:
                style = replace(settings, new_action=False, interpolation=going_on)
                notes += write.keys(rig, [channel], span=span, style=style)
        played = sampler.played(need, solved, {rig: written})
        reports, off = compare_limbs(plan, limbs, samples.pose, played.pose, played.to_world[rig])
        return Report(rig=plan.name, chains=tuple(reports), notes=(*off, *dict.fromkeys(notes)), operation="Switch")

    return write_and_measure


class _Unchanged:
    """Tells of channels whether all of it is as it is without keys."""

    def __init__(self, rig: Rig) -> None:
        self._rig, self._animated = rig, versions.animated_paths(rig)

    def __call__(self, channel: Channel) -> bool:
        standing = np.array(self._rig.path_resolve(channel.path), dtype=np.float64)
        return channel.path not in self._animated and bool((np.abs(channel.values - standing) < _SAME).all())


def _controls(
    plan: Plan,
    limbs: Sequence[LayerPlan],
    samples: Samples,
    constant: Sequence[Channel],
    channels: Callable[[Mapping[str, Basis]], list[Channel]],
    tied: Evaluated,
) -> Generator[float, None, list[Channel]]:
    """The channels of all controls: by what was sampled as far as that goes, and then by trial."""
    poses = _by_bone(samples.pose, plan)
    chains = [IkChain(limb, poses, _swivel(plan, limb, samples)) for limb in limbs if limb.chain]
    waiting = [control for limb in limbs if not limb.chain for control in to_place(limb, poses)]
    bases, waiting = place(waiting, replace(tied, poses=poses))
    if not (chains or waiting):
        return channels(bases)
    with trial_keys.Trial(plan, tied.depends) as trial:
        for number in range(_MOST):
            steps = trial.evaluate([*constant, *channels(bases)])
            now = yield from part(steps, number / _MOST, (number + 1) / _MOST)
            late = {control.bone.name for control in waiting}
            for chain in chains:
                waiting += chain.controls(now, late)
                bases |= chain.bases
            found, waiting = place(waiting, replace(tied, poses=now, stale=()))
            bases |= found
            if not waiting and all(chain.fits for chain in chains):
                break
    return channels(bases)


def _by_bone(poses: Mapping[Point, Array], plan: Plan) -> dict[str, Array]:
    return {point.bone: np.broadcast_to(pose, (len(plan.frames), 4, 4)) for point, pose in poses.items()}


def _swivel(plan: Plan, limb: LayerPlan, samples: Samples) -> Basis | None:
    return samples.basis[Point(plan.rig, limb.swivel.bone.name)] if limb.swivel else None
