"""Auto keying as a user sets it."""

from __future__ import annotations

import bpy


def auto_keying(*, mode: str = "ADD_REPLACE_KEYS", only_available: bool = False) -> None:
    """Switch it on; which is the default for properties without curves depends on the version of Blender."""
    settings = bpy.context.scene.tool_settings
    settings.use_keyframe_insert_auto, settings.auto_keying_mode = True, mode
    bpy.context.preferences.edit.use_keyframe_insert_available = only_available
