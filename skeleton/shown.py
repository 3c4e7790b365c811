"""What shows of solved limbs, for the report: how far off their pole those are that are pinned to it, and past which
limits; and the twist, also to be compared with what Blender evaluates.
"""

from typing import Any

import numpy as np

from ..solver import hock, reference_pose
from ..solver.values import Array, Integers, Mask
from ..solver.vectors import norm
from . import transform, twist
from .bone_channels import bone_bases, limb_bases
from .reduced_keys import SIDE
from .rounding import VISIBLE
from .solve import world_joints
from .solved_group import SolvedGroup
from .transform import stacked


def undecided_twist(solved: SolvedGroup) -> Mask:
    """(n, c) True on frames on which a joint swings so far that its twist was taken from the frames around."""
    found = twist.measured(solved, limb_bases(solved)).values()
    none = np.zeros(solved.solution.status.shape, dtype=np.bool_)
    return np.logical_or.reduce([none, *(~half.decided for half, _ in found)])


def twist_points(solved: SolvedGroup, rows: Integers) -> Array:
    """(m, c, k, 3) in the world, beside the tails of the twist bones: how they turn, on these rows of the frames."""
    plans, at = solved.plans, transform.on_rows(rows)
    posed = twist.poses(solved, bone_bases(solved))[len(solved.plan.limb) :]
    offsets = np.array([[part.bone.length * np.array((SIDE, 1.0, 0.0)) for part in plan.twists] for plan in plans])
    points = transform.transform_points(np.stack([at(pose) for pose in posed], axis=2), offsets)
    to_world = at(stacked(solved.samples.to_world[plan.rig] for plan in plans))
    return np.broadcast_to(transform.transform_points(to_world[:, :, None], points), (len(rows), *points.shape[1:]))


def pole_pin_fields(solved: SolvedGroup) -> dict[str, Array]:
    """(n, c) of each chain; distances in the world, on frames with the whole pole pin."""
    group, solution = solved.group, solved.solution
    joints = world_joints(solved)
    links = norm(np.diff(joints, axis=-2))
    pole = stacked(solved.samples.world(plan.pole)[..., :3, 3] for plan in solved.plans if plan.pole)
    whole = np.equal(group.number("pole_pin"), 1.0) & np.equal(group.number("influence"), 1.0)
    options, angle = group.options, solution.hinge_angle
    past_bend = np.maximum(options.bend_min - angle, angle - options.bend_max)
    return {
        "least_stretch": solution.stretch.min(axis=-1),
        "off_pole": _where_seen(norm(joints[..., 1, :] - pole), VISIBLE * links.sum(axis=-1), whole),
        "past_bend": _where_seen(past_bend, VISIBLE, whole),
        "past_extension": _where_seen(_past_extension(solved, joints), VISIBLE * links.sum(axis=-1), whole),
    }


def _past_extension(solved: SolvedGroup, joints: Array) -> Array:
    """(n, c) how much farther the tip reaches than in the chain's own pose, in the world."""
    group, reached = solved.group, norm(solved.solution.joints[..., -1, :])
    if not (group.plan.options.use_extension_limit and solved.goals.pose is not None):
        return np.zeros(reached.shape)
    pose = hock.triangle_pose(group.prepared_leg, solved.goals.pose) if group.third else solved.goals.pose
    own = reference_pose.from_rotations(group.chain, group.prepared.rest, pose).reach
    world = norm(joints[..., -1, :] - joints[..., 0, :])
    return world * (1.0 - own / np.where(reached > 0.0, reached, np.inf))


def _where_seen(values: Array, least: Array | float, whole: Any) -> Array:
    return np.where(whole & (values > least), values, 0.0)
