"""The settings of a bake's keys as `api` and all that keys take them, and some of them as properties for users.

Names, words and defaults are those of [keys] in options.toml.
"""

from dataclasses import dataclass, fields
from math import inf
from numbers import Real
from typing import Any, NoReturn, Self

from ..options import Word, option, rows, with_properties


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


class AutoKeys(Word):
    """Which properties auto keying keys on a frame: those that have an F-curve, or those that have a key there."""

    AVAILABLE = "AVAILABLE"
    REPLACE = "REPLACE"


InsertKeys = bool | AutoKeys
"""Whether the current frame gets keys, and which properties do if not all."""


def inserted(insert_keys: bool | str) -> InsertKeys:
    """What scripts give for `InsertKeys`, as one of its values; Refused for another word."""
    return insert_keys if isinstance(insert_keys, bool) else AutoKeys(insert_keys)


def refuse_not_above_zero(where: str, key: str, value: Any) -> None:
    """Raise `Refused` unless this is a finite number above 0."""
    if isinstance(value, bool) or not (isinstance(value, Real) and 0.0 < float(value) < inf):
        _refuse("part.above_zero", where, key, value)


def _refuse(wanted: str, where: str, key: str, value: object) -> NoReturn:
    from ..messages.refused import Refused  # Blender starts faster without it
    from ..messages.translation import translated

    raise Refused("WRONG_TYPE.field", where=where, key=key, value=value, wanted=translated(wanted))


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
        refuse_not_above_zero("KeyStyle", "tolerance", self.tolerance)
        for name in (field.name for field in fields(self) if isinstance(field.default, bool)):
            if not isinstance(getattr(self, name), bool):
                _refuse("part.bool", "KeyStyle", name, getattr(self, name))

    @classmethod
    def of(cls, source: object) -> Self:
        """From what has such settings as attributes, an operator or a shot; what it does not have is as by default."""
        defaults: dict[str, Any] = {field.name: field.default for field in fields(cls)}
        return cls(**{name: type(value)(getattr(source, name, value)) for name, value in defaults.items()})


EVERY_FRAME = KeyStyle()


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
    def styled(cls, style: KeyStyle = EVERY_FRAME, **others: Any) -> Self:
        """This style and other settings, by their words; Refused for what is no style."""
        if not isinstance(style, KeyStyle):
            from ..messages.refused import Refused  # Blender starts faster without it

            raise Refused("NOT_A_STYLE", value=style)
        return cls(**{field.name: getattr(style, field.name) for field in fields(style)} | others)


DEFAULTS = KeySettings()
MEASURED_WHOLE = KeySettings(measure=Measure.ALL)


@with_properties({name: option("keys", name) for name in rows("keys", owner="style")})
class KeyStyleProperties:
    """How keys are written: properties of the operators that key bones or targets"""

    key_fields = (*rows("keys", owner="style"),)

    def key_choices(self) -> list[str]:
        """Names of these properties, but for those that the others make meaningless."""
        options: Any = self
        return [name for name in self.key_fields if name != "tolerance" or options.keys == Keys.REDUCED]


@with_properties({name: option("keys", name) for name in rows("keys", owner="bake")})
class KeyProperties(KeyStyleProperties):
    """Properties of a bake and of the preferences alike"""

    key_fields = (*KeyStyleProperties.key_fields, *rows("keys", owner="bake"))
