"""What the user sets and Blender saves with the file: the chains of an armature; the holds of an object and its action
from before them; what Plant is to plant. A planted action has the one that it was made from.

Each property sits on `Object` itself: in a property group of their own they would be lost, from Blender 5.0 on, when a
library override is loaded again. Identifiers are part of the interface: files and scripts have them.

Blender imports this file when it starts, and starts faster without NumPy. So the choices are plain words, the same as
in the enumerations of `solver`. Properties call no other room: they announce what changes to listeners.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

import bpy
from bpy import props
from bpy.types import Action, Bone, Collection, Context, Object, PoseBone, PropertyGroup, Scene, ViewLayer

from ..armatures import Chain, Rig
from ..options import OPTIONS, option, rows, with_properties

if TYPE_CHECKING:
    from ...skeleton.values import Point

LISTENERS: dict[str, Callable[..., None]] = {}
"""What is called when users change these, filled as the extension is registered: "choice" with the armature
object, "live" with its scene as well, "active" with the context, "contact" with which of its ends goes to which frame.
"""


Field = tuple[Any, str, object]
"""A type of Blender that gets a property, what its name has behind ours, and the property."""


def announce(change: str, *about: object) -> None:
    """Call the listener to this change."""
    if change in LISTENERS:
        LISTENERS[change](*about)


def _choice_changed(owner: Any, _context: Context) -> None:
    announce("choice", owner.id_data)


def _live_changed(rig: Rig, context: Context) -> None:
    announce("live", rig, context.scene)


def _active_changed(rig: Rig, context: Context) -> None:
    announce("active", rig, context)


def _end_bone_changed(chain: "TwoBoneIKChain", context: Context) -> None:
    from . import keyed_options

    keyed_options.take_along(chain)
    _choice_changed(chain, context)


_Update = Callable[[Any, Context], None]


def marking(kind: str, field: str, then: _Update = lambda _holder, _context: None) -> _Update:
    """Remembers the bone that the field names, so that what has the field goes along with the bone; then does the rest.

    kind : that of `bone_marks` which has the field
    """

    def changed(holder: Any, context: Context) -> None:
        from . import bone_marks

        bone_marks.mark(holder, getattr(bone_marks, kind), field)
        then(holder, context)

    return changed


def _option_changed(bone: PoseBone, context: Context) -> None:
    from . import keyed_options

    keyed_options.keep(bone)
    _choice_changed(bone, context)


# Not animatable: a bake reads them once, so keys on them would promise what it does not do.
FIELD: dict[str, Any] = {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}}
HIDDEN: dict[str, Any] = FIELD | {"options": {"HIDDEN"}}
_KEYED: dict[str, Any] = FIELD | {"options": {"ANIMATABLE"}}

KEYED_OPTIONS = rows("chain", keyed=True)
"""What can be animated, by identifier: see `keyed_options`."""

POINTS = {row["of"]: name for name, row in rows("chain").items() if "of" in row}
"""The fields with a target's object, each with that of its bone."""


def _make_name_unique(chain: "TwoBoneIKChain", _context: Context) -> None:
    """Scripts and reports tell chains apart by name, as Blender does with bones."""
    others = {other.name for other in chain.id_data.two_bone_ik_chains if other != chain}
    if chain.name not in others:
        return
    stem = re.sub(r"\.\d+$", "", chain.name)
    numbered = (f"{stem}.{number:03}" for number in count(1))
    chain.name = next(name for name in numbered if name not in others)


def _door(name: str) -> object:
    """A field that gets and sets what the end bone has."""

    def get(chain: "TwoBoneIKChain") -> float:
        from . import keyed_options

        return keyed_options.value(chain, name)

    def set_(chain: "TwoBoneIKChain", value: float) -> None:
        from . import keyed_options

        keyed_options.set_value(chain, name, value)

    return option("chain", name, get=get, set=set_, **FIELD)


def _field(name: str, row: Mapping[str, Any]) -> object:
    """The chain's property for this row of options.toml."""
    if "keyed" in row:
        return _door(name)
    update: _Update = _make_name_unique if name == "name" else _choice_changed
    if row["type"] == "bone":
        update = marking("CHAIN", name, _end_bone_changed if name == "end_bone" else _choice_changed)
    if row["type"] == "object":
        update = marking("CHAIN", POINTS[name], _choice_changed)
    return option("chain", name, update=update, **FIELD)


if TYPE_CHECKING:
    TwoBoneIKChain = Chain
else:

    @with_properties({name: _field(name, row) for name, row in OPTIONS["chain"].items()})
    class TwoBoneIKChain(PropertyGroup):
        """Two bones, what they reach for, and how they bend"""

        bone_marks: props.StringProperty(name="Bone Marks", description="Not for users: see `bone_marks`", **HIDDEN)


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


def chain_fields() -> dict[str, Any]:
    """What can be set of a chain: Blender's own description of each property, by its identifier."""
    properties = TwoBoneIKChain.bl_rna.properties
    return {field.identifier: field for field in properties if not field.is_hidden}


def active_chain(rig: Rig) -> Chain | None:
    """The chain that the list shows as active; None where there is none."""
    chains, index = rig.two_bone_ik_chains, rig.two_bone_ik_active
    return chains[index] if index < len(chains) else None


def chain_of(rig: Rig, end_bone: str) -> Chain | None:
    """The first chain with this end bone that is not muted, otherwise the first; None where there is none."""
    chains = [chain for chain in rig.two_bone_ik_chains if chain.end_bone == end_bone]
    return min(chains, key=lambda chain: chain.mute, default=None)


