"""Bones that change their length as they turn, twist bones in line too, under uneven scale: their chains are solved
again with the new lengths.

How long a sheared bone is depends on the pose, and the pose on how long the bone is. So the links that a rigid chain
would need at rest to look the same are found as a fixed point. The solver is given their lengths alone, along the links
of the reference pose, and each bone first takes the shortest turn there: so the direction of a link at rest never
decides the plane, in which there might be no fixed point.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..solver import hock, rotation
from ..solver.fixed_point import fixed_point
from ..solver.reference_pose import ReferencePose
from ..solver.values import Array, Goals, Reference, Status, Unreachable
from ..solver.vectors import chained, dot, norm, unit
from . import chain_group, tail, transform, twist
from .bone_channels import posed_stretch, shown_bases, stretch_limits
from .chain_group import ChainGroup
from .rounding import VISIBLE
from .solved_group import SolvedGroup
from .transform import Basis
from .values import Bone, Samples

_CLOSE = 1e-7
"""Part of the chain's length: as exact as single precision can keep it in keys."""


def solve_group(group: ChainGroup, goals: Goals, samples: Samples) -> SolvedGroup:
    """The chains with links that fit their solved poses, and their solution with the joints of these poses."""
    turned_back = twist.without_turns(group, samples)
    if turned_back is not samples:
        samples = turned_back
        [group] = chain_group.chain_groups(group.plans, samples, len(goals.target))
    group = with_grown(group, samples)
    goals = replace(goals, stretch_limits=stretch_limits(group))
    reference = _reference(group, goals, samples)
    reaching = _without_hold(group)

    def fitting(fit: Array) -> tuple[Array, Array]:
        links, joints = fitted(fit)
        result = _solve_with_links(reaching, reference, links, joints, samples)
        bases = shown_bases(result)
        shown = _posed_links(group, bases, samples)
        posed = group.sides(shown) / result.solution.stretch[..., None]
        miss = norm(result.solution.target - shown.sum(axis=-2))
        return with_lever(_flat(_rotated_back(result.solution.rotations, posed)), bases), miss

    def fitted(fit: Array) -> tuple[Array, Goals]:
        """The links, and the goals of the tips; of chains that reach with tails the lever is at the end of `fit`."""
        lever = fit[..., 6:] if group.plan.by_tail else None
        return _pairs(fit[..., :6]), tail.joint_goals(group, goals, lever)

    def with_lever(links: Array, bases: Mapping[Bone, Basis]) -> Array:
        if not group.plan.by_tail:
            return links
        lever = tail.lever(group, tail.parent_pose(group, bases, samples), samples)
        shape = np.broadcast_shapes(links.shape[:-1], lever.shape[:-1])
        return np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in (links, lever)], axis=-1)

    start = reference / posed_stretch(group)[..., None] if group.plan.options.reference == Reference.POSE else reference
    start = with_lever(_flat(start), {group.plan.third[0]: group.third.basis} if group.third else {})
    fit = fixed_point(fitting, start, _CLOSE)
    solved = _solve_with_links(group, reference, *fitted(fit), samples)
    return _with_posed_joints(replace(solved, goals=goals), _pairs(fitting(fit)[0][..., :6] - fit[..., :6]))


def with_grown(group: ChainGroup, samples: Samples) -> ChainGroup:
    """The chains with `ChainGroup.grown` where they have a pole pin."""
    if not group.plan.pole_pins:
        return group
    limb = [group.basis[0].without_rotation, group.basis[-1].without_rotation]
    limb += [group.third.basis.without_rotation] if group.third else []

    def ways(bases: Sequence[Basis]) -> Array:
        return _posed_links(group, dict(zip(group.plan.limb, bases, strict=False)), samples)

    way, twice = ways(limb), np.array(2.0)
    longer = [[*limb[:bone], basis.stretched(twice), *limb[bone + 1 :]] for bone, basis in enumerate(limb)]
    gains = [ways(bases)[..., bone, :] - way[..., bone, :] for bone, bases in enumerate(longer)]
    gain = np.stack(np.broadcast_arrays(*gains), axis=-2)
    return replace(group, grown=np.stack(np.broadcast_arrays(way, gain), axis=-2))


def _solve_with_links(group: ChainGroup, reference: Array, links: Array, goals: Goals, samples: Samples) -> SolvedGroup:
    """The chains solved with the links `links` at rest, given to the solver along those of `reference` (n, c, 2, 3)."""
    joints = chained(unit(reference) * norm(links)[..., None])
    rest, group = group.prepared.rest, replace(group, chain=replace(group.chain, joints=joints))
    prepared = replace(group.prepared, from_bones=rotation.shortest(unit(links), unit(reference)))
    if group.plan.options.reference == Reference.POSE:
        hinges = _hinges(group, rest, prepared.rest)
        prepared = replace(prepared, rest=replace(rest, hinges=hinges))
    return SolvedGroup(group=group, goals=goals, solution=group.solve(goals, prepared), samples=samples)


