"""Pull Limb: a tool in the toolbar of Pose Mode with a handle at each limb's tip, elbow and knee; and a menu entry."""

from typing import Any

from bpy.types import Context, Gizmo, GizmoGroup, KeyConfig, KeyMap, Menu, VIEW3D_MT_pose_context_menu, WorkSpaceTool
from bpy.utils import register_class, register_tool, unregister_class, unregister_tool

from ..blender.armatures import Rig, editable, is_rig

_RING = {"draw_style": "RING_2D", "draw_options": {"ALIGN_VIEW", "FILL_SELECT"}, "scale_basis": 0.16, "line_width": 2.0}
_DISC = {"draw_style": "RING_2D", "draw_options": {"ALIGN_VIEW", "FILL"}, "scale_basis": 0.08}
_LOOKS = {"TIP": _RING, "POLE": _DISC}


class TWO_BONE_IK_GGT_pull_limb(GizmoGroup):
    """A ring at the tip and a disc at the mid joint of each limb; a drag pulls the limb there"""

    bl_label = "Pull Limb"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "TOOL_FALLBACK_KEYMAP"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        # Blender lets the group stay when another tool has been chosen, and shows it with the next file or armature.
        tool = context.workspace.tools.from_space_view3d_mode("POSE", create=False) if context.mode == "POSE" else None
        return tool is not None and tool.idname == PullLimb.bl_idname

    @classmethod
    def setup_keymap(cls, keyconfig: KeyConfig) -> KeyMap:
        """A click goes to the bone below, as with Blender's own transform gizmos."""
        return keyconfig.keymaps.new("Generic Gizmo Maybe Drag")  # that of this name, where there is one

    def setup(self, _context: Context) -> None:
        self._handles: dict[tuple[str, str, str], Gizmo] = {}

    def draw_prepare(self, context: Context) -> None:
        from ..blender.chains.limbs import joints

        for gizmo in self._handles.values():
            gizmo.hide = True
        visible = {(bone.id_data.name, bone.name) for bone in context.visible_pose_bones}
        for rig in filter(is_rig, context.objects_in_mode):
            for limb in joints(rig, context.view_layer.depsgraph) if editable(rig) else ():
                if (rig.name, limb.handle) in visible:
                    self._show(rig, limb.end_bone, "TIP", limb.tip)
                    self._show(rig, limb.end_bone, "POLE", limb.mid)

    def _show(self, rig: Rig, bone: str, pull: str, place: Any) -> None:
        key = rig.name, bone, pull
        if key not in self._handles:
            self._handles[key] = self._handle(*key)
        self._handles[key].matrix_basis = place
        self._handles[key].hide = False

    def _handle(self, armature: str, bone: str, pull: str) -> Gizmo:
        handle = self.gizmos.new("GIZMO_GT_move_3d")
        for name, value in _LOOKS[pull].items():
            setattr(handle, name, value)
        handle.color, handle.alpha = (1.0, 1.0, 1.0), 0.6
        handle.color_highlight, handle.alpha_highlight = (1.0, 0.8, 0.2), 1.0
        handle.use_draw_modal = True
        drag = handle.target_set_operator("two_bone_ik.drag")
        drag.armature, drag.bone, drag.pull, drag.release_confirm = armature, bone, pull, True
        return handle


class PullLimb(WorkSpaceTool):
    """Pull limbs by their tips, elbows and knees; they need no chains"""

    bl_space_type = "VIEW_3D"
    bl_context_mode = "POSE"
    bl_idname = "two_bone_ik.pull_limb"
    bl_label = "Pull Limb"
    bl_icon = "ops.armature.bone.roll"
    bl_widget = TWO_BONE_IK_GGT_pull_limb.__name__


def _draw_entry(menu: Menu, context: Context) -> None:
    if context.active_pose_bone:
        menu.layout.separator()
        entry = menu.layout.row()
        entry.operator_context = "INVOKE_REGION_WIN"  # entries above it execute
        entry.operator("two_bone_ik.drag", text="Pull Limb").bone = context.active_pose_bone.name


def register() -> None:
    """Put the tool into the toolbar and the entry into the context menu."""
    register_class(TWO_BONE_IK_GGT_pull_limb)
    register_tool(PullLimb, after={"builtin.relax"}, group=True)
    VIEW3D_MT_pose_context_menu.append(_draw_entry)


def unregister() -> None:
    """Take them away."""
    VIEW3D_MT_pose_context_menu.remove(_draw_entry)
    unregister_tool(PullLimb)
    unregister_class(TWO_BONE_IK_GGT_pull_limb)
