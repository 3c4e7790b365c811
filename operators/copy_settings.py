"""One press for many: the settings of the active chain for all others, or mirrored for the other side."""

from bpy.app.translations import pgettext_iface, pgettext_tip
from bpy.props import EnumProperty
from bpy.types import Context, OperatorProperties
from bpy.utils import register_classes_factory

from ..blender.armatures import Rig
from .common import ChainOperator, active_names, api


class TWO_BONE_IK_OT_settings_copy(ChainOperator):
    """Give other chains the settings of the active one; on the other side they are mirrored"""

    bl_idname = "two_bone_ik.settings_copy"
    bl_label = "Copy Two-Bone IK Settings"

    to: EnumProperty(
        name="To",
        description="Which chains get the settings",
        items=(
            ("ALL", "All Chains", "All chains of the armature"),
            ("OTHER_SIDE", "Other Side", "The same limb on the other side; its chain is added if there is none"),
        ),
        options={"SKIP_SAVE"},
    )
    sections: EnumProperty(
        name="Sections",
        description="The sections of the panel whose settings are copied",
        items=(
            ("TARGET", "Target", "Whether the tip follows the rotation; to the other side also the targets, by name"),
            ("BONES", "Bones", "Root bone and tip bone, by name, to the other side only"),
            ("BEND", "Bend", "Which way it bends. The hinge axis is copied to the other side only"),
            ("REACH", "Reach", "How far it reaches, and what it does beyond"),
        ),
        options={"ENUM_FLAG", "SKIP_SAVE"},
        default={"TARGET", "BONES", "BEND", "REACH"},
    )

    @classmethod
    def description(cls, _context: Context, properties: OperatorProperties) -> str:
        """Names what the button copies, and to which chains."""
        items = properties.rna_type.properties["sections"].enum_items
        sections = ", ".join(pgettext_iface(items[name].name) for name in items.keys() if name in properties.sections)
        mirrored = properties.to == "OTHER_SIDE"
        template = "Copy {}, mirrored, to the other side" if mirrored else "Copy {} to all chains of the armature"
        return pgettext_tip(template).format(sections)

    def run(self, context: Context, rig: Rig) -> None:
        [chain] = active_names(rig)
        if self.to == "OTHER_SIDE":
            copied = api.mirror_settings(rig, chain, sections=self.sections)
        else:
            copied = api.copy_settings(rig, chain, sections=self.sections)
        for sentence in filter(None, copied.values()):
            self.report({"WARNING"}, sentence)
        names = ", ".join(copied)
        self.inform("note.copied" if names else "note.no_other_chain", chains=names)


register, unregister = register_classes_factory((TWO_BONE_IK_OT_settings_copy,))
