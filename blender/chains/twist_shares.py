"""The shares that were set by hand on the twist bones of a chain: setup files and Copy Settings take them along.

They belong to the bones, and not to the chain: so they stay where the chain is removed.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from ..armatures import Rig
from ..bake.chain import twists_found
from ..messages.refused import Refused
from ..options import rows
from ..settings.properties import TwoBoneIKChain

BY_PLACE: float = rows("pose_bone")["twist"]["default"]
"""The share of a bone for which none was set."""


def shares(rig: Rig, chain: TwoBoneIKChain) -> dict[str, float]:
    """By name of a twist bone the share that was set by hand; none where the chain's bones make no chain."""
    bones: Any = rig.pose.bones
    by_hand = {bone.name: bone.two_bone_ik_twist for bone in bones if bone.two_bone_ik_twist >= 0.0}
    try:
        return {name: by_hand[name] for name in twists_found(rig, chain).names if name in by_hand} if by_hand else {}
    except Refused:
        return {}


def set_shares(rig: Rig, chains: Iterable[TwoBoneIKChain], wanted: Mapping[str, float]) -> None:
    """Give the twist bones of these chains these shares, and no others."""
    bones: Any = rig.pose.bones
    unset = (name for chain in chains for name in shares(rig, chain))
    for name, value in (dict.fromkeys(unset, BY_PLACE) | dict(wanted)).items():
        bones[name].two_bone_ik_twist = value
