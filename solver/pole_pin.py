"""Pin to Pole: the mid joint comes to rest on the pole, an elbow on a table, as the bones scale apart.

With lengths l1, l2 and the most by which a bone may scale, m, the mid joint lies between the spheres of radius l1 / m
and l1 m about the root, and between those of radius l2 / m and l2 m about the tip. Of these two shells together the
point nearest to the pole is the pole itself, its projection on one of the four spheres, or its projection on one of
the four circles in which spheres meet: a smooth piece of a border has its least distance where it is at right angles to
the way there, or at its own border (Lagrange). All of it is symmetric about the line from root to tip, so it is
computed in the half plane through the pole. The root is the origin.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import inputs, reach
from .carry_last import carry_last, carry_normal
from .numbers import every
from .values import Array, Mask
from .vectors import along, any_normal, dot, norm, rejection, unit

_ROUNDING = 1e-12
"""Part of the size of all that takes part: a point counts as on a sphere up to this."""

IN_LINE = 1e-6
"""Radians: a pole this close to the line from root to tip shows no side; float32 positions are as inexact."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PinnedLimb:
    """Result of `pinned`, one row a frame.

    joints : (..., 3, 3)     root, mid and tip
    beside : (..., 3)        unit vector at right angles to the line from root to tip, towards the mid joint
    limits : (..., 2, 2)     the least and the greatest length of root and end bone
    stretch : (..., 2)       factors on their lengths, within these limits
    off_pin : (...)          distance from the mid joint to the pole; 0 where it rests on it
    reach : (..., 2)         least and greatest distance of a target within reach
    status : (...) uint8     a `Status` each
    shortfall : (...)        distance of the target from that range; 0 within reach
    """

    joints: Array
    beside: Array
    limits: Array
    stretch: Array
    off_pin: Array
    reach: Array
    status: NDArray[np.uint8]
    shortfall: Array


def annulus(lengths: ArrayLike, max_stretch: ArrayLike) -> tuple[Array, Array]:
    """The least and the greatest reach of two bones each of which scales by 1 / `max_stretch` to `max_stretch`.

    lengths : (..., 2)       >= 0
    max_stretch : (...)      >= 1
    returns : inner (...), outer (...)

    >>> [float(part) for part in annulus([2.0, 1.0], 1.5)]
    [0.0, 4.5]
    """
    return _annulus(link_limits(inputs.bone_lengths(lengths, 2), _max_stretch(max_stretch)))


def link_limits(lengths: Array, max_stretch: Array) -> Array:
    """(..., 2, 2) the least and the greatest length of each bone, if both may stretch alike."""
    most = max_stretch[..., None]
    return np.stack(np.broadcast_arrays(lengths / most, lengths * most), axis=-1)


def _annulus(limits: Array) -> tuple[Array, Array]:
    least, greatest = limits[..., 0], limits[..., 1]
    inner = np.maximum(np.max(least - greatest[..., ::-1], axis=-1), 0.0)
    return inner, greatest.sum(axis=-1)


def pinned(
    lengths: ArrayLike, target: ArrayLike, pole: ArrayLike, max_stretch: ArrayLike, side: ArrayLike | None = None
) -> PinnedLimb:
    """The limb whose tip is at the target and whose mid joint is at the pole, or comes closest to it.

    lengths : (..., 2)       > 0
    target, pole : (..., 3)  for a target on the root the last frame's direction holds
    max_stretch : (...)      >= 1; at 1 it is the limb that bends towards the pole
    side : (..., 3)          direction to which the mid joint goes if the pole is on the line to the target all along;
                             otherwise it goes where it last was, turned with that line
    raises : ValueError for inputs outside these ranges, not finite, or that do not fit together

    >>> limb = pinned([1.0, 1.0], [0.0, 1.5, 0.0], [0.0, 0.5, 0.8], 2.0)
    >>> limb.joints[1], limb.stretch.round(3), float(limb.off_pin)
    (array([0. , 0.5, 0.8]), array([0.943, 1.281]), 0.0)
    """
    lengths, most = inputs.bone_lengths(lengths, 2), _max_stretch(max_stretch)
    target, pole = inputs.check_array("target", target, 3), inputs.check_array("pole", pole, 3)
    side = None if side is None else inputs.check_array("side", side, 3)
    shapes = {"lengths": (lengths.shape, 1), "target": (target.shape, 1), "pole": (pole.shape, 1)}
    shapes |= {"max_stretch": (most.shape, 0)} | ({} if side is None else {"side": (side.shape, 1)})
    rows = inputs.common_rows(**shapes)
    target, pole = (np.broadcast_to(point, (*rows, 3)) for point in (target, pole))
    slack = _ROUNDING * most * lengths.sum(axis=-1)
    return pinned_joints(lengths, target, pole, link_limits(lengths, most), side, slack)


