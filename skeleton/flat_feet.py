"""Feet that lie flat where they stand: normals of their soles as captured, and toes, which turn with the ground.

While the foot above it turns, a toe keeps the orientation to the ground that was captured, but does not point into it.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..solver.flat_feet import raising_turns
from ..solver.values import Array
from ..solver.vectors import dot, norm, product, unit
from . import inherit, transform
from .feet import UP, Foot, positions
from .rotation_mode import rotation_values
from .values import Channel, Plan, Point, Samples

_TILT = np.cos(np.radians(30.0))
"""So far no foot tilts that stands flat. If one seems to, the skeleton does not stand on the ground at rest."""

_SLOWEST = 1.0 / 3.0
"""Part of the frames on which a foot is slowest; then it mostly stands flat."""


def slow_rows(points: Array) -> NDArray[np.bool_]:
    """(n,) on which frames ball and heel (n, 2, 3) of a foot are slow."""
    steps = norm(np.diff(points, axis=0, prepend=points[:1])).sum(axis=1)
    return steps <= np.quantile(steps, _SLOWEST)


def soles(samples: Samples, feet: Sequence[Foot], points: Array) -> Array | None:
    """(n, f, 3) their normals in the world; None if no foot is to lie flat.

    points : (n, f, 2, 3)     ball and heel
    """
    if not any(foot.sole for foot in feet):
        return None
    return np.stack([_normals(samples, foot, points[:, column]) for column, foot in enumerate(feet)], axis=1)


def _normals(samples: Samples, foot: Foot, points: Array) -> Array:
    if foot.sole is None:
        return np.broadcast_to(UP, (len(points), 3))
    up = np.array(foot.sole.up) if stands_at_rest(samples, foot, points) else _found_up(samples, foot, points)
    return np.broadcast_to(transform.transform_vectors(_turns(samples, foot), up), (len(points), 3))


def stands_at_rest(samples: Samples, foot: Foot, points: Array) -> bool:
    """Whether the foot is to lie flat, and does at rest, as far as one can tell from its points (n, 2, 3)."""
    return foot.sole is not None and bool(dot(np.array(foot.sole.up), _found_up(samples, foot, points)) > _TILT)


def _found_up(samples: Samples, foot: Foot, points: Array) -> Array:
    """(3,) what mostly points upwards while the foot is slow, in the space of its bone."""
    up = transform.transform_vectors(_turns(samples, foot).swapaxes(-1, -2), UP)
    return unit(np.median(np.broadcast_to(up, (len(points), 3))[slow_rows(points)], axis=0))


def _turns(samples: Samples, foot: Foot) -> Array:
    """(n, 3, 3) orientations of the foot in the world."""
    return transform.orientation(samples.world(Point(foot.chain.rig, foot.chain.tip_bone))[:, :3, :3])


def toe_channels(
    plan: Plan,
    samples: Samples,
    feet: Sequence[Foot],
    turns: Array,
    stands: NDArray[np.bool_],
    before: Mapping[str, Array],
    rate: float,
) -> Iterator[Channel]:
    """The keys of toes below feet that turn.

    turns : (n, f, 3, 3)      in the world, as captured feet turn
    stands : (n, f, 2)        whether ball and heel stand
    before : by RNA path, the value of each toe's rotation from which its keys go on without a jump
    rate : frames a second
    """
    from_world = transform.inverse(samples.to_world[plan.rig][:, :3, :3])
    for column, foot in enumerate(feet):
        points = positions(samples, foot.chain.rig, foot.points, len(plan.frames))
        upright = bool(foot.toes) and stands_at_rest(samples, foot, points)
        for toe in foot.toes:
            captured, above = (
                samples.world(Point(plan.rig, name))[:, :3, :3] for name in (toe.bone.name, foot.chain.tip_bone)
            )
            along = unit(np.broadcast_to(captured[..., 1], (len(plan.frames), 3)))
            flat = np.logical_and.reduce(stands[:, column], axis=-1)
            least = toe.rise if upright else float(np.median(dot(along, UP)[slow_rows(points)]))
            raised = raising_turns(along, least, flat, rate, UP)
            parent = transform.compose(product(from_world, product(turns[:, column], above)), np.zeros(3))
            orientation = transform.orientation(product(from_world, product(raised, captured)))
            scale = samples.basis[Point(plan.rig, toe.bone.name)].scale[:, None]
            basis = inherit.rotation((toe.bone,), parent[:, None], scale, orientation[:, None])[:, 0]
            values = rotation_values(basis, toe.bone.rotation_mode, before[toe.bone.rotation_path])
            yield Channel(path=toe.bone.rotation_path, group=toe.bone.name, frames=plan.frames, values=values)
