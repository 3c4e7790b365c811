"""The armature objects of a scene, found fast enough to ask on every evaluation, and whether one can be edited."""

from __future__ import annotations

from functools import lru_cache

import bpy
from bpy.types import Object, Scene


def local_armatures(scene: Scene) -> list[Object]:
    """The local armature objects of a scene; a linked one cannot be posed."""
    names = _names(len(bpy.data.objects), len(bpy.data.armatures))
    rigs = {name: _local(scene, name) for name in names}
    # To look for a name among 5,000 objects of a file takes Blender a millisecond, in a scene a microsecond.
    if any(rig is None and name not in bpy.data.objects for name, rig in rigs.items()):
        forget()  # one was renamed
        return local_armatures(scene)
    return [rig for rig in rigs.values() if rig]


def forget() -> None:
    """Another file, or another state of it: it may hold as many objects under other names."""
    _names.cache_clear()


def editable(item: Object) -> bool:
    """False for linked objects, and for overrides that Blender made on its own."""
    return item.is_editable and not (item.override_library and item.override_library.is_system_override)


@lru_cache(maxsize=1)
def _names(_objects: int, _armatures: int) -> list[str]:
    """Names of all local armature objects, while the file holds so many objects and armatures.

    To look at each of 5,000 objects takes Blender a millisecond, far too long for every evaluation of a scene.
    """
    return [item.name for item in bpy.data.objects if item.type == "ARMATURE" and not item.library]


def _local(scene: Scene, name: str) -> Object | None:
    item = scene.objects.get(name)
    if item and item.library:
        # A linked object may have the same name, and Blender has no key for the other one.
        return next((other for other in scene.objects if other.name == name and not other.library), None)
    return item
