"""How keys are written, as users choose it: for each bake, and as the preferences have it for the next."""

from typing import Any

from bpy.props import BoolProperty, EnumProperty, FloatProperty
from bpy.types import Keyframe

from .key_settings import DEFAULTS, Keys


def _keyframe_choice(field: str, *identifiers: str, **settings: Any) -> object:
    """A choice in Blender's own words and icons; of all there are where no identifiers are given."""
    known: Any = Keyframe.bl_rna.properties[field]
    items = tuple(
        (item.identifier, item.name, item.description, item.icon, item.value)
        for item in known.enum_items
        if not identifiers or item.identifier in identifiers
    )
    return EnumProperty(items=items, translation_context=known.translation_context, **settings)


class KeyProperties:
    """Properties of the operator and of the preferences alike"""

    keys: EnumProperty(
        name="Keys",
        description="Which frames get keys",
        default=DEFAULTS.keys,
        items=(
            (Keys.EVERY_FRAME, "Every Frame", "Each frame of the range"),
            (Keys.TARGET_KEYS, "Target Keys", "The frames on which target or pole target have keys"),
            (Keys.REDUCED, "Reduced", "As few as keep the joints within a tolerance on every quarter frame"),
        ),
    )
    tolerance: FloatProperty(
        name="Tolerance",
        description="How far a joint may be off on any frame or quarter frame",
        subtype="DISTANCE",
        default=DEFAULTS.tolerance,
        min=1e-6,
        soft_max=0.1,
        precision=4,
    )
    interpolation: _keyframe_choice(
        "interpolation",
        *("CONSTANT", "LINEAR", "BEZIER"),
        name="Interpolation",
        description="How values pass from one key to the next",
        default=DEFAULTS.interpolation,
    )
    key_type: _keyframe_choice("type", name="Key Type", description="Type of the new keys", default=DEFAULTS.key_type)
    mute_constraints: BoolProperty(
        name="Mute IK Constraints",
        description="Mute inverse kinematics constraints on these bones, which would act on top of the keys",
        default=DEFAULTS.mute_constraints,
    )

    def key_choices(self) -> list[str]:
        """Names of these properties, but for those that have no say as the others are set."""
        return [name for name in KeyProperties.__annotations__ if name != "tolerance" or self.keys == Keys.REDUCED]
