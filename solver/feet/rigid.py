"""How feet and toes turn so that each stands as a rigid body at rest: rotations from how it was captured.

While ball and heel stand, a foot keeps its orientation. Its pitch and roll are the mean of those captured while it
stands flat, one for the whole stand; its heading is fitted to both points for each flat stretch by the least squares.
On one point, and in the air, the foot turns as it was captured but for the turn of the flat stretches before and after:
from one to the other its rotation vector goes by a cubic without speed at its ends, so it never goes beyond them.

A toe is at rest while the ball stands, and raised where its tip would be in the ground.
"""

import numpy as np

from ..numbers import true_runs
from ..rotation import about, from_vectors, quaternions, shortest, vectors
from ..values import Array, Integers, Mask
from ..vectors import any_normal, cross, dot, norm, product, unit
from .corrections import eased, eased_need, totals

_UNDECIDED = 1e-9
"""By how much less the orientation counts than the two points in a heading: those of a foot on tiptoe have none."""

_SUNK = 0.001
"""Leg lengths by which a point that does not stand may be in the ground."""

_BENDS = 0.06
"""Seconds for which a toe is raised before and after a frame on which its tip would be in the ground."""


def standing_turns(feet: Array, points: Array, stands: Mask, rate: float, up: Array) -> Array:
    """(n, 3, 3) rotations by which one foot turns.

    feet : (n, 3, 3)           orientations as captured
    points : (n, p, 3)         of the foot; where all are at one place it does not turn
    stands : (n, p) bool       which of them stand
    rate, up : as for `corrections`
    """
    flat = np.logical_and.reduce(stands, axis=1) & (norm(points - points[:, :1]).max(axis=1) > 0.0)
    spans = true_runs(flat)
    turns = np.zeros((len(feet), 3))
    if len(spans):
        counts = np.diff(spans, axis=1)[:, 0] + 1
        own = feet[flat]
        upwards = _stand_means(np.swapaxes(own, -1, -2) @ up, stands, flat, spans)
        rest = np.repeat(fitted_orientations(own, points[flat], counts, upwards, up), counts, axis=0)
        turns[flat] = rotation_vectors(product(rest, np.swapaxes(own, -1, -2)))
    return from_vectors(eased(turns, spans, rate, at_rest=True))


def fitted_orientations(feet: Array, points: Array, counts: Integers, upwards: Array, up: Array) -> Array:
    """(k, 3, 3) of stretches of frames, one after another: each is level, with the heading that fits its points best.

    feet : (m, 3, 3)        orientations as captured
    points : (m, p, 3)      that go along with the foot
    counts : (k,) > 0       lengths of the stretches
    upwards : (k, 3)        what is to point upwards, in the space of the foot
    """
    first = np.cumsum(counts) - counts
    level = product(shortest((feet[first] @ upwards[..., None])[..., 0], up), feet[first])
    lines = points - points.mean(axis=1, keepdims=True)
    own = _means(lines @ feet, counts)  # in the space of the foot, where these do not change
    seen = _means(lines, counts)
    # Points turned by x, times the points seen, have the sum that `moment`, turned by x, has on its diagonal.
    moment = level @ np.swapaxes(own, -1, -2) @ seen
    size = np.einsum("kpi,kpi->k", own, own)
    moment += (_UNDECIDED * size)[:, None, None] * (level @ np.swapaxes(_means(feet, counts), -1, -2))
    aside = np.stack([moment[:, j, i] - moment[:, i, j] for i, j in ((1, 2), (2, 0), (0, 1))], axis=-1)
    cosine = np.trace(moment, axis1=-2, axis2=-1) - np.einsum("i,kij,j->k", up, moment, up)
    heading = np.arctan2(-aside @ up, cosine)
    return product(about(up, heading), level)