def pinned_joints(
    lengths: Array, target: Array, pole: Array, limits: Array, side: Array | None, slack: Array
) -> PinnedLimb:
    """The limb that `pinned` gives, with no checks of its inputs.

    limits : (..., 2, 2)     the least and the greatest length of each bone
    slack : (...)            distance by which a target may be out of reach and still count as reached
    """
    inner, outer = (np.broadcast_to(limit, target.shape[:-1]) for limit in _annulus(limits))
    distance = norm(target)
    decided = distance > slack
    aim = carry_last(np.where(decided[..., None], unit(target), (0.0, 1.0, 0.0)), decided)
    # A target within reach is met to the bit.
    within = (inner <= distance) & (distance <= outer)
    tip = np.where(within[..., None], target, along(aim, np.clip(distance, inner, outer)))
    mid, across = nearest_mid(limits, tip, pole, aim, side)
    shortfall = reach.shortfall(distance, inner, outer, slack)
    return PinnedLimb(
        joints=np.stack((np.zeros_like(tip), mid, tip), axis=-2),
        beside=across,
        limits=limits,
        stretch=_stretch(lengths, mid, tip),
        off_pin=norm(pole - mid),
        reach=np.stack((inner, outer), axis=-1),
        status=reach.status(distance, outer, outer, shortfall),
        shortfall=shortfall,
    )


def blended(lengths: ArrayLike, without: ArrayLike, pin: PinnedLimb, amount: ArrayLike) -> tuple[Array, Array]:
    """Joints (..., 3, 3) and stretch (..., 2) part of the way from a limb without the pole pin to the pinned one.

    Mid joint and tip go straight, then the mid joint to the nearest place that its bones allow.

    without : (..., 3, 3)        root, mid and tip, within the limits of the pinned limb
    amount : (...)               0 to 1; joints at 0 and at 1 are given back to the bit
    """
    lengths, joints = inputs.bone_lengths(lengths, 2), inputs.check_array("without", without, 3, 3)
    part = inputs.check_array("amount", amount)[..., None, None]
    between = joints + part * (pin.joints - joints)
    tip = between[..., 2, :]
    aim = unit(np.where(tip.any(axis=-1, keepdims=True), tip, pin.joints[..., 2, :]))
    tip = along(aim, np.clip(norm(tip), *_annulus(pin.limits)))
    mid, _ = nearest_mid(pin.limits, tip, between[..., 1, :], aim, pin.beside)
    allowed = np.stack((np.zeros_like(tip), mid, tip), axis=-2)
    allowed = np.where(part == 0.0, joints, np.where(part == 1.0, pin.joints, allowed))
    return allowed, _stretch(lengths, allowed[..., 1, :], allowed[..., 2, :])


