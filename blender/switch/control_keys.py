"""Where the controls of limbs that switch go, and their keys.

They go by samples as far as these tell, then by trial: where constraints come in between, only Blender tells how
controls move bones. So these are keyed on trial, and controls that hang on such bones, or turn an IK chain, follow from
what is evaluated. The bases found become channels with the keys of a style; outside, curves go on as before.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from ...skeleton.steps import part
from ...skeleton.switch.control_channels import NO_MIDPOINTS, Midpoints, basis_channels, halfway, values_by_path
from ...skeleton.switch.ik_chain import IkChain
from ...skeleton.switch.place_bones import Control, Evaluation, place
from ...skeleton.switch.switch_plan import Setting, SwitchPlan, to_place
from ...skeleton.transform import Basis, each_array
from ...skeleton.values import MERGE, Channel, Plan
from ...solver.values import Array, Integers
from .. import versions
from ..armatures import Rig
from ..bake import write_channels
from ..curves import borders, write
from ..curves.keys import key_frames, key_points, values_before
from ..settings.key_settings import Keys, KeyStyle

_SAME = 1e-5
"""Locations, scales and rotation values that differ by less from what is there need no keys."""

_MOST = 8
"""Evaluations on trial: an IK chain that does not fit after this many is as near as it comes."""

Poses = tuple[Mapping[str, Array], Mapping[str, Array]]
"""By bone (n, 4, 4) in armature space, on the frames of the plan, and halfway behind some of them."""


class ControlKeys:
    """The controls of limbs that switch, and their keys, over the frames of the plan.

    on_every_frame : whether each of these gets keys
    corners, turning : (n,) as `gaps` takes them
    """

    def __init__(self, plan: Plan, limbs: Sequence[SwitchPlan], style: KeyStyle) -> None:
        self.plan, self.limbs, self.on_every_frame = plan, limbs, style.keys == Keys.EVERY_FRAME
        self._animated = versions.animated_paths(plan.rig)
        self.corners, self.turning = _turns(plan.rig, plan.frames)
        paths = (bone.rotation_path for limb in limbs for bone in limb.keyed)
        self._before = values_before(plan.rig, paths, plan.frames[0])

    def every(self, limb: SwitchPlan, bases: Mapping[str, Basis], between: Midpoints = NO_MIDPOINTS) -> list[Channel]:
        """Channels with keys on every frame, without those that change nothing."""
        frames, before = self.plan.frames, self._before
        return [
            channel
            for bone in limb.keyed
            if (basis := bases.get(bone.name))
            for channel in basis_channels(bone, basis, frames, before[bone.rotation_path], self.corners, between)
            if channel.path in limb.paths(bone) and not self._unchanged(channel)
        ]

    def placed(
        self, poses: Poses, chains: Sequence[IkChain], tied: Evaluation, rows: Integers
    ) -> Generator[float, None, tuple[dict[str, Basis], Midpoints, list[Setting]]]:
        """The bases of all controls, by what was sampled as far as that goes, then by trial; and what is set besides.

        poses : by bone, sampled on the frames and halfway behind those in these `rows`, where controls have to be right
        """
        plan, limbs, (_, on_halves) = self.plan, self.limbs, poses
        ends = np.unique(plan.frames[[0, -1]])
        (bases, waiting), (placed, unknown) = _placed(plan, limbs, poses, tied)
        between = Midpoints(rows=rows, values=_values(limbs, placed))
        fixed = switches = [setting for limb in limbs for setting in limb.switches]
        if not (chains or waiting):
            return bases, between, fixed
        bones = {bone.name for limb in limbs for bone in (*limb.shown, *(carried.bone for carried in limb.chain))}
        with write_channels.trial(plan, bones | tied.depends.keys()) as trial:

            def keyed(between: Midpoints = NO_MIDPOINTS) -> list[Channel]:
                channels = (channel for limb in limbs for channel in self.every(limb, bases, between))
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

    def in_style(self, bases: Mapping[str, Basis], between: Midpoints) -> dict[str, list[Channel]]:
        """By limb the channels, with keys on the frames that the style asks for."""
        if self.on_every_frame:
            return {limb.name: self.every(limb, bases, between) for limb in self.limbs}
        return {limb.name: self._on_source_keys(limb, self.every(limb, bases)) for limb in self.limbs}

    def _unchanged(self, channel: Channel) -> bool:
        now = np.array(self.plan.rig.path_resolve(channel.path), dtype=np.float64)
        return channel.path not in self._animated and bool((np.abs(channel.values - now) < _SAME).all())

    def _on_source_keys(self, limb: SwitchPlan, channels: list[Channel]) -> list[Channel]:
        frames = self.plan.frames
        times = np.sort(key_frames(*limb.source))
        keyed = np.searchsorted(times, frames - MERGE) < np.searchsorted(times, frames + MERGE, side="right")
        rows = np.union1d(np.flatnonzero(keyed), (0, len(frames) - 1))
        return [channel.on_rows(rows) for channel in channels]


def _placed(
    plan: Plan, limbs: Sequence[SwitchPlan], poses: Poses, tied: Evaluation
) -> Iterator[tuple[dict[str, Basis], list[Control]]]:
    """Bases by what was sampled, and controls that have to wait: on the frames those without IK chain, halfway all."""
    both = {name: np.concatenate([by_bone[name] for by_bone in poses]) for name in poses[0]}
    placed, late = place([control for limb in limbs for control in to_place(limb, both)], replace(tied, poses=both))
    free = {carried.bone.name for limb in limbs if not limb.chain for carried in limb.controls}
    every = {carried.bone.name for limb in limbs for carried in limb.controls}
    for names, rows in ((free, slice(len(plan.frames))), (every, slice(len(plan.frames), None))):
        bases = {name: each_array(itemgetter(rows), basis) for name, basis in placed.items() if name in names}
        yield bases, [replace(control, pose=control.pose[rows]) for control in late if control.bone.name in names]


def _values(limbs: Sequence[SwitchPlan], bases: Mapping[str, Basis]) -> dict[str, Array]:
    """By RNA path the values of `Midpoints` for these controls."""
    bones = (carried.bone for limb in limbs for carried in limb.controls if carried.bone.name in bases)
    return {path: values for bone in bones for path, values in values_by_path(bone, bases[bone.name]).items()}


def write_keys(rig: Rig, channels: Sequence[Channel], span: tuple[float, float], style: KeyStyle) -> list[str]:
    """Key the channels; outside of their frames curves go on as before. Returns sentences for the report.

    span : the frames that are switched; keys of the channels outside of it keep what is there
    """
    spans = {
        (channel.path, index): (float(channel.frames[0]), float(channel.frames[-1]))
        for channel in channels
        for index in range(channel.values.shape[1])
    }
    with borders.kept(rig, spans):
        return write.keys(rig, channels, span=span, style=style)


def write_settings(
    rig: Rig, fixed: Iterable[tuple[Channel, str]], span: tuple[float, float], style: KeyStyle, *, as_new: bool
) -> list[str]:
    """Key properties that keep one value, each with how its last key goes on; returns sentences for the report.

    as_new : the first goes into a new action
    """
    notes: list[str] = []
    for channel, going_on in fixed:
        notes += write_keys(rig, [channel], span, replace(style, new_action=as_new, interpolation=going_on))
        as_new = False
    return notes


def _turns(rig: Rig, frames: Array) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(n,) each: where a bone has a key, but none a frame before and after; other frames where a curve has such."""
    curves = [key_points(curve)[0] for curve in versions.curves(rig)]
    far = 1.5 * np.diff(frames).max(initial=0.0)

    def keyed(times: list[Array]) -> NDArray[np.bool_]:
        return np.isin(np.round(frames, 2), np.round(np.concatenate([np.empty(0), *times]), 2))

    def alone(times: Array) -> Array:
        apart = np.diff(times, prepend=-np.inf, append=np.inf) > far
        return times[apart[1:] & apart[:-1]]

    any_key = keyed(curves)
    padded = np.pad(any_key, 1)
    corners = any_key & ~padded[:-2] & ~padded[2:]
    return corners, keyed([alone(times) for times in curves]) & ~corners
