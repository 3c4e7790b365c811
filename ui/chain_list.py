"""The list of chains."""

from bpy.types import Context, Object, UILayout, UIList

from ..blender.properties import TwoBoneIKChain, is_from_library


class TWO_BONE_IK_UL_chains(UIList):
    """Chains by name, each with its switch"""

    def draw_item(
        self,
        _context: Context,
        layout: UILayout,
        _rig: Object,
        chain: TwoBoneIKChain,
        _icon: int,
        _active_owner: Object,
        _active_field: str,
    ) -> None:
        row = layout.row(align=True)
        row.active = not chain.mute
        if is_from_library(chain):
            row.label(text=chain.name, icon="LIBRARY_DATA_OVERRIDE", translate=False)
        else:
            row.prop(chain, "name", text="", emboss=False, icon="CON_KINEMATIC")
        row.prop(chain, "mute", text="", emboss=False, icon="CHECKBOX_DEHLT" if chain.mute else "CHECKBOX_HLT")


CLASSES = (TWO_BONE_IK_UL_chains,)
