"""The holds of an object, its action from before them, and what Plant is to plant, as Blender saves them with the file.

A planted action has the one that it was made from.

Blender imports this file when it starts: see `properties`. `holds` reads the holds.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bpy import props
from bpy.types import Action, Object, PropertyGroup, Scene

from ..options import option, rows
from .properties import FIELD, HIDDEN, Field, announce, collection, marking, registration

if TYPE_CHECKING:
    from ...skeleton.values import Point


def _record(name: str, **settings: Any) -> object:
    return option("holds", name, **FIELD, **settings)


class TwoBoneIKHold(PropertyGroup):
    """From when to when an object, or one of its bones, stays where it is relative to something else"""

    name: _record("name")
    bone: _record("bone", update=marking("HOLD", "bone"))
    frame_start: _record("frame_start")
    frame_end: _record("frame_end")
    frame: _record("frame")
    space: _record("space", update=marking("HOLD", "space_bone"))
    space_bone: _record("space_bone", update=marking("HOLD", "space_bone"))
    bone_marks: props.StringProperty(name="Bone Marks", **HIDDEN)
    to_world: _record("to_world")
    rotation: _record("rotation")
    ease: _record("ease")
    rotation_mode: _record("rotation_mode")
    # Not for users: where it is in the space, and location and rotation of what had no keys before.
    grip: props.FloatVectorProperty(name="Grip", size=(4, 4), subtype="MATRIX", **FIELD)
    location: props.FloatVectorProperty(name="Location Before", size=3, **FIELD)
    orientation: props.FloatVectorProperty(name="Rotation Before", size=4, **FIELD)


def _door(which: int, name: str) -> object:
    """The first or the last of the frames that are selected: what sets it moves the contact's own end there."""

    def get(item: Any) -> int:
        frame: int = item.two_bone_ik_contact_frames[which]
        return frame

    def set_(item: Any, frame: int) -> None:
        announce("contact", item, which, frame)

    return option("contacts", name, get=get, set=set_, **FIELD)


def holds_of(point: "Point") -> list[TwoBoneIKHold]:
    """The holds of an object or of one of its bones, in the order in which they were made."""
    item: Any = point.object
    return [record for record in item.two_bone_ik_holds if record.bone == point.bone]


def _fields() -> Iterator[Field]:
    before = props.PointerProperty(
        name="Action Before", description="The action from before holds", type=Action, **FIELD
    )
    captured = props.PointerProperty(
        name="Captured Action", description="The action that this one was planted from", type=Action, options=set()
    )
    yield Object, "holds", collection("Two-Bone IK Holds", TwoBoneIKHold)
    yield Object, "source", before
    yield Object, "source_slot", props.StringProperty(name="Slot Before", **FIELD)
    yield Action, "source", captured
    yield Action, "source_slot", props.StringProperty(name="Captured Slot", options=set())
    for name, row in rows("plant", owner="rig").items():
        is_bone = row["type"] == "bone"
        update: dict[str, Any] = {"update": marking("OBJECT", f"two_bone_ik_{name}")} if is_bone else {}
        yield Object, name, option("plant", name, **FIELD, **update)
    yield Object, "contact_bone", option("contacts", "contact_bone", **FIELD)
    yield Object, "contact_frames", props.IntVectorProperty(name="Contact Frames", size=2, **HIDDEN)
    for which, name in enumerate(("contact_start", "contact_end")):
        yield Object, name, _door(which, name)
    for owner in (Object, Scene):
        yield owner, "bone_marks", props.StringProperty(name="Bone Marks", **HIDDEN)
    changed: dict[str, Any] = {"hold": {"update": marking("SCENE", "two_bone_ik_hold_to_bone")}}
    for table in ("hold", "plant", "switch"):
        for name in rows(table, owner="scene"):
            yield Scene, name, option(table, name, options=set(), **changed.get(table, {}))


register, unregister = registration(TwoBoneIKHold, _fields)
