"""Blocks of several armatures side by side: written to all their bones at once, and compared with all of them at once.

Setting one property of a bone by itself makes Blender copy the whole armature. So one call sets all its bones: those of
limbs to their pose, the others to the values that they have. It sets those of the evaluated armature as well where
Blender may not copy it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Depsgraph, Object
from numpy.typing import NDArray

from ...skeleton.rotation_mode import rotation_name, rotation_values
from ...skeleton.values import Bone, Point
from ...solver.values import Array
from ..armatures import Rig
from ..messages.refused import unless_gone
from ..scene.probe import number_of
from .blocks import NEAR, Block

_WIDTH = {"rotation_quaternion": 4, "rotation_axis_angle": 4, "rotation_euler": 3, "scale": 3}
"""Numbers of a bone's property."""

Rows = NDArray[np.intp]
Singles = NDArray[np.float32]


class Before(NamedTuple):
    """What all bones of an armature had of one property."""

    rig: Rig
    name: str
    values: Singles


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Part:
    """Some bones of one armature, of which one property is written.

    count : bones that the armature has
    rows : (k,) among them
    columns : (k,) among all that are written
    """

    rig: Rig
    name: str
    count: int
    rows: Rows
    columns: Rows

    def read(self) -> Singles:
        """(count, 3 or 4) of all bones of the armature."""
        return _read(self.rig, self.name, self.count)


