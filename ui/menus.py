"""Menus in Blender's own: without them, menu search finds nothing. Entries leave out what the menu's title says."""

from bpy.types import Context, Menu, TOPBAR_MT_file_import, VIEW3D_MT_object_animation, VIEW3D_MT_pose_ik
from bpy.utils import register_classes_factory

_MENUS = (VIEW3D_MT_pose_ik, VIEW3D_MT_object_animation)


class TWO_BONE_IK_MT_chains(Menu):
    """All that can be done with limbs of two bones"""

    bl_label = "Two-Bone IK"

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.operator("two_bone_ik.chains_detect", text="Detect Limbs")
        layout.operator("two_bone_ik.chains_from_constraints", text="Take Over IK Constraints")
        layout.menu("TWO_BONE_IK_MT_chain")
        layout.separator()
        layout.operator_menu_enum("two_bone_ik.create_targets", "kind", text="Create Targets")
        layout.menu("TWO_BONE_IK_MT_targets")
        layout.menu("TWO_BONE_IK_MT_hold")
        layout.separator()
        layout.operator("two_bone_ik.pin", text="Pin")
        layout.operator("two_bone_ik.pin", text="Pin over Range...").over_range = True
        layout.operator("two_bone_ik.drag", text="Drag")
        layout.operator("two_bone_ik.solve", text="Solve")
        layout.separator()
        layout.operator("two_bone_ik.check", text="Check...")
        layout.operator("two_bone_ik.bake", text="Bake...")
        layout.operator("two_bone_ik.build", text="Build into Rig")
        layout.operator("two_bone_ik.unbuild", text="Remove from Rig")
        layout.operator("two_bone_ik.worst_frame", text="Go to Worst Frame")
        layout.operator("two_bone_ik.markers_remove", text="Remove Markers")
        layout.separator()
        layout.operator("two_bone_ik.plant", text="Plant Feet")
        layout.operator("two_bone_ik.plant_capture", text="Plant a Capture...")
        layout.operator("two_bone_ik.fit_scene", text="Fit Scene to Capture")
        layout.menu("TWO_BONE_IK_MT_contacts")
        layout.operator("two_bone_ik.switch", text="Switch to FK...").direction = "FK"
        layout.operator("two_bone_ik.switch", text="Switch to IK...").direction = "IK"
        layout.separator()
        layout.operator("two_bone_ik.system_info_copy", text="Copy System Info")


class TWO_BONE_IK_MT_chain(Menu):
    """The chain in hand: its bones and its settings"""

    bl_label = "Chain"

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.operator("two_bone_ik.chain_add", text="Add from Active Bone")
        layout.operator("two_bone_ik.chain_remove", text="Remove")
        layout.operator("two_bone_ik.chain_move", text="Move Up").direction = "UP"
        layout.operator("two_bone_ik.chain_move", text="Move Down").direction = "DOWN"
        layout.separator()
        layout.operator("two_bone_ik.flip_bend", text="Flip Bend")
        layout.operator("two_bone_ik.reveal", text="Reveal Limb")
        layout.operator_menu_enum("two_bone_ik.side_decide", "axis", text="Decide Side")
        layout.operator("two_bone_ik.set_aligned", text="Set Inherit Scale to Aligned")
        layout.separator()
        layout.operator("two_bone_ik.settings_copy", text="Copy Settings to All")
        layout.operator("two_bone_ik.settings_copy", text="Copy Settings to Other Side").to = "OTHER_SIDE"


class TWO_BONE_IK_MT_targets(Menu):
    """Targets for what is posed already"""

    bl_label = "Targets"

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.operator("two_bone_ik.snap_targets", text="Snap to Pose")
        layout.operator("two_bone_ik.bake_targets", text="Bake from Pose...")
        layout.operator("two_bone_ik.change_target_space", text="Change Space...")
        layout.operator("two_bone_ik.remove_targets", text="Remove")


class TWO_BONE_IK_MT_contacts(Menu):
    """When feet stand, and over which paths they go"""

    bl_label = "Contacts"

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.operator_menu_enum("two_bone_ik.contact_set", "contact", text="Set")
        layout.operator("two_bone_ik.foot_paths", text="Show Foot Paths")


class TWO_BONE_IK_MT_hold(Menu):
    """Targets that stay where they are, and let go again"""

    bl_label = "Hold"

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.operator("two_bone_ik.hold", text="Hold Target")
        layout.operator("two_bone_ik.holds_update", text="Update Holds")
        layout.operator("two_bone_ik.hold_remove", text="Remove Holds")


class TWO_BONE_IK_MT_pie(Menu):
    """What animators press most, around the mouse. It has no key until the user gives it one"""

    bl_label = "Two-Bone IK"

    def draw(self, context: Context) -> None:
        from ..blender.status.in_hand import rig_in_hand

        pie = self.layout.menu_pie()
        if rig := rig_in_hand(context):
            pie.operator("two_bone_ik.live", text="Live", depress=rig.two_bone_ik_live)
        else:
            pie.separator()
        pie.operator("two_bone_ik.solve", text="Solve")
        pie.operator("two_bone_ik.pin", text="Pin")
        pie.operator("two_bone_ik.bake", text="Bake...")
        pie.operator("two_bone_ik.flip_bend", text="Flip")
        pie.operator("wm.tool_set_by_id", text="Pull Limb").name = "two_bone_ik.pull_limb"
        pie.operator("two_bone_ik.switch", text="Switch...")
        pie.menu("TWO_BONE_IK_MT_chains", text="More...")


def _draw(menu: Menu, context: Context) -> None:
    from ..blender.status.in_hand import rig_in_hand

    if rig_in_hand(context):
        menu.layout.separator()
        menu.layout.menu("TWO_BONE_IK_MT_chains")


def _draw_import(menu: Menu, _context: Context) -> None:
    menu.layout.operator("two_bone_ik.plant_capture", text="Motion Capture (Two-Bone IK)")


_register, _unregister = register_classes_factory(
    (
        TWO_BONE_IK_MT_chains,
        TWO_BONE_IK_MT_chain,
        TWO_BONE_IK_MT_targets,
        TWO_BONE_IK_MT_hold,
        TWO_BONE_IK_MT_contacts,
        TWO_BONE_IK_MT_pie,
    )
)


def register() -> None:
    """Append the menu."""
    _register()
    for menu in _MENUS:
        menu.append(_draw)
    TOPBAR_MT_file_import.append(_draw_import)


def unregister() -> None:
    """Remove it."""
    TOPBAR_MT_file_import.remove(_draw_import)
    for menu in _MENUS:
        menu.remove(_draw)
    _unregister()
