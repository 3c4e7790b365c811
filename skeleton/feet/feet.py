"""Feet and hands that stand: on which points of their bones, and from when to when."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...solver.numbers import true_runs
from ...solver.values import Array, Mask
from ...solver.vectors import norm
from .. import transform
from ..values import Bone, ChainPlan, Key, Point, Samples

UP = np.array((0.0, 0.0, 1.0))
"""In the world."""

_SLOWEST = 1.0 / 3.0
"""Part of the frames on which a foot is slowest; then it mostly lies on the ground."""


class Contact(NamedTuple):
    """From when to when a point of a limb stays where it is.

    chain : name of the limb
    start, end : frames, both inclusive
    bone, offset : the point, in the space of this bone
    """

    chain: str
    start: float
    end: float
    bone: str
    offset: tuple[float, float, float]


class BonePoint(NamedTuple):
    """A point that goes along with a bone, in the space of this bone."""

    bone: str
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Foot:
    """A limb, and the points on which it stands.

    points : ball and heel; the same if there is but one
    ends : of all bones of the foot
    is_hand : the ground does not concern it
    is_planted : its contacts count
    is_kept : while it does not stand it stays where it was captured, and does not go along with the hips; legs never do
    toes : bones that can be keyed so that they are at rest while the ball stands
    """

    chain: ChainPlan
    points: tuple[BonePoint, BonePoint]
    ends: tuple[BonePoint, ...]
    is_hand: bool
    is_planted: bool = True
    is_kept: bool = False
    toes: tuple[Bone, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Hips:
    """The bone that is moved.

    parent : its parent bone
    carries : names of the chains that move along with it
    """

    bone: Bone
    parent: Point | None
    carries: frozenset[str]


def limb_joints(chain: ChainPlan) -> tuple[BonePoint, BonePoint, BonePoint]:
    """Root, mid and tip."""
    return BonePoint(chain.root.name), BonePoint(chain.end.name), BonePoint(*chain.tip_place)


def positions(samples: Samples, rig: Key, points: Iterable[BonePoint], count: int) -> Array:
    """(n, p, 3) where the points are in the world on `count` frames."""
    found = transform.transform_points(samples.to_world[rig][:, None], in_armature(samples, rig, points))
    return np.broadcast_to(found, (count, *found.shape[1:]))


def in_armature(samples: Samples, rig: Key, points: Iterable[BonePoint]) -> Array:
    """(n, p, 3) where the points are in the armature, or (1, p, 3) if none of them moves there."""
    poses = ((samples.pose[Point(rig, bone)], np.array(offset)) for bone, offset in points)
    return transform.stacked(itertools.starmap(transform.transform_points, poses))


def contact_points(samples: Samples, feet: Sequence[Foot], count: int) -> Array:
    """(n, f, 2, 3) ball and heel of each foot in the world."""
    return transform.stacked(positions(samples, foot.chain.rig, foot.points, count) for foot in feet)


def slow_rows(points: Array) -> Mask:
    """(n,) on which frames ball and heel (n, 2, 3) of a foot are slow."""
    steps = norm(np.diff(points, axis=0, prepend=points[:1])).sum(axis=1)
    return steps <= np.quantile(steps, _SLOWEST)


def orientations(samples: Samples, foot: Foot, count: int) -> Array:
    """(n, 3, 3) of the foot in the world on `count` frames; NaN without a bone that could turn it."""
    if not foot.chain.below:
        return np.full((count, 3, 3), np.nan)
    axes = samples.world(Point(foot.chain.rig, foot.chain.tip_bone))[:, :3, :3]
    return np.broadcast_to(transform.orientation(axes), (count, 3, 3))


def contacts(feet: Iterable[Foot], stands: Mask, frames: Array) -> tuple[Contact, ...]:
    """The contacts of feet whose points stand on these frames (n, f, 2), foot after foot, each in its order."""
    found: list[Contact] = []
    for column, foot in enumerate(feet):
        spans = [
            Contact(foot.chain.name, float(frames[first]), float(frames[last]), *point)
            for row, point in enumerate(foot.points)
            for first, last in true_runs(stands[:, column, row])
        ]
        found += sorted(dict.fromkeys(spans), key=lambda contact: (contact.start, contact.end))
    return tuple(found)


def standing(foot: Foot, all_contacts: Iterable[Contact], frames: Array) -> Mask:
    """(n, 2) on which frames the points of the foot stand, as these contacts of any feet have it."""
    stands = np.zeros((len(frames), 2), dtype=np.bool_)
    for contact in all_contacts:
        for row, point in enumerate(foot.points):
            if contact.chain == foot.chain.name and is_at(contact, point):
                stands[:, row] |= (frames >= contact.start) & (frames <= contact.end)
    return stands


def is_at(contact: Contact, point: BonePoint) -> bool:
    """Whether this is the point of the contact."""
    return contact.bone == point.bone and bool(np.allclose(contact.offset, point.offset, rtol=0.0, atol=1e-6))
