"""What keeps the pose from being what the keys alone would make it, as far as the rig tells before it is measured."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from math import degrees, inf
from typing import Any

import numpy as np
from bpy.types import Constraint, PoseBone
from numpy.typing import NDArray

from ...skeleton.inherit import SHEARING
from ...skeleton.solved_group import SolvedGroup
from ...skeleton.twist_bones import shows_share
from ...skeleton.values import Bone, ChainPlan, Plan, Point
from ...solver.values import Array, Unreachable
from .. import versions
from ..armatures import Rig
from ..curves import action_pairs
from ..curves.keys import driver_at, numbers_on
from ..messages.translation import translated
from ..rigs.known_limbs import copies, hiding_switch, known_by_end
from ..rigs.rig_files import KnownLimb
from ..rigs.switch_property import pole_on, property_label
from ..rna_paths import bone_and_property
from ..scene import dependencies
from ..scene.curves import OwnTransforms
from ..scene.dependencies import Constraints
from . import twist_bones
from .chain import SLIGHT, axis_label, straight_rest, undecided
from .chain_report import when
from .keys_of_limbs import bone_keys, without_keys

_SCALED = 1e-3
"""Part of a bone's scale: single precision and `nla.bake` leave less."""


def rig_notes(plan: Plan, constraints: Constraints, hiding: Iterable[tuple[str, str]], *, keyed: bool) -> list[str]:
    """Sentences about what on the rig changes the pose or the keys that the chains were given.

    hiding : IK constraints, as `hiding_constraints` has them
    """
    rig: Rig = plan.rig
    frames = plan.frames[plan.requested] if keyed else None
    sentences = [*_control_set_notes(plan, constraints, frames), *_twist_notes(plan), *_left_notes(plan)]
    for chain in plan.chains:
        if keyed and _goes_on_outside(plan, chain):
            sentences.append(translated("alert.baked_in_part", chain=chain.name))
        listed = rig.two_bone_ik_chains[chain.name]
        angle = undecided(rig, listed)
        if angle is None:
            continue
        if straight := straight_rest(rig, listed):
            axes = {"axis": axis_label(straight.axis), "other": axis_label(straight.other)}
            sentences.append(translated("alert.straight_rest", chain=chain.name, **axes))
        elif angle >= SLIGHT:
            sentences.append(translated("alert.against_knee", chain=chain.name))
        else:
            sentences.append(translated("alert.slight_rest", chain=chain.name, angle=degrees(angle)))
    for name, owner, partly in _acting((rig.pose.bones[bone].constraints[name] for bone, name in hiding), frames):
        if partly:
            sentences.append(translated("alert.hides_keys_when", name=name, bone=owner, when=partly))
        else:
            sentences.append(translated("alert.hides_keys" if keyed else "alert.hides_pose", name=name, bone=owner))
    for bone in _keyed_bones(plan):
        sentences += _acting_notes(bone, frames)
        if any(bone.lock_rotation):
            sentences.append(translated("note.locked_rotation", bone=bone.name))
    return sentences


def _goes_on_outside(plan: Plan, chain: ChainPlan) -> bool:
    """Whether the limb has keys outside of the range, and an option that poses it by all frames of the range."""
    by_range = chain.options.unreachable == Unreachable.HOLD or (chain.pole and chain.options.pole_smoothing > 0.0)
    return bool(by_range) and len(bone_keys(chain, -inf, inf)) > len(bone_keys(chain, *plan.frames[[0, -1]].round(2)))


def track_notes(plan: Plan) -> Iterator[str]:
    """Sentences about targets that play an action of another NLA track than the armature."""
    own = action_pairs.tracks(plan.rig)
    items = dict.fromkeys(point.object for chain in plan.chains for point in chain.targets)
    for item in items if own else ():
        others = action_pairs.tracks(item)
        if others and own.isdisjoint(others):
            actions = {"action": versions.played(plan.rig)[0].name, "other": versions.played(item)[0].name}
            named = {"track": ", ".join(sorted(own)), "other_track": ", ".join(sorted(others)), "target": item.name}
            yield translated("alert.other_track", **actions, **named)


