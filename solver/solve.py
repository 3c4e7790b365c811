"""solve(chain, goals, options) -> Solution: where the joints go and how the bones turn, on all frames at once.

Each step is a module of this package: the plane, the side of the bend, the reach, the triangle in the plane, the
orientations of the bones. Last, at an influence below 1, the bones turn only part of the way from the pose before
(`blended`); at 0 that pose stays, and a target counts as reached.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import bend, inputs, reach, reference_pose, rotation
from .carry_last import carry_last
from .numbers import broadcast, differs, every
from .pinned_solution import pinned_solution
from .plane import BendPlane, bend_plane
from .reference_pose import ReferencePose
from .values import Array, Bend, Chain, Goals, Mask, Number, Options, Plane, Reference, Solution, Status, Unreachable
from .vectors import IN_LINE, chained, cross, norm, product, rotations_in_plane, unit

_DEFAULTS = Options()

_BLOCK = 12_000
"""Poses that are turned and placed at a time: what is needed on the way then stays in the processor's cache."""

_SAME_AXIS = 1e-2
"""Radians: what the rounding of float32 keys leaves of the axis of a limb that is just bent."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PreparedChain:
    """A chain that was checked and measured once, to be solved for many sets of goals: see `prepare`.

    rest : its rest pose
    from_bones : (n, ..., 2, 3, 3) or None   at rest, from the links of the bones to those of the chain if these are
                                             others: rotations are those of the bones
    """

    chain: Chain
    rest: ReferencePose
    from_bones: Array | None = None

    def of_bones(self, rotations: Array) -> Array:
        """(n, ..., 2, 3, 3) how bones are rotated where the links of the chain are rotated so."""
        return rotations if self.from_bones is None else product(rotations, self.from_bones)


def prepare(chain: Chain) -> PreparedChain:
    """The chain as `solve` needs it; ValueError for a chain that `solve` does not take."""
    chain = inputs.check_chain(chain)
    return PreparedChain(chain=chain, rest=reference_pose.rest(chain))


def solve(chain: Chain | PreparedChain, goals: Goals, options: Options = _DEFAULTS) -> Solution:
    """The pose of the chain on every frame that meets the goals, or comes closest to them.

    chain, goals, options : see `values`; all in chain space, one row a frame, chains side by side on the axes behind
    raises : ValueError if an input is NaN, infinite or larger than 1e60, naming the input and its row; if shapes are
             wrong or do not fit together, naming them; if the root is not the origin; also if plane is POLE and there
             is no pole, or if a pole is to be smoothed without the time of the frames
    """
    prepared = chain if isinstance(chain, PreparedChain) else prepare(chain)
    chain, rest = prepared.chain, prepared.rest
    goals = inputs.check_goals(goals, chain, options)
    input_pose = rest
    if goals.pose is not None:
        input_pose = bend.with_folded_side(reference_pose.from_rotations(chain, rest, goals.pose), options)
    start = input_pose if options.reference == Reference.POSE else rest
    goals = _with_pole_on_root(goals, start, options)
    plane = bend_plane(goals, options, rest, start)
    limit = input_pose.reach if options.use_extension_limit else None
    solutions = [_solve_side(goals, *side, limit, start, options) for side in bend.candidates(plane, options)]
    solution = solutions[0] if len(solutions) == 1 else _choose(solutions, prepared, goals, input_pose, options)
    if options.unreachable == Unreachable.HOLD:
        solution = _hold(solution, chain)
    if differs(options.pole_pin, 0.0) and plane.has_pole and options.plane != Plane.REST:
        solution = pinned_solution(solution, plane, goals, start, options)
    [solution] = _settled([solution], goals, start, options)
    if differs(options.influence, 1.0):
        _, solution = blended(solution, prepared, solution.rotations, goals.pose, options.influence)
    return replace(solution, rotations=prepared.of_bones(solution.rotations))


def _with_pole_on_root(goals: Goals, start: ReferencePose, options: Options) -> Goals:
    """The goals; a pole that is on the root but for rounding is there, where it shows no side."""
    if goals.pole is None:
        return goals
    on_root = norm(goals.pole) <= start.lengths_and_slack(options.tolerance)[1]
    return replace(goals, pole=np.where(on_root[..., None], 0.0, goals.pole)) if on_root.any() else goals


def _solve_side(
    goals: Goals, plane: BendPlane, sign: Array, limit: Array | None, start: ReferencePose, options: Options
) -> Solution:
    """The solution that bends to the side `sign` of the plane and reaches no farther than `limit`."""
    lengths, slack = start.lengths_and_slack(options.tolerance)
    first, second = lengths[..., 0], lengths[..., 1]
    inner, outer = reach.annulus(lengths, *bend.opening(sign, options))
    eased = reach.soft_reach(plane.distance, outer, options.softness)
    full, outer = outer, outer if limit is None else np.maximum(np.minimum(outer, limit), inner)
    reached = np.maximum(np.minimum(eased, outer), inner)
    along, across = reach.triangle(first, second, 1.0, reached)
    across, tip, stretch = sign * across, reached, np.ones(reached.shape)
    if options.unreachable == Unreachable.STRETCH:
        stretch = reach.stretch(plane.distance, reached, options.max_stretch)
        full, outer = full * options.max_stretch, outer * options.max_stretch
        along, across, tip = stretch * along, stretch * across, stretch * tip
    rotations, joints, hinge_angle = _pose(plane, along, across, tip, start)
    if options.reference == Reference.POSE and goals.pose is not None:
        rotations = product(rotations, goals.pose)
    rounded = slack if goals.rounding is None else np.maximum(slack, goals.rounding)
    shortfall = reach.shortfall(plane.distance, inner, outer, rounded)
    return Solution(
        rotations=rotations,
        joints=joints,
        hinge=plane.hinge,
        hinge_angle=hinge_angle,
        stretch=np.broadcast_to(stretch[..., None], (*stretch.shape, 2)),
        status=reach.status(plane.distance, outer, full, shortfall),
        degenerate=np.minimum(plane.distance, np.minimum(first, second)) <= slack,
        reach=_on_each(inner, outer, reached.shape),
        shortfall=shortfall,
        swivel=plane.swivel,
        target=goals.target,
    )


def _on_each(inner: Array, outer: Array, shape: tuple[int, ...]) -> Array:
    """(n, 2) the least and the greatest reach of each frame; without bend limits they have no axis of frames."""
    both = np.empty((*np.broadcast(inner, outer).shape, 2))
    both[..., 0], both[..., 1] = inner, outer
    return broadcast(both, (*shape, 2))


def _pose(
    plane: BendPlane, along: Array, across: Array, reached: Array, start: ReferencePose
) -> tuple[Array, Array, Array]:
    """Rotations (n, 2, 3, 3) from rest that take the triads of `start` to the solved ones, joints (n, 3, 3) and hinge
    angle (n,), for the places of the mid joint and of the tip in the plane.
    """
    before = start.triads
    rotations = np.empty((*reached.shape, 2, 3, 3), order="F")
    joints, angles = np.zeros((*reached.shape, 3, 3), order="F"), np.empty_like(reached)
    by_frame = before.ndim == rotations.ndim and len(before) == len(rotations)
    step = max(1, _BLOCK // max(1, reached[:1].size))
    for first in range(0, len(reached), step):
        rows = slice(first, first + step)
        aim, hinge = plane.aim[rows], plane.hinge[rows]
        side = cross(aim, hinge)
        turns = _turns(along[rows], across[rows], reached[rows])
        angles[rows] = bend.hinge_angle(turns, across[rows])
        rotations_in_plane(before[rows] if by_frame else before, (aim, hinge, side), turns, rotations[rows])
        mid, tip = joints[rows, ..., 1, :], joints[rows, ..., 2, :]
        np.multiply(across[rows, ..., None], side, out=mid)
        mid += along[rows, ..., None] * aim
        np.multiply(reached[rows, ..., None], aim, out=tip)
    return rotations, joints, angles


def _turns(along: Array, across: Array, reached: Array) -> Array:
    """(n, 2, 2) unit directions of the bones in the plane; a bone of next to no length points along the aim."""
    links = np.empty((*reached.shape, 2, 2), order="F")
    links[..., 0, 0], links[..., 0, 1] = along, across
    links[..., 1, 0], links[..., 1, 1] = reached - along, -across
    length = norm(links)[..., None]
    has_length = length > 0.0
    if every(has_length):
        links /= length
        return links
    return np.where(has_length, links / np.where(has_length, length, 1.0), (1.0, 0.0))


def _choose(
    solutions: list[Solution], prepared: PreparedChain, goals: Goals, input_pose: ReferencePose, options: Options
) -> Solution:
    """The solution that consists of one of the two solutions on each frame, chosen as `bend` says."""
    shortfalls = np.stack([solution.shortfall for solution in solutions])
    if options.bend == Bend.LIMITS:
        angles = np.stack([solution.hinge_angle for solution in solutions])
        return solutions[0].replaced_by(solutions[1], bend.farther_from_limits(angles, shortfalls, options))
    if options.unreachable == Unreachable.HOLD:
        # What moves is what is held, and that is no nearer to the target on one side.
        solutions, out = [_hold(solution, prepared.chain) for solution in solutions], shortfalls > 0.0
        shortfalls = np.where(out.all(axis=(0, 1)), shortfalls, out)
    solutions = _settled(solutions, goals, input_pose, options)
    rotations = np.stack([prepared.of_bones(solution.rotations) for solution in solutions])
    angles = np.stack([solution.hinge_angle[:1] for solution in solutions])
    pose = np.eye(3) if goals.pose is None else goals.pose[..., 0, :, :]
    pose = np.broadcast_to(pose, (*shortfalls.shape[1:], 3, 3))
    angle = np.broadcast_to(input_pose.hinge_angle, shortfalls.shape[1:])
    choice = bend.least_motion(rotations, angles, shortfalls, pose[:1], angle[:1])
    return solutions[0].replaced_by(solutions[1], choice)


def _settled(solutions: list[Solution], goals: Goals, start: ReferencePose, options: Options) -> list[Solution]:
    """The solutions; from a pose by the shortest way, on frames where that is as one of them but for rounding.

    There, the axis of a limb that is all but straight is nothing but rounding, and must not roll its bones. A straight
    one shows no axis at all: it keeps its roll if all frames are as solved. What rolls the bones of one solution rolls
    those of the other, so that a second solve has the same two to choose from.
    """
    if options.reference == Reference.REST or goals.pose is None:
        return solutions
    ways = [_before_and_after(solution, start) for solution in solutions]
    # What rounds the tip turns bones the farther, the nearer they are to straight or folded.
    across = norm(cross(start.links[..., 0, :], start.links[..., 1, :]))
    rounded = (options.tolerance / np.where(start.bent, across, 1.0))[..., None]
    alike = [(norm(after - before) <= rounded).all(axis=-1) for before, after in ways]
    posed = np.logical_or.reduce(alike)
    if not posed.any():
        return solutions
    straight, rolls = ~start.bent & np.logical_and.reduce(posed, axis=0), np.eye(3)
    off = [norm(unit(np.diff(solution.joints, axis=-2)) - start.links).max(axis=-1) for solution in solutions]
    nearest = np.minimum.reduce(off) + options.tolerance
    for solution, own, as_posed, way in reversed(list(zip(solutions, off, alike, ways, strict=True))):
        kept = as_posed & (own <= nearest) & (straight | (norm(solution.hinge - start.normal) < _SAME_AXIS))
        turned = product(rotation.shortest(*way), goals.pose)
        roll = product(np.swapaxes(solution.rotations, -1, -2), turned)
        rolls = np.where(kept[..., None, None, None], roll, rolls)
    return [replace(solution, rotations=product(solution.rotations, rolls)) for solution in solutions]


def _before_and_after(solution: Solution, start: ReferencePose) -> tuple[Array, Array]:
    """(n, 2, 3) each, the directions of the bones in the reference pose, and as solved.

    Of what is straight either way it is the line to the tip: whatever bends it a little does not count.
    """
    links, aim = unit(np.diff(solution.joints, axis=-2)), unit(solution.joints[..., 2, :])
    straight = (_is_straight(links) & _is_straight(start.links))[..., None, None]
    return np.where(straight, start.aim[..., None, :], start.links), np.where(straight, aim[..., None, :], links)


def _is_straight(links: Array) -> Mask:
    """(...) of unit directions (..., 2, 3) of two bones."""
    return norm(links[..., 1, :] - links[..., 0, :]) <= IN_LINE


def _hold(solution: Solution, chain: Chain) -> Solution:
    """The solution with the last pose within reach on frames out of reach, at the bones' present lengths."""
    within = solution.shortfall == 0.0
    pose = ("rotations", "joints", "hinge", "hinge_angle", "stretch", "swivel")
    values: dict[str, Any] = {name: carry_last(getattr(solution, name), within) for name in pose}
    held = replace(solution, **values)
    links = np.broadcast_to(np.diff(chain.joints, axis=-2), (*within.shape, 2, 3))
    grown = np.einsum("...bij,...bj->...bi", held.rotations, links - carry_last(links, within))
    return replace(held, joints=held.joints + chained(grown * held.stretch[..., None]))


