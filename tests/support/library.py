"""A character of a library, as other files have it: linked, or overridden."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.types import Object

from .empty_file import open_empty_file


def linked(folder: Path, name: str = "Rig") -> Object:
    """This object of the open file, saved there as a library and linked to an empty file."""
    path = str(folder / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    open_empty_file()
    with bpy.data.libraries.load(path, link=True) as (_, found):
        found.objects = [name]
    return found.objects[0]


def overridden(library: Object) -> Object:
    """An override of a linked object that users may edit, in the scene and active."""
    rig = library.override_create(remap_local_usages=True)
    rig.override_library.is_system_override = False
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    return rig