def _twist_notes(plan: Plan) -> Iterator[str]:
    """Sentences about chains that spread their twist over no bone, or not over all that they have for it."""
    for chain in plan.chains:
        if plan.rig.two_bone_ik_chains[chain.name].use_twist:
            found = twist_bones.found_for(chain)
            if found.left_alone:
                yield translated("note.twist_left_alone", chain=chain.name, bones=", ".join(found.left_alone))
            elif not found.bones:
                yield translated("note.no_twist_bones", chain=chain.name)


def _left_notes(plan: Plan) -> Iterator[str]:
    """Sentences about bones as Stretch, Pin to Pole or Spread Twist left them, of chains that have these off now."""
    # What shows its share of a twist on some frames shows it by no chance; to read all of them takes long.
    own = cache(lambda every: OwnTransforms(plan.rig, plan.frames[:: plan.step * every]))
    on_some = partial(own, 1 + len(plan.frames) // 40)
    for chain in plan.chains:
        # Bones that inherit scale as Blender sets it for new ones, and in captures, could never stretch.
        limb = () if chain.scaled or chain.end.inherit_scale in SHEARING else (chain.root, chain.end, *chain.third)
        if longer := [bone.name for bone in limb if _is_lengthened(plan.rig, bone, own(1))]:
            yield translated("alert.left_scaled", chain=chain.name, bones=", ".join(longer))
        if turned := () if chain.twists else _left_turned(chain, on_some):
            yield translated("alert.left_turned", chain=chain.name, bones=", ".join(turned))


def _is_lengthened(rig: Rig, bone: Bone, own: OwnTransforms) -> bool:
    """Whether the bone is scaled along its length alone, as the options scale it; squash changes its width as well."""
    x, y, z = own.basis(rig.pose.bones[bone.name], with_rotation=False).scale.T
    return bool(np.ptp([*x, *z]) <= _SCALED * abs(x[0]) < np.ptp([x[0], *y])) and not driver_at(rig, bone.scale_path, 1)


def _left_turned(chain: ChainPlan, own: Callable[[], OwnTransforms]) -> list[str]:
    """Names of the twist bones at the side that show their shares of the limb's twist, as no capture does exactly."""
    if not (twists := twist_bones.read(chain)):  # as most limbs
        return []
    chain = replace(chain, twists=twists)
    turns = {bone: own().basis(chain.rig.pose.bones[bone.name]).rotation for bone in chain.carrying}
    return [part.bone.name for part in twists if not part.in_line and shows_share(chain, part, turns)]


def acting_notes(plan: Plan) -> list[str]:
    """Sentences about constraints that act on top of the pose that Live gives the chains' bones."""
    return [note for bone in _keyed_bones(plan) for note in _acting_notes(bone, None)]


def render_notes(plan: Plan) -> list[str]:
    """A sentence about limbs that Live poses and a render does not, as bones of theirs have no keys."""
    posed = (chain for chain in plan.chains if not dependencies.built_by(plan.rig, chain.end.name))
    limbs = [f"{chain.name} ({', '.join(bones)})" for chain in posed if (bones := without_keys(chain))]
    return [translated("alert.no_keys", limbs=", ".join(limbs))] if limbs else []


def _keyed_bones(plan: Plan) -> Iterator[PoseBone]:
    return (plan.rig.pose.bones[bone.name] for chain in plan.chains for bone in chain.keyed)


def _acting_notes(bone: PoseBone, frames: Array | None) -> Iterator[str]:
    """Without what was built into the rig: that shows the limb itself, and a bake switches it off.

    frames : of keys; None for the pose as it is
    """
    own = (each for each in bone.constraints if each.type != "IK" and not each.name.startswith(dependencies.BUILT))
    for name, owner, partly in _acting(own, frames):
        if partly:
            yield translated("alert.acts_on_keys_when", name=name, bone=owner, when=partly)
        else:
            yield translated("alert.acts_on_pose" if frames is None else "alert.acts_on_keys", name=name, bone=owner)


def _acting(constraints: Iterable[Constraint], frames: Array | None) -> Iterator[tuple[str, str, str]]:
    """Name and bone of each constraint that acts on some of the frames, and on which in words; "" for all of them."""
    for constraint in constraints:
        acting = np.array([acts(constraint)]) if frames is None else _acts_on(constraint, frames)
        if acting.any():
            bone = bone_and_property(constraint.path_from_id())[0]
            yield constraint.name, bone, "" if frames is None or acting.all() else when(frames, acting)


def _acts_on(constraint: Constraint, frames: Array) -> NDArray[np.bool_]:
    """(n,) whether the constraint has an effect on n frames."""
    rig: Any = constraint.id_data
    path = constraint.path_from_id()
    enabled = f"{path}.enabled"
    if versions.is_ever_animated(rig, enabled):
        acting = numbers_on(rig, enabled, frames) >= 1.0  # as Blender takes a number for a switch
    else:
        acting = numbers_on(rig, f"{path}.mute", frames) < 1.0
    return acting & (numbers_on(rig, f"{path}.influence", frames) > 0.0) & constraint.is_valid


def _control_set_notes(plan: Plan, constraints: Constraints, frames: Array | None) -> Iterator[str]:
    """Sentences about chains on control sets that the rig does not show, or not as they bend."""
    if constraints:  # otherwise no bone shows a limb in place of another
        limbs = known_by_end(plan.rig)
        yield from _switch_notes(plan, constraints, limbs, frames)
        yield from _pole_notes(plan, limbs)


def switch_notes(plan: Plan) -> list[str]:
    """Sentences about chains that the rig does not show, since a switch has other bones show in their place."""
    constraints = dependencies.constrained(plan.rig)
    return list(_switch_notes(plan, constraints, known_by_end(plan.rig), plan.frames[plan.requested]))


def _switch_notes(
    plan: Plan, constraints: Constraints, limbs: Mapping[str, KnownLimb], frames: Array | None
) -> Iterator[str]:
    rig: Rig = plan.rig
    copied = copies(rig, constraints)
    for chain in plan.chains:
        limb = limbs.get(chain.end.name)
        hiding = hiding_switch(chain, limb, copied, frames)
        if not (hiding and any(bone != other for bone, other in hiding.instead)):
            continue
        named = {"chain": chain.name, "switch": property_label(hiding.path)}
        there = when(plan.frames[plan.requested], hiding.hidden)
        if not versions.is_ever_animated(rig, hiding.path):
            yield translated("alert.switched_off", **named, value=hiding.value)
        elif limb and _has_keys_alone(rig, hiding.path):
            yield translated("alert.switched_off_by_keys", **named, when=there)
        else:
            yield translated("alert.switched_off_there", **named, when=there, value=hiding.value)


def _has_keys_alone(rig: Rig, path: str) -> bool:
    """Whether keys on the property can turn it on some frames: no driver or NLA strip has a say in what it is."""
    drivers = {driver.data_path for driver in versions.drivers(rig)}
    in_strips = {curve.data_path for _, curves in versions.strips(rig, muted=False) for curve in curves}
    return path not in drivers | in_strips


def _pole_notes(plan: Plan, limbs: Mapping[str, KnownLimb]) -> Iterator[str]:
    """Sentences about chains that bend towards the pole control of a known limb whose IK does without it."""
    aside: dict[str, list[str]] = {}
    for chain in plan.chains:
        limb = limbs.get(chain.end.name) if chain.pole else None
        if limb and chain.pole == Point(plan.rig, limb.pole) and not pole_on(plan.rig, limb, plan.frames).all():
            aside.setdefault(limb.pole_switch, []).append(chain.name)
    for switch, names in aside.items():
        yield translated("note.pole_aside", chains=", ".join(names), switch=switch)


def acts(constraint: Constraint) -> bool:
    """True where the constraint has an effect."""
    return constraint.is_valid and not constraint.mute and constraint.influence > 0.0


def flat_notes(plan: Plan, solved: Iterable[SolvedGroup]) -> Iterator[str]:
    """A sentence for each chain with bones to which more than rotations passes, where a scale of zero does."""
    frames = plan.frames[plan.requested]
    for group in (solved_group.group for solved_group in solved):
        if group.kinematics.rigid:
            continue
        flat = group.flat
        for basis in group.basis:
            flat = flat | (basis.scale == 0.0).any(axis=-1)
        is_flat = np.broadcast_to(flat, (len(plan.frames), len(group.plans)))[plan.requested]
        for chain, where in zip(group.plans, is_flat.T, strict=True):
            if where.any():
                yield translated("note.flat_unproven", chain=chain.name, when=when(frames, where))
