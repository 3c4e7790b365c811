"""All data of the open file as plain values: two dumps are equal if nothing has changed."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
from bpy.types import ID, bpy_struct

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
    reader = _Reader()
    for name in _COLLECTIONS:
        for block in getattr(bpy.data, name):
            reader.block(f"{name}[{block.name!r}]", block)
    return reader.found


def changed(before: dict[str, object], near: float = 0.0) -> set[str]:
    """Paths of all values that were added, removed or changed since the dump `before`, numbers by more than `near`."""
    now = dump()
    # Nearly all are equal: no function is called for these.
    different = [path for path, value in now.items() if before.get(path, ...) != value]
    return (before.keys() - now) | {path for path in different if not _is_near(before.get(path, ...), now[path], near)}


def _is_near(value: object, other: object, near: float) -> bool:
    if isinstance(value, tuple) and isinstance(other, tuple) and len(value) == len(other):
        return all(_is_near(part, another, near) for part, another in zip(value, other, strict=True))
    if isinstance(value, float) and isinstance(other, float):
        return abs(value - other) <= near or (value != value and other != other)
    return value == other


class _Reader:
    """Reads each part of one data-block once, even if several paths lead to the part."""

    def __init__(self) -> None:
        self.found: dict[str, object] = {}
        self._seen: set[tuple[int, str]] = set()
        # Blender takes longer to list the properties of a type than to read them.
        self._properties: dict[str, list[tuple[str, str, bool]]] = {}

    def block(self, path: str, block: ID) -> None:
        self._seen = set()
        self._struct(path, block)

    def _struct(self, path: str, owner: bpy_struct) -> None:
        kind = owner.bl_rna.identifier
        self.found[path] = f"{kind} {getattr(owner, 'name', '')}"
        if (owner.as_pointer(), kind) in self._seen:
            return
        self._seen.add((owner.as_pointer(), kind))
        if kind not in self._properties:
            self._properties[kind] = list(_read_properties(owner))
        for name, sort, is_array in self._properties[kind]:
            value = getattr(owner, name)
            if sort == "COLLECTION":
                for index, part in enumerate(value):
                    self._part(f"{path}.{name}[{index}]", part)
            elif sort == "POINTER":
                self._part(f"{path}.{name}", value)
            else:
                self.found[f"{path}.{name}"] = _plain(value) if is_array else value

    def _part(self, path: str, part: bpy_struct | None) -> None:
        if part is None or (isinstance(part, ID) and not part.is_embedded_data):
            self.found[path] = part and part.name_full
        else:
            self._struct(path, part)


def _read_properties(owner: bpy_struct) -> Iterator[tuple[str, str, bool]]:
    """Name, type and whether it is an array, of each property that may hold or lead to settable values."""
    for item in owner.bl_rna.properties:
        if item.identifier not in _LEFT_OUT and (item.type in {"COLLECTION", "POINTER"} or not item.is_readonly):
            yield item.identifier, item.type, getattr(item, "is_array", False)


def _plain(value: object) -> object:
    """A copy of the value, because the rows of a matrix change with the matrix."""
    return tuple(map(_plain, value)) if hasattr(value, "__len__") else value
