"""What the name of a bone says: which part of which limb it is, on which side, and in which layer of a rig.

A name is taken apart into words, however they are kept apart: "mixamorig:LeftForeArm", "forearm_l", "rForeArm" and
"DEF-forearm.R.001" all are a forearm. Words that mean nothing here, such as a prefix of all bones, do no harm.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum, StrEnum, auto


class Role(StrEnum):
    """The place of a bone in its limb, seen from the trunk; ANY for "Leg", which may be the thigh or the shin."""

    BASE = auto()
    UPPER = auto()
    LOWER = auto()
    TIP = auto()
    ANY = auto()


class Layer(IntEnum):
    """The layers of a rig, in the order in which keys belong there."""

    FK = auto()
    PLAIN = auto()
    DEFORM = auto()


@dataclass(frozen=True, slots=True)
class Label:
    """What animators call a limb.

    name : "Arm", "Leg", "Wing", "Spine", a finger, or "Limb" where nothing tells
    side : "L", "R" or ""
    front : True for a leg that is a foreleg
    """

    name: str
    side: str = ""
    front: bool = False


FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SIDES = {"l": "L", "left": "L", "r": "R", "right": "R"}
_LAYERS = {"fk": Layer.FK, "def": Layer.DEFORM}
_FRONT = {"f", "front", "fore"}
_NO_PART = frozenset(
    "ik mch org vis wgt tweak twist roll swing spin parent master target pole socket helper share offset end nub "
    "metacarpal palm toe toes heel".split()
)
"""Controls, mechanism, helpers and ends, which are named after the limb that they serve."""

_NO_LIMB = frozenset(
    "root hip hips pelvis spine torso body chest neck head skull face jaw eye ear tail fin feather hair mane breast "
    "skirt cape cloth tongue".split()
)
"""Trunk, and what hangs on it without being a limb."""

_PARTS = tuple(
    # A side may stick to the word, as in "lhumerus".
    (limb, role, re.compile(rf"(?:^|_)(?P<side>l|r|left|right)?(?:{words})(?:_|$)"))
    for limb, role, words in (
        ("Arm", Role.UPPER, "upper_?arm|up_?arm|arm_upper|humerus|shldr|bicep"),
        ("Arm", Role.LOWER, "fore_?arm|lower_?arm|low_?arm|arm_lower|radius|ulna|elbow"),
        ("Leg", Role.UPPER, "thigh|upper_?leg|up_?leg|leg_upper|femur"),
        ("Leg", Role.LOWER, "shin|calf|lower_?leg|low_?leg|leg_lower|tibia|knee"),
        ("Leg", Role.TIP, "foot|ankle|paw|forefoot"),
        ("Leg", Role.BASE, "hip"),
        ("Leg", Role.ANY, "leg|foreleg"),
        ("Thumb", Role.ANY, "thumb"),
        ("Index", Role.ANY, "index"),
        ("Middle", Role.ANY, "middle|mid"),
        ("Ring", Role.ANY, "ring"),
        ("Pinky", Role.ANY, "pinky|little"),
        ("Arm", Role.TIP, "hand|wrist"),
        ("Arm", Role.BASE, "shoulder"),
        ("Arm", Role.ANY, "arm"),
        ("Wing", Role.ANY, "wing"),
    )
)
"""The first that fits counts: "LeftHandIndex1" is a finger."""


@dataclass(frozen=True, slots=True)
class Part:
    """What a bone is by its name."""

    label: Label
    layer: Layer
    role: Role


def part(name: str) -> Part | None:
    """What a bone of this name is; None where it is no part of a limb, or nothing is known."""
    if is_helper(name):
        return None
    words = _words(name)
    stem = "_".join(word for word in words if word not in _SIDES)
    for limb, role, pattern in _PARTS:
        found = pattern.search(stem)
        if found:
            layer = min((_LAYERS[word] for word in words if word in _LAYERS), default=Layer.PLAIN)
            front = limb == "Leg" and not _FRONT.isdisjoint(words)
            return Part(Label(limb, side(name) or _SIDES.get(found["side"] or "", ""), front), layer, role)
    return None


def side(name: str) -> str:
    """ "L", "R", or "" where a word of its own does not tell."""
    sides = [_SIDES[word] for word in _words(name) if word in _SIDES]
    return sides[-1] if sides else ""


def is_helper(name: str) -> bool:
    """Whether it is named as a control, as mechanism, a helper or an end."""
    return not _NO_PART.isdisjoint(_words(name))


def is_no_limb(name: str) -> bool:
    """Whether it is named as something that belongs to no arm and no leg."""
    found = part(name)
    return is_helper(name) or not _NO_LIMB.isdisjoint(_words(name)) or bool(found and found.label.name in FINGERS)


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name.rpartition(":")[2])]
