"""The panel in the sidebar of the 3D Viewport."""

from bpy.types import Context, Object, Panel, UILayout

from ..blender.properties import TwoBoneIKChain, active_chain


class _Sidebar:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Animation"

    @classmethod
    def poll(cls, context: Context) -> bool:
        rig = context.object
        return rig is not None and rig.type == "ARMATURE" and context.mode in {"OBJECT", "POSE"}


class TWO_BONE_IK_PT_chains(_Sidebar, Panel):
    """The chains of the active armature, and what they reach for"""

    bl_label = "Two-Bone IK"

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        rig = context.object
        _draw_list(layout, rig)
        chain = active_chain(rig)
        if chain is not None:
            column = layout.column()
            _draw_bone_of(column, chain, "target", "subtarget")
            _draw_bone_of(column, chain, "pole_target", "pole_subtarget")
            row = layout.row(align=True)
            row.operator("two_bone_ik.solve", text="Solve")
            row.operator("two_bone_ik.bake", text="Bake...")


class _ChainPanel(_Sidebar):
    bl_parent_id = "TWO_BONE_IK_PT_chains"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and active_chain(context.object) is not None


class TWO_BONE_IK_PT_bones(_ChainPanel, Panel):
    """The bones of the active chain"""

    bl_label = "Bones"

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        chain = active_chain(context.object)
        column = layout.column()
        for field in ("root_bone", "end_bone", "tip_bone"):
            column.prop_search(chain, field, context.object.data, "bones")


class TWO_BONE_IK_PT_bend(_ChainPanel, Panel):
    """How the active chain bends"""

    bl_label = "Bend"

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        chain = active_chain(context.object)
        column = layout.column()
        column.prop(chain, "plane")
        if chain.pole_target:
            column.prop(chain, "pole_angle")
        column.prop(chain, "bend")
        column.prop(chain, "hinge_axis")


def _draw_list(layout: UILayout, rig: Object) -> None:
    row = layout.row()
    row.template_list("TWO_BONE_IK_UL_chains", "", rig, "two_bone_ik_chains", rig, "two_bone_ik_active", rows=4)
    buttons = row.column(align=True)
    buttons.operator("two_bone_ik.chain_add", text="", icon="ADD")
    buttons.operator("two_bone_ik.chain_remove", text="", icon="REMOVE")
    buttons.separator()
    buttons.operator("two_bone_ik.chain_move", text="", icon="TRIA_UP").direction = "UP"
    buttons.operator("two_bone_ik.chain_move", text="", icon="TRIA_DOWN").direction = "DOWN"


def _draw_bone_of(column: UILayout, chain: TwoBoneIKChain, target: str, subtarget: str) -> None:
    column.prop(chain, target)
    owner = getattr(chain, target)
    if owner and owner.type == "ARMATURE":
        column.prop_search(chain, subtarget, owner.data, "bones", text="Bone")


CLASSES = (TWO_BONE_IK_PT_chains, TWO_BONE_IK_PT_bones, TWO_BONE_IK_PT_bend)
