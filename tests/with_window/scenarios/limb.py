"""What scenarios start from: Rigify's human metarig, or a limb of two bones and a target that moves."""

from __future__ import annotations

import addon_utils
import bpy
from bl_ext.user_default.two_bone_ik.blender import versions


def keyed_range() -> tuple[float, float] | None:
    animation = bpy.context.object.animation_data
    return tuple(animation.action.frame_range) if animation and animation.action else None


def keys() -> dict[tuple[str, int], list[tuple[float, ...]]]:
    """Of the active object, each with its handles, by RNA path and index."""
    return {
        (curve.data_path, curve.array_index): [
            (*key.co, *key.handle_left, *key.handle_right, key.interpolation, key.type) for key in curve.keyframe_points
        ]
        for curve in versions.curves(bpy.context.object)
    }


def metarig() -> None:
    """Alone in the file, and active."""
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.ops.object.armature_human_metarig_add()


def limb_with_target() -> None:
    bpy.context.scene.frame_end = 20
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.ops.object.empty_add(location=(1, 0, 1))
    target = bpy.context.object
    target.keyframe_insert("location", frame=1)
    target.location = (0, 1, 1)
    target.keyframe_insert("location", frame=20)
    bpy.ops.object.armature_add(enter_editmode=True)
    bpy.ops.armature.extrude_move(TRANSFORM_OT_translate={"value": (0.2, 0, 1)})
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.two_bone_ik.chain_add()
    bpy.context.object.two_bone_ik_chains[0].target = target
    bpy.ops.ed.undo_push()
