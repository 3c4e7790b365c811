"""As few keys as keep the joints and the roll of every bone within a tolerance, also between the frames."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..solver import reduce
from ..solver.values import Array
from ..solver.vectors import product
from . import inherit, transform
from .chain_group import ChainGroup
from .rotation_mode import rotation_matrices
from .steps import part
from .transform import Basis, each_array, on_rows
from .values import Bone, Channel, Point

TestPoints: TypeAlias = Callable[[list[Array], reduce.Rows], Array]
"""From values of the channels (r, k) on rows (r,) of the plan's frames to points (r, p, 3), in world units."""

PointsOfPiece: TypeAlias = Callable[[Array, slice], Array]
"""Makes test points from the values (r, k) of all channels on some of the frames that count."""

SIDE = 0.25
"""Part of a bone's length: a point so far beside the tail shows the bone's roll."""

_STEP = 1e-3
"""How much values change to show how points move: Blender's own matrices have 7 digits."""

_FINEST = 2.0**-24
"""Part of the tolerance: Blender's curves tell no smaller difference."""

_AT_ONCE = 4096
"""How many rows are handled at a time."""


class Fit(NamedTuple):
    """How near curves have to keep, and which curves.

    tolerance : world units, > 0
    cubic : True for Bezier curves, which then bring their slopes; False for straight lines
    """

    tolerance: float
    cubic: bool


def reduce_channels(
    channels: Sequence[Channel], rows: reduce.Rows, test_points: TestPoints, fit: Fit, *, step: int, size: float = 1.0
) -> Generator[float, None, list[Channel]]:
    """Channels with only the keys that they need, all on the same frames; yields the part done.

    channels : on every frame on which the tolerance is to hold
    rows : (n,) the indices of these frames among those of the plan
    test_points : no point may be off by more than the tolerance
    step : one in this many frames of the plan may get a key; those between get keys only if they have to
    size : length of the limb: to its location that is what 1 is to the other values, as a radian
    """
    keyed = np.flatnonzero(rows % step == 0)
    if not len(keyed):
        return [channel.on_rows(keyed) for channel in channels]
    # Nothing plays before the first key and after the last.
    counted = slice(keyed[0], keyed[-1] + 1)
    frames, rows, keyed = channels[0].frames[counted], rows[counted], keyed - keyed[0]
    values = np.concatenate([channel.values[counted] for channel in channels], axis=1)
    widths = [channel.values.shape[1] for channel in channels]
    columns = np.cumsum(widths)[:-1]

    def points(curve: Array, piece: slice) -> Array:
        return test_points(np.split(curve, columns, axis=1), rows[piece])

    steps = np.repeat([size if channel.path.endswith("location") else 1.0 for channel in channels], widths)
    steps = _STEP * np.where(steps > 0.0, steps, 1.0)  # a limb that a scale of zero squeezes flat has no length
    curve = yield from _fewest_keys(frames, values, points, keyed, steps, fit)
    slopes = np.split(curve.slopes, columns, axis=2) if fit.cubic else [None] * len(channels)
    return [
        replace(channel, frames=curve.frames, values=value, slopes=slope, constant=curve.constant)
        for channel, value, slope in zip(channels, np.split(curve.values, columns, axis=1), slopes, strict=True)
    ]


def _fewest_keys(
    frames: Array, values: Array, points: PointsOfPiece, keyed: reduce.Rows, steps: Array, fit: Fit
) -> Generator[float, None, reduce.Curve]:
    """The curve with the fewest keys that takes no point farther off than the tolerance.

    steps : (k,) by how much to change values, to see how points move

    The search assumes that points move in proportion to the values: this takes a tenth of the time and is nearly true.
    If a point is then too far off, the search is repeated with a smaller tolerance. Points may be so far out that
    rounding alone moves them by more than the tolerance: then no curve is within it, and the last one is the best.
    """
    moves = yield from _derivative(points, values, steps)
    tolerance = allowed = fit.tolerance
    while True:
        error = _first_order(moves, values, allowed)
        curve = yield from part(reduce.fewest_keys(frames, values, error, cubic=fit.cubic, keyed=keyed), 0.0, 0.9)
        off = 0.0
        for rows in reduce.pieces(len(frames), _AT_ONCE):
            yield 0.9
            apart = points(curve.at(frames[rows]), rows) - points(values[rows], rows)
            off = max(off, np.linalg.norm(apart, axis=-1).max())
        if off <= tolerance or len(curve.frames) == len(frames) or allowed < _FINEST * tolerance:
            return curve
        allowed *= 0.98 * tolerance / off


