"""The pose from which the bones' orientations are carried: the rest pose, or the chain's own pose before the solve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .values import Array, Chain
from .vectors import any_normal, cross, dot, norm, rejection, unit

_STRAIGHT = 1e-4
"""Radians: a chain that bends less has no plane of its own. Well above what float32 joints leave open, 1e-6."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ReferencePose:
    """Two bones and the axis about which they bend.

    lengths : (..., 2)
    links : (..., 2, 3)        unit directions root to mid, mid to tip
    hinges : (..., 2, 3)       unit hinge axis beside each bone, at right angles to it
    aim : (..., 3)             unit direction root to tip
    normal : (..., 3)          of the plane of the chain, at right angles to `aim`
    side : (...)               +1 or -1: the sign of the hinge angle in this pose, +1 where it is straight
    """

    lengths: Array
    links: Array
    hinges: Array
    aim: Array
    normal: Array
    side: Array

    @property
    def reach(self) -> Array:
        """(...) distance from root to tip."""
        return norm((self.lengths[..., None] * self.links).sum(axis=-2))


def rest(chain: Chain) -> ReferencePose:
    """The rest pose; unless an axis is forced, it bends to the positive side by definition."""
    links = np.diff(chain.joints, axis=-2)
    first, second = _directions(links)
    axis = chain.hinge_axis
    if not chain.use_hinge_axis:
        bend = cross(first, second)
        axis = np.where((norm(bend) > _STRAIGHT)[..., None], bend, axis)
    return _pose(links, np.stack((axis, axis), axis=-2), chain.use_hinge_axis)


def posed(chain: Chain, rest: ReferencePose, rotations: Array) -> ReferencePose:
    """The chain's own pose: bones turned from rest by `rotations` (n, 2, 3, 3), hinge axes and all."""
    links = np.einsum("...bij,...bj->...bi", rotations, np.diff(chain.joints, axis=-2))
    axes = np.einsum("...bij,...bj->...bi", rotations, rest.hinges)
    return _pose(links, axes, chain.use_hinge_axis)


def _pose(links: Array, axes: Array, use_axes: bool) -> ReferencePose:
    directions = np.stack(_directions(links), axis=-2)
    bend = cross(directions[..., 0, :], directions[..., 1, :])
    sine = norm(bend)
    bent = sine > _STRAIGHT
    side = np.where(bent & (dot(bend, axes[..., 1, :]) < 0.0), -1.0, 1.0)
    hinges = _beside(axes, directions)
    if not use_axes:
        normal = bend * (side / np.where(bent, sine, 1.0))[..., None]
        hinges = np.where(bent[..., None, None], normal[..., None, :], hinges)
    aim = links.sum(axis=-2)
    # A full fold has no direction of its own; the root bone's is as good.
    aim = np.where((norm(aim) > 0.0)[..., None], unit(aim), directions[..., 0, :])
    return ReferencePose(
        lengths=norm(links),
        links=directions,
        hinges=hinges,
        aim=aim,
        normal=_beside(hinges[..., 1, :], aim),
        side=side,
    )


def _directions(links: Array) -> tuple[Array, Array]:
    """Unit directions of both bones; one without length takes the other's, two without length the root bone's y axis."""
    first, second = unit(links[..., 0, :]), unit(links[..., 1, :])
    first = np.where(first.any(axis=-1, keepdims=True), first, second)
    first = np.where(first.any(axis=-1, keepdims=True), first, (0.0, 1.0, 0.0))
    return first, np.where(second.any(axis=-1, keepdims=True), second, first)


def _beside(axis: Array, direction: Array) -> Array:
    """`axis` made a unit vector at right angles to `direction`; any such where it lies in line."""
    part = rejection(axis, direction)
    in_line = norm(part) <= _STRAIGHT * norm(axis)
    return np.where(in_line[..., None], any_normal(direction), unit(part))
