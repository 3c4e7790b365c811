"""As few keys as keep the controls of a limb, and what they move, within a tolerance."""

from collections.abc import Generator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...solver.values import Array
from .. import transform
from ..reduced_keys import SIDE, reduce_channels, with_values
from ..transform import Basis
from ..values import Bone, Channel
from .switch_plan import SwitchPlan


def reduce_limb(
    limb: SwitchPlan, channels: Sequence[Channel], bases: Mapping[str, Basis], *, tolerance: float, cubic: bool
) -> Generator[float, None, list[Channel]]:
    """The limb's channels with only the keys that they need, all on the same frames; yields the part that is done.

    channels : on every frame
    tolerance : armature units, by which none of the controls alone may move the end of the limb
    cubic : True for Bezier curves, False for straight lines
    """
    if not channels:
        return []
    levers = _levers(limb)
    size = max(levers.values())
    paths = [channel.path for channel in channels]
    bones = [bone for bone in limb.keyed if not {*limb.paths(bone)}.isdisjoint(paths)]

    def points(values: list[Array], rows: NDArray[np.intp]) -> Array:
        keyed = dict(zip(paths, values, strict=True))
        shown = [_shown(bone, bases[bone.name], keyed, rows, levers[bone.name]) for bone in bones]
        return np.concatenate(shown, axis=1)

    rows = np.arange(len(channels[0].frames))
    return (yield from reduce_channels(channels, rows, points, step=1, tolerance=tolerance, cubic=cubic, size=size))


def _levers(limb: SwitchPlan) -> dict[str, float]:
    """By control the length of what it turns: of the FK controls from there on, of others their own."""
    levers = {bone.name: bone.length for bone in limb.keyed}
    follow = [carried.bone for carried, _ in limb.controls]
    return levers | {bone.name: sum(below.length for below in follow[row:]) for row, bone in enumerate(follow)}


def _shown(bone: Bone, basis: Basis, keyed: Mapping[str, Array], rows: NDArray[np.intp], lever: float) -> Array:
    """(r, 3, 3) head, end and side of a control, on these rows, in the space that its channels are in."""
    matrix = with_values(transform.each_array(transform.on_rows(rows), basis), bone, keyed).matrix
    places = np.array(((0.0, 0.0, 0.0), (0.0, lever, 0.0), (SIDE * lever, 0.0, 0.0)))
    points = np.stack([transform.transform_points(matrix, place) for place in places], axis=1)
    return np.broadcast_to(points, (len(rows), 3, 3))
