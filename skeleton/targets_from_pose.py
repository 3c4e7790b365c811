"""Target and pole target from the pose: where they have to be for the chains to be posed as they show.

The pose that shows is the evaluated one, with constraints and all. Its joints are read in chain space, the solver finds
target and pole, and the chain is solved for them with its own options, which shows how far they keep the pose. So the
pole target goes in front of the limb or behind it, to the side from which the pose stays.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..solver import Solution, bend, reach, reference_pose, rotation, targets
from ..solver.values import Array, Chain, Goals, Mask, ReachWith, Unreachable
from ..solver.vectors import chained, norm, product
from . import transform
from .chain_group import ChainGroup, chain_groups, goals
from .rounding import VISIBLE
from .solve import solve_for
from .solved_group import SolvedGroup
from .values import ChainPlan, Plan, Point, Samples


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TargetsFromPose:
    """One chain with the goals that keep its pose, and its solution for them.

    solved : the chain, a group of one, as it reaches with its tip
    target, pole : (n, 3)             in the world; the pole is there for chains without one as well
    orientation : (n, 3, 3)           in the world, of the tip bone, or the end bone if there is none
    moved : (n,)                      how far a joint is off the pose, world units
    rolled : (n,)                     the angle by which a bone is off, radians
    size : float                      the chain's length, world units
    by_tail : bool                    True where the tail of the tip bone is on the target
    """

    solved: SolvedGroup
    target: Array
    pole: Array
    orientation: Array
    moved: Array
    rolled: Array
    size: float
    by_tail: bool

    @property
    def joints_moved(self) -> Mask:
        """(n,) True on frames on which a joint does not keep its place."""
        return self.moved > VISIBLE * self.size

    @property
    def bones_rolled(self) -> Mask:
        """(n,) True on frames on which a bone does not keep its orientation."""
        return self.rolled > VISIBLE


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Pose:
    """The pose that shows, in chain space.

    rotations : (n, 2, 3, 3)     of root and end bone, from rest; of a leg with a hock (n, 3, 3, 3)
    chain : the joints at rest from which the first two rotations lead to the pose; of such a leg those of its triangle
    joints : (n, 2, 3)           mid and tip; of such a leg (n, 3, 3), with the hock between
    """

    rotations: Array
    chain: Chain
    joints: Array

    @property
    def mid(self) -> Array:
        """(n, 3)"""
        return self.joints[..., 0, :]

    @property
    def tip(self) -> Array:
        """(n, 3)"""
        return self.joints[..., -1, :]


def targets_from_pose(plan: Plan, samples: Samples) -> list[TargetsFromPose]:
    """The targets and poles of all chains of the plan, each found by itself."""
    return [_of_chain(chain, samples, plan.seconds) for chain in plan.chains]


def _of_chain(plan: ChainPlan, samples: Samples, seconds: Array) -> TargetsFromPose:
    count = len(seconds)
    # How the pose has the tip bone is the rotation that the target will have.
    [group] = chain_groups([replace(plan, reach_with=ReachWith.JOINT)], samples, count)
    to_world, pose = group.to_world[:, 0], _pose(group, samples, count)
    sampled = goals(group, samples, count, seconds)
    target, pole, solved = _best_goals(group, pose, sampled, samples, _resolution(to_world, pose))
    solution = solved.solution
    off = solution.joints[:, 0, 1:] - pose.joints
    links = np.diff(pose.joints, axis=-2, prepend=0.0)
    linear = to_world[..., None, :3, :3]
    last = samples.world(Point(plan.rig, plan.tip_place[0]))
    # Chain space of a flat limb is flat as well, and need not have the tip where it shows.
    tip = transform.transform_points(last, np.array(plan.tip_place[1]))
    lost = np.where(group.flat[:, 0], norm(transform.transform_points(to_world, solution.joints[:, 0, -1]) - tip), 0.0)
    # From the tip to what comes to the target.
    lever = last[..., :3, 1] * (plan.below[-1].length if plan.by_tail else 0.0)
    return TargetsFromPose(
        solved=solved,
        target=transform.transform_points(to_world, target) + lever,
        pole=transform.transform_points(to_world, pole),
        orientation=transform.orientation(last[..., :3, :3]),
        moved=np.maximum(norm(transform.transform_vectors(linear, off)).max(axis=-1), lost),
        rolled=rotation.angle_between(solution.rotations[:, 0], pose.rotations).max(axis=-1),
        size=float(norm(transform.transform_vectors(linear, links)).sum(axis=-1).max()),
        by_tail=plan.by_tail,
    )


def _best_goals(
    group: ChainGroup, pose: _Pose, sampled: Goals, samples: Samples, resolution: Array
) -> tuple[Array, Array, SolvedGroup]:
    """Target and pole (n, 3) in chain space that keep the pose best, and the chain solved for them."""
    plan, options = group.plan, group.options_of(0)
    size = float(norm(np.diff(pose.chain.joints, axis=-2)).sum(axis=-1).max())
    steady = targets.STEADY + (float(resolution.max()) / size if size else 0.0)
    target = _target(group, pose, resolution)
    pole_pin = options.pole_pin if plan.pole else 0.0
    tries = []
    # A pole in front of the chain is right for one that bends away from its pole.
    for distance in (size, -size):
        pole = targets.from_pose(pose.chain, pose.rotations[:, :2], distance, options.pole_angle, steady).pole
        assert pole is not None
        pole = np.where((np.broadcast_to(pole_pin, len(pole)) > 0.0)[..., None], pose.mid, pole)
        tried = _as_sampled(group, replace(sampled, target=target[:, None], pole=pole[:, None] if plan.pole else None))
        tries.append((target, pole, solve_for(group, tried, samples)))
    return min(tries, key=lambda tried: _cost(tried[-1].solution, pose))


def _as_sampled(group: ChainGroup, placed: Goals) -> Goals:
    """The goals as they will be read where they are put in the world: of a flat limb not all of that shows there."""
    if not group.flat.any():
        return placed

    def read(points: Array) -> Array:
        shown = transform.transform_points(group.to_world, points)
        return np.where(group.flat[..., None], transform.transform_points(group.from_world, shown), points)

    pole = None if placed.pole is None else read(placed.pole)
    return replace(placed, target=read(placed.target), pole=pole)


def _pose(group: ChainGroup, samples: Samples, count: int) -> _Pose:
    plan, (from_armature, _) = group.plan, transform.nearest_inverse(group.kinematics.to_armature[:, 0])

    def in_chain_space(name: str) -> Array:
        return product(from_armature, samples.pose[Point(plan.rig, name)])

    root, *bones = (in_chain_space(bone.name) for bone in (plan.root, plan.end, *plan.third))
    last, place = plan.tip_place
    tip = transform.transform_points(in_chain_space(last), np.array(place))
    # A tip bone may move on a limb that does not move.
    posed = np.stack(np.broadcast_arrays(*(bone[..., :3, 3] for bone in bones), tip), axis=-2)
    turns = (
        _with_gathered(group, transform.rotation(root[..., :3, :3], group.basis[0].scale[:, 0])),
        *(
            product(transform.orientation(bone[..., :3, :3]), np.swapaxes(rest[:, 0], -1, -2))
            for bone, rest in zip(bones, group.rests, strict=True)
        ),
    )
    rotations = np.broadcast_to(np.stack(np.broadcast_arrays(*turns), axis=-3), (count, len(turns), 3, 3))
    links = group.sides(np.diff(posed, axis=-2, prepend=0.0))
    joints = chained(np.einsum("...bji,...bj->...bi", rotations[:, :2], links))
    chain = Chain(joints=joints, hinge_axis=group.chain.hinge_axis[:, 0], use_hinge_axis=group.chain.use_hinge_axis)
    return _Pose(rotations=rotations, chain=chain, joints=posed)


def _with_gathered(group: ChainGroup, turn: Array) -> Array:
    """(n, 3, 3) rotations of the root bone, with the turns of bones in line, as the solver has them."""
    if group.line is None or group.gathered is None:
        return turn
    return product(turn, rotation.about(group.line[:, 0], group.gathered[:, 0, 0]))


def _target(group: ChainGroup, pose: _Pose, resolution: Array) -> Array:
    """(n, 3) the target: the tip, or as far beyond it as softness pulls the tip back."""
    options = group.options_of(0)
    lengths = reach.equalized(norm(np.diff(group.chain.joints[:, 0], axis=-2)), options.tolerance)
    plane = reference_pose.from_rotations(pose.chain, reference_pose.rest(pose.chain), pose.rotations[:, :2])
    _, outer = reach.annulus(lengths, *bend.opening(plane.side, options))
    # Bones that stretch meet the target all the same.
    softness = 0.0 if options.unreachable == Unreachable.STRETCH else options.softness
    return targets.target_beyond_tip(np.broadcast_to(pose.tip, (len(pose.rotations), 3)), outer, softness, resolution)


def _resolution(to_world: Array, pose: _Pose) -> Array:
    """(n,) in chain space, the rounding of float32 positions in the world after a product or two."""
    root, tip = to_world[..., :3, 3], transform.transform_points(to_world, pose.tip)
    world = norm(tip - root)
    coarse = 2.0 * np.spacing(np.maximum(np.abs(root), np.abs(tip)).max(axis=-1).astype(np.float32))
    return coarse * np.where(world > 0.0, norm(pose.tip) / np.where(world > 0.0, world, 1.0), 0.0)


def _cost(solution: Solution, pose: _Pose) -> float:
    """How far the solution is from the pose: above all its joints, and if these are the same, its roll."""
    size = norm(np.diff(pose.chain.joints, axis=-2)).sum(axis=-1)
    off = norm(solution.joints[:, 0, 1] - pose.mid) / np.where(size > 0.0, size, 1.0)
    return float(off.sum() + 1e-6 * rotation.angle_between(solution.rotations[:, 0], pose.rotations).sum())
