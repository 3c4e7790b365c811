"""All differences between versions of Blender, each behind a function that asks for features, not for numbers.

From 4.4 on an action keeps its F-curves in layers, strips and *channelbags*, one bag for each *slot*, and a data-block
plays one slot. Before 4.4 the action itself is that bag, with the same `fcurves` and `groups`. No version yet lets an
action have more than one layer, or a layer more than one strip.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias, cast

import bpy
from bpy.types import ID, Action, AnimData, FCurve, NlaStrip, Object, PoseBone, PropertyGroup
from mathutils import Matrix

from .armatures import Rig

_HAS_SLOTS = "slots" in Action.bl_rna.properties
_SELECTS_POSE_BONES = "select" in PoseBone.bl_rna.properties
if _HAS_SLOTS:
    Channelbag: TypeAlias = bpy.types.ActionChannelbag
else:
    Channelbag: TypeAlias = Action
_new_curve_parameters = Channelbag.bl_rna.properties["fcurves"].srna.functions["new"].parameters.keys()
_GROUP = next((name for name in ("action_group", "group_name") if name in _new_curve_parameters), "")
HAS_FBX_IMPORT = "fbx_import" in dir(bpy.ops.wm)
"""Whether Blender itself imports FBX, and not an add-on."""

WITHOUT_TEXTURES: dict[str, Any] = {"export_textures": False}
"""What keeps Blender from writing textures beside a USD file."""
_HAS_USD = "usd_export" in dir(bpy.ops.wm)  # some builds leave it out
if _HAS_USD and "export_textures_mode" in cast(Any, bpy.ops.wm.usd_export).get_rna_type().properties:
    WITHOUT_TEXTURES = {"export_textures_mode": "KEEP"}

MEASURES_BVH_FROM_PARENT = not _HAS_SLOTS
"""Whether Blender's importer of BVH measures the children's mean offset from the bone's parent. That offset decides
which bones it connects, and which it lengthens."""

_HAS_BUFFERS = True
try:
    memoryview(cast(Any, Matrix()))
except TypeError:
    _HAS_BUFFERS = False

BLENDER: str = bpy.app.version_string
"""Which Blender this is, as Blender says it: 5.2.2 LTS."""

AnimatedID = Any
"""A data-block of a kind that can be animated."""


def usd_stage(path: Path) -> Any | None:
    """The stage of a USD file, read by the library that Blender brings along; None where it brings none for Python."""
    before = [*sys.path]
    getattr(bpy.utils, "expose_bundled_modules", lambda: None)()
    try:
        return import_module("pxr.Usd").Stage.Open(str(path))
    except ImportError:
        return None
    finally:
        sys.path[:] = before  # other libraries lie beside it


def curves(block: AnimatedID) -> Iterable[FCurve]:
    """The F-curves that animate this data-block, from its action or its slot there; empty if there are none."""
    return _played_curves(block.animation_data) if block.animation_data else ()


def plays(curve: FCurve) -> bool:
    """Whether the F-curve has keys and is not muted; by its group, Blender mutes it only where actions have no slots.

    The editors mute the curves of a group along with it.
    """
    by_group = not _HAS_SLOTS and curve.group and curve.group.mute
    return bool(curve.keyframe_points) and not (curve.mute or by_group)


def drivers(block: AnimatedID) -> Iterable[FCurve]:
    """The drivers of the data-block; empty if there are none, or it can have none."""
    animation = getattr(block, "animation_data", None)
    return animation.drivers if animation else ()


def strips(block: AnimatedID, *, muted: bool = True) -> Iterator[tuple[NlaStrip, Iterable[FCurve]]]:
    """The NLA strips of the data-block, also inside of meta strips, each with its action's F-curves.

    muted : those count that are muted, or whose tracks or meta strips are, or all of the NLA
    """
    animation = block.animation_data
    for track in animation.nla_tracks if animation and (muted or animation.use_nla) else ():
        for strip in _strips(track.strips if muted or not track.mute else (), muted):
            yield strip, _played_curves(strip)


def _strips(strips: Iterable[NlaStrip], muted: bool) -> Iterator[NlaStrip]:
    """These strips and those inside of meta strips."""
    for strip in strips:
        if muted or not strip.mute:
            yield strip
            yield from _strips(strip.strips, muted)


def tracks(block: AnimatedID) -> Iterator[tuple[str, float, Action, str]]:
    """For each NLA strip, also muted ones, the name of its track, its first frame, its action and the slot there."""
    for track in block.animation_data.nla_tracks if block.animation_data else ():
        for strip in _strips(track.strips, muted=True):
            if strip.action:
                yield track.name, strip.frame_start, strip.action, _played_slot(strip)


def channelbags(block: AnimatedID) -> list[Channelbag]:
    """The owners of all `fcurves` and `groups` that the data-block plays, from its action and its NLA strips."""
    players = (block.animation_data, *(strip for strip, _ in strips(block))) if block.animation_data else ()
    return [bag for player in players if (bag := _channelbag(player))]


def _played_curves(player: AnimData | NlaStrip) -> Iterable[FCurve]:
    bag = _channelbag(player)
    return bag.fcurves if bag else ()


def _channelbag(player: AnimData | NlaStrip) -> Channelbag | None:
    if not _HAS_SLOTS:
        return player.action
    strip = _strip(player.action) if player.action and player.action_slot else None
    return strip and strip.channelbag(player.action_slot)


def _strip(action: Any, *, create: bool = False) -> Any:
    """The one strip of the one layer that an action may have today; None where there is none, and none is asked for."""
    layers = action.layers
    if create and not layers:
        layers.new("Layer")
    if create and not layers[0].strips:
        layers[0].strips.new(type="KEYFRAME")
    return layers[0].strips[0] if layers and layers[0].strips else None


def played(block: AnimatedID) -> tuple[Action | None, str]:
    """The action that the data-block plays, and the identifier of its slot there; None and "" where there is none."""
    animation: AnimData | None = block.animation_data
    return (animation.action, _played_slot(animation)) if animation and animation.action else (None, "")


def _played_slot(player: Any) -> str:
    slot = player.action_slot if _HAS_SLOTS else None
    return slot.identifier if slot else ""


def slots(action: Action) -> list[str]:
    """Identifiers of the slots that objects can play; where Blender has no slots, "" for an action of objects."""
    if not _HAS_SLOTS:
        return [""] if action.id_root == "OBJECT" else []
    return [slot.identifier for slot in action.slots if slot.target_id_type in ("OBJECT", "UNSPECIFIED")]


def slot_named_for(item: Object) -> str:
    """The identifier of the slots that are named for this object; "" where Blender has no slots."""
    return f"OB{item.name}" if _HAS_SLOTS else ""


def slot_curves(action: Action, slot: str) -> Iterable[FCurve]:
    """The F-curves that a data-block with this slot plays."""
    if not _HAS_SLOTS:
        return action.fcurves
    strip, played_slot = _strip(action), next((item for item in action.slots if item.identifier == slot), None)
    # Blender 5 reads keys four times as slowly where it came to their curve by all these collections.
    bag = strip.channelbag(played_slot) if strip and played_slot else None
    return bag.fcurves if bag else ()


def play(block: AnimatedID, action: Action | None, slot: str) -> None:
    """Let the data-block play this action, in the slot of this identifier."""
    animation: Any = block.animation_data or block.animation_data_create()
    animation.action = action
    if _HAS_SLOTS and action:
        animation.action_slot = next((item for item in action.slots if item.identifier == slot), None)


def play_again(block: AnimatedID) -> Callable[[], None]:
    """A function that lets the data-block play what it plays now, with its NLA as it is now."""
    animation: Any = block.animation_data
    if not animation:
        return block.animation_data_clear
    (action, slot), use_nla = played(block), animation.use_nla
    last = animation.last_slot_identifier if _HAS_SLOTS else ""

    def put_back() -> None:
        block.animation_data.use_nla = use_nla
        play(block, action, slot)
        if _HAS_SLOTS:
            block.animation_data.last_slot_identifier = last

    return put_back


def keyed_slots(action: Action) -> int:
    """For how many slots the action has F-curves; at most one where Blender has no slots."""
    if not _HAS_SLOTS:
        return int(bool(action.fcurves))
    strip = _strip(action)
    return sum(bool(bag.fcurves) for bag in strip.channelbags) if strip else 0


def animated_paths(block: AnimatedID) -> set[str]:
    """RNA paths of the properties of this data-block that have keys or drivers."""
    return {curve.data_path for curve in (*curves(block), *drivers(block))}


def ever_animated_paths(block: AnimatedID) -> set[str]:
    """RNA paths of the properties of this data-block that have keys or drivers, or that NLA strips animate."""
    return animated_paths(block) | {curve.data_path for _, curves in strips(block) for curve in curves}


def is_ever_animated(block: AnimatedID, path: str) -> bool:
    """True if keys, drivers or NLA strips animate the property at this RNA path, a single number."""
    animation = block.animation_data
    if not animation:
        return False
    found = curve_finder(block)(path, index=0) or animation.drivers.find(path, index=0)
    return bool(found) or any(curve.data_path == path for _, curves in strips(block) for curve in curves)


def curve_finder(block: AnimatedID) -> Callable[..., FCurve | None]:
    """A function of `(path, index=)` that finds the F-curve of an element of a property; None if there is none."""
    fcurves: Any = curves(block)
    return fcurves.find if fcurves else lambda path, index: None


def ensure_channelbag(block: AnimatedID) -> Channelbag:
    """The owner of the `fcurves` and `groups` that animate this data-block; if needed, created with action and slot.

    An action that is assigned without a slot gets a new slot: its existing slots do not play, and using one of them
    would move what was sampled without it.
    """
    animation: AnimData = block.animation_data or block.animation_data_create()
    if not animation.action:
        animation.action = bpy.data.actions.new(f"{block.name}Action")
    action = animation.action
    if not _HAS_SLOTS:
        return action
    if not animation.action_slot:
        animation.action_slot = action.slots.new(id_type=block.id_type, name=block.name)
    return _strip(action, create=True).channelbag(animation.action_slot, ensure=True)


def new_action(block: AnimatedID, name: str) -> None:
    """Let the data-block play a new action of this name, in a slot as Blender's importers of captures name it."""
    animation: AnimData = block.animation_data_create()
    animation.action = bpy.data.actions.new(name)
    if _HAS_SLOTS:
        slot = "Slot" if _SELECTS_POSE_BONES else block.name
        animation.action_slot = animation.action.slots.new(id_type=block.id_type, name=slot)


