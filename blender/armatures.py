"""The armature objects of a scene, found fast enough to ask on every evaluation, and whether one can be edited.

For mypy they have a type of their own, with their data and our properties; when Blender runs, `Rig` is `Object`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeGuard

import bpy
from bpy.types import Object, Scene

if TYPE_CHECKING:
    from bpy.types import Armature, bpy_prop_collection

    from .properties import TwoBoneIKChain

    class Chains(bpy_prop_collection[TwoBoneIKChain]):
        """The chains of an armature object."""

        def add(self) -> TwoBoneIKChain: ...
        def remove(self, index: int) -> None: ...
        def move(self, index: int, to: int) -> None: ...

    class Rig(Object):
        """An armature object."""

        data: Armature
        two_bone_ik_chains: Chains
        two_bone_ik_active: int
        two_bone_ik_live: bool
else:
    Rig = Object


def is_rig(item: Object | None) -> TypeGuard[Rig]:
    """Whether this is an armature object."""
    return item is not None and item.type == "ARMATURE"


def as_rig(item: Object | None) -> Rig | None:
    """The same, if it is an armature object."""
    return item if is_rig(item) else None


def local_armatures(scene: Scene) -> list[Rig]:
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
    return [item.name for item in bpy.data.objects if is_rig(item) and not item.library]


def _local(scene: Scene, name: str) -> Rig | None:
    item: Object | None = scene.objects.get(name)
    if item and item.library:
        # A linked object may have the same name, and Blender has no key for the other one.
        item = next((other for other in scene.objects if other.name == name and not other.library), None)
    return as_rig(item)