def nearest_mid(limits: Array, tip: Array, wish: Array, aim: Array, side: Array | None = None) -> tuple[Array, Array]:
    """(..., 3) the place nearest to `wish` that the bones allow for the mid joint, and `PinnedLimb.beside` (..., 3).

    limits : (..., 2, 2)     see `PinnedLimb`
    tip : (..., 3)           within the `annulus`
    aim : (..., 3)           unit vectors from the root towards the tip
    side : (..., 3)          see `pinned`
    """
    distance, forward = norm(tip), dot(wish, aim)
    off_line = rejection(wish, aim)
    height, size = norm(off_line), norm(wish) + limits[..., 1].sum(axis=-1)
    slack = _ROUNDING * size
    across = _across(off_line, height > IN_LINE * norm(wish), aim, side)
    place = np.stack((forward, height), axis=-1)
    centers = np.stack((np.zeros_like(distance), distance), axis=-1)
    first, second = shells = [(limits[..., bone, 0], limits[..., bone, 1]) for bone in range(2)]
    places = [place]
    for center, (least, greatest) in zip(np.moveaxis(centers, -1, 0), shells, strict=True):
        places += [_on_circle(place, center, radius, slack) for radius in (least, greatest)]
    places += [_crossing(one, other, distance) for one in first for other in second]
    options = np.stack(np.broadcast_arrays(*places))
    beyond, far = _beyond(options, centers, shells), norm(options - place)
    # The nearest of the allowed; where rounding allows none, the one that is least beyond the limits. To a pole on the
    # root or on the tip several are as near: then the one to the side.
    allowed = beyond <= slack
    order = np.where(allowed.any(axis=0), np.where(allowed, far, np.inf), beyond)
    alike = order <= order.min(axis=0) + slack
    order = np.where(alike, norm(options - place - np.stack((np.zeros_like(size), size), axis=-1)), np.inf)
    best = np.take_along_axis(options, np.argmin(order, axis=0)[None, ..., None], axis=0)[0]
    found = along(aim, best[..., 0]) + along(across, best[..., 1])
    return np.where(allowed[0][..., None], wish, found), across


def _across(off_line: Array, decided: Mask, aim: Array, side: Array | None) -> Array:
    """(..., 3) unit vectors at right angles to the aim, towards the wished place; where it is on the line, the last."""
    if every(decided):
        return unit(off_line)
    start = any_normal(aim)
    if side is not None:
        part = rejection(side, aim)
        start = np.where((norm(part) > IN_LINE * norm(side))[..., None], unit(part), start)
    return carry_normal(aim, unit(off_line), decided, start)


def _on_circle(place: Array, center: Array, radius: Array, slack: Array) -> Array:
    """(..., 2) the point of a circle, about a `center` on the line, that is nearest to `place`."""
    offset = place - np.stack((center, np.zeros_like(center)), axis=-1)
    length = norm(offset)
    # From its center all of the circle is as near: there the mid joint goes to the side.
    undecided = (length <= slack)[..., None]
    direction = np.where(undecided, (0.0, 1.0), offset / np.where(length > 0.0, length, 1.0)[..., None])
    return radius[..., None] * direction + np.stack((center, np.zeros_like(center)), axis=-1)


def _crossing(first: Array, second: Array, distance: Array) -> Array:
    """(..., 2) where circles about root and tip meet, or nearly meet."""
    return np.stack(reach.triangle(first, second, 1.0, reach.reach_of_tip(first, second, distance)), axis=-1)


def _beyond(places: Array, centers: Array, shells: list[tuple[Array, Array]]) -> Array:
    """(k, ...) how far places (k, ..., 2) are outside the shells about root and tip; 0 inside."""
    beyond = np.zeros(places.shape[:-1])
    for center, (least, greatest) in zip(np.moveaxis(centers, -1, 0), shells, strict=True):
        radius = np.hypot(places[..., 0] - center, places[..., 1])
        beyond = np.maximum(beyond, np.maximum(least - radius, radius - greatest))
    return beyond


def _stretch(lengths: Array, mid: Array, tip: Array) -> Array:
    """(..., 2) how many times as long the bones are; a bone without length stays as it is."""
    apart = np.stack((norm(mid), norm(tip - mid)), axis=-1)
    return np.where(lengths > 0.0, apart / np.where(lengths > 0.0, lengths, 1.0), 1.0)


def _max_stretch(values: ArrayLike) -> Array:
    most = inputs.check_array("max_stretch", values)
    if (most < 1.0).any():
        raise ValueError(f"max_stretch must be 1 or more, but is {most.min():.6g}")
    return most
