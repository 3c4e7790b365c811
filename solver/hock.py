"""Legs with a hock: the third bone, between shin and paw, makes no more than a triangle of two sides.

At rest the bones go from joint to joint by a (root to mid), b (mid to hock) and c (hock to tip). R1 and R2 are the
rotations of root and end bone. RIGID: the third bone keeps its angle to the end bone, tip = R1 a + R2 (b + c).
PARALLEL: it turns with the root bone, tip = R1 (a + c) + R2 b, as the reciprocal apparatus of a horse holds it: two
tendons beside two bones, a parallelogram (Dyce, Textbook of Veterinary Anatomy, 24). Either way two vectors that turn,
so `solve` of two bones solves them, also where a, b and c are not in one plane.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from . import inputs, reference_pose, rotation
from .numbers import differs
from .solve import PreparedChain, blended, prepare
from .solve import solve as solve_chain
from .values import Array, Chain, Goals, Hock, Mask, Number, Options, Plane, Reference, Solution
from .vectors import angle_about, chained, cross, dot, norm, product

TURNS_WITH = {Hock.RIGID: 1, Hock.PARALLEL: 0}
"""The bone that the third bone turns with: 0 is the root bone, 1 the end bone."""

_ROUNDING = 1e-6
"""Part of the triangle's size by which float32 rounds its tip."""

_AS_BONES = np.eye(3)
"""The turns of a leg whose hock is not turned: the sides of the triangle turn as the bones do."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Leg:
    """Three bones, and the chain of two that stands for them: see `leg`.

    links : (..., 3, 3)          a, b and c at rest
    hock : Hock
    triangle : PreparedChain     its two sides as bones
    to_sides : (..., 2, 3, 3)    in the spaces of root and end bone, from the bone to its side of the triangle
    hock_turn : (..., 3, 3)      how the hock angle turns the third bone
    """

    links: Array
    hock: Hock
    triangle: PreparedChain
    to_sides: Array
    hock_turn: Array

    @property
    def shows_side(self) -> Mask:
        """(...) False if the rest pose cannot tell to which side to bend: the triangle is nearly straight, or bends
        against the knee.
        """
        rest, knee = self.triangle.rest, cross(self.links[..., 0, :], self.links[..., 1, :])
        normal = cross(rest.links[..., 0, :], rest.links[..., 1, :])
        return ~reference_pose.is_slight(rest) & (dot(normal, knee) > 0.0)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LegSolution:
    """The solved leg on every frame, in chain space.

    rotations : (n, 3, 3, 3)     of root bone, end bone and third bone, from their rest orientations
    joints : (n, 4, 3)           root, mid, hock and tip
    triangle : Solution          reach, status, stretch, hinge and hinge angle; its mid joint is the triangle's corner
    """

    rotations: Array
    joints: Array
    triangle: Solution


def leg(
    joints: ArrayLike,
    hinge_axis: ArrayLike,
    hock: Hock = Hock.PARALLEL,
    hock_angle: Number = 0.0,
    *,
    use_hinge_axis: bool = False,
) -> Leg:
    """A leg that was checked and measured once.

    joints : (..., 4, 3)         root, mid, hock and tip at rest; the root is the origin
    hinge_axis : (..., 3), use_hinge_axis : as of a `Chain`, for the triangle
    hock_angle : (...)           radians by which the third bone is turned first, about the hinge of the triangle at
                                 rest, positive as a bend of the triangle; the hinge then stays what it is
    raises : ValueError for inputs that are not finite, that do not fit together, or for another root

    >>> from solver import Goals, hock
    >>> horse = hock.leg([[0, 0, 0], [0, 1, 0.3], [0, 2, -0.1], [0, 2.6, 0.1]], [1, 0, 0])
    >>> solved = hock.solve(horse, Goals(target=[0.2, 1.9, 0.4]))
    >>> solved.joints[0, 3].round(12), bool((solved.rotations[0, 0] == solved.rotations[0, 2]).all())
    (array([0.2, 1.9, 0.4]), True)
    """
    hock = Hock(hock)
    points = inputs.check_array("joints", joints, 4, 3)
    angle = inputs.check_array("hock_angle", hock_angle)
    links, turning = np.diff(points, axis=-2), TURNS_WITH[hock]
    two = sides(links, hock)
    triangle = prepare(_chain(points[..., 0, :], two, hinge_axis, use_hinge_axis))
    if not angle.any():
        return Leg(links=links, hock=hock, triangle=triangle, to_sides=_AS_BONES, hock_turn=np.eye(3))
    hinge, side = (values[..., turning, :] for values in (triangle.rest.hinges, triangle.rest.links))
    hock_turn = rotation.about(hinge, angle)
    turned = links[..., turning, :] + _rotated(hock_turn, links[..., 2, :])
    # The side has another length and direction then. The chain has the length; the direction is undone behind it, so
    # that the triangle never bends to another side at rest.
    two = np.broadcast_to(two, (*turned.shape[:-1], 2, 3)).copy()
    two[..., turning, :] = norm(turned)[..., None] * side
    to_side = rotation.about(hinge, angle_about(hinge, side, turned))
    to_sides = np.broadcast_to(np.eye(3), (*to_side.shape[:-2], 2, 3, 3)).copy()
    to_sides[..., turning, :, :] = to_side
    triangle = prepare(_chain(points[..., 0, :], two, hinge_axis, use_hinge_axis))
    return Leg(links=links, hock=hock, triangle=triangle, to_sides=to_sides, hock_turn=hock_turn)


def solve(leg: Leg, goals: Goals, options: Options | None = None, pose: Array | None = None) -> LegSolution:
    """The pose of the leg on every frame that meets the goals, or comes closest to them.

    goals : as for a chain, but without a pose; options : as for a chain, of the triangle
    pose : (n, 3, 3, 3) or None  the leg before the solve: rotations of its three bones from rest
    raises : ValueError as from `solver.solve`
    """
    options = Options() if options is None else options
    two = None if pose is None else triangle_pose(leg, pose)
    solution = solve_chain(leg.triangle, replace(goals, pose=two), replace(options, influence=1.0))
    rotations = leg_rotations(leg, solution.rotations)
    if differs(options.influence, 1.0):
        to_triangle = partial(triangle_pose, leg)
        rotations, solution = blended(solution, leg.triangle, rotations, pose, options.influence, to_triangle)
    return LegSolution(rotations=rotations, joints=leg_joints(leg, rotations, solution.stretch), triangle=solution)


def leg_rotations(leg: Leg, rotations: Array) -> Array:
    """(n, 3, 3, 3) of the leg's bones, for rotations (n, 2, 3, 3) of the triangle's sides."""
    bones = rotations if leg.to_sides is _AS_BONES else product(rotations, np.swapaxes(leg.to_sides, -1, -2))
    return with_third(leg, bones)


def with_third(leg: Leg, rotations: Array) -> Array:
    """(n, 3, 3, 3) of the leg's bones, the third turned as the hock says, for rotations (n, 2 or 3, 3, 3) of these."""
    third = product(rotations[..., TURNS_WITH[leg.hock], :, :], leg.hock_turn)
    two = np.broadcast_to(rotations[..., :2, :, :], (*third.shape[:-2], 2, 3, 3))
    return np.concatenate((two, third[..., None, :, :]), axis=-3)


