"""Options of a chain that may change over time: keys, drivers and NLA strips animate them on the chain's end bone.

There Blender finds them by the bone's name, and renames their curves with the bone. On the chain itself they would go
by its index in the list, so that moving or removing a chain would hand the curves to another limb. The chain has each
as a door: to set it sets that of the bone, to get it gets that of the bone. While a chain has no end bone, and in files
from before there was anything on the bone, the chain keeps the value.
"""

from __future__ import annotations

from bpy.types import PoseBone, PropertyGroup

from . import versions
from .armatures import Rig
from .properties import KEYED_OPTIONS, TwoBoneIKChain

NAMES = tuple(KEYED_OPTIONS)
"""Identifiers of the chain's fields."""


def bone_field(name: str) -> str:
    """The property of a pose bone that holds the option of this name.

    >>> bone_field("influence")
    'two_bone_ik_influence'
    """
    return f"two_bone_ik_{name}"


def value(chain: TwoBoneIKChain, name: str) -> float:
    """The option of this name: that of the end bone, or what the chain keeps."""
    bone, field = end_bone(chain), bone_field(name)
    if bone and bone.is_property_set(field):
        found: float = getattr(bone, field)
        return found
    kept: float = versions.stored(chain).get(name, KEYED_OPTIONS[name]["default"])
    return kept


def set_value(chain: TwoBoneIKChain, name: str, value: float) -> None:
    """Give the end bone the option of this name, or for as long as there is none the chain."""
    if bone := end_bone(chain):
        setattr(bone, bone_field(name), value)
        versions.stored(chain).pop(name, None)
    else:
        versions.stored(chain, create=True)[name] = value


def end_bone(chain: TwoBoneIKChain) -> PoseBone | None:
    """The chain's end bone; None while it has none."""
    rig = chain.id_data
    return rig.pose.bones.get(chain.end_bone) if rig.pose else None


def owner(chain: TwoBoneIKChain, name: str) -> tuple[PoseBone | PropertyGroup, str]:
    """What holds the option of this name, and as which of its properties: the end bone, or for now the chain."""
    bone, field = end_bone(chain), bone_field(name)
    return (bone, field) if bone and bone.is_property_set(field) else (chain, name)


def settle(rig: Rig) -> None:
    """Hand over to the end bones what the chains keep, and give bones of chains all options, so that they show them.

    A bone keeps what it has: that of a chain that is not muted comes before that of one that is.
    """
    for chain in sorted(rig.two_bone_ik_chains, key=lambda chain: chain.mute):
        bone = end_bone(chain)
        for name in NAMES if bone else ():
            if not bone.is_property_set(bone_field(name)):
                setattr(chain, name, getattr(chain, name))


def on_bones(rig: Rig) -> dict[str, dict[str, float]]:
    """What the bones have, by name and property; nothing of what was never set."""
    fields = [bone_field(name) for name in NAMES]
    return {
        bone.name: {field: getattr(bone, field) for field in fields if bone.is_property_set(field)}
        for bone in (rig.pose.bones if rig.pose else ())
    }


def put_back(rig: Rig, values: dict[str, dict[str, float]]) -> None:
    """Give the bones what `on_bones` has found, and nothing else."""
    for name, now in on_bones(rig).items():
        bone, before = rig.pose.bones[name], values.get(name, {})
        for field in now.keys() - before.keys():
            bone.property_unset(field)
        for field, value in before.items():
            setattr(bone, field, value)


def reset(bone: PoseBone) -> None:
    """Give a bone that gets a chain the defaults, whatever an earlier chain has left there."""
    for name in NAMES:
        setattr(bone, bone_field(name), KEYED_OPTIONS[name]["default"])
