"""What the name of a bone says: its part of the limb, its side, and its set of bones in the rig; limbs that were found.

A name is split into words, whatever separates them: "mixamorig:LeftForeArm", "forearm_l", "rForeArm" and
"DEF-forearm.R.001" are all a forearm, and so are "Unterarm_Links" and "左ひじ".
Unknown words, such as a prefix of all bones, are ignored. bone_words.toml holds
those that are known.
"""

import re
import tomllib
from collections.abc import Container, Iterator
from dataclasses import dataclass
from enum import IntEnum, StrEnum, auto
from functools import cache
from pathlib import Path
from unicodedata import combining, normalize

from bpy.types import Bone
from mathutils import Vector


class Role(StrEnum):
    """The place of a bone in its limb, counted from the trunk; ANY for "Leg", which may be thigh or shin."""

    BASE = auto()
    UPPER = auto()
    LOWER = auto()
    TIP = auto()
    ANY = auto()


class BoneSet(IntEnum):
    """A rig has a limb in one or more of these sets of bones; keys belong on the first that it has."""

    FK = auto()
    PLAIN = auto()
    DEFORM = auto()


@dataclass(frozen=True, slots=True)
class Label:
    """The name and side of a limb, as animators call it.

    name : "Arm", "Leg", "Wing", "Spine", a finger, or "Limb" if nothing says more
    side : "L", "R" or ""
    front : True for a foreleg
    """

    name: str
    side: str = ""
    front: bool = False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LimbBones:
    """Bones of a limb; `tip` is None if the end bone is the last, `why` is the reason in one sentence."""

    label: Label
    root: Bone
    end: Bone
    tip: Bone | None
    why: str

    @property
    def reach(self) -> tuple[Vector, Vector]:
        """Positions of the limb's beginning and its tip at rest, in armature space."""
        return self.root.head_local, self.tip.head_local if self.tip else self.end.tail_local


def bones_named(*bones: Bone | None) -> str:
    """The names of these bones, as a sentence lists them."""
    return ", ".join(f'"{bone.name}"' for bone in bones if bone)


_WORDS = tomllib.loads(Path(__file__).with_name("bone_words.toml").read_text("utf-8"))
FINGERS = frozenset(_WORDS["fingers"])

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[左右]")
_SIDES = {word: side for pair in _WORDS["sides"] for word, side in zip(pair, "LR", strict=True)}
_SWAPPED = {one: other for pair in _WORDS["sides"] for one, other in (pair, pair[::-1])}
_FOREIGN = [(word, f"_{english}_") for word, english in _WORDS["foreign"]]
_BONE_SETS = {"fk": BoneSet.FK, "def": BoneSet.DEFORM}
_NO_PART = frozenset(_WORDS["no_part"].split())
_NO_LIMB = frozenset(_WORDS["no_limb"].split())
_FRONT = frozenset(_WORDS["front"].split())
_PARTS = [
    # A side may stick to the word, as in "lhumerus".
    (limb, Role(role), re.compile(rf"(?:^|_)(?P<side>l|r|left|right)?(?:{words})(?:_|$)"))
    for limb, role, words in _WORDS["parts"]
]


@dataclass(frozen=True, slots=True)
class Part:
    """What the name of a bone says about the bone."""

    label: Label
    bone_set: BoneSet
    role: Role


@cache
def part(name: str) -> Part | None:
    """What the name says; None if the bone is no part of a limb, or the name is unknown."""
    if is_helper(name):
        return None
    words = _words(name)
    stem = "_".join(word for word in words if word not in _SIDES)
    for limb, role, pattern in _PARTS:
        match = pattern.search(stem)
        if match:
            bone_set = min((_BONE_SETS[word] for word in words if word in _BONE_SETS), default=BoneSet.PLAIN)
            front = limb == "Leg" and not _FRONT.isdisjoint(words)
            return Part(Label(limb, side(name) or _SIDES.get(match["side"] or "", ""), front), bone_set, role)
    return None


def side(name: str) -> str:
    """The side that a word of the name gives, "L" or "R"; "" if none does."""
    sides = [_SIDES[word] for word in _words(name) if word in _SIDES]
    return sides[-1] if sides else ""


def other_sides(name: str, *, in_words: bool) -> Iterator[str]:
    """The names that this one may have on the other side, the likeliest first; none if it is on no side.

    in_words : also where a word only begins with a side, as that of a bone may: lforearm
    """
    words = [(match.start(), match[0]) for match in _WORD.finditer(name)][::-1]
    for stuck in (False, True) if in_words else (False,):
        for start, word in words:
            for this, other in _SWAPPED.items():
                if word.lower() == this or (stuck and word.lower().startswith(this)):
                    end = start + len(this)
                    yield name[:start] + _in_case_of(name[start:end], other) + name[end:]


def other_side(name: str, names: Container[str], *, in_words: bool = True) -> str:
    """The one of these `names` that this one has on the other side; "" if there is none."""
    return next((other for other in other_sides(name, in_words=in_words) if other in names), "")


def _in_case_of(word: str, other: str) -> str:
    if word.isupper():
        return other.upper()
    return other.capitalize() if word[0].isupper() else other


def is_helper(name: str) -> bool:
    """True if the name is that of a control, a mechanism, a helper or an end."""
    return not _NO_PART.isdisjoint(_words(name))


def is_no_limb(name: str) -> bool:
    """True if the name is that of a part that belongs to no arm and no leg."""
    named = part(name)
    return is_helper(name) or not _NO_LIMB.isdisjoint(_words(name)) or bool(named and named.label.name in FINGERS)


@cache
def _words(name: str) -> tuple[str, ...]:
    text = name.rpartition(":")[2]
    if not text.isascii():
        for word, english in _FOREIGN:
            text = text.replace(word, english)
        # Accents become characters of their own, which no word has.
        text = normalize("NFKD", text.replace("ß", "ss"))
        text = "".join(character for character in text if not combining(character))
    return tuple(word.lower() for word in _WORD.findall(text))
