"""Limbs that were captured straight bend to the side to which they bend else.

A straight limb has no plane, and a knee that was captured beyond straight bends backwards. This does not show in the
capture, but the limb is bent farther where it is planted, and then the knee would jump. So before it is solved, such a
limb is bent a little: the sine of its bend gets a part along the axis of its mid joint, and keeps its part aside. The
axis is that about which the end bone bends as a rule, in its own space; the more a frame is bent, the more it counts.

A limb that bends clearly backwards was meant to, and stays as it was captured until it bends to its usual side again.
One that goes a little beyond straight in the air is as long as it was captured, so that it stays so, too.
"""

from dataclasses import replace

import numpy as np

from ...solver.feet.hips import smooth_envelope
from ...solver.numbers import true_runs
from ...solver.rotation import shortest
from ...solver.values import Array, Mask
from ...solver.vectors import cross, dot, norm, product, unit, unit_rejection
from ..transform import inverse, transform_vectors
from ..values import ChainPlan, Plan, Point, Samples
from .feet import in_armature, limb_joints

_STRAIGHT = 0.2
"""Sine of the bend below which a limb counts as straight."""

_MEANT = 0.35
"""Sine of a bend backwards that was meant: 20 degrees, to which the solver's softness bends the straightest legs."""

_BENT = 3.0 * _STRAIGHT
"""Sine of the bend from which the plane stays as it was captured; there no more than 1e-5 radians are missing."""

_EASE = 0.25
"""Seconds before and after a limb is meant to bend backwards in which it is bent less and less otherwise."""

_AGREED = 0.5
"""Part of all bends that must be about one axis; a limb that bends to all sides has none."""


def bent_samples(plan: Plan, samples: Samples, shares: Array) -> Samples:
    """The samples with the end bones of straight limbs turned, so that they bend to their usual side.

    shares : (n, c) from 0, where the limb stays as it was captured, to 1
    """
    turned = dict(samples.basis)
    for chain, share in zip(plan.chains, shares.T, strict=True):
        end = Point(plan.rig, chain.end.name)
        basis, links = samples.basis[end], _links(samples, chain, len(plan.frames))
        turned[end] = replace(basis, rotation=product(basis.rotation, rotations_to_bend(links, plan.rate, share)))
    return replace(samples, basis=turned)


def _links(samples: Samples, chain: ChainPlan, count: int) -> Array:
    """(n, 2, 3) unit directions of both bones, in the space of the end bone."""
    joints, pose = in_armature(samples, chain.rig, limb_joints(chain)), samples.pose[Point(chain.rig, chain.end.name)]
    links = transform_vectors(inverse(pose[:, None, :3, :3]), np.diff(joints, axis=1))
    return np.broadcast_to(unit(links), (count, 2, 3))


def against_usual(samples: Samples, chain: ChainPlan, count: int) -> Mask:
    """(n,) on which frames the limb bends against its usual side; on none if it has no such side."""
    bend, axis = _bend_and_axis(_links(samples, chain, count))
    return np.zeros(count, dtype=np.bool_) if axis is None else dot(bend, axis) < 0.0


def _bend_and_axis(links: Array) -> tuple[Array, Array | None]:
    """(n, 3) the sine of the bend about its axis, and (n, 3) the usual axis; None for one that bends to all sides."""
    bend = cross(links[:, 0], links[:, 1])
    sine = norm(bend)
    usual = sine @ bend
    agreed = norm(usual) >= max(_AGREED * float(sine @ sine), _STRAIGHT**2)
    return bend, unit_rejection(np.broadcast_to(usual, bend.shape), links[:, 0]) if agreed else None


def rotations_to_bend(links: Array, rate: float, shares: Array) -> Array:
    """(n, 3, 3) rotations of the second link that bend straight limbs to their usual side.

    links : (n, 2, 3)     unit directions of both bones, in a space in which the usual axis stays where it is
    rate : frames a second
    shares : (n,)         from 0, where the limb stays as it was captured, to 1
    """
    first, second = links[:, 0], links[:, 1]
    bend, axis = _bend_and_axis(links)
    turns = np.broadcast_to(np.eye(3), (len(links), 3, 3)).copy()
    if axis is None or not shares.any():
        return turns
    sine, along = norm(bend), dot(bend, axis)
    backwards = _backwards(along, sine)
    straight = (sine < _BENT) & (dot(first, second) > 0.0) & (shares > 0.0)
    eased = 1.0 - smooth_envelope(backwards.astype(np.float64), rate, _EASE) if backwards.any() else np.ones(len(along))
    least = eased * _STRAIGHT * np.exp(-0.5 * (sine / _STRAIGHT) ** 2)
    more = np.where(backwards, along, along + shares * (np.hypot(along, least) - along))[straight]
    first, second, bend, axis = first[straight], second[straight], bend[straight], axis[straight]
    aside = bend - along[straight, None] * axis
    wanted = aside + more[:, None] * axis
    cosine = np.sqrt(1.0 - dot(wanted, wanted))
    turns[straight] = shortest(second, cosine[:, None] * first + cross(wanted, first))
    return turns


def _backwards(along: Array, sine: Array) -> Mask:
    """(n,) whether a limb bends against its usual side, and at some time until it bends to it again clearly so.

    along : (n,)     part of its bend that is to the usual side
    sine : (n,)      of its bend
    """
    found = np.zeros(len(along), dtype=np.bool_)
    for first, last in true_runs(along < 0.0):
        found[first : last + 1] = sine[first : last + 1].max() > _MEANT
    return found
