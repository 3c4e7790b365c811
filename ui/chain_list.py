"""The list of chains."""

from typing import TYPE_CHECKING

from bpy.app.translations import pgettext_iface
from bpy.types import Context, Scene, UILayout, UIList
from bpy.utils import register_classes_factory, units

from ..blender.armatures import Rig
from ..blender.properties import TwoBoneIKChain, is_from_library

if TYPE_CHECKING:
    from ..blender.live.state import ChainState

_SHORT = {"TOO_FAR": "{} too far", "TOO_CLOSE": "{} too close"}


class TWO_BONE_IK_UL_chains(UIList):
    """Chains by name, each with its switch"""

    def draw_item(  # type: ignore[override]  # Blender hands over only as many as there are
        self,
        context: Context,
        layout: UILayout,
        rig: Rig,
        chain: TwoBoneIKChain,
        _icon: int,
        _active_owner: Rig,
        _active_field: str,
    ) -> None:
        from ..blender.live import state

        row = layout.row(align=True)
        row.active = not chain.mute
        refusal = None if chain.mute else state.cached(rig).refused.get(chain.name)
        if is_from_library(chain):
            row.label(text=chain.name, icon="LIBRARY_DATA_OVERRIDE", translate=False)
        else:
            row.prop(chain, "name", text="", emboss=False, icon="ERROR" if refusal else "CON_KINEMATIC")
        shown = row.row()
        shown.alignment = "RIGHT"
        if refusal:
            shown.label(text=refusal.kind.replace("_", " ").capitalize())
        elif not chain.mute:
            _draw_standing(shown, context.scene, state.cached(rig).standing(chain.name))
        row.prop(chain, "mute", text="", emboss=False, icon="CHECKBOX_DEHLT" if chain.mute else "CHECKBOX_HLT")


def _draw_standing(layout: UILayout, scene: Scene, standing: "ChainState | None") -> None:
    """How the chain stands on the current frame, as the panel has looked it up."""
    if standing and standing.status.name in _SHORT:
        by = units.to_string(scene.unit_settings.system, "LENGTH", standing.miss, precision=3, compatible_unit=False)
        layout.label(text=pgettext_iface(_SHORT[standing.status.name]).format(by), translate=False)
    elif standing:
        layout.label(text="Reached")


register, unregister = register_classes_factory((TWO_BONE_IK_UL_chains,))
