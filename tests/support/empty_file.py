"""The empty file that tests start from."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import bpy


def open_empty_file() -> None:
    """Open Blender's own empty file, with all add-ons still enabled.

    Blender's own is of an old version, which is converted whenever it is opened. So it is opened once and saved, with
    one workspace: the others make up half of each file that a test opens or saves.
    """
    bpy.ops.wm.read_homefile(filepath=_saved())


@cache
def _saved() -> str:
    path = Path(os.environ["BLENDER_USER_RESOURCES"], "empty.blend")
    # read_factory_settings would disable the add-ons.
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.data.batch_remove([space for space in bpy.data.workspaces if space != bpy.context.workspace])
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, compress=False)
    return str(path)
