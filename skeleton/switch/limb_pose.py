"""How a limb of two bones lies, and what an IK chain has to change to lie so: turn about its axis, grow or shrink."""

from collections.abc import Mapping, Sequence

import numpy as np

from ...solver import rotation
from ...solver.carry_last import carry_last
from ...solver.values import Array
from ...solver.vectors import IN_LINE, angle_about, cross, dot, norm, rejection, unit
from .. import transform
from ..values import Bone

_STRAIGHT = 1e-3
"""Part of the root bone's length: a mid joint less far aside tells the roll of the limb worse than the bone does."""


def aside(joints: Array, fallback: Array) -> Array:
    """(n, 3) unit vectors from the line through root and tip to the mid joint; a straight limb keeps its last one.

    joints : (n, 3, 3)     root, mid and tip
    fallback : (n, 3)      taken while the limb has been straight from the first frame on
    """
    root, mid, tip = np.moveaxis(joints, 1, 0)
    axis = unit(tip - root)
    bend = rejection(mid - root, axis)
    bent = norm(bend) > IN_LINE * norm(mid - root)
    start = unit(rejection(fallback, axis))
    carried = carry_last(np.where(bent[:, None], unit(bend), start), bent)
    ever_bent = np.logical_or.accumulate(bent)
    return unit(rejection(np.where(ever_bent[:, None], carried, start), axis))


def mid_aside(joints: Array) -> Array:
    """(n,) how far mid joints are from the line through root and tip; joints : (n, 3, 3)."""
    root, mid, tip = np.moveaxis(joints, 1, 0)
    return norm(rejection(mid - root, unit(tip - root)))


def extremes(joints: Array) -> set[int]:
    """On which of the frames a limb is straightest, or bent most, or farthest from where it was on the one before.

    joints : (n, 3, 3)
    """
    upper, lower = np.moveaxis(unit(np.diff(joints, axis=1)), 1, 0)
    straight, steps = dot(upper, lower), norm(np.diff(joints, axis=0, prepend=joints[:1])).max(axis=-1)
    return {int(row) for row in (straight.argmax(), straight.argmin(), steps.argmax())}


def bending(joints: Array, to: Array, more: Array) -> tuple[Array, Array]:
    """(n, 3, 3) each, rotations of both bones that put mid joints farther aside, and leave the tip in its direction.

    joints : (n, 3, 3)     of nearly straight limbs
    to : (n, 3)            unit vectors, aside
    more : (n,)            as a length
    """
    hinge = cross(unit(joints[:, 2] - joints[:, 0]), to)
    angles = more[:, None] / norm(np.diff(joints, axis=1)) * (1.0, -1.0)
    upper, lower = (rotation.about(hinge, angle) for angle in angles.T)
    return upper, lower


def swivel(joints: Array, wanted: Array, root: Array, wanted_root: Array) -> Array:
    """(n,) the angles about the line from root to tip by which mid joints have to turn, or root bones where straight.

    joints, wanted : (n, 3, 3)
    root, wanted_root : (n, 4, 4) poses of the root bone
    """
    axis = unit(joints[:, 2] - joints[:, 0])

    def angle(now: Array, then: Array) -> tuple[Array, Array]:
        now, then = rejection(now, axis), rejection(then, axis)
        return angle_about(axis, now, then), np.minimum(norm(now), norm(then))

    turn, aside = angle(joints[:, 1] - joints[:, 0], wanted[:, 1] - wanted[:, 0])
    roll, _ = angle(root[:, :3, 0], wanted_root[:, :3, 0])
    return np.where(aside > _STRAIGHT * norm(joints[:, 1] - joints[:, 0]), turn, roll)


def differences(
    bones: Sequence[Bone], played: Mapping[str, Array], wanted: Mapping[str, Array]
) -> tuple[Array, Array, Array]:
    """(b, n) each, how far bones are off: the farther of head and tail, the angle in radians, the greatest scale.

    played, wanted : by bone (n, 4, 4)
    """
    both = [np.stack([poses[bone.name] for bone in bones]) for poses in (played, wanted)]
    tails = np.array([bone.tail for bone in bones])[:, None]
    heads = norm(both[0][..., :3, 3] - both[1][..., :3, 3])
    moved = np.maximum(heads, norm(np.subtract(*(transform.transform_points(poses, tails) for poses in both))))
    turned = rotation.angle_between(*(transform.orientation(poses[..., :3, :3]) for poses in both))
    scaled = np.subtract(*(transform.lengths(poses[..., :3, :3]) for poses in both))
    return moved, turned, np.abs(scaled).max(axis=-1)
