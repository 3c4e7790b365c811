"""The animations of a file: their names, and which of them its armatures play, of which importers play the first."""

import struct
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Action, FCurve

from .. import versions
from ..armatures import Rig, is_rig
from ..curves.write import attribute
from ..files import atomic_write
from ..messages.refused import Refused
from ..messages.translation import nearest_name, translated
from ..rna_paths import bone_and_property
from .frame_rate import parts_of_gltf
from .take import Import

_STILL = 1e-4
"""Part of a value, or radians, by which single precision and bakes move what is at rest."""

_HEAD_OF_FBX = 27
"""Bytes before its nodes; the last four are its version."""


def names(path: Path) -> list[str]:
    """What an FBX or glTF file calls its animations, as `played` takes them; none where it is not understood."""
    try:
        found = {".fbx": _of_fbx, ".glb": _of_gltf, ".gltf": _of_gltf}[path.suffix.lower()](path)
        return [*dict.fromkeys(found)]
    except (AttributeError, LookupError, TypeError, ValueError, OSError, struct.error, Refused):
        return []


def _of_gltf(path: Path) -> Iterator[str]:
    content, _ = parts_of_gltf(path)
    joints = {joint for skin in content["skins"] for joint in skin["joints"]}
    for number, animation in enumerate(content["animations"]):
        if joints & {channel["target"].get("node") for channel in animation["channels"]}:
            yield animation.get("name") or f"Anim_{number}"


def _of_fbx(path: Path) -> Iterator[str]:
    return map(_short, _stacks(path))


def _stacks(path: Path) -> Iterator[str]:
    """The whole names of the animation stacks of an FBX file: it is a tree of nodes, each with its end and its name."""
    with atomic_write.opened(path) as file:
        head = file.read(_HEAD_OF_FBX)
        node = struct.Struct("<Q16xB" if int.from_bytes(head[-4:], "little") >= 7500 else "<I8xB")
        while head.startswith(b"Kaydara FBX Binary"):
            end, size = node.unpack(file.read(node.size))
            name = file.read(size)
            if end <= file.tell():
                return
            if name == b"AnimationStack":
                _number, count = struct.unpack("<xqxI", file.read(14))
                yield file.read(count).partition(b"\0")[0].decode("utf-8", "replace")
            if name != b"Objects":
                file.seek(end)


def bound(path: Path) -> Iterator[str]:
    """A sentence that names the animations of a USD file, if it has others than its skeletons are bound to."""
    stage = versions.usd_stage(path)
    prims = [*stage.Traverse()] if stage else []
    found = {prim.GetPath(): prim.GetName() for prim in prims if prim.GetTypeName() == "SkelAnimation"}
    sources = [prim.GetRelationship("skel:animationSource").GetTargets() for prim in prims]
    taken = [found.pop(source) for source in dict.fromkeys(chain.from_iterable(sources)) if source in found]
    if taken and found:
        yield translated("report.animation_bound", value=_quoted(taken), file=path, others=_quoted(found.values()))


def played(take: Import, others: Set[Action]) -> Iterator[str]:
    """Let each armature play the animation that is asked for, otherwise the longest one that moves bones.

    others : the actions that the file had before
    returns : sentences for the report
    raises : Refused if no armature has one of this name
    """
    actions = [action for action in bpy.data.actions if action not in others]
    stacks = [*_stacks(take.path)] if take.path.suffix.lower() == ".fbx" else []
    rigs = [*filter(is_rig, take.scene.objects)]
    found = {}
    for rig in rigs:
        slot = versions.played(rig)[1]
        # Without slots, it is the name of an action that tells whose it is.
        own = [action for action in actions if slot or len(rigs) == 1 or rig.name in action.name]
        found[rig] = [(_name(rig, action, stacks), action) for action in own if _bone_curves(action, slot)]
    of_all = dict.fromkeys(name for named in found.values() for name, _ in named)
    if take.take and take.take not in of_all:
        raise Refused("NO_ANIMATION", value=take.take, file=take.path, nearest=nearest_name(take.take, of_all))
    for rig, named in found.items():
        slot = versions.played(rig)[1]
        fitting = [pair for pair in named if pair[0] == take.take] or named
        if len(named) > 1:
            chosen, action = max(fitting, key=lambda pair: _motion(pair[1], slot))
            versions.play(rig, action, slot)
            rest = dict.fromkeys(name for name, _ in named if name != chosen)
            if rest and chosen != take.take:
                yield translated("report.animation", value=chosen, file=take.path, others=_quoted(rest))


def _name(rig: Rig, action: Action, stacks: Sequence[str]) -> str:
    """What the file calls it: importers put the object's name before that, and the name of a layer behind a stack's."""
    tracks = rig.animation_data.nla_tracks if rig.animation_data else ()
    named = (track.name for track in tracks if any(strip.action == action for strip in track.strips))
    own = action.name.removeprefix(f"{rig.name}|")
    fitting = [stack for stack in stacks if f"{own}|".startswith(f"{stack}|")]
    return next(named, _short(max(fitting, key=len, default=own)))


def _short(name: str) -> str:
    """The name of a stack without that of an object, which Blender puts before it."""
    return name.rpartition("|")[2]


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _bone_curves(action: Action, slot: str) -> list[FCurve]:
    return [curve for curve in versions.slot_curves(action, slot) if bone_and_property(curve.data_path)[0]]


def _motion(action: Action, slot: str) -> tuple[bool, float]:
    """Whether it moves bones, and how long it is."""
    values = (attribute(curve.keyframe_points, "co")[:, 1] for curve in _bone_curves(action, slot))
    moves = any(np.ptp(each) > _STILL * max(1.0, np.abs(each).max()) for each in values if len(each))
    return moves, float(np.ptp(action.frame_range.to_tuple()))