def root_name(rig: Rig, chain: TwoBoneIKChain) -> str:
    """The root bone's name, which a chain may leave to its end bone; "" where there is none."""
    end: Bone | None = rig.data.bones.get(chain.end_bone)
    return chain.root_bone or (end.parent.name if end and end.parent else "")


def limb_bones(rig: Rig, limb: Any) -> list[str]:
    """Names of its bones, from the tip bone up to the root bone; none where these make no limb.

    limb : a chain, or a limb that was found
    """
    bones, last = rig.data.bones, limb.tip_bone or limb.hock_bone or limb.end_bone
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


def holds_of(point: "Point") -> list[TwoBoneIKHold]:
    """The holds of an object or of one of its bones, in the order in which they were made."""
    item: Any = point.object
    return [record for record in item.two_bone_ik_holds if record.bone == point.bone]


def collection(name: str, group: type) -> object:
    """A list of such groups, to which library overrides can add their own."""
    return props.CollectionProperty(
        name=name, type=group, options=set(), override={"LIBRARY_OVERRIDABLE", "USE_INSERTION"}
    )


def _contact_door(which: int, name: str) -> object:
    """The first or the last of the frames that are selected: what sets it moves the contact's own end there."""

    def get(item: Any) -> int:
        frame: int = item.two_bone_ik_contact_frames[which]
        return frame

    def set_(item: Any, frame: int) -> None:
        announce("contact", item, which, frame)

    return option("contacts", name, get=get, set=set_, **FIELD)


def _chain_fields() -> Iterator[Field]:
    yield Object, "chains", collection("Two-Bone IK Chains", TwoBoneIKChain)
    yield Object, "active", props.IntProperty(name="Active Two-Bone IK Chain", min=0, update=_active_changed, **FIELD)
    yield Object, "live", option("shown", "live", update=_live_changed, **FIELD)
    # Not for users: tells which report is that of the armature as it is now. Undo takes it back, as what it tells of.
    yield Object, "report", props.StringProperty(name="Report", **HIDDEN)
    # Not for users: the name of the armature for which Create Targets has made this.
    for owner in (Object, Collection, bpy.types.BoneCollection):
        yield owner, "made_for", props.StringProperty(name="Made for", options={"HIDDEN"})
    for name in KEYED_OPTIONS:
        yield PoseBone, name, option("chain", name, update=_option_changed, **_KEYED)
    for name in rows("pose_bone"):
        update: dict[str, Any] = {"update": _choice_changed} if name == "twist" else {}
        yield PoseBone, name, option("pose_bone", name, **update, **_KEYED)
    # Not for users: what a live limb starts from, and which is in hand, has to come back with undo and with the file.
    yield PoseBone, "own", props.FloatVectorProperty(name="Own Pose", size=(4, 4), subtype="MATRIX", **HIDDEN)
    yield PoseBone, "mark", props.StringProperty(name="Mark", options={"HIDDEN"})
    # Not for users: the name of the captured action for which Plant keyed contacts of this bone last. Where that plays,
    # or what was made of it, a contact without keys is left from there.
    yield PoseBone, "contact_written", props.StringProperty(name="Contact Written", options={"HIDDEN"})
    yield ViewLayer, "in_hand", props.StringProperty(name="Limb in Hand", options={"HIDDEN"})


def _hold_and_plant_fields() -> Iterator[Field]:
    yield Object, "holds", collection("Two-Bone IK Holds", TwoBoneIKHold)
    yield Object, "source", option("kept", "before", type=Action, **FIELD)
    yield Object, "source_slot", props.StringProperty(name="Slot Before", **FIELD)
    yield Action, "source", option("kept", "captured", type=Action, options=set())
    yield Action, "source_slot", props.StringProperty(name="Captured Slot", options=set())
    for name, row in rows("plant", owner="rig").items():
        is_bone = row["type"] == "bone"
        update: dict[str, Any] = {"update": marking("OBJECT", f"two_bone_ik_{name}")} if is_bone else {}
        yield Object, name, option("plant", name, **FIELD, **update)
    yield Object, "contact_bone", option("contacts", "contact_bone", **FIELD)
    yield Object, "contact_frames", props.IntVectorProperty(name="Contact Frames", size=2, **HIDDEN)
    for which, name in enumerate(("contact_start", "contact_end")):
        yield Object, name, _contact_door(which, name)
    for owner in (Object, Scene):
        yield owner, "bone_marks", props.StringProperty(name="Bone Marks", **HIDDEN)
    changed: dict[str, Any] = {"hold": {"update": marking("SCENE", "two_bone_ik_hold_to_bone")}}
    for table in ("hold", "plant", "switch"):
        for name in rows(table, owner="scene"):
            yield Scene, name, option(table, name, options=set(), **changed.get(table, {}))


_register, _unregister = bpy.utils.register_classes_factory((TwoBoneIKChain, TwoBoneIKHold))


def register() -> None:
    """Add the properties to Blender's types."""
    _register()
    for owner, name, field in (*_chain_fields(), *_hold_and_plant_fields()):
        setattr(owner, f"two_bone_ik_{name}", field)


def unregister() -> None:
    """Take them away again; values stay."""
    for owner, name, _ in (*_chain_fields(), *_hold_and_plant_fields()):
        delattr(owner, f"two_bone_ik_{name}")
    _unregister()
