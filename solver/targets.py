"""Target and pole from a pose: their places from which `solve` gives that same pose.

Near straight, the mid joint does not show a side. There the pole keeps its last good direction, which turns with the
root bone, and leaves that direction only as far as the mid joint demands. To keep it entirely would move the mid joint;
to drop it entirely would make the pole jitter.
"""

import numpy as np

from . import reach, reference_pose
from .carry_last import carry_last
from .reference_pose import ReferencePose
from .values import Array, Chain, Goals, Number
from .vectors import cross, dot, norm, rejection, rotate_about, unit

STEADY = 3e-6
"""Part of the chain's length by which a mid joint may move for the sake of a steady pole: the error of float32."""

_GOOD = 1e-3
"""Part of the chain's length: a mid joint farther from the line between root and tip shows its side well."""


def from_pose(
    chain: Chain, pose: Array, distance: Array | float, pole_angle: Number = 0.0, tolerance: float = STEADY
) -> Goals:
    """Target and pole that pose the chain as `pose` does, bent towards the pole, on every frame.

    pose : (n, 2, 3, 3)          rotations from rest of root and end bone
    distance : (n,)              of the pole from the line between root and tip
    pole_angle : (n,)            the chain's own, in radians
    tolerance : float            part of the chain's length by which the mid joint may be off for a steady pole
    """
    rest = reference_pose.rest(chain)
    bones = reference_pose.from_rotations(chain, rest, pose)
    mid, tip = bones.joints[..., 1, :], bones.joints[..., 2, :]
    along = dot(mid, bones.aim)[..., None] * bones.aim
    hinge = rest.side[..., None] * bones.normal
    direction = _direction(mid - along, bones, hinge, pose[..., 0, :, :], tolerance)
    if np.any(pole_angle):
        direction = rotate_about(direction, bones.aim, np.negative(pole_angle))
    return Goals(target=tip, pole=along + np.asarray(distance)[..., None] * direction, pose=pose)


def opposite_pole(target: Array, pole: Array) -> Array:
    """(..., 3) the pole half a turn about the line from root to target on, which all of the chain then follows.

    target, pole : (..., 3)      the root is the origin; for a target on the root the point opposite to the pole
    """
    line = unit(target)
    return 2.0 * dot(pole, line)[..., None] * line - pole


def target_beyond_tip(tip: Array, outer: Array, softness: Number, resolution: Array | float = 0.0) -> Array:
    """(n, 3) the place of the target for which the tip is where it is.

    tip : (n, 3)             the root is the origin
    outer : (n,)             the full reach
    softness : (n,)          the target is moved on by what softness takes away, but never out of reach
    resolution : (n,)        how exactly the target can be placed. If a chain is straight to within this, the target is
                             as much beyond its reach: rounding would otherwise bend the chain by the square root of it
    """
    distance = norm(tip)
    beyond = reach.soft_target_distance(distance, outer, softness)
    beyond = np.where(distance > outer - resolution, np.maximum(beyond, outer + resolution), beyond)
    return tip * (beyond / np.where(distance > 0.0, distance, 1.0))[..., None]


def _direction(offset: Array, bones: ReferencePose, hinge: Array, root: Array, tolerance: float) -> Array:
    """(n, 3) unit directions from the line between root and tip to the side of the mid joint."""
    good, slack = norm(offset) > max(_GOOD, tolerance) * bones.size, tolerance * bones.size
    # A chain that is never bent tells its side by its hinge.
    side = offset if good.any() else cross(bones.aim, hinge)
    on_root = carry_last(np.einsum("...ji,...j->...i", root, side), np.broadcast_to(good, side.shape[:-1]))
    side = unit(rejection(np.einsum("...ij,...j->...i", root, on_root), bones.aim))
    mixed = offset + slack[..., None] * side
    cancelled = norm(mixed) <= 1e-3 * slack
    return np.where(cancelled[..., None], side, unit(mixed))
