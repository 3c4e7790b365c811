"""Entries in Blender's menus: without them, menu search finds nothing."""

from bpy.types import Context, Menu, VIEW3D_MT_object_animation, VIEW3D_MT_pose_ik

_MENUS = (VIEW3D_MT_pose_ik, VIEW3D_MT_object_animation)


def _draw(menu: Menu, context: Context) -> None:
    if context.object is None or context.object.type != "ARMATURE":
        return
    layout = menu.layout
    layout.separator()
    layout.operator("two_bone_ik.chains_detect")
    layout.operator("two_bone_ik.chains_from_constraints")
    layout.operator("two_bone_ik.chain_add")
    layout.operator("two_bone_ik.create_targets")
    layout.operator("two_bone_ik.snap_targets")
    layout.operator("two_bone_ik.solve")
    layout.operator("two_bone_ik.flip_bend")
    layout.operator("two_bone_ik.drag")
    layout.operator("two_bone_ik.check", text="Check Two-Bone IK...")
    layout.operator("two_bone_ik.markers_remove")
    layout.operator("two_bone_ik.bake", text="Bake Two-Bone IK...")
    layout.operator("two_bone_ik.bake_targets", text="Bake Two-Bone IK Targets from Pose...")


def register() -> None:
    """Append the entries."""
    for menu in _MENUS:
        menu.append(_draw)


def unregister() -> None:
    """Remove the entries."""
    for menu in _MENUS:
        menu.remove(_draw)
