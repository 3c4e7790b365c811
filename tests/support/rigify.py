"""Rigs of Blender's own Rigify."""

from __future__ import annotations

import addon_utils
import bpy
from bpy.types import Object


def metarig(name: str) -> Object:
    """A metarig, such as "human", added to the open file."""
    # To enable it again would register it again, and Blender 4.2 crashes some time later.
    if not addon_utils.check("rigify")[1]:
        # It reads its preferences as it registers.
        addon_utils.enable("rigify", default_set=True)
    getattr(bpy.ops.object, f"armature_{name}_metarig_add")()
    return bpy.context.object


def generated(name: str) -> Object:
    """The rig that is generated from a metarig."""
    metarig(name)
    bpy.ops.pose.rigify_generate()
    return bpy.context.object
