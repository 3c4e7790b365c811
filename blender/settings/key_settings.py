"""The settings of a bake's keys, with their defaults, in one list, and some of them as properties for users.

Operators, preferences, `api`, command line and manifest take names, words and defaults from here.
"""

from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from bpy.props import BoolProperty, EnumProperty, FloatProperty
from bpy.types import Keyframe

from ..choices import Word, choice


class Keys(Word):
    """Which frames of the range get keys: each, those with a key on the target or the bones, or as few as possible."""

    EVERY_FRAME = "EVERY_FRAME"
    TARGET_KEYS = "TARGET_KEYS"
    REDUCED = "REDUCED"
    SOURCE = "SOURCE"


class Sampling(Word):
    """How targets are read, from the fastest way to the one that takes everything into account; AUTO chooses."""

    AUTO = "AUTO"
    CURVES = "CURVES"
    ISOLATED = "ISOLATED"
    SCENE = "SCENE"


class Measure(Word):
    """On which frames of a request to look at what plays once it is keyed: on some of many, on all, on none."""

    AUTO = "AUTO"
    ALL = "ALL"
    NONE = "NONE"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStyle:
    """How keys are written; the identifiers are Blender's own (`Keyframe.interpolation`, `Keyframe.type`).

    keys : which frames get them
    tolerance : world units by which joints may be off between reduced keys, on any frame and quarter frame
    new_action : key a copy of the action, and leave the action itself as it is
    """

    keys: Keys = Keys.EVERY_FRAME
    tolerance: float = 1e-3
    interpolation: str = "BEZIER"
    key_type: str = "KEYFRAME"
    new_action: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", Keys(self.keys))

    @classmethod
    def of(cls, source: object) -> Self:
        """From what has such settings as attributes, an operator or a shot; what it does not have is as by default."""
        defaults: dict[str, Any] = {each.name: each.default for each in fields(cls)}
        return cls(**{name: type(value)(getattr(source, name, value)) for name, value in defaults.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySettings(KeyStyle):
    """All settings of a bake.

    mute_constraints : mute the IK constraints that would hide the keys
    sampling : how targets are read
    measure : on which frames to look afterwards at what plays
    """

    mute_constraints: bool = True
    sampling: Sampling = Sampling.AUTO
    measure: Measure = Measure.AUTO

    def __post_init__(self) -> None:
        KeyStyle.__post_init__(self)
        object.__setattr__(self, "sampling", Sampling(self.sampling))
        object.__setattr__(self, "measure", Measure(self.measure))

    @classmethod
    def styled(cls, style: KeyStyle, **others: Any) -> Self:
        """This style and other settings; Refused for what is no style."""
        if not isinstance(style, KeyStyle):
            from ..messages.refused import Refused  # Blender starts faster without it

            raise Refused("NOT_A_STYLE", value=style)
        return cls(**asdict(style) | others)


DEFAULTS = KeySettings()


def _keyframe_choice(field: str, *identifiers: str, **settings: Any) -> object:
    """A choice in Blender's own words and icons; of all there are where no identifiers are given."""
    known: Any = Keyframe.bl_rna.properties[field]
    items = tuple(
        (item.identifier, item.name, item.description, item.icon, item.value)
        for item in known.enum_items
        if not identifiers or item.identifier in identifiers
    )
    return EnumProperty(items=items, translation_context=known.translation_context, **settings)


class KeyStyleProperties:
    """How keys are written: properties of the operators that key bones or targets"""

    key_fields: tuple[str, ...] = ("keys", "tolerance", "interpolation", "key_type")

    keys: choice("keys", default=DEFAULTS.keys)
    tolerance: FloatProperty(
        name="Tolerance",
        description="How far a joint or a target may be off on any frame; a bake looks at quarter frames too",
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

    def key_choices(self) -> list[str]:
        """Names of these properties, but for those that the others make meaningless."""
        return [name for name in self.key_fields if name != "tolerance" or self.keys == Keys.REDUCED]


class KeyProperties(KeyStyleProperties):
    """Properties of a bake and of the preferences alike"""

    key_fields = (*KeyStyleProperties.key_fields, "mute_constraints")

    mute_constraints: BoolProperty(
        name="Mute IK Constraints",
        description="Mute inverse kinematics constraints on these bones, which would act on top of the keys",
        default=DEFAULTS.mute_constraints,
    )
