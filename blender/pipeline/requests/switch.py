"""The order of the steps that switch limbs from IK to FK or back: the pose stays, the controls of the other layer move.

Where constraints come in between, only Blender tells how controls move bones. So these are keyed on trial, and controls
that hang on such bones, or turn an IK chain, follow from what is evaluated.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np
from bpy.types import Scene

from ....skeleton.layers import IkChain, LayerPlan, basis_channels, to_place
from ....skeleton.place_bones import place
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
from ..read.layers import evaluation, read_layers, shown_request, switch_channel, trial_bones
from ..sample import sampling

_MOST = 8
"""Evaluations on trial: an IK chain that does not fit after so many is as near as it comes."""

_SAME = 1e-5
"""Of locations, scale and rotation values: what differs less from what is there needs no keys."""


@request
def switch(
    opened: Opened,
    rig: Rig,
    to: str,
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

    need = shown_request(rig, limbs)
    sampler = opened.enter_context(sampling.Sampler(plan, settings.sampling, slow=opened.slow.append))
    samples = yield from sampler.of(need)
    constant = [
        Channel(path=one.path, group=one.group, frames=solved[:1], values=np.full((1, 1), one.value))
        for one in switches
    ]

    def channels(bases: dict[str, Basis], located: set[str]) -> list[Channel]:
        found = [
            channel
            for name, basis in bases.items()
            for channel in basis_channels(bones[name], basis, solved, before[bones[name].rotation_path])
            if name not in located or channel.path == bones[name].location_path
        ]
        return [channel for channel in found if not unchanged(channel)]

    found = yield from _solved(plan, limbs, samples, constant, channels)

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


def _solved(plan: Plan, limbs, samples: Samples, constant, channels) -> Generator[float, None, list[Channel]]:
    """The channels of all controls, found by trial."""
    rig, count = plan.rig, len(plan.frames)
    poses = {point.bone: _all(pose, count) for point, pose in samples.pose.items()}
    names = trial_bones(limbs)
    evaluated = evaluation(rig, names)
    waiting = [control for limb in limbs for control in to_place(limb, poses)]
    chains = {limb.name: IkChain(limb, poses, _basis(rig, limb, samples)) for limb in limbs if limb.chain}
    bases = {bone.name: _AT_REST for limb in limbs for bone in limb.zero}
    located: set[str] = set()
    with trial_keys.Trial(plan, names) as trial:
        for _ in range(_MOST):
            now = yield from trial.evaluate([*constant, *channels(bases, located)])
            now = {name: _all(pose, count) for name, pose in now.items()}
            placed_before = set(bases)
            found, waiting = place(waiting, evaluated(now))
            bases |= found
            again = bool(waiting)
            for limb in limbs:
                # Only once its target is where it has to be does the chain tell how it bends.
                if limb.chain:
                    if limb.controls[0][0].bone.name not in placed_before:
                        again = True
                        fits = False
                    else:
                        fits = not chains[limb.name].fit(now)
                    if not fits:
                        again = True
                        bases |= chains[limb.name].swivel(now)
                        for control in chains[limb.name].pole():
                            located.add(control.bone.name)
                            poled, late = place([control], evaluated(now))
                            bases |= poled
                            waiting += late
            if not again:
                break
    return channels(bases, located)


_AT_REST = Basis(location=np.zeros((1, 3)), rotation=np.eye(3)[None], scale=np.ones((1, 3)))


def _all(pose: Array, count: int) -> Array:
    return np.broadcast_to(pose, (count, 4, 4))


def _basis(rig: Rig, limb: LayerPlan, samples: Samples) -> Basis | None:
    return samples.basis[Point(rig, limb.swivel.bone.name)] if limb.swivel else None
