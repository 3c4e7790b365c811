"""How targets that are created are called, what they are made of, and what carries them."""

import re
from dataclasses import dataclass
from enum import StrEnum

from ...skeleton.target_channels import WorldTransform
from ...skeleton.values import ChainPlan
from ..chains.detect.by_name import finger_carrier
from ..options import Word
from ..settings.properties import TwoBoneIKChain

_SIDE = re.compile(r"[._\- ](?:l|r|left|right)(?:\.\d+)?$", re.IGNORECASE)


class TargetKind(Word):
    """What targets are made of: empties, or bones of the armature itself."""

    EMPTIES = "EMPTIES"
    BONES = "BONES"


class Role(StrEnum):
    """What a chain uses a target for; the value is the chain's field, and `POINTS` has that of the bone."""

    TARGET = "target"
    POLE = "pole_target"


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetStyle:
    """How new targets are made.

    or_empties : empties, with a note that says why, where an armature cannot get bones
    """

    kind: TargetKind = TargetKind.EMPTIES
    or_empties: bool = False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NewTarget:
    """One target to be made.

    name : after limb and side; the side comes last, as Blender mirrors names so
    parent : name of the bone that carries it; "" for none
    transform : where it has to be on the current frame
    size : length of the chain, world units
    """

    chain: TwoBoneIKChain
    role: Role
    name: str
    parent: str
    transform: WorldTransform
    size: float


def target_name(chain: str, role: Role) -> str:
    """ "Arm Target.L" for "Arm.L".

    >>> target_name("Arm.L", Role.POLE)
    'Arm Pole.L'
    """
    word = "Target" if role is Role.TARGET else "Pole"
    side = _SIDE.search(chain)
    return f"{chain[: side.start()]} {word}{side[0]}" if side else f"{chain} {word}"


def carrying_hand(chain: ChainPlan) -> str:
    """The bone that carries the targets of a finger; "" for other limbs, whose targets nothing carries."""
    hand = finger_carrier(chain.rig.data.bones[chain.root.name])
    return hand.name if hand else ""
