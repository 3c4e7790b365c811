"""Limbs that reach with the tail of their tip bone: where the joint has to be for it, and where the tail then is.

The target's rotation turns the tip bone, whatever the rest of the limb does. So the way from its head to its tail, the
lever, is known before the limb is solved: the joint goes to the target less the lever. Only where bones above change
the tip bone's length as they turn, the lever depends on the solution, and is found with the links of those bones.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..solver.values import Array, Goals, ReachWith
from ..solver.vectors import dot, norm, product, unit
from . import inherit, transform
from .bone_channels import shown_bases, turned_tips
from .chain_group import ChainGroup, tip_parent_pose
from .solved_group import SolvedGroup
from .transform import Basis, stacked
from .values import Bone, Samples


def joint_goals(group: ChainGroup, goals: Goals, lever: Array | None) -> Goals:
    """The goals, with the place of the tip as their target.

    lever : (n, c, 3) in chain space, from the tip to what comes to the target; None where the tip does
    """
    goals = goals if lever is None else replace(goals, target=goals.target - lever)
    return replace(goals, target=_within_reach(group, goals.target)) if group.flat.any() else goals


def _within_reach(group: ChainGroup, target: Array) -> Array:
    """(n, c, 3) the targets; where the limb is flat and one is too close, moved along what does not show in the world.

    What shows of a limb may be as short as it likes: its bones then point along the line that is squeezed.
    """
    unseen = np.eye(3) - product(group.from_world[..., :3, :3], group.to_world[..., :3, :3])
    # Among the directions that do not show, take the one in which most of an axis is hidden.
    best = np.square(unseen).sum(axis=-2).argmax(axis=-1)[..., None, None]
    line = unit(np.take_along_axis(unseen, best, axis=-1)[..., 0])
    lengths = norm(np.diff(group.chain.joints, axis=-2))
    inner = np.abs(lengths[..., 0] - lengths[..., 1])
    missing = np.sqrt(np.maximum(inner**2 - dot(target, target), 0.0))
    return np.where(group.flat[..., None], target + missing[..., None] * line, target)


def lever(group: ChainGroup, parent: Array, samples: Samples) -> Array:
    """(n, c, 3) in chain space, from head to tail of tip bones that are turned as their targets are.

    parent : (n, c, 4, 4) the poses of their parents in armature space; the lever of rigid chains is the same for all
    """
    poses = inherit.pose(_tips(group), parent, turned_tips(group, parent, samples).matrix)
    from_armature, _ = transform.nearest_inverse(group.kinematics.to_armature)
    return transform.transform_vectors(from_armature[..., :3, :3], _along(group, poses))


def parent_pose(group: ChainGroup, bases: Mapping[Bone, Basis], samples: Samples) -> Array:
    """(n, c, 4, 4) the poses in armature space of what bears the tip bones.

    bases : by bone of the first chain those that are other than before it is solved
    """
    end_pose = group.kinematics.in_armature(group.posed_by(bases)[-1])
    return tip_parent_pose(group.plans, end_pose, samples, bases)


def world_tails(solved: SolvedGroup) -> Array:
    """(n, c, 3) where the tails are in the world, as the chains are solved."""
    group, samples = solved.group, solved.samples
    bases = shown_bases(solved)
    poses = inherit.pose(_tips(group), parent_pose(group, bases, samples), bases[group.plan.below[-1]].matrix)
    to_world = stacked(samples.to_world[plan.rig] for plan in group.plans)
    tails = transform.transform_points(to_world, poses[..., :3, 3] + _along(group, poses))
    return np.broadcast_to(tails, (*solved.solution.status.shape, 3))


def by_joint(solved: SolvedGroup) -> SolvedGroup:
    """The chains as they reach with their tips for the places that these have to take."""
    plans = tuple(replace(plan, reach_with=ReachWith.JOINT) for plan in solved.plans)
    goals = replace(solved.goals, target=solved.solution.target)
    return replace(solved, group=replace(solved.group, plans=plans), goals=goals)


def _tips(group: ChainGroup) -> inherit.Bones:
    return tuple(plan.below[-1] for plan in group.plans)


def _along(group: ChainGroup, poses: Array) -> Array:
    """(n, c, 3) from head to tail of the tip bones with these poses (n, c, 4, 4)."""
    return poses[..., :3, 1] * np.array([bone.length for bone in _tips(group)])[:, None]