def _derivative(points: PointsOfPiece, values: Array, steps: Array) -> Generator[float, None, NDArray[np.float32]]:
    """(n, k, p * 3) how the points (n, p, 3) move with each of the values (n, k), changed by `steps` (k,).

    These are most of what a long range holds in memory, and the steps leave no more than single precision.
    """
    moves = np.empty(0, np.float32)
    for rows in reduce.pieces(len(values), _AT_ONCE):
        yield 0.0
        here = values[rows]
        for column, step in enumerate(np.diag(steps)):
            moved = points(here + step, rows) - points(here - step, rows)
            if not moves.size:
                moves = np.empty((*values.shape, moved[0].size), np.float32)
            moves[rows, column] = moved.reshape(len(here), -1) / (2.0 * steps[column])
    return moves


def _first_order(moves: NDArray[np.float32], values: Array, allowed: float) -> reduce.Error:
    """How far points are off, to first order: `moves` (n, k, p * 3) are their derivatives at these values (n, k)."""

    def error(rows: reduce.Rows, curve: Array) -> Array:
        distance = np.empty(len(rows))
        for piece in reduce.pieces(len(rows), _AT_ONCE):
            off = (curve[piece] - values[rows[piece]]).astype(np.float32)  # NumPy takes twice as long for both kinds
            moved = np.einsum("rkp,rk->rp", moves[rows[piece]], off)
            distance[piece] = np.linalg.norm(moved.reshape(*moved.shape[:-1], -1, 3), axis=-1).max(axis=-1)
        return distance / allowed

    return error


def limb_points(
    limb: ChainGroup, own: Mapping[Point, Basis], paths: Sequence[str], values: list[Array], rows: reduce.Rows
) -> Array:
    """(r, p, 3) points that show the pose of each keyed bone; their distances are world units.

    limb : the chain, a group of one
    own : the bases of its bones, as they were sampled
    paths : of the channels of its bones, which have these `values` (r, k) on `rows` of the plan's frames
    """
    at, plan = on_rows(rows), limb.plan
    group = each_array(at, limb)
    by_path = {path: value[:, None] for path, value in zip(paths, values, strict=True)}
    bases = tuple(_with_values(basis, bone, by_path) for bone, basis in zip(plan.bones, group.basis, strict=True))
    posed = list(zip(plan.bones, group.kinematics.poses(bases), strict=True))
    # Mid and tip are not always the tails of root and end bone.
    joints = [posed[-1][1][..., :3, 3]]

    def posed_on(bone: Bone, parent: Array) -> tuple[Bone, Array]:
        sampled = Basis.side_by_side([each_array(at, own[Point(plan.rig, bone.name)])])
        return bone, inherit.pose((bone,), parent, _with_values(sampled, bone, by_path).matrix)

    for bone in plan.below:
        posed.append(posed_on(bone, posed[-1][1]))
    joints += [pose[..., :3, 3] for bone, pose in posed if bone in plan.third]
    joints += [posed[-1][1][..., :3, 3]] if plan.tip_bone else []
    carriers = dict(posed)
    for twist in plan.twists:
        if not twist.in_line:
            posed.append(posed_on(twist.bone, carriers[plan.root if twist.upper else plan.end]))
    places = np.array(((0.0, 1.0, 0.0), (SIDE, 1.0, 0.0)))
    shown = [(pose, bone.length * place) for bone, pose in posed if bone in plan.keyed for place in places]
    points = [*(transform.transform_points(pose, place) for pose, place in shown), *joints]
    to_world = group.to_world[..., :3, :3]
    if not group.kinematics.rigid:
        to_world = product(to_world, transform.inverse(group.kinematics.to_armature[..., :3, :3]))
    return np.stack([transform.transform_vectors(to_world, point)[:, 0] for point in points], axis=-2)


def _with_values(basis: Basis, bone: Bone, values: Mapping[str, Array]) -> Basis:
    """The bone's basis with those values (r, ..., k) of its properties that are given, by RNA path."""
    turn = values.get(bone.rotation_path)
    return Basis(
        location=values.get(bone.location_path, basis.location),
        rotation=basis.rotation if turn is None else rotation_matrices(turn, bone.rotation_mode),
        scale=values.get(bone.scale_path, basis.scale),
    )
