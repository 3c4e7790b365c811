"""The holds of an object, its action from before them, and what Plant is to plant, as Blender saves them with the file.

A planted action has the one that it was made from.

Blender imports this file when it starts: see `properties`. `holds` reads the holds.
"""

from collections.abc import Set
from functools import partial
from typing import TYPE_CHECKING, Any

import bpy
from bpy import props
from bpy.types import Action, Context, Object, PropertyGroup, Scene

from ..choices import choice

if TYPE_CHECKING:
    from ...skeleton.values import Point

_FIELD: dict[str, Any] = {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}}


def _remember(holder: Any, kind: str, field: str) -> None:
    from . import bone_marks

    bone_marks.mark(holder, getattr(bone_marks, kind), field)


def _bone_changed(record: "TwoBoneIKHold", _context: Context) -> None:
    _remember(record, "HOLD", "bone")


def _space_changed(record: "TwoBoneIKHold", _context: Context) -> None:
    _remember(record, "HOLD", "space_bone")


def _hips_changed(rig: Object, _context: Context) -> None:
    _remember(rig, "OBJECT", "two_bone_ik_hips")


def _hold_to_changed(scene: Scene, _context: Context) -> None:
    _remember(scene, "SCENE", "two_bone_ik_hold_to_bone")


def _bone(description: str, update: Any) -> object:
    return props.StringProperty(name="Bone", description=description, update=update, **_FIELD)


def _frame(name: str, description: str) -> object:
    return props.FloatProperty(name=name, description=description, precision=2, **_FIELD)


def _object(name: str, description: str, update: Any) -> object:
    return props.PointerProperty(name=name, description=description, type=Object, update=update, **_FIELD)


class TwoBoneIKHold(PropertyGroup):
    """From when to when an object, or one of its bones, stays where it is relative to something else"""

    name: props.StringProperty(name="Name", description="What it is held to, and when", **_FIELD)
    bone: _bone("Bone that is held. Empty for the object itself", _bone_changed)
    frame_start: _frame("Start", "First frame on which it is held")
    frame_end: _frame("End", "Last frame on which it is held")
    frame: _frame("Frame", "It stays where it is on this frame")
    space: _object("Hold to", "Object to which it is held. Empty for the world", _space_changed)
    space_bone: _bone("Bone to which it is held", _space_changed)
    bone_marks: props.StringProperty(name="Bone Marks", **_FIELD | {"options": {"HIDDEN"}})
    to_world: props.BoolProperty(name="To World", description="It is held to nothing that moves", **_FIELD)
    rotation: props.BoolProperty(name="Rotation", description="Hold the orientation as well", **_FIELD)
    ease: props.FloatVectorProperty(
        name="Ease", description="Frames in which it goes over into its own motion, before and after", size=2, **_FIELD
    )
    rotation_mode: props.StringProperty(name="Rotation Mode", description="In which its rotation is keyed", **_FIELD)
    # Not for users: where it is in the space, and location and rotation of what had no keys before.
    grip: props.FloatVectorProperty(name="Grip", size=(4, 4), subtype="MATRIX", **_FIELD)
    location: props.FloatVectorProperty(name="Location Before", size=3, **_FIELD)
    orientation: props.FloatVectorProperty(name="Rotation Before", size=4, **_FIELD)


def holds_of(point: "Point") -> list[TwoBoneIKHold]:
    """The holds of an object or of one of its bones, in the order in which they were made."""
    item: Any = point.object
    return [record for record in item.two_bone_ik_holds if record.bone == point.bone]


def _flag(name: str, description: str) -> Any:
    return partial(props.BoolProperty, name=name, description=description)


def _threshold(name: str, description: str, default: float, unit: Any = "NONE") -> Any:
    """For a field of `solver.feet.contacts.Stillness`, whose default it has."""
    limits: dict[str, Any] = {"min": 0.001, "soft_max": 1.0, "precision": 3, "step": 1}
    return partial(props.FloatProperty, name=name, description=description, default=default, unit=unit, **limits)


PLANTED_RIG: dict[str, Any] = {
    "plants": partial(choice, "plants", default={"LEGS"}),
    "hips": partial(
        props.StringProperty,
        name="Hips",
        description="The bone to lower. Leave empty for the nearest that carries legs and arms",
    ),
    "sideways": _flag("Sideways", "Let the hips move sideways as well, so that they go down less"),
    "keep": partial(choice, "keep"),
    "flat_feet": _flag("Flat Feet", "Turn feet so that they lie flat, as at rest, while ball and heel stand"),
    "contact_speed": _threshold("Contact Speed", "What is faster does not stand, in leg lengths a second", 0.15),
    "contact_height": _threshold(
        "Contact Height", "What is higher above the ground does not stand, in leg lengths", 0.03
    ),
    "shortest_contact": _threshold("Shortest Contact", "A foot stands at least this long", 0.1, "TIME_ABSOLUTE"),
    "shortest_gap": _threshold(
        "Shortest Gap", "A foot is free at least this long between two contacts", 0.06, "TIME_ABSOLUTE"
    ),
}
"""Options of Plant that each character has, by name."""