def leg_joints(leg: Leg, rotations: Array, stretch: Array) -> Array:
    """(n, 4, 3) the joints of the leg whose bones have these rotations (n, 3, 3, 3).

    stretch : (n, 2)     factors on root and end bone; the third bone has that of the bone that it turns with
    """
    of_bones = np.take(stretch, (0, 1, TURNS_WITH[leg.hock]), axis=-1)
    return chained(of_bones[..., None] * _rotated(rotations, leg.links))


def triangle_pose(leg: Leg, rotations: Array) -> Array:
    """(n, 2, 3, 3) of the triangle's sides, for any rotations (n, 3, 3, 3) of the leg's bones.

    Where the third bone does not turn as the hock says, the triangle has its tip where the leg has it, or nearest.
    """
    two, tip = product(rotations[..., :2, :, :], leg.to_sides), leg_joints(leg, rotations, np.ones(2))[..., 3, :]
    goals = Goals(target=tip, pose=two)
    solved = solve_chain(leg.triangle, goals, Options(reference=Reference.POSE, plane=Plane.AIM)).rotations
    # Near straight and near folded, what a tip is rounded by would turn the sides by the root of it.
    off = norm(_rotated(with_third(leg, rotations) - rotations, leg.links)[..., 2, :])
    return np.where((off <= _ROUNDING * leg.triangle.rest.size)[..., None, None, None], two, solved)


def sides(links: Array, hock: Hock) -> Array:
    """(..., 2, 3) the sides of the triangle: a and b of `links` (..., 3, 3), with c added to the one it turns with."""
    two = links[..., :2, :].copy()
    two[..., TURNS_WITH[hock], :] += links[..., 2, :]
    return two


def _chain(root: Array, links: Array, hinge_axis: ArrayLike, use_hinge_axis: bool) -> Chain:
    joints = root[..., None, :] + chained(links)
    return Chain(joints=joints, hinge_axis=np.asarray(hinge_axis, dtype=np.float64), use_hinge_axis=use_hinge_axis)


def _rotated(rotations: Array, vectors: Array) -> Array:
    return np.einsum("...ij,...j->...i", rotations, vectors)