def resting_turns(orientations: Array, stands: Mask, flat: Mask, rate: float) -> Array:
    """(n, 3, 3) rotations by which a toe has one orientation throughout each stand, eased in between as feet are.

    That is the rotation nearest to the mean of those captured while its foot is flat, or throughout the stand if it
    never is, by singular values (Schoenemann 1966).

    orientations : (n, 3, 3)
    stands, flat : (n,) bool   whether the ball stands, and the heel with it
    rate : as for `corrections`
    """
    spans, turns = true_runs(stands), np.zeros((len(orientations), 3))
    counts, own, lies = np.diff(spans, axis=1)[:, 0] + 1, orientations[stands], flat[stands]
    counting = np.where(np.repeat(totals(lies, counts) > 0.0, counts), lies, 1.0)
    left, _, right = np.linalg.svd(totals(counting[:, None, None] * own, counts))
    left[..., 2] *= np.sign(np.linalg.det(left @ right))[:, None]
    rest = np.repeat(left @ right, counts, axis=0)
    turns[stands] = rotation_vectors(product(rest, np.swapaxes(own, -1, -2)))
    return from_vectors(eased(turns, spans, rate, at_rest=True))


def clearing_turns(toes: Array, least: Array, stands: Mask, rate: float, up: Array) -> Array:
    """(n, 3, 3) rotations that raise a toe so that its tip does not go into the ground, whether its foot stands or not.

    Throughout a stand a toe that does not turn is raised by one angle, the least that it needs there: beside a stand it
    is raised by as little as it needs on each frame, and farther off smoothly.

    toes : (n, 3)     unit vectors, the toe's direction
    least : (n,)      sine of its angle to the ground at which its tip touches it; -1 where there is none
    stands : (n,)     bool, whether what carries the toe stands
    rate, up : as for `corrections`
    """
    angle = np.arcsin(np.clip(least, -1.0, 1.0)) - np.arcsin(np.clip(dot(toes, up), -1.0, 1.0))
    angle = np.maximum(angle, 0.0)
    raised = eased_need(angle, stands, rate, _BENDS)
    for first, last in true_runs(stands):
        raised[first : last + 1] = angle[first : last + 1].max()
    return raising(toes, raised, up)


def raising_turns_of_feet(
    points: Array, captured: Array, stands: Mask, level: Array, lengths: Array, up: Array
) -> Array:
    """(n, f, 3, 3) by which feet that stand on one of two points turn about it, so that the other is not in the ground.

    points, captured : (n, f, 2, 3)     where they are to be, and as captured: as deep as there they may be
    stands : (n, f, 2) bool
    level : (n, f, 2)                   their heights on the ground
    lengths : (f,)                      of the legs
    """
    one = stands[..., 0] ^ stands[..., 1]
    side = np.where(stands[..., 0], 1.0, -1.0)
    line, before = (side[..., None] * (each[..., 1, :] - each[..., 0, :]) for each in (points, captured))
    slope = side * (level[..., 1] - level[..., 0])
    standing = np.where(stands[..., 0], dot(points, up)[..., 0], dot(points, up)[..., 1])
    ground = np.where(stands[..., 0], level[..., 1], level[..., 0])
    least = ground - standing - np.maximum(_SUNK * lengths, slope - dot(before, up))
    length = np.where(norm(line) > 0.0, norm(line), 1.0)
    angle = (np.arcsin(np.clip(each / length, -1.0, 1.0)) for each in (least, dot(line, up)))
    return raising(line, np.where(one, np.maximum(np.subtract(*angle), 0.0), 0.0), up)


def raising(lines: Array, angles: Array, up: Array) -> Array:
    """(..., 3, 3) rotations that raise lines (..., 3) by angles (...); one that is upright turns about any normal."""
    axes = cross(lines, up)
    return about(np.where(norm(axes)[..., None] > 0.0, axes, any_normal(unit(lines))), angles)


def _stand_means(values: Array, stands: Mask, flat: Mask, spans: Integers) -> Array:
    """(k, 3) for each flat stretch, between these rows (k, 2), the direction that values (m, 3) of its stand have."""
    whole = true_runs(np.logical_or.reduce(stands, axis=1))
    rows = np.searchsorted(whole[:, 0], np.flatnonzero(flat), side="right")
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    means = unit(np.add.reduceat(values, starts, axis=0))
    return means[np.searchsorted(rows[starts], np.searchsorted(whole[:, 0], spans[:, 0], side="right"))]


def _means(values: Array, counts: Integers) -> Array:
    """(k, ...) of stretches of values (m, ...), one after another."""
    return totals(values, counts) / counts.reshape(-1, *[1] * (values.ndim - 1))


def rotation_vectors(turns: Array) -> Array:
    """(n, 3) axes, as long as the angles, which are at most pi."""
    found = quaternions(turns)
    return vectors(np.where(found[:, :1] < 0.0, -found, found))