PLANTED_SCENE: dict[str, Any] = {
    "use_height": _flag("Floor Height", "Take level ground at a height, instead of finding it"),
    "height": partial(props.FloatProperty, name="Height", description="Height of the level ground", subtype="DISTANCE"),
}
"""Those that all characters of a scene share."""

PLANT_FLOOR: dict[str, Any] = {
    "name": "Floor",
    "description": "The object to stand on. Leave empty for level ground, found where the feet stand",
}
"""The texts of another, of which the panel holds the object, and the operator its name."""


def plant_option(name: str, options: Set[str] = frozenset(), **settings: Any) -> Any:
    """The property for this option of Plant: of a character, of a scene, or of the operator."""
    several = {"ENUM_FLAG"} if name in ("plants", "keep") else set()
    return (PLANTED_RIG | PLANTED_SCENE)[name](options={*options, *several}, **settings)


_SELECTED = ("two_bone_ik_contact_start", "First"), ("two_bone_ik_contact_end", "Last")
"""The frames of the contacts that are selected, each with its title."""

# mypy knows of no properties that an extension adds.
_item: Any = Object
_action: Any = Action
_scene: Any = Scene


def register() -> None:
    """Give every object its holds and what Plant takes, and scenes what Hold is to hold to and Plant stands on."""
    bpy.utils.register_class(TwoBoneIKHold)
    _item.two_bone_ik_holds = props.CollectionProperty(
        name="Two-Bone IK Holds",
        type=TwoBoneIKHold,
        options=set(),
        override={"LIBRARY_OVERRIDABLE", "USE_INSERTION"},
    )
    _item.two_bone_ik_source = props.PointerProperty(
        name="Action Before", description="The action from before holds", type=Action, **_FIELD
    )
    _item.two_bone_ik_source_slot = props.StringProperty(name="Slot Before", **_FIELD)
    _action.two_bone_ik_source = props.PointerProperty(
        name="Captured Action", description="The action that this one was planted from", type=Action, options=set()
    )
    _action.two_bone_ik_source_slot = props.StringProperty(name="Captured Slot", options=set())
    _scene.two_bone_ik_hold_to = props.PointerProperty(
        name="Hold to",
        description="What the target is held to, such as a cup. Leave empty for the world",
        type=Object,
        options=set(),
        update=_hold_to_changed,
    )
    _scene.two_bone_ik_hold_to_bone = props.StringProperty(
        name="Bone",
        description="Bone of that armature. Leave empty for the object itself",
        options=set(),
        update=_hold_to_changed,
    )
    for name in PLANTED_RIG:
        update: dict[str, Any] = {"update": _hips_changed} if name == "hips" else {}
        setattr(_item, f"two_bone_ik_{name}", plant_option(name, **_FIELD, **update))
    _item.two_bone_ik_contact_bone = props.StringProperty(
        name="Bone", description="End bone of the limb whose contacts are selected", **_FIELD
    )
    for name, title in _SELECTED:
        frame = props.IntProperty(name=title, description=f"{title} frame of the contacts to set", **_FIELD)
        setattr(_item, name, frame)
    for owner in (_item, _scene):
        owner.two_bone_ik_bone_marks = props.StringProperty(name="Bone Marks", **_FIELD | {"options": {"HIDDEN"}})
    for name in PLANTED_SCENE:
        setattr(_scene, f"two_bone_ik_{name}", plant_option(name, options=set()))
    _scene.two_bone_ik_floor = props.PointerProperty(**PLANT_FLOOR, type=Object, options=set())


def unregister() -> None:
    """Take the properties away; their values stay in the file."""
    for owner in (_item, _scene):
        del owner.two_bone_ik_bone_marks
    for name, _ in _SELECTED:
        delattr(_item, name)
    del _item.two_bone_ik_contact_bone
    del _scene.two_bone_ik_floor
    for name in PLANTED_SCENE:
        delattr(_scene, f"two_bone_ik_{name}")
    for name in PLANTED_RIG:
        delattr(_item, f"two_bone_ik_{name}")
    del _scene.two_bone_ik_hold_to_bone
    del _scene.two_bone_ik_hold_to
    del _action.two_bone_ik_source_slot
    del _action.two_bone_ik_source
    del _item.two_bone_ik_source_slot
    del _item.two_bone_ik_source
    del _item.two_bone_ik_holds
    bpy.utils.unregister_class(TwoBoneIKHold)
