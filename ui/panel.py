"""The panel in the sidebar of the 3D Viewport."""

from bpy.types import Context, Object, Panel, UILayout

from ..blender.properties import TwoBoneIKChain, active_chain


class TWO_BONE_IK_PT_chains(Panel):
    """The chains of the active armature, what they reach for, and the way to keys"""

    bl_label = "Two-Bone IK"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Animation"

    @classmethod
    def poll(cls, context: Context) -> bool:
        rig = context.object
        return rig is not None and rig.type == "ARMATURE" and context.mode in {"OBJECT", "POSE"}

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        rig = context.object
        _draw_list(layout, rig)
        chain = active_chain(rig)
        if chain is not None:
            _draw_targets(layout, chain)
            _draw_bones(layout, chain, rig)
            _draw_bend(layout, chain)
            _draw_reach(layout, chain)
        if rig.two_bone_ik_chains:
            row = layout.row(align=True)
            row.operator("two_bone_ik.solve", text="Solve")
            row.operator("two_bone_ik.check", text="Check...")
            row.operator("two_bone_ik.bake", text="Bake...")


def _draw_list(layout: UILayout, rig: Object) -> None:
    row = layout.row()
    row.template_list("TWO_BONE_IK_UL_chains", "", rig, "two_bone_ik_chains", rig, "two_bone_ik_active", rows=4)
    buttons = row.column(align=True)
    buttons.operator("two_bone_ik.chain_add", text="", icon="ADD")
    buttons.operator("two_bone_ik.chain_remove", text="", icon="REMOVE")
    buttons.separator()
    buttons.operator("two_bone_ik.chain_move", text="", icon="TRIA_UP").direction = "UP"
    buttons.operator("two_bone_ik.chain_move", text="", icon="TRIA_DOWN").direction = "DOWN"


def _draw_targets(layout: UILayout, chain: TwoBoneIKChain) -> None:
    column = layout.column()
    for target, subtarget in (("target", "subtarget"), ("pole_target", "pole_subtarget")):
        column.prop(chain, target)
        owner = getattr(chain, target)
        if owner and owner.type == "ARMATURE":
            column.prop_search(chain, subtarget, owner.data, "bones", text="Bone")
    if chain.target:
        row = layout.row(align=True)
        row.operator("two_bone_ik.snap_targets", text="Snap to Pose").only_active = True
        row.operator("two_bone_ik.bake_targets", text="Bake from Pose...")
    else:
        layout.operator("two_bone_ik.create_targets", text="Create Targets").only_active = True


def _draw_bones(layout: UILayout, chain: TwoBoneIKChain, rig: Object) -> None:
    body = _section(layout, "Bones")
    if body:
        for field in ("root_bone", "end_bone", "tip_bone"):
            body.prop_search(chain, field, rig.data, "bones")
        if chain.tip_bone:
            body.prop(chain, "use_rotation", text="Follow Rotation")
        if chain.tip_bone and chain.use_rotation:
            body.prop(chain, "rotation_influence", text="Influence")


def _draw_bend(layout: UILayout, chain: TwoBoneIKChain) -> None:
    body = _section(layout, "Bend")
    if body:
        row = body.row(align=True)
        row.prop(chain, "bend")
        row.operator("two_bone_ik.flip_bend", text="", icon="UV_SYNC_SELECT")
        body.prop(chain, "plane")
        if chain.pole_target:
            body.prop(chain, "pole_angle")
            body.prop(chain, "pole_influence")
        body.prop(chain, "hinge_axis")
        body.prop(chain, "reference")
        body.prop(chain, "use_bend_limits")
        if chain.use_bend_limits:
            limits = body.column(align=True)
            limits.prop(chain, "bend_min", text="Minimum")
            limits.prop(chain, "bend_max", text="Maximum")
            limits.operator("two_bone_ik.bend_limits_take", text="Take from IK Limits")


def _draw_reach(layout: UILayout, chain: TwoBoneIKChain) -> None:
    body = _section(layout, "Reach")
    if body:
        body.prop(chain, "unreachable")
        if chain.unreachable == "STRETCH":
            body.prop(chain, "max_stretch", text="Maximum")
        body.prop(chain, "softness")
        body.prop(chain, "use_extension_limit")
        body.prop(chain, "influence")


def _section(layout: UILayout, title: str) -> UILayout | None:
    """The body of a section that is closed at first; None while it is."""
    header, body = layout.panel(f"two_bone_ik_{title.lower()}", default_closed=True)
    header.label(text=title)
    return body.column() if body else None


CLASSES = (TWO_BONE_IK_PT_chains,)
