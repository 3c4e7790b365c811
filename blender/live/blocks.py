"""Limbs that are known ahead, sampled and solved on many frames at once, each frame as if it were the only one.

What was sampled is kept as well: once Blender has evaluated a frame, it tells whether the pose is right.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

import numpy as np

from ...skeleton import rounding
from ...skeleton.frames_apart import PosedBone, Spreading, posed_bones, solve_apart, spreading, tip_places
from ...skeleton.transform import Basis
from ...skeleton.values import Point, Samples
from ...solver.values import Array
from ..scene.sampling import samples_by_curves
from .reading import Reading, side_by_side

LENGTH = 16
"""Frames of a block: on the first of them Blender waits for all."""

NEAR = 1e-5
"""Part of a limb's length, and of a bone's own axes: Blender multiplies in single precision, bone after bone."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Block:
    """The limbs of one armature over n frames.

    reading : of its chains
    first : the first of the frames
    rotations : (n, k, 3, 3) of `reading.keyed`
    spreading : the chains whose twist goes on from the pose of their twist bones, which is known on the frame alone
    scales : (n, k, 3)
    starting : by bone the pose from which its chain starts
    places : m objects and bones that the pose hangs on, and bones that it moves
    matrices : (n, m, 4, 4) of an object to the world, of a bone to its armature, once Blender has evaluated the frame
    near : (n, m, 4, 4) how far off these may be
    numbers : (n, j) keyed options in the order of the need
    """

    reading: Reading
    first: int
    rotations: Array
    spreading: Sequence[Spreading]
    scales: Array
    starting: Mapping[str, Basis]
    places: Sequence[Point]
    matrices: Array
    near: Array
    numbers: Array

    @property
    def moves(self) -> bool:
        """False if all its frames are alike."""
        return len(self.rotations) > 1

    def row(self, frame: int) -> int:
        """The row of a frame."""
        return frame - self.first if self.moves else 0


def make_blocks(readings: Sequence[Reading], first: int) -> list[Block]:
    """A block each for armatures whose poses are known ahead, all solved together.

    raises : Refused where something lies nowhere, or options make no sense, on one of the frames
    """
    frames = first + np.arange(LENGTH, dtype=np.float64)
    need = reduce(or_, (reading.look.need for reading in readings))
    samples = samples_by_curves(need, frames)
    solved = solve_apart(replace(side_by_side([reading.plan for reading in readings]), frames=frames), samples)
    posed: dict[Point, PosedBone] = {}
    heads: dict[Point, Array] = {}
    for group in solved:
        posed |= posed_bones(group)
        heads |= tip_places(group)
    # Those of the last rank know where those before take what they carry.
    moved = solved[-1].samples
    return [
        _block(reading, first, moved, posed, heads, spreading(solved, reading.plan.rig), _count(reading, samples))
        for reading in readings
    ]


def _count(reading: Reading, samples: Samples) -> int:
    """The frames on which the limbs differ: 1 where nothing that they hang on has F-curves, otherwise all."""
    need = reading.look.need
    bases = (samples.basis[point] for point in need.own)
    arrays = [
        *(samples.to_world[item] for item in need.objects),
        *(samples.pose[point] for point in need.bones),
        *(part for basis in bases for part in (basis.location, basis.rotation, basis.scale)),
        *(samples.numbers[point][name] for point, names in need.numbers.items() for name in names),
    ]
    return max(map(len, arrays))


def _block(
    reading: Reading,
    first: int,
    samples: Samples,
    posed: Mapping[Point, PosedBone],
    heads: Mapping[Point, Array],
    spread: Sequence[Spreading],
    count: int,
) -> Block:
    rig, need = reading.plan.rig, reading.look.need
    bones = [Point(rig, bone.name) for bone in reading.keyed]
    # Whether an end bone is as it was solved tells of its root bone as well.
    shown = [Point(rig, bone.name) for chain in reading.plan.chains for bone in chain.limb[1:]]
    tips = {Point(rig, chain.tip_bone) for chain in reading.plan.chains if chain.tip_bone}.difference(shown)
    expected = {Point(item): samples.to_world[item] for item in need.objects}
    expected |= {point: samples.pose[point] for point in need.bones}
    expected |= {point: heads[point] for point in tips} | {point: posed[point].pose for point in shown}
    turns = [posed[point].basis.rotation for point in bones]
    scales = [posed[point].basis.scale for point in bones]
    numbers = [samples.numbers[point][name] for point, names in need.numbers.items() for name in names]

    def together(arrays: Sequence[Array]) -> Array:
        """(n, ...) side by side on the axis behind the frames."""
        if not arrays:
            return np.empty((count, 0))
        return np.stack([np.broadcast_to(array[:count], (count, *array.shape[1:])) for array in arrays], axis=1)

    matrices = together([*expected.values()])
    near = _near(reading, [*expected], matrices)
    near[:, [point in tips for point in expected], :3, :3] = np.inf
    return Block(
        reading=reading,
        first=first,
        rotations=together(turns),
        spreading=spread,
        scales=together(scales),
        starting={bone.name: samples.basis[Point(rig, bone.name)] for bone in reading.starting},
        places=[*expected],
        matrices=matrices,
        near=near,
        numbers=together(numbers),
    )


def _near(reading: Reading, places: Sequence[Point], matrices: Array) -> Array:
    """(n, m, 4, 4) how far off elements of matrices may be, of objects in the world and of bones in their armatures."""
    limb = max(chain.root.length + chain.end.length for chain in reading.plan.chains)
    own = places.index(Point(reading.plan.rig))
    to_world = np.abs(matrices[:, own, :3, :3]).max(axis=(-2, -1))
    sizes = np.where([bool(point.bone) for point in places], limb, limb * to_world[:, None])
    near = np.zeros(matrices.shape)
    near[..., :3, :3] = NEAR * np.abs(matrices[..., :3, :3]).max(axis=(-2, -1), keepdims=True)
    off = NEAR * sizes + rounding.step(np.abs(matrices[..., :3, 3]).max(axis=-1))
    near[..., :3, 3] = off[..., None]
    return near
