"""The twist of solved limbs, spread over their twist bones: no wrist and no shoulder is wrung.

Joints, end bone and tip bone stay as they are solved. Bones at the side turn about the line from joint to joint, below
each bone in line about that from its own head to the joint; the bone after the last of these is turned back. Above,
bones in line take the root bone's own twist over from it: it and each of them turn about the line to the next head, and
the last of them stays as it is solved.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..solver import rotation, twist
from ..solver.values import Array
from ..solver.vectors import product
from . import inherit, transform, twist_bones
from .chain_group import ChainGroup, basis_below
from .solved_group import SolvedGroup
from .transform import Basis, each_array, stacked
from .twist_bones import line_to, turned
from .values import ChainPlan, Point, Samples, Turned, TwistBone


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Limb:
    """Solved limbs before their twist is spread: bases (n, c, ...), poses (n, c, 4, 4) in the pose space.

    bases, poses : from root bones to end bones
    below, below_poses : of `ChainPlan.below`
    """

    bases: list[Basis]
    poses: list[Array]
    below: list[Basis]
    below_poses: list[Array]


def spread(solved: SolvedGroup, limb: list[Basis]) -> list[Basis]:
    """The bases of all keyed bones, from those of the bones of `ChainPlan.limb` as they are solved."""
    plan, kinematics = solved.plan, solved.group.kinematics
    whole, (root, end, *after) = _limb(solved, limb), limb
    angles = {half: found.angle for half, (found, _) in _twists(solved, whole).items()}
    influence = np.asarray(solved.group.number("influence"))
    line: list[Basis] = []
    poses = whole.poses
    if (given := solved.group.gathered) is not None:
        root, *_, end = bases = _in_chain(solved, whole, given, angles[True], influence)
        line = [bases[row] for row, _ in twist_bones.in_line(plan, upper=True)]
        poses = kinematics.poses(tuple(bases))
    under = twist_bones.in_line(plan, upper=False)
    if under or (line and not kinematics.rigid):
        goals = [_shares(solved, plan.twists.index(part)) * angles[False] for _, part in under]
        below = _below(solved.group, whole, poses[-1], goals, influence)
        line += [below[row] for row, _ in under]
        after = [below[plan.below.index(bone)] for bone in plan.limb[2:]]
    carriers = {True: kinematics.in_armature(poses[0]), False: kinematics.in_armature(poses[-1])}
    at_side = [
        _at_side(solved, carriers[part.upper], number, angles[part.upper], influence)
        for number, part in enumerate(plan.twists)
        if not part.in_line
    ]
    return [root, end, *after, *line, *at_side]


def measured(solved: SolvedGroup, limb: list[Basis]) -> dict[bool, tuple[twist.Twist, Array]]:
    """(n, c) the twist of each half that has twist bones, the upper one as True; (n, c, 3, 3) what has this twist."""
    return _twists(solved, _limb(solved, limb))


def _twists(solved: SolvedGroup, limb: Limb) -> dict[bool, tuple[twist.Twist, Array]]:
    halves = [half for half in (True, False) if any(part.upper == half for part in solved.plan.twists)]
    return {half: _twist(solved, limb, half) for half in halves}


def poses(solved: SolvedGroup, bases: Sequence[Basis]) -> list[Array]:
    """(n, c, 4, 4) in armature space, the keyed bones with these bases."""
    group, plans, plan = solved.group, solved.plans, solved.plan
    keyed = dict(zip(plan.keyed, bases, strict=True))
    found = dict(zip(plan.bones, map(group.kinematics.in_armature, group.posed_by(keyed)), strict=True))
    if plan.turns_tip or plan.third:
        below = [keyed.get(bone) or basis_below(plans, row, solved.samples) for row, bone in enumerate(plan.below)]
        found |= zip(plan.below, _poses_below(plans, found[plan.end], below), strict=True)
    for number, part in enumerate(plan.twists):
        if not part.in_line:
            bones = tuple(other.twists[number].bone for other in plans)
            carrier = found[plan.root if part.upper else plan.end]
            found[part.bone] = inherit.pose(bones, carrier, keyed[part.bone].matrix)
    return [found[bone] for bone in plan.keyed]


def _limb(solved: SolvedGroup, limb: list[Basis]) -> Limb:
    root, end, *tips = limb
    return _limb_of(solved.group, solved.samples, [root, *solved.group.basis[1:-1], end], tips)


def _limb_of(group: ChainGroup, samples: Samples, bases: list[Basis], tips: Sequence[Basis] = ()) -> Limb:
    plans, poses = group.plans, group.kinematics.poses(tuple(bases))
    below = [basis_below(plans, index, samples) for index in range(len(group.plan.below))]
    for bone, basis in zip(group.plan.limb[2:], tips, strict=False):
        below[group.plan.below.index(bone)] = basis
    return Limb(bases=bases, poses=poses, below=below, below_poses=_poses_below(plans, poses[-1], below))


def _poses_below(plans: Sequence[ChainPlan], end: Array, below: Sequence[Basis]) -> list[Array]:
    return inherit.poses(zip(*(plan.below for plan in plans), strict=True), end, below)[1:]


def _twist(solved: SolvedGroup, limb: Limb, upper: bool) -> tuple[twist.Twist, Array]:
    """(n, c) of the root bones against their parents, or of the tip bones against the end bones."""
    plans, parent = solved.plans, solved.group.kinematics.parent
    rest = np.array([twist_bones.rest_orientation(plan, upper=upper) for plan in plans])
    line = np.array([twist_bones.rest_line(plan, upper=upper) for plan in plans])
    own = limb.poses[0] if upper else limb.below_poses[len(solved.plan.twisting) - 1]
    if upper:
        # The line is the root bone's own.
        line, own = transform.transform_vectors(rest, line), solved.group.kinematics.in_armature(own)
    carrier = (np.eye(4) if parent is None else parent) if upper else limb.poses[-1]
    turn = transform.orientation(twist_bones.seen_from(carrier, own[..., :3, :3]))
    turn = product(turn, np.swapaxes(rest, -1, -2))
    before = [plan.turned.get(upper, Turned()) for plan in plans]
    first = [own if each.rotation is None else each.rotation for each, own in zip(before, turn[0], strict=True)]
    found = twist.twist(np.concatenate(([first], turn)), line, [each.angle for each in before])
    return each_array(lambda values: values[1:], found), turn


def _shares(solved: SolvedGroup, number: int) -> Array:
    """(n, c) the shares of the twist bones with this number."""
    return stacked(_share(solved, plan, plan.twists[number]) for plan in solved.plans)


def _share(solved: SolvedGroup, plan: ChainPlan, part: TwistBone) -> Array:
    """(n,)"""
    numbers = solved.samples.numbers
    by_hand = numbers[Point(plan.rig, part.bone.name)]["twist"] if part.animated else np.array([part.share])
    return np.where(by_hand >= 0.0, by_hand, part.by_place)


def _in_chain(solved: SolvedGroup, limb: Limb, given: Array, angle: Array, influence: Array) -> list[Basis]:
    """The bases of the chains' bones, root bones first.

    given : (n, c, k) `ChainGroup.gathered`
    """
    shares = [np.zeros(1), *(_shares(solved, number) for number in range(given.shape[-1] - 1))]
    # Against the last of them, which stays: what its share leaves the root bone keeps, where the next solve finds it.
    goals = np.stack(np.broadcast_arrays(*((share - shares[-1]) * angle for share in shares)), axis=-1)
    turns = influence[..., None] * (goals + given) - given
    return twist_bones.turned_in_place(solved.plan, solved.group.kinematics, limb.bases, turns)


def without_turns(group: ChainGroup, samples: Samples) -> Samples:
    """The samples with bones in line below the end bones turned back, where their chains stretch.

    They turn about a line through the joint, which lies elsewhere as soon as their chain has another length. There the
    joint would have moved, and the next bake would begin from another limb.
    """
    plan, plans = group.plan, group.plans
    found = twist_bones.in_line(plan, upper=False)
    if not (plan.scaled and found) or plan.may_fall_short("influence"):
        return samples
    limb = _limb_of(group, samples, [*group.posed[: len(group.basis)]])
    still = _below(group, limb, limb.poses[-1], [np.zeros(1)] * len(found), np.ones(1))
    turned_back = {
        Point(each.rig, each.below[row].name): still[row].column(column)
        for row in (*(row for row, _ in found), -1)
        for column, each in enumerate(plans)
    }
    return replace(samples, basis=samples.basis | turned_back)


def _below(group: ChainGroup, limb: Limb, end: Array, goals: Sequence[Array], influence: Array) -> list[Basis]:
    """The bases of the bones below the end bones, once those in line are turned; tips and third bones are turned back.

    end : (n, c, 4, 4) the poses of the end bones; sheared, these are others than the limb's, though oriented alike
    goals : (n, c) radians for each bone in line, how far it and those that carry it are to turn
    """
    plans, below, before = group.plans, list(limb.below), np.zeros(1)
    carrier = group.kinematics.poses(tuple(basis.without_rotation for basis in group.basis))[-1]
    still = _poses_below(plans, carrier, [basis.without_rotation for basis in below])

    for (row, _), goal in zip(twist_bones.in_line(group.plan, upper=False), goals, strict=True):
        line, start = (line_to(group.plan.below, row, poses, below[row]) for poses in (limb.below_poses, still))
        turn = influence * (goal - before - twist_bones.angle(below[row].rotation, line, start))
        below[row], before = turned(below[row], line, turn), goal
    for row, wanted in enumerate(limb.below_poses):
        bones = tuple(plan.below[row] for plan in plans)
        if bones[0] in plans[0].limb:
            below[row] = inherit.turned_back(bones, end, below[row], wanted)
        end = inherit.pose(bones, end, below[row].matrix)
    return below


def _at_side(solved: SolvedGroup, carrier: Array, number: int, angle: Array, influence: Array) -> Basis:
    """The bases of the bones at the side with this number, on these poses (n, c, 4, 4) of the bones that carry them."""
    plans, upper = solved.plans, solved.plan.twists[number].upper
    bones = tuple(plan.twists[number].bone for plan in plans)
    basis = Basis.side_by_side(solved.samples.basis[Point(plan.rig, plan.twists[number].bone.name)] for plan in plans)
    offsets = np.array([bone.offset[:3, :3] for bone in bones])
    rest = product(transform.unscaled(carrier[..., :3, :3]), offsets)
    still = inherit.rotation(bones, carrier, basis.scale, rest)
    lines = [twist_bones.line_at_side(plan.twists[number], twist_bones.rest_line(plan, upper=upper)) for plan in plans]
    turn = (_shares(solved, number) - twist_bones.carried_share(plans[0], upper)) * angle
    goal = product(still, rotation.about(np.array(lines), turn))
    if np.any(np.less(influence, 1.0)):
        goal = rotation.blend(basis.rotation, goal, influence)
    return basis.with_rotation(goal)
