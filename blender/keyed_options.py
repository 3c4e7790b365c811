"""Options of a chain that may change over time: keys, drivers and NLA strips animate them on the chain's end bone.

There Blender finds them by the bone's name, and renames their curves with the bone. On the chain itself they would go
by its index in the list, so that moving or removing a chain would hand the curves to another limb. The chain has each
as a door: to set it sets that of the bone, to get it gets that of the bone. While a chain has no end bone, and in files
from before there was anything on the bone, the chain keeps the value.
"""

from collections.abc import Iterable
from math import pi
from typing import TYPE_CHECKING, Any, cast

from bpy.props import FloatProperty
from bpy.types import Context, Object, PoseBone, PropertyGroup

from . import versions
from .armatures import Rig, is_rig

if TYPE_CHECKING:
    from .properties import TwoBoneIKChain


def _option(name: str, description: str, default: float, low: float, high: float, **more: str) -> dict[str, Any]:
    return {"name": name, "description": description, "default": default, "min": low, "max": high, **more}


def _angle(name: str, description: str, default: float = 0.0) -> dict[str, Any]:
    return _option(name, description, default, -pi, pi, subtype="ANGLE")


def _factor(name: str, description: str, default: float = 1.0) -> dict[str, Any]:
    return _option(name, description, default, 0.0, 1.0, subtype="FACTOR")


_OPTIONS = {
    "pole_angle": _angle("Pole Angle", "Turn the bend away from the pole target. Zero bends right towards it"),
    "pole_influence": _factor(
        "Pole Influence", "How far the bend turns from where it would be without a pole target to the pole target"
    ),
    "softness": _factor(
        "Softness",
        "Part of the reach over which the chain eases into full extension, so that the joint does not snap",
        default=0.0,
    ),
    "max_stretch": _option(
        "Maximum Stretch", "The greatest factor by which the bones are scaled to reach the target", 2.0, 1.0, 10.0
    ),
    "bend_min": _angle("Minimum Bend", "The least angle between the bones. Zero is straight", default=-pi),
    "bend_max": _angle("Maximum Bend", "The greatest angle between the bones. Zero is straight", default=pi),
    "rotation_influence": _factor(
        "Rotation Influence", "How far the tip bone turns from its own orientation to that of the target"
    ),
    "influence": _factor("Influence", "How far the chain moves from its own pose to the solution"),
}

NAMES = tuple(_OPTIONS)
"""Identifiers of the chain's fields."""

_OVERRIDABLE: Any = {"LIBRARY_OVERRIDABLE"}


def bone_field(name: str) -> str:
    """The property of a pose bone that holds the option of this name.

    >>> bone_field("influence")
    'two_bone_ik_influence'
    """
    return f"two_bone_ik_{name}"


def door(name: str) -> Any:
    """The chain's field of this name, which gets and sets the property of its end bone."""
    field, default = bone_field(name), _OPTIONS[name]["default"]

    def get(chain: "TwoBoneIKChain") -> float:
        bone = end_bone(chain)
        if bone and bone.is_property_set(field):
            value: float = getattr(bone, field)
            return value
        return versions.stored(chain).get(name, default)

    def set_(chain: "TwoBoneIKChain", value: float) -> None:
        bone = end_bone(chain)
        if bone:
            setattr(bone, field, value)
            versions.stored(chain).pop(name, None)
        else:
            versions.stored(chain, create=True)[name] = value

    return FloatProperty(get=get, set=set_, options=set(), override=_OVERRIDABLE, **_OPTIONS[name])


def end_bone(chain: "TwoBoneIKChain") -> PoseBone | None:
    """The chain's end bone; None while it has none."""
    rig = chain.id_data
    return rig.pose.bones.get(chain.end_bone) if rig.pose else None


def owner(chain: "TwoBoneIKChain", name: str) -> tuple[PoseBone | PropertyGroup, str]:
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


def settle_all(items: Iterable[Object]) -> None:
    """The same for all of these that have chains."""
    for item in items:
        if is_rig(item) and item.two_bone_ik_chains:
            settle(item)


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
        for field in now.keys() - values[name].keys():
            rig.pose.bones[name].property_unset(field)
        for field, value in values[name].items():
            setattr(rig.pose.bones[name], field, value)


def reset(bone: PoseBone) -> None:
    """Give a bone that gets a chain the defaults, whatever an earlier chain has left there."""
    for name in NAMES:
        setattr(bone, bone_field(name), _OPTIONS[name]["default"])


def _changed(bone: PoseBone, _context: Context) -> None:
    from .live import state

    state.invalidate(cast(Rig, bone.id_data))


# mypy knows of no properties that an extension adds.
_pose_bone: Any = PoseBone


def register() -> None:
    """Give every pose bone the options."""
    for name, about in _OPTIONS.items():
        field = FloatProperty(update=_changed, options={"ANIMATABLE"}, override=_OVERRIDABLE, **about)
        setattr(_pose_bone, bone_field(name), field)


def unregister() -> None:
    """Take them away again; their values and curves stay in the file."""
    for name in NAMES:
        delattr(_pose_bone, bone_field(name))
