"""solve(chain, goals, options) -> Solution: where the joints go and how the bones turn, on all frames at once.

The plane, which way to bend, how far to reach, the triangle in the plane, the bones' orientations: each step is a module
of this package.
"""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from . import bend, reach, reference, rotation
from .plane import BendPlane, bend_plane, onto_rest_plane
from .reference import ReferencePose
from .triad import carried, triad
from .triangle import triangle
from .values import Array, Bend, Chain, Goals, Options, Plane, Reference, Solution, Status, Unreachable
from .vectors import bounded, cross, dot, finite, held, last_decided, norm, unit

_DEFAULTS = Options()


def solve(chain: Chain, goals: Goals, options: Options = _DEFAULTS) -> Solution:
    """The pose of the chain that meets the goals, or comes closest, on every frame.

    chain, goals, options : see `values`; all in chain space, one row a frame
    raises : ValueError where an input is NaN or infinite, naming it and its row
    """
    chain, goals, exponent = _scaled(*_checked(chain, goals))
    rest = reference.rest(chain)
    own = rest if goals.pose is None else reference.posed(chain, rest, goals.pose)
    start = own if options.reference == Reference.POSE else rest
    target = onto_rest_plane(goals.target, rest) if options.plane == Plane.REST else goals.target
    plane = bend_plane(target, goals, options, rest, start)
    signs = bend.candidates(options, plane.side, goals.pole is not None)
    limit = own.reach if options.use_extension_limit else np.inf
    solutions = [_solution(goals, norm(target), plane, sign, limit, start, options) for sign in signs]
    solution = solutions[0] if len(solutions) == 1 else _chosen(solutions, goals, own, options)
    if options.unreachable == Unreachable.HOLD:
        solution = _hold(solution, goals.target)
    if options.influence < 1.0:
        solution = _blend(solution, chain, goals, options.influence)
    if exponent:
        with np.errstate(over="ignore", under="ignore"):
            joints, miss = np.ldexp(solution.joints, exponent), np.ldexp(solution.miss, exponent)
        solution = replace(solution, joints=joints, miss=miss)
    return solution


def _checked(chain: Chain, goals: Goals) -> tuple[Chain, Goals]:
    joints, axis = finite("joints", chain.joints), finite("hinge_axis", chain.hinge_axis)
    pole = None if goals.pole is None else finite("pole", goals.pole)
    pose = None if goals.pose is None else finite("pose", goals.pose)
    target = finite("target", goals.target)
    return replace(chain, joints=joints, hinge_axis=axis), Goals(target=target, pole=pole, pose=pose)


def _scaled(chain: Chain, goals: Goals) -> tuple[Chain, Goals, int]:
    """Both divided by the power of two that keeps every square finite; mostly 2**0."""
    size = float(np.abs(chain.joints).max(initial=0.0))
    exponent = 0 if 1e-40 < size < 1e60 else int(np.frexp(size)[1])
    pole = None if goals.pole is None else bounded(goals.pole)
    scaled = replace(goals, target=bounded(np.ldexp(goals.target, -exponent)), pole=pole)
    return replace(chain, joints=np.ldexp(chain.joints, -exponent)), scaled, exponent


def _solution(
    goals: Goals,
    distance: Array,
    plane: BendPlane,
    sign: Array,
    limit: Array | float,
    start: ReferencePose,
    options: Options,
) -> Solution:
    """The solution that bends to the side `sign` of the plane, reaching no farther than `limit`."""
    inner, outer = _annulus(start.lengths, sign, options)
    outer = np.minimum(outer, limit)
    reached = np.clip(reach.softened(distance, outer, options.softness), np.minimum(inner, outer), outer)
    along, across, tip = triangle(start.lengths[..., 0], start.lengths[..., 1], 1.0, np.square(reached))
    mid = along[..., None] * plane.aim + (sign * across)[..., None] * cross(plane.aim, plane.hinge)
    tip = tip[..., None] * plane.aim
    links = _directions(np.stack((mid, tip - mid), axis=-2), start.lengths, plane)
    stretch = _stretch(distance, reached, options)
    joints = np.stack((np.zeros_like(mid), mid, tip), axis=-2) * stretch[..., None, None]
    miss = goals.target - joints[..., 2, :]
    status = reach.status(distance, start.lengths, inner, outer * stretch, options.tolerance)
    return Solution(
        rotations=_rotations(links, plane.hinge, start, goals, options),
        joints=joints,
        hinge=plane.hinge,
        hinge_angle=_angle(links, plane.hinge),
        stretch=stretch,
        status=status,
        miss=miss,
    )