class Together:
    """Blocks of the same frames, on all of which they move."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        """KeyError where a bone is gone."""
        self.blocks = blocks
        self._numbers: dict[Object, dict[str, int]] = {}
        self._rotations = np.concatenate([block.rotations for block in blocks], axis=1)
        self._scales = np.concatenate([block.scales for block in blocks], axis=1)
        self._turned, self._scaled = self._parts()

        places = [place for block in blocks for place in block.places]
        self._items = [*dict.fromkeys(place.object for place in places if not place.bone)]
        self._armatures = [*dict.fromkeys(place.object for place in places if place.bone)]
        self._sources = self._rows_of(places)
        self._matrices = np.concatenate([block.matrices for block in blocks], axis=1)
        self._near = np.concatenate([block.near for block in blocks], axis=1)
        self._starts = np.cumsum([0, *(len(block.places) for block in blocks[:-1])])
        self._listed: Rows | None = None
        self._count = 0

    def write(self, frame: int, graphs: Iterable[Depsgraph], tagged: Collection[Rig]) -> list[Before]:
        """Pose the limbs for this frame; returns what bones had before, of those armatures in which something differs.

        graphs : whose evaluated armatures are posed too
        tagged : armatures that Blender evaluates on the frame only if it is told to, and then copies
        """
        row, before = self.blocks[0].row(frame), list[Before]()
        rotations = self._rotations_on(row)
        for mode, parts in self._turned.items():
            held = [part.read() for part in parts]
            start = np.concatenate([values[part.rows] for part, values in zip(parts, held, strict=True)])
            columns = np.concatenate([part.columns for part in parts])
            turns = rotation_values(rotations[None, columns], mode, start.astype(np.float64))[0]
            assert np.isfinite(turns).all()
            for part, values in zip(parts, held, strict=True):
                before += _put(part, values, turns[: len(part.rows)], () if part.rig in tagged else graphs)
                turns = turns[len(part.rows) :]
        for part in self._scaled:
            before += _put(part, part.read(), self._scales[row][part.columns], () if part.rig in tagged else graphs)
        for rig in {entry.rig for entry in before}.intersection(tagged):
            rig.update_tag(refresh={"OBJECT"})  # for "DATA" Blender would copy the bones at rest as well
        return before

    def shown(self, frame: int, depsgraph: Depsgraph) -> list[bool]:
        """For each block whether Blender has evaluated the frame as it was solved."""
        row = self.blocks[0].row(frame)
        now = self._evaluated(depsgraph)[self._sources]
        right = (np.abs(now - self._matrices[row]) <= self._near[row]).all(axis=(-2, -1))
        as_placed = np.logical_and.reduceat(right, self._starts).tolist()
        return [
            bool(same and _has_numbers(block, row, depsgraph))
            for same, block in zip(as_placed, self.blocks, strict=True)
        ]

    def _rotations_on(self, row: int) -> Array:
        """(k, 3, 3) of all bones that are written; twists go on from the twist bones as they are."""
        rotations = self._rotations[row]
        if not any(block.spreading for block in self.blocks):
            return rotations
        spread: dict[Bone, Array] = {}
        for block in self.blocks:
            bones: Any = block.reading.plan.rig.pose.bones
            if block.spreading:
                names = ((bone, rotation_name(bone.rotation_mode)) for bone in block.reading.keyed)
                now = {bone: getattr(bones[bone.name], name)[:] for bone, name in names}
                for group in block.spreading:
                    spread |= group.rotations(row, now)
        keyed = [bone for block in self.blocks for bone in block.reading.keyed]
        return np.stack([spread.get(bone, rotation) for bone, rotation in zip(keyed, rotations, strict=True)])

    def _parts(self) -> tuple[Mapping[str, list[_Part]], list[_Part]]:
        """Those that turn, by their rotation mode, and those that change length."""
        turned: dict[str, list[_Part]] = defaultdict(list)
        scaled: list[_Part] = []
        first = 0
        for block in self.blocks:
            plan, keyed = block.reading.plan, block.reading.keyed
            by_mode: dict[str, list[int]] = defaultdict(list)
            for column, bone in enumerate(keyed):
                by_mode[bone.rotation_mode].append(column)
            stretching = {bone.name for chain in plan.chains for bone in chain.scaled}
            lengthened = [column for column, bone in enumerate(keyed) if bone.name in stretching]

            def part(name: str, columns: Sequence[int], block: Block = block, first: int = first) -> _Part:
                numbers = self._numbers_of(block.reading.plan.rig)
                rows = [numbers[block.reading.keyed[column].name] for column in columns]
                own = first + np.array(columns)
                return _Part(
                    rig=block.reading.plan.rig, name=name, count=len(numbers), rows=np.array(rows), columns=own
                )

            for mode, columns in by_mode.items():
                turned[mode].append(part(rotation_name(mode), columns))
            if lengthened:
                scaled.append(part("scale", lengthened))
            first += len(keyed)
        return turned, scaled

    def _numbers_of(self, rig: Rig) -> dict[str, int]:
        """By name of a bone its place among the bones of its armature."""
        if rig not in self._numbers:
            self._numbers[rig] = {name: number for number, name in enumerate(rig.pose.bones.keys())}
        return self._numbers[rig]

    def _rows_of(self, places: Sequence[Point]) -> Rows:
        """Where these are in what `_evaluated` gives."""
        starts = np.cumsum([len(self._items), *(len(self._numbers_of(rig)) for rig in self._armatures)]).tolist()
        first = dict(zip(self._armatures, starts, strict=False))
        objects = {item: number for number, item in enumerate(self._items)}
        return np.array(
            [first[item] + self._numbers_of(item)[bone] if bone else objects[item] for item, bone in places]
        )

    def _evaluated(self, depsgraph: Depsgraph) -> Singles:
        """(m, 4, 4) all objects in the world, and the bones of each armature in it; NaN where Blender has others."""
        parts = [self._worlds(depsgraph)]
        for rig in self._armatures:
            count = len(self._numbers_of(rig))
            values = np.full(16 * count, np.nan, dtype=np.float32)
            with unless_gone:
                bones: Any = rig.evaluated_get(depsgraph).pose.bones
                if len(bones) == count:
                    bones.foreach_get("matrix", values)
            parts.append(values.reshape(-1, 4, 4))
        return np.concatenate(parts).swapaxes(-2, -1)  # Blender tells them column by column

    def _worlds(self, depsgraph: Depsgraph) -> Singles:
        """(m, 4, 4) of the objects, column by column."""
        objects: Any = depsgraph.view_layer_eval.objects
        # NaN behind the last, for those that the view layer leaves out.
        matrices = np.full((len(objects) + 1, 16), np.nan, dtype=np.float32)
        worlds = np.empty(16 * len(objects), dtype=np.float32)
        objects.foreach_get("matrix_world", worlds)
        matrices[:-1] = worlds.reshape(-1, 16)
        if self._listed is None or len(objects) != self._count:
            self._listed, self._count = self._listing(objects), len(objects)
        return matrices.reshape(-1, 4, 4)[self._listed]

    def _listing(self, objects: Any) -> Rows:
        """Where a view layer lists them; -1 for those that it leaves out."""
        names = {item.name for item in self._items}
        numbers = [number for number, name in enumerate(objects.keys()) if name in names]
        found = {objects[number].original: number for number in numbers}
        return np.array([found.get(item, -1) for item in self._items])


def put_back(before: Iterable[Before]) -> None:
    """Give all bones what they had, and let Blender evaluate them so."""
    # The last first: Euler angles of several orders are one property, which was written for each order.
    for rig, name, values in reversed([*before]):
        rig.pose.bones.foreach_set(name, values.reshape(-1))
        rig.update_tag(refresh={"DATA"})


def _read(rig: Any, name: str, count: int) -> Singles:
    values = np.empty(count * _WIDTH[name], dtype=np.float32)
    rig.pose.bones.foreach_get(name, values)
    return values.reshape(count, -1)


def _put(part: _Part, values: Singles, new: Array, graphs: Iterable[Depsgraph]) -> list[Before]:
    """Give bones of an armature these values, unless they have them; returns what its bones had before."""
    if (values[part.rows] == new.astype(np.float32)).all():
        return []
    before, rig = Before(part.rig, part.name, values.copy()), part.rig
    values[part.rows] = new
    rig.pose.bones.foreach_set(part.name, values.reshape(-1))
    for graph in graphs:
        shown: Any = rig.evaluated_get(graph)
        if shown != rig and shown.pose:
            values = _read(shown, part.name, part.count)
            values[part.rows] = new
            shown.pose.bones.foreach_set(part.name, values.reshape(-1))
    return [before]


def _has_numbers(block: Block, row: int, depsgraph: Depsgraph) -> bool:
    """Whether the keyed options are as they were when the block was solved."""
    need = block.reading.look.need
    if not need.numbers:
        return True
    bones = block.reading.plan.rig.evaluated_get(depsgraph).pose.bones
    try:
        now = [
            number_of(bones[bone], name, unset)
            for (_, bone), names in need.numbers.items()
            for name, unset in names.items()
        ]
    except KeyError:  # renamed, or gone
        return False
    return bool((np.abs(np.subtract(now, block.numbers[row])) <= NEAR).all())
