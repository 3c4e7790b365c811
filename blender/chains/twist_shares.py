"""The shares that were set by hand on the twist bones of a chain: setup files and Copy Settings take them along.

They belong to the bones, and not to the chain: so they stay where the chain is removed.
"""

from collections.abc import Mapping
from typing import Any

from ..armatures import Rig
from ..bake.chain import twists_found
from ..options import rows
from ..settings.properties import TwoBoneIKChain

BY_PLACE: float = rows("pose_bone")["twist"]["default"]
"""The share of a bone for which none was set."""


def shares(rig: Rig, chain: TwoBoneIKChain) -> dict[str, float]:
    """By name of a twist bone the share that was set by hand; Refused where the chain's bones make no chain."""
    bones: Any = rig.pose.bones
    by_hand = {bone.name: bone.two_bone_ik_twist for bone in bones if bone.two_bone_ik_twist >= 0.0}
    return {name: by_hand[name] for name in twists_found(rig, chain).names if name in by_hand} if by_hand else {}


def changes(rig: Rig, chain: TwoBoneIKChain, wanted: Mapping[str, float]) -> dict[str, float]:
    """What to set for the chain's twist bones to have these shares, and no others; Refused as above."""
    return dict.fromkeys(shares(rig, chain), BY_PLACE) | dict(wanted)


def set_shares(rig: Rig, values: Mapping[str, float]) -> None:
    """Give bones these shares."""
    bones: Any = rig.pose.bones
    for name, value in values.items():
        bones[name].two_bone_ik_twist = value
