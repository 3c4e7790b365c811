"""The plane in which the chain bends: towards a pole, aimed from the reference pose, or the rest plane itself.

A plane is given by the direction `aim` from root to target and the hinge axis at right angles to it. A positive hinge
angle puts the mid joint on the side of aim x hinge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .reference import ReferencePose
from .values import Array, Goals, Options, Plane
from .vectors import cross, dot, held, last_decided, norm, rejection, swing, turned, unit

_IN_LINE = 1e-6
"""Radians: a pole closer to the line from root to target gives no direction; float32 positions leave that much open."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BendPlane:
    """aim (n, 3) and hinge (n, 3): unit vectors at right angles; side (n,): the sign of the hinge angle for bend REST."""

    aim: Array
    hinge: Array
    side: Array


def bend_plane(
    target: Array, goals: Goals, options: Options, rest: ReferencePose, reference: ReferencePose
) -> BendPlane:
    """The plane on every frame; instants that leave it undecided keep the last frame's.

    target : (n, 3)    what to aim at; in the rest plane, where `options.plane` is REST
    """
    fixed = options.plane == Plane.REST
    aim = _aim(target, options, rest if fixed else reference)
    if fixed:
        hinge = np.broadcast_to(rest.normal, aim.shape)
        return BendPlane(aim=aim, hinge=hinge, side=_side_of_pole(goals.pole, aim, hinge, reference.side))
    hinge, decided = _aimed(aim, reference)
    if options.plane == Plane.POLE or (options.plane == Plane.AUTO and goals.pole is not None):
        hinge, decided = _towards_pole(goals.pole, aim, _kept(aim, hinge, decided), options, reference.side)
    return BendPlane(aim=aim, hinge=_kept(aim, hinge, decided), side=np.broadcast_to(reference.side, aim.shape[:-1]))


def onto_rest_plane(target: Array, rest: ReferencePose) -> Array:
    """(n, 3) the target's closest points in the plane of the rest pose."""
    return rejection(target, rest.normal)


def _aim(target: Array, options: Options, start: ReferencePose) -> Array:
    decided = norm(target) > options.tolerance * start.lengths.sum(axis=-1)
    if not decided.any():
        return np.broadcast_to(start.aim, target.shape)
    return held(unit(target), decided)


def _aimed(aim: Array, reference: ReferencePose) -> tuple[Array, NDArray[np.bool_]]:
    """The reference plane, swung by the shortest rotation that brings the line root to tip onto the target."""
    opposite = 1.0 + dot(reference.aim, aim) < 0.5 * _IN_LINE**2
    return swing(np.broadcast_to(reference.aim, aim.shape), aim, reference.normal), ~opposite


def _towards_pole(
    pole: Array | None, aim: Array, without: Array, options: Options, side: Array
) -> tuple[Array, NDArray[np.bool_]]:
    if pole is None:
        raise ValueError("plane is POLE, but there is no pole")
    normal = cross(pole, aim)
    decided = norm(normal) > _IN_LINE * norm(pole)
    if not decided.any():
        return without, decided
    # The reference pose's own side of the hinge bends towards the pole, so that no bone turns over on its way there.
    hinge = np.where(decided[..., None], unit(normal) * np.asarray(side)[..., None], without)
    hinge = turned(hinge, aim, np.float64(options.pole_angle))
    if options.pole_influence < 1.0:
        angle = np.arctan2(dot(aim, cross(without, hinge)), dot(without, hinge))
        hinge = turned(without, aim, options.pole_influence * np.unwrap(angle))
    return hinge, decided


def _side_of_pole(pole: Array | None, aim: Array, hinge: Array, side: Array) -> Array:
    """In a fixed plane the pole can only choose between the two solutions."""
    side = np.broadcast_to(side, aim.shape[:-1])
    if pole is None:
        return side
    height = dot(cross(pole, aim), hinge)
    decided = np.abs(height) > _IN_LINE * norm(pole)
    signs = held(np.sign(height)[..., None], decided)[..., 0]
    return np.where(signs != 0.0, signs, side)


def _kept(aim: Array, hinge: Array, decided: NDArray[np.bool_]) -> Array:
    """Hinge axes of undecided frames taken from the last decided frame, along the shortest way between their aims."""
    if decided.all() or not decided.any():
        return hinge
    index = last_decided(decided)[..., None]
    before = np.take_along_axis(aim, index, axis=-2)
    carried = swing(before, aim, np.take_along_axis(hinge, index, axis=-2))
    return np.where(decided[..., None], hinge, carried)
