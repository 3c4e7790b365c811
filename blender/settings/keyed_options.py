"""Options of a chain that may change over time: keys, drivers and NLA strips animate them on the chain's end bone.

There Blender finds them by the bone's name, and renames their curves with the bone. On the chain itself they would go
by its index in the list, so that moving or removing a chain would hand the curves to another limb. The chain's
field only forwards to the bone's property. The chain keeps a copy of what was set last. It counts while there is
nothing on the bone: in files from before there was, while a chain has no end bone, and where the bone was removed and
made again. A chain whose end bone changes takes it along.
"""

from typing import cast

from bpy.types import PoseBone, PropertyGroup

from .. import versions
from ..armatures import Rig
from .properties import KEYED_OPTIONS, TwoBoneIKChain

NAMES = tuple(KEYED_OPTIONS)
"""Identifiers of the chain's fields."""


def bone_field(name: str) -> str:
    """The property of a pose bone that stores the option of this name.

    >>> bone_field("influence")
    'two_bone_ik_influence'
    """
    return f"two_bone_ik_{name}"


_FIELDS = {name: bone_field(name) for name in NAMES}


def path(bone: str, name: str) -> str:
    """RNA path of that property, for the RNA path of a pose bone."""
    return f"{bone}.{bone_field(name)}"


def value(chain: TwoBoneIKChain, name: str) -> float:
    """The option of this name: that of the end bone, or what the chain keeps."""
    bone, field = end_bone(chain), bone_field(name)
    if bone and bone.is_property_set(field):
        return getattr(bone, field)
    return versions.stored(chain).get(name, KEYED_OPTIONS[name]["default"])


def values(chain: TwoBoneIKChain) -> dict[str, float]:
    """All options by their names, as the chain's own fields have them: each of these looks for the bone again."""
    bone = end_bone(chain)
    own = _on_bone(bone) if bone else {}
    return {name: own[name] if name in own else getattr(chain, name) for name in NAMES}


def set_value(chain: TwoBoneIKChain, name: str, value: float) -> None:
    """Set the option on the end bone, or on the chain while it has no end bone."""
    if bone := end_bone(chain):
        setattr(bone, bone_field(name), value)
    else:
        versions.stored(chain)[name] = value


def keep(bone: PoseBone) -> None:
    """Let the chains that end in this bone keep a copy of what it has."""
    for chain in _ending_in(bone):
        for name, value in _on_bone(bone).items():
            versions.stored(chain)[name] = value


def take_along(chain: TwoBoneIKChain) -> None:
    """Give the chain's new end bone what the chain keeps; if other chains end there, these options are theirs."""
    bone = end_bone(chain)
    if bone and len(_ending_in(bone)) == 1:
        kept = dict(versions.stored(chain))
        for name in kept.keys() & _FIELDS.keys():
            setattr(bone, bone_field(name), kept[name])
    elif bone:
        keep(bone)
    settle(chain.id_data)


def _ending_in(bone: PoseBone) -> list[TwoBoneIKChain]:
    return [chain for chain in cast(Rig, bone.id_data).two_bone_ik_chains if chain.end_bone == bone.name]


def end_bone(chain: TwoBoneIKChain) -> PoseBone | None:
    """The chain's end bone; None while it has none."""
    rig = chain.id_data
    return rig.pose.bones.get(chain.end_bone) if rig.pose else None


def owner(chain: TwoBoneIKChain, name: str) -> tuple[PoseBone | PropertyGroup, str]:
    """Owner and property name of the option: on the end bone if set there, else on the chain."""
    bone, field = end_bone(chain), bone_field(name)
    return (bone, field) if bone and bone.is_property_set(field) else (chain, name)


def settle(rig: Rig) -> None:
    """Give end bones that lack options what their chains keep, so that they can be keyed in the panel.

    Of chains that share the bone, one that is not muted comes first.
    """
    for chain in sorted(rig.two_bone_ik_chains, key=lambda chain: chain.mute):
        bone = end_bone(chain)
        for name in _FIELDS.keys() - _on_bone(bone).keys() if bone else ():
            setattr(chain, name, getattr(chain, name))


def on_bones(rig: Rig) -> dict[str, dict[str, float]]:
    """What the bones have, by their names and those of the options; nothing of what was never set."""
    return {bone.name: _on_bone(bone) for bone in (rig.pose.bones if rig.pose else ())}


def _on_bone(bone: PoseBone) -> dict[str, float]:
    return {name: getattr(bone, field) for name, field in _FIELDS.items() if bone.is_property_set(field)}


def put_back(rig: Rig, values: dict[str, dict[str, float]]) -> None:
    """Give the bones what `on_bones` has found, and nothing else."""
    for name, now in on_bones(rig).items():
        bone, before = rig.pose.bones[name], values.get(name, {})
        for option in now.keys() - before.keys():
            bone.property_unset(bone_field(option))
        for option, value in before.items():
            setattr(bone, bone_field(option), value)


def reset(bone: PoseBone) -> None:
    """Give a bone that gets a chain the defaults, whatever an earlier chain has left there."""
    for name in NAMES:
        setattr(bone, bone_field(name), KEYED_OPTIONS[name]["default"])
