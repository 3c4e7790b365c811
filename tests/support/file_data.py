"""All data of the open file as plain values: two dumps are equal if nothing has changed."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
from bpy.types import ID, Property, bpy_struct

_COLLECTIONS = (
    *("scenes", "collections", "objects", "actions", "armatures", "meshes", "curves", "shape_keys"),
    *("materials", "node_groups", "cameras", "lights", "worlds"),
)
# What Blender works out anew at any time, and settings that are nobody's but the renderers' and brushes'.
_LEFT_OUT = {"rna_type", "depsgraph", "matrix", "matrix_basis", "matrix_local", "matrix_world", "dimensions"}
_LEFT_OUT |= {"cycles", "display_settings", "view_settings", "sequencer_colorspace_settings", "display"}
_LEFT_OUT |= {"tool_settings", "image_settings", "bake", "use_nodes"}


def dump() -> dict[str, object]:
    """Every settable value of every property of every data-block, by its path from `bpy.data`."""
    found: dict[str, object] = {}
    for name in _COLLECTIONS:
        for block in getattr(bpy.data, name):
            found.update(_Reader().struct(f"{name}[{block.name!r}]", block))
    return found


def changed(before: dict[str, object]) -> set[str]:
    """Paths of all values that were added, removed or changed since the dump `before`."""
    now = dump()
    return {path for path in before.keys() | now.keys() if before.get(path, ...) != now.get(path, ...)}


class _Reader:
    """Reads each part of one data-block once, even if several paths lead to the part."""

    def __init__(self) -> None:
        self._seen: set[tuple[int, str]] = set()

    def struct(self, path: str, owner: bpy_struct) -> Iterator[tuple[str, object]]:
        kind = owner.bl_rna.identifier
        yield path, f"{kind} {getattr(owner, 'name', '')}"
        if (owner.as_pointer(), kind) not in self._seen:
            self._seen.add((owner.as_pointer(), kind))
            for item in owner.bl_rna.properties:
                if item.identifier not in _LEFT_OUT:
                    yield from self._property(f"{path}.{item.identifier}", getattr(owner, item.identifier), item)

    def _property(self, path: str, value: object, item: Property) -> Iterator[tuple[str, object]]:
        if item.type == "COLLECTION":
            for index, part in enumerate(value):
                yield from self._part(f"{path}[{index}]", part)
        elif item.type == "POINTER":
            yield from self._part(path, value)
        elif not item.is_readonly:
            yield path, _plain(value) if getattr(item, "is_array", False) else value

    def _part(self, path: str, part: bpy_struct | None) -> Iterator[tuple[str, object]]:
        if part is None or (isinstance(part, ID) and not part.is_embedded_data):
            yield path, part and part.name_full
        else:
            yield from self.struct(path, part)


def _plain(value: object) -> object:
    """A copy of the value, because the rows of a matrix change with the matrix."""
    return tuple(map(_plain, value)) if hasattr(value, "__len__") else value
