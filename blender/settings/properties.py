"""What the user sets and Blender saves with the object: the chains of an armature.

Each property sits on `Object` itself: in a property group of their own they would be lost, from Blender 5.0 on, when a
library override is loaded again. Identifiers are part of the interface: files and scripts hold them.

Blender imports this file when it starts, and starts faster without NumPy. So the choices are plain words, the same as
in the enumerations of `solver`. Properties call no other room: they announce what changes to listeners.
"""

import re
from collections.abc import Callable
from itertools import count
from math import pi
from typing import TYPE_CHECKING, Any

import bpy
from bpy import props
from bpy.types import Bone, BoneCollection, Collection, Context, Object, PoseBone, PropertyGroup, ViewLayer

from ..armatures import Chain, Rig
from ..choices import choice

if TYPE_CHECKING:
    from ..chains.detect.find_limbs import Limb


LISTENERS: dict[str, list[Callable[..., None]]] = {"choice": [], "live": [], "active": []}
"""What is called when users change these, filled as the extension is registered: "choice" with the armature
object, "live" with its scene as well, "active" with the context.
"""


def _announce(change: str, *about: object) -> None:
    for listener in LISTENERS[change]:
        listener(*about)


def _choice_changed(chain: "TwoBoneIKChain", _context: Context) -> None:
    _announce("choice", chain.id_data)


def _live_changed(rig: Rig, context: Context) -> None:
    _announce("live", rig, context.scene)


def _active_changed(rig: Rig, context: Context) -> None:
    _announce("active", rig, context)


def _end_bone_changed(chain: "TwoBoneIKChain", context: Context) -> None:
    from . import keyed_options

    keyed_options.take_along(chain)
    _choice_changed(chain, context)


_Changed = Callable[["TwoBoneIKChain", Context], None]


def _marking(field: str, then: _Changed = _choice_changed) -> _Changed:
    """Also remembers the bone that the field names, so that the chain goes along with it."""

    def changed(chain: "TwoBoneIKChain", context: Context) -> None:
        from . import bone_marks

        bone_marks.mark(chain, bone_marks.CHAIN, field)
        then(chain, context)

    return changed


def _option_changed(bone: PoseBone, _context: Context) -> None:
    from . import keyed_options

    keyed_options.keep(bone)
    _announce("choice", bone.id_data)


# Not animatable: a bake reads them once, so keys on them would promise what it does not do.
_FIELD: dict[str, Any] = {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}}
_CHOICE = {**_FIELD, "update": _choice_changed}


def _make_name_unique(chain: "TwoBoneIKChain", _context: Context) -> None:
    """Scripts and reports tell chains apart by name, as Blender does with bones."""
    others = {other.name for other in chain.id_data.two_bone_ik_chains if other != chain}
    if chain.name not in others:
        return
    stem = re.sub(r"\.\d+$", "", chain.name)
    numbered = (f"{stem}.{number:03}" for number in count(1))
    chain.name = next(name for name in numbered if name not in others)


def _flag(name: str, description: str) -> object:
    return props.BoolProperty(name=name, description=description, **_CHOICE)


def _bone(field: str, name: str, description: str, then: _Changed = _choice_changed) -> object:
    return props.StringProperty(name=name, description=description, update=_marking(field, then), **_FIELD)


def _target(bone: str, name: str, description: str) -> object:
    """The object that has the bone which the field `bone` names."""
    return props.PointerProperty(name=name, description=description, type=Object, update=_marking(bone), **_FIELD)


def _option(name: str, description: str, default: float, low: float, high: float, **more: str) -> dict[str, Any]:
    return {"name": name, "description": description, "default": default, "min": low, "max": high, **more}


def _angle(name: str, description: str, default: float = 0.0) -> dict[str, Any]:
    return _option(name, description, default, -pi, pi, subtype="ANGLE")


def _factor(name: str, description: str, default: float = 1.0) -> dict[str, Any]:
    return _option(name, description, default, 0.0, 1.0, subtype="FACTOR")