def blended(
    solution: Solution,
    prepared: PreparedChain,
    bones: Array,
    before: Array | None,
    influence: Number,
    sides: Callable[[Array], Array] | None = None,
) -> tuple[Array, Solution]:
    """Rotations of bones that are each turned, on its parent, only part of the way from those before the solve, and
    the solution with them.

    bones, before : (n, k, 3, 3)     root bone first; as solved, and before, which is the rest pose for None
    sides : from such rotations to (n, 2, 3, 3) of the chain; None if its two bones are the bones
    """
    before = np.broadcast_to(np.eye(3), bones.shape) if before is None else before
    influence = np.asarray(influence, dtype=np.float64)
    folding = np.zeros(bones.shape[:-1])
    folding[..., 1, :] = np.einsum("...ji,...j->...i", bones[..., 1, :, :], solution.hinge)
    folding *= np.sign(solution.hinge_angle)[..., None, None]
    turned = rotation.blend(_on_parent(before), _on_parent(bones), influence[..., None], folding)
    for bone in range(1, turned.shape[-3]):
        turned[..., bone, :, :] = product(turned[..., bone - 1, :, :], turned[..., bone, :, :])
    rotations = turned if sides is None else sides(turned)
    stretch = 1.0 + influence[..., None] * (solution.stretch - 1.0)
    posed = reference_pose.from_rotations(prepared.chain, prepared.rest, rotations, stretch)
    whole, idle = (np.broadcast_to(influence == end, solution.status.shape) for end in (1.0, 0.0))
    partly = replace(
        solution,
        rotations=rotations,
        joints=posed.joints,
        hinge=posed.normal,
        hinge_angle=posed.hinge_angle,
        stretch=stretch,
        swivel=influence * solution.swivel,
        # Nothing reaches for the target there, so it is not out of reach.
        status=np.where(idle, np.uint8(Status.REACHED), solution.status),
        shortfall=np.where(idle, 0.0, solution.shortfall),
    )
    # Frames with all of the influence keep the solution to the bit.
    kept = np.where(whole[..., None, None, None], bones, turned)
    return kept, partly.replaced_by(solution, whole)


def _on_parent(rotations: Array) -> Array:
    """(..., k, 3, 3) rotations of which each bone's is relative to the bone above."""
    above = np.swapaxes(rotations[..., :-1, :, :], -1, -2)
    return np.concatenate((rotations[..., :1, :, :], product(above, rotations[..., 1:, :, :])), axis=-3)
