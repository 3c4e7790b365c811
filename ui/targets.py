"""What the limb in hand reaches for, and the buttons that make, snap and key it."""

from bpy.types import Context, UILayout

from ..blender.settings.properties import TwoBoneIKChain
from ..blender.targets.create_targets import lacks
from ..blender.targets.target_names import Role
from .sidebar import draw_option, is_narrow, section


def draw(layout: UILayout, context: Context, chain: TwoBoneIKChain) -> None:
    """What the tip reaches for and the mid joint bends towards, and how far the limb goes along."""
    column = section(layout, "Target", closed=False)
    if column is None:
        return
    draw_option(column, chain, "influence")
    for target, subtarget in (("target", "subtarget"), ("pole_target", "pole_subtarget")):
        column.prop(chain, target)
        owner = getattr(chain, target)
        if owner and owner.type == "ARMATURE":
            column.prop_search(chain, subtarget, owner.data, "bones", text="Bone")
    if chain.tip_bone:
        column.prop(chain, "use_rotation")
        if chain.use_rotation:
            draw_option(column, chain, "rotation_influence")
            column.prop(chain, "reach_with")
    row = column.row(align=True)
    if lacks(chain, Role.TARGET):
        row.operator("two_bone_ik.create_targets", text="Create Targets").only_active = False
        posing = chain.id_data.mode == "POSE"  # there the usual targets are bones
        others = row.operator("two_bone_ik.create_targets", text="As Empties" if posing else "As Bones")
        others.kind, others.only_active = "EMPTIES" if posing else "BONES", False
        return
    row.operator("two_bone_ik.snap_targets", text="Snap to Pose").only_active = True
    if is_narrow(context):
        row = column.row(align=True)
    row.operator("two_bone_ik.bake_targets", text="Bake from Pose...")
