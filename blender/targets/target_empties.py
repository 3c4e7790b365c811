"""Targets that are empties, in a collection that linking the character takes along."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import bpy
from bpy.types import Collection, LayerCollection, Object, Scene

from ...skeleton.values import Point
from ..armatures import Rig
from ..messages.translation import translated
from .made_for import is_marked, mark
from .target_names import NewTarget, Role

LOOKS: dict[Role, tuple[Any, float]] = {Role.TARGET: ("CUBE", 0.08), Role.POLE: ("SPHERE", 0.05)}
"""Shape, and size as part of the chain's length."""


def make(rig: Rig, scene: Scene, new: Sequence[NewTarget], undo: ExitStack) -> tuple[list[Point], list[str]]:
    """Make the empties, anywhere, which `undo` removes again; returns them, and sentences for the report."""
    holder = _deepest(rig, scene)
    collection = _collection(rig, holder)
    count, name = len(new), collection.name
    notes = [translated("note.created_one" if count == 1 else "note.created_many", count=count, collection=name)]
    if holder == scene.collection and not rig.override_library:
        notes.append(translated("note.linking_alone", object=rig.name))
    empties: list[Object] = []
    undo.callback(remove, empties)
    empties.extend(_empty(rig, target, collection) for target in new)
    return [Point(empty) for empty in empties], notes


def remove(items: Iterable[Object]) -> None:
    """Remove the empties again, and collections that were made for them."""
    for item in items:
        collections = item.users_collection
        bpy.data.objects.remove(item)
        for collection in collections:
            if is_marked(collection) and not (collection.objects or collection.children):
                bpy.data.collections.remove(collection)


def _empty(rig: Rig, new: NewTarget, collection: Collection) -> Object:
    empty = bpy.data.objects.new(new.name, None)
    shape, part = LOOKS[new.role]
    empty.empty_display_type, empty.empty_display_size = shape, part * new.size
    empty.show_in_front = True
    mark(empty, rig.name)
    if new.parent:
        empty.parent, empty.parent_type, empty.parent_bone = rig, "BONE", new.parent
    collection.objects.link(empty)
    return empty


def _collection(rig: Rig, holder: Collection) -> Collection:
    """The collection for the armature's targets in `holder`."""
    name = f"{rig.name} Targets"
    for child in holder.children:
        made_for: str = child.two_bone_ik_made_for  # type: ignore[attr-defined]
        if _takes_objects(child) and (child.name == name or made_for == rig.name):
            return child
    collection = bpy.data.collections.new(name)
    mark(collection, rig.name)
    holder.children.link(collection)
    return collection


def _deepest(rig: Rig, scene: Scene) -> Collection:
    """The deepest collection that holds the armature and can take more, of those that are shown if any such is."""
    every = _paths(scene.view_layers[0].layer_collection)
    paths = [path for path in every if rig in path[-1].collection.objects.values()]
    shown = [path for path in paths if path[-1].is_visible and not path[-1].exclude]
    takers = ([layer.collection for layer in path if _takes_objects(layer.collection)] for path in shown or paths)
    return max(takers, key=len, default=[scene.collection])[-1]


def _paths(layer: LayerCollection, above: tuple[LayerCollection, ...] = ()) -> Iterator[tuple[LayerCollection, ...]]:
    """Each collection of the view layer, after those that contain it."""
    path = (*above, layer)
    yield path
    for child in layer.children:
        yield from _paths(child, path)


def _takes_objects(collection: Collection) -> bool:
    return collection.is_editable and not collection.override_library
