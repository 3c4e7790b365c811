"""What a report says of limbs that are pinned to their poles: how far off the pole, and past which limits they are."""

from typing import Any

import numpy as np

from ...skeleton import transform
from ...skeleton.solve import world_joints
from ...skeleton.solved_group import SolvedGroup
from ...solver import hock, reference
from ...solver.values import Array
from ...solver.vectors import norm

_SEEN = 1e-4
"""Part of the limb's length, and radians: a smaller difference cannot be seen."""


def pin_fields(solved: SolvedGroup) -> dict[str, Array]:
    """(n, c) of each chain; distances in the world, on frames with all of the pin."""
    group, solution = solved.group, solved.solution
    joints = world_joints(solved)
    links = norm(np.diff(joints, axis=-2))
    pole = transform.stacked(solved.samples.world(plan.pole)[..., :3, 3] for plan in solved.plans if plan.pole)
    whole = np.equal(group.number("pole_pin"), 1.0) & np.equal(group.number("influence"), 1.0)
    options, angle = group.options, solution.hinge_angle
    past_bend = np.maximum(options.bend_min - angle, angle - options.bend_max)
    return {
        "least_stretch": solution.stretch.min(axis=-1),
        "off_pole": _where_seen(norm(joints[..., 1, :] - pole), _SEEN * links.sum(axis=-1), whole),
        "past_bend": _where_seen(past_bend, _SEEN, whole),
        "past_extension": _where_seen(_past_extension(solved, joints), _SEEN * links.sum(axis=-1), whole),
    }


def _past_extension(solved: SolvedGroup, joints: Array) -> Array:
    """(n, c) how much farther the tip reaches than in the chain's own pose, in the world."""
    group, reached = solved.group, norm(solved.solution.joints[..., -1, :])
    if not (group.plan.options.use_extension_limit and solved.goals.pose is not None):
        return np.zeros(reached.shape)
    pose = hock.triangle_pose(group.prepared_leg, solved.goals.pose) if group.third else solved.goals.pose
    own = reference.from_rotations(group.chain, group.prepared.rest, pose).reach
    world = norm(joints[..., -1, :] - joints[..., 0, :])
    return world * (1.0 - own / np.where(reached > 0.0, reached, np.inf))


def _where_seen(values: Array, least: Array | float, whole: Any) -> Array:
    return np.where(whole & (values > least), values, 0.0)
