"""Bends chains the other way: moves the pole target that decides to the other side, or takes the other Bend."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import numpy as np
from bpy.types import Keyframe, Object, Scene

from ...skeleton import chain_group, solve, transform
from ...skeleton.steps import run
from ...skeleton.target_channels import KeyedTarget, WorldTransform, target_channels
from ...skeleton.values import ChainPlan, Channel, Plan, Point, Samples
from ...solver.targets import opposite_pole
from ...solver.values import Bend, Plane
from ...solver.vectors import norm
from ..armatures import Rig, local_armatures
from ..bake.build_plan import Names, current_plan
from ..bake.checks import refuse_stretched_time
from ..bake.pose import bend_signs, pose, refuse_unposed
from ..bake.report import Report
from ..chains.field_values import unchanged_on_error
from ..curves import unkeyed_edits, write
from ..curves.keys import curves_at
from ..messages.refused import Refused
from ..messages.translation import point_text, translated
from ..scene import dependencies, sampling
from ..scene.bone import bone_or_object
from ..scene.need import pose_need
from ..scene.pose_before import PoseBefore
from ..settings.key_settings import DEFAULTS, Sampling
from .checks import keyable

_IN_LINE = 1e-6
"""Part of the pole's distance from the root: a pole closer to the line to the target has no other side."""

_KIND = ("interpolation", "easing", "type")
"""What a key keeps when it moves."""


def flip(rig: Rig, names: Names, scene: Scene | None, pose_before: PoseBefore = sampling.as_sampled) -> Report:
    """Bend the chains the other way from how they bend as the scene stands, and pose them so.

    raises : Refused where they cannot be posed so; then nothing has changed
    """
    plan = current_plan(rig, names, scene)
    sampling.settle(plan)
    signs = bend_signs(rig, names, scene, pose_before)
    poles: list[Callable[[], list[str]]] = []
    notes: list[str] = []
    bends: dict[str, Bend] = {}
    for chain in plan.chains:
        as_now, other = (Bend.POSITIVE, Bend.NEGATIVE)[:: signs[chain.name]]
        if _pole_decides(chain):
            try:
                poles.append(_moved_pole(plan, chain))
            except Refused as reason:
                notes.append(translated("alert.pole_stays", chain=chain.name, reason=reason))
            else:
                if chain.options.bend in {Bend.NEAREST, Bend.LIMITS}:  # they would choose the same side again
                    bends[chain.name] = as_now
                continue
        bends[chain.name] = other
    with unchanged_on_error(rig):
        for name, bend in bends.items():
            rig.two_bone_ik_chains[name].bend = bend
        refuse_unposed(rig, names, scene, pose_before)
    for move in poles:
        notes += move()
    with unkeyed_edits.preserved() as keep:
        report = pose.within(keep, rig, names, scene, insert_keys=False, posing=nullcontext(pose_before))
    return replace(report, notes=(*notes, *report.notes))


def _pole_decides(chain: ChainPlan) -> bool:
    """True if the pole alone decides the side: with it, all of the limb turns to the other one."""
    if chain.pole is None or chain.options.plane == Plane.AIM:
        return False
    return chain.options.plane == Plane.REST or not chain.may_fall_short("pole_influence")


def _moved_pole(plan: Plan, chain: ChainPlan) -> Callable[[], list[str]]:
    """What moves the chain's pole target to the other side, on the current frame and on those on which it has keys.

    raises : Refused if it cannot be moved, or would move more than this chain
    """
    pole = chain.pole
    _refuse_followed(plan, chain, pole)
    path = bone_or_object(pole).path_from_id("location")
    # Keys of several curves on one frame may differ in the last digits.
    frames = np.unique([round(key.co.x, 2) for key in _keys_at(pole.object, path)])
    # The chain as if the pole were all that it follows: only the pole has to be one that can be moved.
    alone = replace(chain, target=pole, pole=None, use_rotation=False)
    targets = keyable(_only(plan, alone), over_range=bool(len(frames)), style=DEFAULTS if len(frames) else None)
    now = _only(plan, chain)
    moved = _channels(now, sampling.sample_current_frame(now, pose_need(now, {pole})), targets)
    keyed: list[Channel] = []
    if len(frames):
        over_range = replace(now, frames=frames)
        refuse_stretched_time(over_range)
        with sampling.Sampler(over_range, Sampling.AUTO) as sampler:
            keyed = _channels(over_range, run(sampler.of(pose_need(over_range, {pole}))), targets)
    named = {"pole": point_text(pole), "chain": chain.name, "count": len(frames)}
    sentence = translated("note.pole_keys_moved" if keyed else "note.pole_moved", **named)
    return partial(_write, pole.object, plan.scene, moved, keyed, sentence)


def _only(plan: Plan, chain: ChainPlan) -> Plan:
    return replace(plan, ranks=((chain,),))


def _refuse_followed(plan: Plan, chain: ChainPlan, pole: Point) -> None:
    """Raise `Refused` where another chain, or the chain's own target, would move along with the pole."""
    for rig in local_armatures(plan.scene):
        for other in rig.two_bone_ik_chains:
            is_own = rig == plan.rig and other.name == chain.name
            points = [dependencies.target_of(other, "target")] if is_own else dependencies.targets_of(other)
            if pole in dependencies.upstream(*filter(None, points)):
                raise Refused("SHARED_POLE", chain=chain, value=point_text(pole), other=other.name)


def _keys_at(item: Object, path: str) -> list[Keyframe]:
    return [key for curve in curves_at(item, path) for key in curve.keyframe_points]


def _channels(plan: Plan, samples: Samples, targets: dict[Point, KeyedTarget]) -> list[Channel]:
    """The pole's location on the other side of the line from root to target, on each frame of the plan."""
    [chain], count = plan.chains, len(plan.frames)
    [group] = chain_group.chain_groups([chain], samples, count)
    goals = chain_group.goals(group, samples, count)
    reach = solve.solve_group(group, samples, count).solution.target
    opposite = opposite_pole(reach[:, 0], goals.pole[:, 0])
    if not (norm(opposite - goals.pole[:, 0]) > _IN_LINE * norm(opposite)).any():
        raise Refused("POLE_IN_LINE", chain=chain, value=point_text(chain.pole))
    location = transform.transform_points(group.to_world[:, 0], opposite)
    [(_, channels)] = target_channels(plan, {chain.pole: WorldTransform(location=location)}, samples, targets).items()
    return channels


def _write(item: Object, scene: Scene, now: Sequence[Channel], keyed: Sequence[Channel], sentence: str) -> list[str]:
    """Move the pole, and its keys, which stay of their kind; returns sentences for the report."""
    notes: list[str] = []
    for channel in keyed:
        kinds = {round(key.co.x, 2): [getattr(key, name) for name in _KIND] for key in _keys_at(item, channel.path)}
        with unkeyed_edits.preserve_edits(item, scene, {channel.path}):
            span = channel.frames[0], channel.frames[-1]
            notes += write.keys(item, [channel], span=span, style=DEFAULTS)
        for key in _keys_at(item, channel.path):
            for name, kind in zip(_KIND, kinds[round(key.co.x, 2)], strict=True):
                setattr(key, name, kind)
        for curve in curves_at(item, channel.path):
            curve.update()
    write.pose(item, now)
    return [*notes, sentence]
