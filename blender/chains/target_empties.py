"""Targets that are empties, in a collection that linking the character takes along."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

import bpy
from bpy.types import Collection, Object, Scene

from ...skeleton.values import Point
from ..armatures import Rig
from ..messages.translation import translated
from .made_for import is_marked, mark
from .new_targets import NewTarget, Role

_LOOKS: dict[Role, tuple[Any, float]] = {Role.TARGET: ("CUBE", 0.08), Role.POLE: ("SPHERE", 0.05)}
"""Shape, and size as part of the chain's length."""


def refuse_impossible(_rig: Rig, _scene: Scene) -> None:
    """Empties can always be created."""


def make(rig: Rig, scene: Scene, new: Sequence[NewTarget]) -> tuple[list[Point], list[str]]:
    """The empties, wherever they are as yet, and sentences for the report."""
    holder = _deepest(rig, scene)
    collection = _collection(rig, holder)
    points = [Point(_empty(rig, one, collection)) for one in new]
    created = translated(
        "note.created_one" if len(new) == 1 else "note.created_many", count=len(new), collection=collection.name
    )
    if holder != scene.collection or rig.override_library:
        return points, [created]
    return points, [created, translated("note.linking_alone", object=rig.name)]


def remove(items: Iterable[Object]) -> None:
    """Remove the empties, their keys unless something else plays them, and collections that were made for them."""
    for item in items:
        collections, action = item.users_collection, item.animation_data and item.animation_data.action
        bpy.data.objects.remove(item)
        if action and not action.users:
            bpy.data.actions.remove(action)
        for collection in collections:
            if is_marked(collection) and not (collection.objects or collection.children):
                bpy.data.collections.remove(collection)


def _empty(rig: Rig, new: NewTarget, collection: Collection) -> Object:
    empty = bpy.data.objects.new(f"{rig.name} {new.name}", None)
    shape, part = _LOOKS[new.role]
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
    for collection in holder.children:
        if collection.name == name and _takes_objects(collection):
            return collection
    collection = bpy.data.collections.new(name)
    mark(collection, rig.name)
    holder.children.link(collection)
    return collection


def _deepest(rig: Rig, scene: Scene) -> Collection:
    """The deepest collection of the scene that holds the armature and can take more."""
    holders = (
        (level, collection)
        for level, collection in _levels(scene.collection, 0)
        if _takes_objects(collection) and rig in collection.all_objects.values()
    )
    return max(holders, key=itemgetter(0), default=(0, scene.collection))[1]


def _levels(collection: Collection, level: int) -> Iterator[tuple[int, Collection]]:
    yield level, collection
    for child in collection.children:
        yield from _levels(child, level + 1)


def _takes_objects(collection: Collection) -> bool:
    return collection.is_editable and not collection.override_library
