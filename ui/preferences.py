"""What a user sets once: the sidebar tab, the colors of the overlay, how keys are written."""

from bpy.props import FloatVectorProperty, StringProperty
from bpy.types import AddonPreferences, Context
from bpy.utils import register_classes_factory

from .. import __package__ as base_package
from ..blender.settings.key_settings import KeyProperties
from . import panel


def _color(name: str, description: str, default: tuple[float, float, float, float]) -> FloatVectorProperty:
    return FloatVectorProperty(
        name=name, description=description, subtype="COLOR_GAMMA", size=4, min=0.0, max=1.0, default=default
    )


class TwoBoneIKPreferences(KeyProperties, AddonPreferences):
    """Set once, for all files"""

    bl_idname = base_package

    tab: StringProperty(
        name="Sidebar Tab",
        description="Tab of the 3D Viewport's sidebar that shows the panel",
        default="Animation",
        update=lambda _preferences, _context: panel.move_to_tab(),
    )
    reached_color: _color("Reached", "Limbs that reach their target", (0.35, 0.85, 0.35, 1.0))
    as_set_color: _color("As Set", "Limbs that an option holds off their target", (0.95, 0.7, 0.15, 1.0))
    too_far_color: _color("Too Far", "Limbs whose target is too far away", (1.0, 0.25, 0.2, 1.0))
    too_close_color: _color("Too Close", "Limbs whose target is too close to their root", (0.3, 0.55, 1.0, 1.0))
    not_posed_color: _color(
        "Not Posed", "Limbs that are elsewhere while Live is off, or that cannot be solved", (0.75, 0.75, 0.75, 1.0)
    )
    hidden_color: _color("Hidden", "Limbs that do not show as they are posed", (0.85, 0.4, 0.95, 1.0))
    guide_color: _color("Guides", "Reach, pole and the other solution", (1.0, 0.8, 0.3, 0.6))

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
        for name in (name for name in TwoBoneIKPreferences.__annotations__ if name.endswith("_color")):
            colors.prop(self, name)
        keys = layout.column()
        keys.label(text="New Bakes")
        for name in self.key_choices():
            keys.prop(self, name)


register, unregister = register_classes_factory((TwoBoneIKPreferences,))
