"""Edits without a key: Blender throws them away where it evaluates an animation anew, and here they are put back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import NamedTuple

import bpy
from bpy.types import ID, Object, Scene, bpy_struct

from .. import versions
from ..errors import unless_gone

Keyed = Mapping[ID, Collection[str]]
"""Paths that were keyed, or will be, by data-block: there the keys count, and no edit."""


class Edit(NamedTuple):
    """A property, by its path, that is not as its F-curve has it; `element` is None where it is no array."""

    block: ID
    path: str
    element: int | None
    value: object


def edits(blocks: Iterable[ID], frame: float, keyed: Keyed = MappingProxyType({})) -> list[Edit]:
    """All edits without a key on these data-blocks on the current `frame`, but for those at the paths `keyed`."""
    return [edit for block in blocks if block.is_editable for edit in _block_edits(block, frame, keyed.get(block, ()))]


def everywhere() -> Iterator[ID]:
    """All data-blocks of the file that can be animated."""
    for block in bpy.data.user_map():
        if hasattr(block, "animation_data"):
            yield block
        # A material's nodes have an animation of their own, but are no data-block of the file.
        if getattr(block, "node_tree", None):
            yield block.node_tree


def restore(edits: Iterable[Edit]) -> None:
    """Put the edits back, once Blender has evaluated the animation."""
    for edit in edits:
        with unless_gone:
            _restore(edit)


@contextmanager
def kept(rig: Object, scene: Scene, keyed: Collection[str]) -> Iterator[None]:
    """Inside, keys may be written on `rig` at the paths `keyed`; its other edits stay.

    With any of its curves Blender evaluates an action again as a whole, for all data-blocks that play it.
    """
    found = edits(_players(rig), scene.frame_current_final, {rig: keyed})
    yield
    if found:
        for layer in [layer for layer in scene.view_layers if layer.depsgraph] or scene.view_layers[:1]:
            layer.update()
        restore(found)


def _restore(edit: Edit) -> None:
    block, path, element, value = edit
    owner, name = _parted(block, path)
    if element is not None:
        owner.path_resolve(name)[element] = value
    elif name.startswith("["):
        owner[bpy.utils.unescape_identifier(name[2:-2])] = value
    else:
        setattr(owner, name, value)
    block.update_tag()  # of itself Blender does not notice custom properties


def _players(rig: Object) -> Collection[ID]:
    """All data-blocks that play the action of this one."""
    action = rig.animation_data and rig.animation_data.action
    if not action:
        return ()
    # To ask for the users takes Blender long in a large file.
    alone = action.users - action.use_fake_user == 1
    return (rig,) if alone else bpy.data.user_map(subset=[action])[action]


def _block_edits(block: ID, frame: float, keyed: Collection[str]) -> Iterator[Edit]:
    for curve in versions.curves(block):
        if curve.data_path in keyed:
            continue
        try:
            owner, name = _parted(block, curve.data_path)
            value = owner.path_resolve(name)
        except ValueError:
            continue  # the curve outlived its property
        is_array = hasattr(value, "__len__") and not isinstance(value, str)
        element = curve.array_index if is_array else None
        value = value[element] if is_array else value
        if value != curve.evaluate(frame):
            yield Edit(block, curve.data_path, element, value)


def _parted(block: ID, path: str) -> tuple[bpy_struct, str]:
    """The property's owner, and from there the path of the property: a name, or a custom one in brackets."""
    if path.endswith('"]'):
        start = path.rindex('["')
        above, name = path[:start], path[start:]
    else:
        above, _, name = path.rpartition(".")
    return block.path_resolve(above) if above else block, name
