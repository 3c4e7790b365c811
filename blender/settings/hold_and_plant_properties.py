"""The holds of an object, its action from before them, and what Plant is to plant, as Blender saves them with the file.

A planted action has the one that it was made from.

Blender imports this file when it starts: see `properties`. `holds` reads the holds.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import bpy
from bpy import props
from bpy.types import Action, Context, Object, PropertyGroup, Scene

from ..options import option, rows
from .properties import announce

if TYPE_CHECKING:
    from ...skeleton.values import Point

_FIELD: dict[str, Any] = {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}}
_HOLD_TO = rows("hold", owner="scene")
_ENDS = "contact_start", "contact_end"


def _marking(kind: str, field: str) -> Callable[[Any, Context], None]:
    """Remembers the bone that this field names, so that what has the field goes along with the bone."""

    def changed(holder: Any, _context: Context) -> None:
        from . import bone_marks

        bone_marks.mark(holder, getattr(bone_marks, kind), field)

    return changed


def _record(name: str, **settings: Any) -> object:
    return option("holds", name, **_FIELD, **settings)


class TwoBoneIKHold(PropertyGroup):
    """From when to when an object, or one of its bones, stays where it is relative to something else"""

    name: _record("name")
    bone: _record("bone", update=_marking("HOLD", "bone"))
    frame_start: _record("frame_start")
    frame_end: _record("frame_end")
    frame: _record("frame")
    space: _record("space", update=_marking("HOLD", "space_bone"))
    space_bone: _record("space_bone", update=_marking("HOLD", "space_bone"))
    bone_marks: props.StringProperty(name="Bone Marks", **_FIELD | {"options": {"HIDDEN"}})
    to_world: _record("to_world")
    rotation: _record("rotation")
    ease: _record("ease")
    rotation_mode: _record("rotation_mode")
    # Not for users: where it is in the space, and location and rotation of what had no keys before.
    grip: props.FloatVectorProperty(name="Grip", size=(4, 4), subtype="MATRIX", **_FIELD)
    location: props.FloatVectorProperty(name="Location Before", size=3, **_FIELD)
    orientation: props.FloatVectorProperty(name="Rotation Before", size=4, **_FIELD)


def _door(which: int, name: str) -> object:
    """The first or the last of the frames that are selected: what sets it moves the contact's own end there."""

    def get(item: Any) -> int:
        frame: int = item.two_bone_ik_contact_frames[which]
        return frame

    def set_(item: Any, frame: int) -> None:
        announce("contact", item, which, frame)

    return option("contacts", name, get=get, set=set_, **_FIELD)


def holds_of(point: "Point") -> list[TwoBoneIKHold]:
    """The holds of an object or of one of its bones, in the order in which they were made."""
    item: Any = point.object
    return [record for record in item.two_bone_ik_holds if record.bone == point.bone]


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
    for name in _HOLD_TO:
        changed = _marking("SCENE", "two_bone_ik_hold_to_bone")
        setattr(_scene, f"two_bone_ik_{name}", option("hold", name, options=set(), update=changed))
    for name, row in rows("plant", owner="rig").items():
        field = f"two_bone_ik_{name}"
        update: dict[str, Any] = {"update": _marking("OBJECT", field)} if row["type"] == "bone" else {}
        setattr(_item, field, option("plant", name, **_FIELD, **update))
    _item.two_bone_ik_contact_bone = option("contacts", "contact_bone", **_FIELD)
    _item.two_bone_ik_contact_frames = props.IntVectorProperty(
        name="Contact Frames", size=2, **_FIELD | {"options": {"HIDDEN"}}
    )
    for which, name in enumerate(_ENDS):
        setattr(_item, f"two_bone_ik_{name}", _door(which, name))
    for owner in (_item, _scene):
        owner.two_bone_ik_bone_marks = props.StringProperty(name="Bone Marks", **_FIELD | {"options": {"HIDDEN"}})
    for table in ("plant", "switch"):
        for name in rows(table, owner="scene"):
            setattr(_scene, f"two_bone_ik_{name}", option(table, name, options=set()))


def unregister() -> None:
    """Take the properties away; their values stay in the file."""
    for owner in (_item, _scene):
        del owner.two_bone_ik_bone_marks
    for name in (*_ENDS, "contact_frames", "contact_bone"):
        delattr(_item, f"two_bone_ik_{name}")
    for table, owner, room in (("plant", _scene, "scene"), ("switch", _scene, "scene"), ("plant", _item, "rig")):
        for name in rows(table, owner=room):
            delattr(owner, f"two_bone_ik_{name}")
    for name in _HOLD_TO:
        delattr(_scene, f"two_bone_ik_{name}")
    del _action.two_bone_ik_source_slot
    del _action.two_bone_ik_source
    del _item.two_bone_ik_source_slot
    del _item.two_bone_ik_source
    del _item.two_bone_ik_holds
    bpy.utils.unregister_class(TwoBoneIKHold)
