"""Toes that can be keyed: while the ball stands they are at rest, and none points into the ground.

A toe keeps one orientation to the ground from the frame on which the ball comes to stand to that on which it leaves,
also while the heel rises. If its tip would be in the ground, it is raised: throughout a stand by one angle.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...solver.feet.rigid import clearing_turns, resting_turns
from ...solver.values import Array
from ...solver.vectors import dot, norm, product, unit
from .. import inherit, transform
from ..rotation_mode import rotation_values
from ..values import Bone, Channel, Plan, Point, Samples
from .feet import UP, BonePoint, Foot, positions, slow_rows
from .plant import PlantedFeet

_TOLERANCE = 0.001
"""Leg lengths by which a tip may be in the ground, so that noise does not raise it."""

_SUNK = 0.5
"""Lengths of a toe by which its ball is in the ground where that is no ground to stand on."""


def toe_channels(
    plan: Plan, samples: Samples, feet: Sequence[Foot], planted: PlantedFeet, before: Mapping[str, Array]
) -> Iterator[tuple[Channel, float]]:
    """The keys of toes below feet that stand or turn, or would be in the ground; and by how much tips are raised.

    before : by RNA path, the value of each toe's rotation from which its keys go on without a jump
    """
    from_world = transform.inverse(samples.to_world[plan.rig][:, :3, :3])
    for column, foot in enumerate(feet):
        for toe in foot.toes:
            carried, above = (
                product(planted.turns[:, column], samples.world(Point(plan.rig, name))[:, :3, :3])
                for name in (toe.name, foot.chain.tip_bone)
            )
            turns, raised = _turns(plan, samples, planted, column, toe, carried)
            if np.array_equal(turns, np.broadcast_to(np.eye(3), turns.shape)):
                continue
            parent = transform.compose(product(from_world, above), np.zeros(3))
            orientation = transform.orientation(product(from_world, product(turns, carried)))
            scale = samples.basis[Point(plan.rig, toe.name)].scale[:, None]
            basis = inherit.rotation((toe,), parent[:, None], scale, orientation[:, None])[:, 0]
            values = rotation_values(basis, toe.rotation_mode, before[toe.rotation_path])
            yield Channel(path=toe.rotation_path, group=toe.name, frames=plan.frames, values=values), raised


def _turns(
    plan: Plan, samples: Samples, planted: PlantedFeet, column: int, toe: Bone, carried: Array
) -> tuple[Array, float]:
    """(n, 3, 3) rotations of a toe in the world, once it goes along with its foot, and by how much its tip rises.

    While its foot is slow, it mostly lies on the ground.

    carried : (n, 3, 3) its orientations in the world then
    """
    points, turns = planted.captured.points[:, column], planted.turns[:, column]
    slow = slow_rows(points)
    heads, along, length = _toe_ends(plan, samples, toe)
    heads, balls = (
        planted.tips[:, column] + transform.transform_vectors(turns, places - planted.captured.tips[:, column])
        for places in (heads, points[:, 0])
    )
    lies = float(np.median(dot(along, UP)[slow]))
    stands, flat = planted.stands[:, column, 0], np.logical_and.reduce(planted.stands[:, column], axis=-1)
    held = resting_turns(carried, stands, flat, plan.rate)
    along = transform.transform_vectors(product(held, turns), along)
    low = float(np.median((dot(heads - balls, UP) + length * lies)[slow]))
    room = planted.ground[:, column] + low - _TOLERANCE * planted.captured.lengths[column] - dot(heads, UP)
    least, level = room / length, max(lies, 0.0)
    # No turn brings a toe out of a step through whose edge its ball goes.
    least = np.where(least > level + _SUNK, -1.0, np.minimum(least, level))
    cleared = clearing_turns(along, least, stands, plan.rate, UP)
    rise = length * (transform.transform_vectors(cleared, along) - along)[:, 2]
    return product(cleared, held), float(rise.max())


def _toe_ends(plan: Plan, samples: Samples, toe: Bone) -> tuple[Array, Array, Array]:
    """(n, 3) heads in the world, (n, 3) directions, (n,) lengths."""
    points = BonePoint(toe.name), BonePoint(toe.name, toe.tail)
    ends = positions(samples, plan.rig, points, len(plan.frames))
    line = ends[:, 1] - ends[:, 0]
    return ends[:, 0], unit(line), norm(line)
