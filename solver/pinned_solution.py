"""Chains whose mid joint is pinned to the pole, wholly or in part: joints from `pole_pin`, bones turned to them."""

from dataclasses import replace

import numpy as np

from .bend import hinge_angle
from .plane import BendPlane
from .pole_pin import IN_LINE, blended, link_limits, pinned_joints
from .reference_pose import ReferencePose
from .values import Array, Goals, Options, Reference, Solution, Status
from .vectors import any_normal, cross, dot, norm, product, rejection, rotations_in_plane, unit


def pinned_solution(
    solution: Solution, plane: BendPlane, goals: Goals, start: ReferencePose, options: Options
) -> Solution:
    """The solution with its mid joint as far at the pole as the option `pole_pin` says; to the bit the same where 0."""
    assert goals.pole is not None
    lengths, slack = start.lengths_and_slack(options.tolerance)
    slack = slack if goals.rounding is None else np.maximum(slack, goals.rounding)
    scales = goals.stretch_limits
    links = link_limits(lengths, np.asarray(options.max_stretch)) if scales is None else lengths[..., None] * scales
    part = np.broadcast_to(options.pole_pin, solution.status.shape)
    side, pole = np.asarray(plane.side)[..., None], np.broadcast_to(goals.pole, solution.target.shape)
    pin = pinned_joints(lengths, solution.target, pole, links, side * cross(plane.aim, plane.hinge), slack)
    joints, stretch = blended(lengths, solution.joints, pin, part)
    aim = _aim(joints, plane)
    # At the pole the limb bends to its natural side. On the way there no bone turns over but where it has to.
    natural = side * cross(pin.beside, _aim(pin.joints, plane))
    hinge = _hinge(joints[..., 1, :], aim, solution.hinge + part[..., None] * (natural - solution.hinge))
    across = cross(aim, hinge)
    turns = _turns(joints, aim, across)
    rotations = np.empty(solution.rotations.shape)
    rotations_in_plane(start.triads, (aim, hinge, across), turns, rotations)
    if options.reference == Reference.POSE and goals.pose is not None:
        rotations = product(rotations, goals.pose)
    reached = (part == 1.0) | (solution.status == Status.REACHED)
    pinned = replace(
        solution,
        rotations=rotations,
        joints=joints,
        hinge=hinge,
        hinge_angle=hinge_angle(turns, turns[..., 0, 1]),
        stretch=stretch,
        status=np.where(reached, pin.status, solution.status),
        reach=_between(solution.reach, pin.reach, part[..., None]),
        shortfall=_between(solution.shortfall, pin.shortfall, part),
        swivel=_between(solution.swivel, np.zeros_like(part), part),
    )
    return pinned.replaced_by(solution, part == 0.0)


def _between(free: Array, pinned: Array, part: Array) -> Array:
    """To the bit the one for a part of 0, and the other for 1."""
    return (1.0 - part) * free + part * pinned


def _aim(joints: Array, plane: BendPlane) -> Array:
    """(..., 3) unit vectors from root to tip; where these are at one place, that of the plane."""
    tip = joints[..., 2, :]
    return np.where(tip.any(axis=-1, keepdims=True), unit(tip), plane.aim)


def _hinge(mid: Array, aim: Array, towards: Array) -> Array:
    """(..., 3) unit normals of the limb's plane, to the side of `towards`, which counts alone where it is straight."""
    normal, straight = cross(mid, aim), unit(rejection(towards, aim))
    straight = np.where(straight.any(axis=-1, keepdims=True), straight, any_normal(aim))
    side = np.where(dot(normal, towards) < 0.0, -1.0, 1.0)[..., None]
    bent = norm(normal) > IN_LINE * norm(mid)
    return np.where(bent[..., None], unit(rejection(side * normal, aim)), straight)


def _turns(joints: Array, aim: Array, across: Array) -> Array:
    """(..., 2, 2) unit directions of the bones in the plane; a bone of no length points along the aim."""
    links = np.diff(joints, axis=-2)
    parts = np.stack([dot(links, axis[..., None, :]) for axis in (aim, across)], axis=-1)
    return np.where(parts.any(axis=-1, keepdims=True), unit(parts), (1.0, 0.0))