def _hinges(group: ChainGroup, rest: ReferencePose, own: ReferencePose) -> Array:
    """(n, c, 2, 3) the axes about which a bake bends `own`, the links of a pose; what is straight then shows none.

    These may bend to another side than those at rest, whose side holds. Of a leg the axis is that of its links.
    """
    if group.third:
        return np.copysign(1.0, dot(own.hinges, rest.hinges))[..., None] * own.hinges
    turns = rotation.shortest(*np.broadcast_arrays(rest.links, own.links))
    return np.einsum("...ij,...j->...i", turns, rest.hinges)


def _with_posed_joints(solved: SolvedGroup, off: Array) -> SolvedGroup:
    """The solution with its joints as they are posed; they differ on frames that hold a pose, or if no links fit.

    off : (n, c, 2, 3)     the links that it gets, less those that it was solved with
    """
    solution, size = solved.solution, norm(np.diff(solved.group.chain.joints, axis=-2)).sum(axis=-1)
    joints = chained(_posed_links(solved.group, shown_bases(solved), solved.samples))
    unfit = (norm(off).sum(axis=-1) > VISIBLE * size) & (solution.status == Status.REACHED)
    solution = replace(solution, joints=joints)
    short = np.where(norm(joints[..., -1, :]) < norm(solution.target), Status.TOO_FAR, Status.TOO_CLOSE)
    status = np.where(unfit, short, solution.status).astype(np.uint8)
    shortfall = np.where(unfit, norm(solution.miss), solution.shortfall)
    return replace(solved, solution=replace(solution, status=status, shortfall=shortfall))


def _without_hold(group: ChainGroup) -> ChainGroup:
    """These chains, to be solved frame by frame: a held pose does not show whether the target is within reach."""
    if group.plan.options.unreachable != Unreachable.HOLD:
        return group
    plans = tuple(replace(plan, options=replace(plan.options, unreachable=Unreachable.CLAMP)) for plan in group.plans)
    return replace(group, plans=plans)


def _reference(group: ChainGroup, goals: Goals, samples: Samples) -> Array:
    """(n, c, 2, 3) the links at rest, or as the input pose has them if that is the reference."""
    if group.plan.options.reference == Reference.POSE:
        assert goals.pose is not None
        bases = group.posed if group.gathered is None else chain_group.as_sampled(group, samples)
        posed = dict(zip((*group.plan.bones, *group.plan.third), bases, strict=True))
        links = _posed_links(group, posed, samples)
        if group.third:
            # Whatever the third bone does in the pose, the next bake finds it turned as the hock says.
            turns = hock.with_third(group.prepared_leg, goals.pose)
            links = np.einsum("...ij,...j->...i", turns, _rotated_back(goals.pose, links))
        return _rotated_back(goals.pose, group.sides(links))
    return np.diff(group.chain.joints, axis=-2)


def _posed_links(group: ChainGroup, bases: Mapping[Bone, Basis], samples: Samples) -> Array:
    """(n, c, 2, 3) root to mid and mid to tip in chain space, with these bases of the bones; of legs with a hock
    (n, c, 3, 3), with that joint between.
    """
    to_chain, _ = transform.nearest_inverse(group.kinematics.from_space)
    joints = posed_joints(group, bases, samples)[..., 1:, :]
    return np.diff(transform.transform_points(to_chain[..., None, :, :], joints), axis=-2, prepend=0.0)


def posed_joints(group: ChainGroup, bases: Mapping[Bone, Basis], samples: Samples) -> Array:
    """(n, c, 3, 3) root, mid and tip in the pose space, with these bases of the bones; (n, c, 4, 3) with a hock."""
    poses = group.posed_by(bases)
    bones = [poses[0], poses[-1]]
    if group.third:
        bones.append(group.third.pose(poses[-1], bases[group.plan.third[0]]))
    joints = (*(pose[..., :3, 3] for pose in bones), chain_group.tip(group.plans, poses[-1], samples, bases))
    return np.stack(np.broadcast_arrays(*joints), axis=-2)


def _rotated_back(rotations: Array, links: Array) -> Array:
    """(n, c, k, 3) the links before each was rotated by (n, c, k, 3, 3), the first `k` of those given."""
    return np.einsum("...ji,...j->...i", rotations[..., : links.shape[-2], :, :], links)


def _flat(links: Array) -> Array:
    return links.reshape(*links.shape[:-2], 6)


def _pairs(links: Array) -> Array:
    return links.reshape(*links.shape[:-1], 2, 3)
