"""The settings of a bake's keys, with their defaults, in one list.

Operators, preferences, `api`, command line and manifest take names, words and defaults from here.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self


class Keys(StrEnum):
    """Which frames of the range get keys: each, those with a key on the target, or as few as a tolerance allows."""

    EVERY_FRAME = "EVERY_FRAME"
    TARGET_KEYS = "TARGET_KEYS"
    REDUCED = "REDUCED"


class Sampling(StrEnum):
    """How targets are read, from the fastest way to the one that takes everything into account; AUTO chooses."""

    AUTO = "AUTO"
    CURVES = "CURVES"
    ISOLATED = "ISOLATED"
    SCENE = "SCENE"


class Measure(StrEnum):
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

    @classmethod
    def of(cls, source: object) -> Self:
        """From what has such settings as attributes, an operator or a shot; what it does not have is as by default."""
        defaults: dict[str, Any] = asdict(cls())
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


DEFAULTS = KeySettings()
