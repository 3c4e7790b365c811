"""What Create Targets is to make: which kind, what carries it, and where it has to be."""

import re
from dataclasses import dataclass
from enum import StrEnum

from ...skeleton.target_channels import WorldTransform
from ...skeleton.values import Point
from ..chains.detect.by_name import finger_carrier
from ..messages.refused import Refused
from ..messages.translation import nearest_name
from ..options import Word
from ..scene import dependencies
from ..settings.properties import TwoBoneIKChain, root_name

_SIDE = re.compile(r"[._\- ](?:l|r|left|right)(?:\.\d+)?$", re.IGNORECASE)


class TargetKind(Word):
    """What targets are made of: empties, or bones of the armature itself."""

    EMPTIES = "EMPTIES"
    BONES = "BONES"


class TargetParent(Word):
    """What carries new targets: nothing, the topmost bone above the limb, or a bone that is named."""

    NONE = "NONE"
    ROOT = "ROOT"
    BONE = "BONE"


class Role(StrEnum):
    """What a chain uses a target for; the value is the chain's field, and `POINTS` has that of the bone."""

    TARGET = "target"
    POLE = "pole_target"


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetStyle:
    """How new targets are made. The targets of a finger hang on the hand, whatever `parent` says.

    or_empties : empties, with a note that says why, where an armature cannot get bones
    parent_bone : name of the bone that carries them, where `parent` is BONE
    """

    kind: TargetKind = TargetKind.EMPTIES
    or_empties: bool = False
    parent: TargetParent = TargetParent.NONE
    parent_bone: str = ""


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


def parent_name(chain: TwoBoneIKChain, style: TargetStyle) -> str:
    """The bone that is to carry the targets of this chain; "" for none.

    raises : Refused if the armature has no such bone, or if the chain itself moves it
    """
    rig = chain.id_data
    root = rig.data.bones[root_name(rig, chain)]
    hand = finger_carrier(root)
    if hand:
        return hand.name
    if style.parent != TargetParent.BONE:
        above = root.parent_recursive
        return above[-1].name if above and style.parent == TargetParent.ROOT else ""
    name = str(style.parent_bone)
    if name not in rig.data.bones:
        nearest = nearest_name(name, rig.data.bones.keys())
        raise Refused("NO_BONE.to_carry", object=rig, bone=name, nearest=nearest)
    if Point(rig, root.name) in dependencies.upstream(Point(rig, name)):
        raise Refused("TARGET_FOLLOWS.parent", chain=chain, bone=name)
    return name