def new_curve(channelbag: Channelbag, path: str, index: int, group: str) -> FCurve:
    """A new F-curve in the group of this name; only 4.4 and 4.5 cannot be told both at once, which is faster."""
    curves: Any = channelbag.fcurves
    if _GROUP:
        return cast(FCurve, curves.new(path, index=index, **{_GROUP: group}))
    curve: FCurve = curves.new(path, index=index)
    curve.group = channelbag.groups.get(group) or channelbag.groups.new(group)
    return curve


@contextmanager
def preserve_selection(rig: Rig) -> Iterator[None]:
    """Afterwards those of its bones are selected that were so before, in spite of Edit Mode; new ones are not."""
    names = ("select",) if _SELECTS_POSE_BONES else ("select", "select_head", "select_tail")
    before = {bone.name: [getattr(bone, name) for name in names] for bone in selectable_bones(rig)}
    try:
        yield
    finally:
        for bone in selectable_bones(rig):
            for name, value in zip(names, before.get(bone.name, [False] * 3), strict=False):
                setattr(bone, name, value)


def selectable_bones(rig: Rig) -> Any:
    """The bones that have `select`: up to 4.5 those of the armature, from 5.0 on those of its object."""
    return rig.pose.bones if _SELECTS_POSE_BONES else rig.data.bones


def stored(group: PropertyGroup | ID) -> Any:
    """What is stored of a group's or data-block's registered properties, by identifier; from 5.0 on apart from custom
    properties. A data-block of which nothing is stored yet gives a `dict` of its own.
    """
    system: Any = getattr(group, "bl_system_properties_get", None)
    return (system() or {}) if system else group


def matrix_rows(matrix: Matrix) -> Any:
    """The 4 x 4 matrix as NumPy reads it fastest: up to 4.5 it reads number by number, and tuples twice as fast."""
    return matrix if _HAS_BUFFERS else (matrix[0][:], matrix[1][:], matrix[2][:], matrix[3][:])


def copy_action(block: AnimatedID) -> None:
    """Give this data-block a local copy of its action, without the slots of others; the old action stays as it was."""
    animation: AnimData = block.animation_data
    old, copy = animation.action, animation.action.copy()
    copy.name = f"{block.name}Action"
    if _HAS_SLOTS:
        for slot in [slot for slot in copy.slots if slot.handle != animation.action_slot_handle]:
            copy.slots.remove(slot)
    animation.action = copy
    if not old.users:
        old.use_fake_user = True
