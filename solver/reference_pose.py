"""The reference pose: the rest pose, or the pose before the solve. The bones keep their roll relative to this pose."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .carry_last import carry_last
from .numbers import every
from .reach import equalized
from .values import Array, Chain, Mask
from .vectors import IN_LINE, chained, cross, dot, norm, triad, unit, unit_rejection

SLIGHT = np.radians(3.0)
"""Radians: a rest pose that bends less does not decide the side against a chosen hinge axis. Captured skeletons and
T-poses bend by a degree or so, as often to the wrong side.
"""

_FOLDED = 1e-6
"""Part of the chain's length: a tip this close to the root counts as on the root."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ReferencePose:
    """Two bones and the axis about which they bend.

    lengths : (..., 2)
    links : (..., 2, 3)        unit directions root to mid, mid to tip
    hinges : (..., 2, 3)       unit hinge axis beside each bone, at right angles to it
    aim : (..., 3)             unit direction root to tip
    normal : (..., 3)          of the plane of the chain, at right angles to `aim`
    side : (...)               +1 or -1: the sign of the hinge angle in this pose, +1 where it is straight
    bent : (...) bool          False where the pose is straight, and so shows no axis
    """

    lengths: Array
    links: Array
    hinges: Array
    aim: Array
    normal: Array
    side: Array
    bent: Mask

    @cached_property
    def size(self) -> Array:
        """(...) of both bones together, the full reach."""
        return self.lengths.sum(axis=-1)

    def lengths_and_slack(self, tolerance: float) -> tuple[Array, Array]:
        """The lengths (..., 2) as `equalized` makes them, and the distance (...) that counts as none.

        tolerance : part of the full reach; what it gives is computed once for many solves
        """
        if tolerance not in self._by_tolerance:
            self._by_tolerance[tolerance] = equalized(self.lengths, tolerance), tolerance * self.size
        return self._by_tolerance[tolerance]

    @cached_property
    def _by_tolerance(self) -> dict[float, tuple[Array, Array]]:
        return {}

    @cached_property
    def triads(self) -> Array:
        """(..., 2, 3, 3) of both bones."""
        return triad(self.links, self.hinges)

    @property
    def joints(self) -> Array:
        """(..., 3, 3) root, mid and tip."""
        return chained(self.lengths[..., None] * self.links)

    @property
    def reach(self) -> Array:
        """(...) distance from root to tip."""
        return norm(self.joints[..., 2, :])

    @property
    def hinge_angle(self) -> Array:
        """(...) signed, about `normal`."""
        first, second = self.links[..., 0, :], self.links[..., 1, :]
        return self.side * np.arctan2(norm(cross(first, second)), dot(first, second))


def rest(chain: Chain) -> ReferencePose:
    """The rest pose. It bends to the positive side by definition, unless the chain forces a hinge axis."""
    axes = chain.hinge_axis[..., None, :]
    pose = _pose(np.diff(chain.joints, axis=-2), axes, np.asarray(chain.use_hinge_axis))
    if chain.use_hinge_axis or every(pose.side > 0.0):
        return pose
    side = pose.side[..., None]
    hinges, normal = side[..., None] * pose.hinges, side * pose.normal
    return replace(pose, hinges=hinges, normal=normal, side=np.ones_like(pose.side))


def from_rotations(chain: Chain, rest: ReferencePose, rotations: Array, stretch: Array | float = 1.0) -> ReferencePose:
    """The chain with bones and hinge axes turned from rest by `rotations` (n, 2, 3, 3), and stretched (n, 2).

    If the rest pose is slight and the hinge axis was chosen, that axis gives the side, and the pose itself the axis of
    the bend. A straight pose has the side and, in the space of its bones, the axis of the last frame that is bent.
    """
    links = np.einsum("...bij,...bj->...bi", rotations, np.diff(chain.joints, axis=-2))
    axes = np.einsum("...bij,...bj->...bi", rotations, rest.hinges)
    use_axes = ~is_slight(rest) if chain.use_hinge_axis else np.asarray(False)
    pose = _pose(links * np.asarray(stretch)[..., None], axes, use_axes)
    if every(pose.bent):
        return pose
    own = carry_last(np.einsum("...bji,...bj->...bi", rotations, pose.hinges), pose.bent)
    hinges = unit_rejection(np.einsum("...bij,...bj->...bi", rotations, own), pose.links)
    normal, side = unit_rejection(hinges[..., 1, :], pose.aim), carry_last(pose.side, pose.bent)
    return replace(pose, hinges=hinges, normal=normal, side=side)


def is_slight(rest: ReferencePose) -> Mask:
    """(...) True if the rest pose bends too little to decide the side."""
    return np.abs(rest.hinge_angle) < SLIGHT


def _pose(links: Array, axes: Array, use_axes: Mask) -> ReferencePose:
    directions = _directions(links)
    bend = cross(directions[..., 0, :], directions[..., 1, :])
    sine = norm(bend)
    bent = sine > IN_LINE
    side = np.where(bent & (dot(bend, axes[..., -1, :]) < 0.0), -1.0, 1.0)
    if not every(use_axes):
        normal = bend * (side / np.where(bent, sine, 1.0))[..., None]
        axes = np.where((bent & ~use_axes)[..., None, None], normal[..., None, :], axes)
    hinges = unit_rejection(axes, directions)
    lengths, aim = norm(links), links.sum(axis=-2)
    # A full fold has no direction of its own; the root bone's is as good.
    folded = norm(aim) <= _FOLDED * lengths.sum(axis=-1)
    aim = np.where(folded[..., None], directions[..., 0, :], unit(aim))
    return ReferencePose(
        lengths=lengths,
        links=directions,
        hinges=hinges,
        aim=aim,
        normal=unit_rejection(hinges[..., 1, :], aim),
        side=side,
        bent=bent,
    )


def _directions(links: Array) -> Array:
    """(..., 2, 3) unit directions; a bone without length takes the other's; if both have none, the y axis."""
    both = unit(links)
    if every(both.any(axis=-1)):
        return both
    other = np.where(both[..., ::-1, :].any(axis=-1, keepdims=True), both[..., ::-1, :], (0.0, 1.0, 0.0))
    return np.where(both.any(axis=-1, keepdims=True), both, other)