def _annulus(lengths: Array, sign: Array, options: Options) -> tuple[Array, Array]:
    if not bend.limited(options):
        return reach.annulus(lengths)
    return reach.annulus(lengths, *bend.opening(sign, options))


def _stretch(distance: Array, reached: Array, options: Options) -> Array:
    if options.unreachable != Unreachable.STRETCH:
        return np.ones_like(distance)
    # A chain without length cannot be scaled to any.
    wanted = np.where(reached > 0.0, distance / np.where(reached > 0.0, reached, 1.0), 1.0)
    return np.clip(wanted, 1.0, options.max_stretch)


def _directions(links: Array, lengths: Array, plane: BendPlane) -> Array:
    """(n, 2, 3) unit directions; a bone without length keeps its last one, and before it has any points at the target."""
    if (lengths > 0.0).all():
        return links / lengths[..., None]
    decided = np.broadcast_to(lengths > 0.0, links.shape[:-1])
    known = [held(unit(links[..., bone, :]), decided[..., bone]) for bone in (0, 1)]
    in_plane = [direction - dot(direction, plane.hinge)[..., None] * plane.hinge for direction in known]
    return np.stack([np.where(norm(part)[..., None] > 0.0, unit(part), plane.aim) for part in in_plane], axis=-2)


def _angle(links: Array, hinge: Array) -> Array:
    first, second = links[..., 0, :], links[..., 1, :]
    angle: Array = np.arctan2(dot(cross(first, second), hinge), dot(first, second))
    return angle


def _rotations(links: Array, hinge: Array, start: ReferencePose, goals: Goals, options: Options) -> Array:
    """(n, 2, 3, 3) from rest: the reference pose's triads carried to the solved ones."""
    rotations = carried(triad(start.links, start.hinges), triad(links, hinge[..., None, :]))
    if options.reference == Reference.POSE and goals.pose is not None:
        return rotations @ goals.pose
    return rotations


def _chosen(solutions: list[Solution], goals: Goals, own: ReferencePose, options: Options) -> Solution:
    """On every frame one of two solutions, as `bend` says."""
    angles = np.stack([solution.hinge_angle for solution in solutions])
    if options.bend == Bend.LIMITS:
        choice = np.argmax(bend.margin(angles, options), axis=0)
    else:
        roots = np.stack([solution.rotations[..., 0, :, :] for solution in solutions])
        root = np.eye(3) if goals.pose is None else np.reshape(goals.pose, (-1, 2, 3, 3))[0, 0]
        angle = np.reshape(_angle(own.links, own.normal), -1)[0]
        choice = bend.least_motion(roots, angles, root, angle)
    rows = np.arange(len(choice))
    return Solution(
        **{
            field.name: np.stack([getattr(solution, field.name) for solution in solutions])[choice, rows]
            for field in fields(Solution)
        }
    )


def _hold(solution: Solution, target: Array) -> Solution:
    """Frames out of reach take the pose of the last frame within it."""
    out = (solution.status == Status.TOO_FAR) | (solution.status == Status.TOO_CLOSE)
    index = last_decided(~out)
    kept = {name: getattr(solution, name)[index] for name in ("rotations", "joints", "hinge", "hinge_angle", "stretch")}
    return replace(solution, **kept, miss=target - kept["joints"][:, 2])


def _blend(solution: Solution, chain: Chain, goals: Goals, influence: float) -> Solution:
    """Each bone turned only part of the way from the chain's own pose to the solved one."""
    own = np.broadcast_to(np.eye(3), solution.rotations.shape) if goals.pose is None else goals.pose
    rotations = rotation.blend(np.broadcast_to(own, solution.rotations.shape), solution.rotations, influence)
    stretch = 1.0 + influence * (solution.stretch - 1.0)
    links = np.einsum("...bij,...bj->...bi", rotations, np.diff(chain.joints, axis=-2)) * stretch[..., None, None]
    joints = np.concatenate((np.zeros_like(links[..., :1, :]), np.cumsum(links, axis=-2)), axis=-2)
    angle = _angle(unit(links), solution.hinge)
    miss = goals.target - joints[..., 2, :]
    return replace(solution, rotations=rotations, joints=joints, hinge_angle=angle, stretch=stretch, miss=miss)
