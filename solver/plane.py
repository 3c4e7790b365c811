"""The plane in which the chain bends: through a pole, aimed from the reference pose, or the rest plane itself.

A plane is given by the direction `aim` from root to target and the hinge axis at right angles to `aim`. A positive
hinge angle puts the mid joint on the side of aim x hinge. If a frame leaves a direction undecided, the last frame's
holds.
"""

from dataclasses import dataclass

import numpy as np

from . import swivel
from .carry_last import carry_last, carry_normal
from .numbers import differs, every
from .reference_pose import ReferencePose, is_slight
from .values import Array, Bend, Goals, Options, Plane, Reference
from .vectors import angle_about, cross, dot, norm, rejection, rotate_about, swing, unit_rejection

_IN_LINE = 1e-6
"""Radians: a pole this close to the line from root to target gives no direction; float32 positions are as inexact."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BendPlane:
    """The plane on every frame, and the distance of the target.

    aim, hinge : (n, 3)     unit vectors at right angles
    distance : (n,)         from root to target
    side : (...)            the sign of the hinge angle for bend REST; with a pole, the sign that bends towards the pole
    has_pole : bool         True if a pole decides the plane, or in a fixed plane the side
    swivel : (n,)           radians by which pole smoothing has turned the hinge about the aim
    """

    aim: Array
    hinge: Array
    distance: Array
    side: Array
    has_pole: bool
    swivel: Array


def bend_plane(goals: Goals, options: Options, rest: ReferencePose, start: ReferencePose) -> BendPlane:
    """The plane that `options` ask for.

    rest, start : the rest pose, and the reference pose
    raises : ValueError if the plane is POLE and there is no pole, or if a pole is to be smoothed without `seconds`
    """
    if options.plane == Plane.POLE and goals.pole is None:
        raise ValueError("plane is POLE, but there is no pole")
    if options.plane == Plane.REST:
        return _rest_plane(goals, options, rest, start.side)
    side = start.side
    if options.bend == Bend.POSITIVE and options.reference == Reference.REST:
        # Otherwise a slight rest pose would turn the bones over on their way to a pole on the chosen side.
        side = np.where(is_slight(rest), 1.0, side)
    distance, aim = _aim(goals.target, options, start)
    has_pole = goals.pole is not None and options.plane != Plane.AIM
    if has_pole:
        hinge, turns = _towards_pole(goals, aim, start, options, side)
    else:
        hinge, turns = _aimed_hinge(aim, start), np.zeros_like(distance)
    return BendPlane(aim=aim, hinge=hinge, distance=distance, side=side, has_pole=has_pole, swivel=turns)


def _rest_plane(goals: Goals, options: Options, rest: ReferencePose, side: Array) -> BendPlane:
    """The rest plane, aimed at the point in it that is closest to the target; a pole only chooses the side."""
    distance, aim = _aim(rejection(goals.target, rest.normal), options, rest)
    # An aim carried over from a frame with another rest plane lies outside of this one.
    aim = unit_rejection(aim, rest.normal)
    hinge = np.broadcast_to(rest.normal, aim.shape)
    if goals.pole is not None:
        height = dot(cross(goals.pole, aim), hinge)
        decided = np.abs(height) > _IN_LINE * norm(goals.pole)
        side = np.where(np.logical_or.reduce(decided, axis=0), carry_last(np.sign(height), decided), side)
    still, has_pole = np.zeros_like(distance), goals.pole is not None
    return BendPlane(aim=aim, hinge=hinge, distance=distance, side=side, has_pole=has_pole, swivel=still)


def _aim(target: Array, options: Options, start: ReferencePose) -> tuple[Array, Array]:
    """Distance (n,) and direction (n, 3) of the target; if the target is on the root, the last direction."""
    distance = norm(target)
    decided = distance > start.lengths_and_slack(options.tolerance)[1]
    if every(decided):
        return distance, target / distance[..., None]
    aim = np.where(decided[..., None], target / np.where(decided, distance, 1.0)[..., None], start.aim)
    return distance, carry_last(aim, decided)


def _aimed_hinge(aim: Array, start: ReferencePose) -> Array:
    """The hinge of the reference pose, turned by the shortest rotation that aims the chain."""
    away = norm(aim + start.aim) > _IN_LINE
    return carry_normal(aim, swing(start.normal, start.aim, aim), away, start.normal)


def _towards_pole(goals: Goals, aim: Array, start: ReferencePose, options: Options, side: Array) -> tuple[Array, Array]:
    """The hinge that bends towards the pole, and the turns (n, ...) that pole smoothing has given it.

    Pole influence below 1 gives a hinge between it and the one without a pole. Of the two ways there it is the shorter,
    on each frame by itself, so that one frame is posed as a range is.
    """
    pole = goals.pole
    assert pole is not None
    normal = cross(pole, aim)
    sine = norm(normal)
    decided = sine > _IN_LINE * norm(pole)
    partly, all_decided = differs(options.pole_influence, 1.0), every(decided)
    # The reference pose's own side of the hinge bends towards the pole, so that no bone turns over on its way there.
    normal *= (side / (sine if all_decided else np.where(decided, sine, 1.0)))[..., None]
    hinge = rejection(normal, aim)
    without = hinge if all_decided and not partly else _aimed_hinge(aim, start)
    hinge = hinge if all_decided else carry_normal(aim, hinge, decided, without)
    if differs(options.pole_angle, 0.0):
        hinge = rotate_about(hinge, aim, options.pole_angle)
    if partly:
        hinge = rotate_about(without, aim, options.pole_influence * angle_about(aim, without, hinge))
    decided_ever = decided if all_decided else np.logical_or.reduce(decided, axis=0)
    if not (all_decided or decided_ever.all()):
        hinge = np.where(decided_ever[..., None], hinge, without)
    if options.pole_smoothing == 0.0 or len(hinge) == 1:
        return hinge, np.zeros(sine.shape)
    if goals.seconds is None:
        raise ValueError("a pole is to be smoothed, but the frames have no time")
    certain = np.where(decided_ever, swivel.certainty(pole, sine, options.pole_influence), 1.0)
    turns = swivel.turns(aim, side[..., None] * hinge, certain, goals.seconds, options.pole_smoothing)
    return np.where(turns[..., None] != 0.0, rotate_about(hinge, aim, turns), hinge), turns
