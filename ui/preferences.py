"""What a user sets once: the sidebar tab, the colors of the overlay, how keys are written."""

from bpy.types import AddonPreferences, Context
from bpy.utils import register_classes_factory

from .. import __package__ as base_package
from ..blender.options import option, rows, with_properties
from ..blender.settings.key_settings import KeyProperties
from . import panel

_COLORS = rows("preferences", type="vector")


@with_properties({name: option("preferences", name) for name in rows("preferences")})
class TwoBoneIKPreferences(KeyProperties, AddonPreferences):
    """Set once, for all files"""

    bl_idname = base_package

    tab: option("preferences", "tab", update=lambda _preferences, _context: panel.move_to_tab())

    def draw(self, _context: Context) -> None:
        from ..blender.extension import WEBSITE

        layout = self.layout
        layout.use_property_split = True
        row = layout.row()
        row.alignment = "RIGHT"
        row.operator("wm.url_open", text="Manual", icon="HELP").url = WEBSITE
        layout.prop(self, "tab")
        colors = layout.column(align=True)
        colors.label(text="Overlay")
        for name in _COLORS:
            colors.prop(self, name)
        keys = layout.column()
        keys.label(text="New Bakes")
        for name in self.key_choices():
            keys.prop(self, name)


register, unregister = register_classes_factory((TwoBoneIKPreferences,))