KEYED_OPTIONS = {
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
"""What can be animated, by identifier: see `keyed_options`."""


def _door(name: str) -> object:
    """A field that gets and sets what the end bone has."""

    def get(chain: "TwoBoneIKChain") -> float:
        from . import keyed_options

        return keyed_options.value(chain, name)

    def set_(chain: "TwoBoneIKChain", value: float) -> None:
        from . import keyed_options

        keyed_options.set_value(chain, name, value)

    return props.FloatProperty(get=get, set=set_, **_FIELD, **KEYED_OPTIONS[name])


class TwoBoneIKChain(PropertyGroup):
    """Two bones, what they reach for, and how they bend"""

    id_data: Rig

    name: props.StringProperty(name="Name", description="Name of the chain", update=_make_name_unique, **_FIELD)
    mute: _flag("Mute", "Leave this chain out when solving and baking")

    end_bone: _bone(
        "end_bone", "End Bone", "The lower of the two bones, such as the forearm or the shin", _end_bone_changed
    )
    root_bone: _bone(
        "root_bone",
        "Root Bone",
        "The upper of the two bones, such as the upper arm. Leave empty for the end bone's parent",
    )
    tip_bone: _bone(
        "tip_bone",
        "Tip Bone",
        "The bone whose head shall reach the target, such as the hand. Leave empty for the end bone's tail",
    )

    target: _target("subtarget", "Target", "Object that the chain reaches for")
    subtarget: _bone("subtarget", "Sub-Target", "Bone that the chain reaches for")
    pole_target: _target("pole_subtarget", "Pole Target", "Object towards which the chain bends")
    pole_subtarget: _bone("pole_subtarget", "Pole Sub-Target", "Bone towards which the chain bends")
    pole_angle: _door("pole_angle")
    pole_influence: _door("pole_influence")
    pole_smoothing: props.FloatProperty(
        **_factor(
            "Pole Smoothing", "How long a bake spreads a turn for which the pole target hardly shows a side", 0.0
        ),
        **_CHOICE,
    )

    plane: choice("plane", **_CHOICE)
    reference: choice("reference", **_CHOICE)
    hinge_axis: choice("hinge_axis", **_CHOICE)
    bend: choice("bend", **_CHOICE)

    unreachable: choice("unreachable", **_CHOICE)
    softness: _door("softness")
    max_stretch: _door("max_stretch")
    use_extension_limit: _flag("Limit Extension", "Never reach farther than the chain's own pose did")
    use_bend_limits: _flag("Limit Bend", "Keep the angle between the bones within limits")
    bend_min: _door("bend_min")
    bend_max: _door("bend_max")

    use_rotation: _flag("Rotation", "Turn the tip bone as the target is turned")
    rotation_influence: _door("rotation_influence")
    influence: _door("influence")

    bone_marks: props.StringProperty(
        name="Bone Marks", description="Not for users: see `bone_marks`", **_FIELD | {"options": {"HIDDEN"}}
    )


def chain_fields() -> dict[str, Any]:
    """What can be set of a chain: Blender's own description of each property, by its identifier."""
    found = TwoBoneIKChain.bl_rna.properties
    return {field.identifier: field for field in found if not field.is_hidden}


def active_chain(rig: Rig) -> Chain | None:
    """The chain that the list shows as active; None where there is none."""
    chains, index = rig.two_bone_ik_chains, rig.two_bone_ik_active
    return chains[index] if index < len(chains) else None


def chain_of(rig: Rig, end_bone: str) -> Chain | None:
    """The first chain with this end bone that is not muted, else the first that is; None where there is none."""
    chains = [chain for chain in rig.two_bone_ik_chains if chain.end_bone == end_bone]
    return min(chains, key=lambda chain: chain.mute, default=None)


def root_name(rig: Rig, chain: TwoBoneIKChain) -> str:
    """The root bone's name, which a chain may leave to its end bone; "" where there is none."""
    end: Bone | None = rig.data.bones.get(chain.end_bone)
    return chain.root_bone or (end.parent.name if end and end.parent else "")


def limb_bones(rig: Rig, limb: "Limb | TwoBoneIKChain") -> list[str]:
    """Names of its bones, from the tip bone up to the root bone; none where these make no limb."""
    bones, last = rig.data.bones, limb.tip_bone or limb.end_bone
    if not (last in bones and limb.end_bone in bones and bones[limb.end_bone].parent):
        return []
    names = [last, *(bone.name for bone in bones[last].parent_recursive)]
    root = limb.root_bone or bones[limb.end_bone].parent.name
    return names[: names.index(root) + 1] if root in names else []


def is_from_library(chain: TwoBoneIKChain) -> bool:
    """Whether a library override has this chain from its library.

    Its fields can be overridden, but Blender refuses to move or remove it, and makes it twice if it was renamed.
    """
    override: Any = chain.id_data.override_library
    return bool(override and override.reference and chain.name in override.reference.two_bone_ik_chains)


# mypy knows of no properties that an extension adds.
_object: Any = Object
_pose_bone: Any = PoseBone
_made: tuple[Any, ...] = (Object, Collection, Bone, BoneCollection)
_view_layer: Any = ViewLayer


def register() -> None:
    """Give every object its chains."""
    bpy.utils.register_class(TwoBoneIKChain)
    _object.two_bone_ik_chains = props.CollectionProperty(
        name="Two-Bone IK Chains",
        type=TwoBoneIKChain,
        options=set(),
        override={"LIBRARY_OVERRIDABLE", "USE_INSERTION"},
    )
    _object.two_bone_ik_active = props.IntProperty(
        name="Active Two-Bone IK Chain", min=0, update=_active_changed, **_FIELD
    )
    _object.two_bone_ik_live = props.BoolProperty(
        name="Live",
        description="Let the limbs follow while targets and pole targets move, without keys",
        update=_live_changed,
        **_FIELD,
    )
    # Not for users: tells which report is that of the armature as it stands. Undo takes it back, as what it tells of.
    _object.two_bone_ik_report = props.StringProperty(name="Report", **_FIELD | {"options": {"HIDDEN"}})
    # Not for users: the name of the armature for which Create Targets has made this.
    for owner in _made:
        owner.two_bone_ik_made_for = props.StringProperty(name="Made for", options={"HIDDEN"})
    for name, about in KEYED_OPTIONS.items():
        option = props.FloatProperty(
            update=_option_changed, options={"ANIMATABLE"}, override={"LIBRARY_OVERRIDABLE"}, **about
        )
        setattr(_pose_bone, f"two_bone_ik_{name}", option)
    _pose_bone.two_bone_ik_contact = choice("contact", options={"ANIMATABLE"}, override={"LIBRARY_OVERRIDABLE"})
    # Not for users: what a live limb starts from, and which is in hand, has to come back with undo and with the file.
    _pose_bone.two_bone_ik_own = props.FloatVectorProperty(
        name="Own Pose", size=(4, 4), subtype="MATRIX", **_FIELD | {"options": {"HIDDEN"}}
    )
    _pose_bone.two_bone_ik_mark = props.StringProperty(name="Mark", options={"HIDDEN"})
    _view_layer.two_bone_ik_in_hand = props.StringProperty(name="Limb in Hand", options={"HIDDEN"})


def unregister() -> None:
    """Take the properties away; their values stay in the file."""
    del _view_layer.two_bone_ik_in_hand
    del _pose_bone.two_bone_ik_mark
    del _pose_bone.two_bone_ik_contact
    for name in KEYED_OPTIONS:
        delattr(_pose_bone, f"two_bone_ik_{name}")
    del _pose_bone.two_bone_ik_own
    for owner in _made:
        del owner.two_bone_ik_made_for
    del _object.two_bone_ik_report
    del _object.two_bone_ik_live
    del _object.two_bone_ik_active
    del _object.two_bone_ik_chains
    bpy.utils.unregister_class(TwoBoneIKChain)
