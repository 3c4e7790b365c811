"""The file as it stands, in so few calls that it can be read twice a scene: what changed is named by paths.

Read are objects, their poses, constraints and chains, armatures and their bones, actions key by key, and what the
scene shows. Shares nothing with the extension.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import bpy
from bpy.types import Action, FCurve, Object, bpy_struct

State = dict[str, object]
Difference = dict[str, tuple[object, object]]

# What Blender works out anew at any time.
_LEFT_OUT = {"matrix", "matrix_basis", "matrix_channel", "matrix_local", "matrix_world", "dimensions", "tail", "head"}
KEY = ("co", "handle_left", "handle_right", "interpolation", "handle_left_type", "handle_right_type", "type", "easing")


def state() -> State:
    """By path: the values of each thing that can be set, and of each F-curve its keys."""
    found: State = {}
    for name in ("objects", "armatures", "actions", "collections", "scenes", "meshes", "curves"):
        found[name] = sorted(getattr(bpy.data, name).keys())
    for item in bpy.data.objects:
        found.update(_object(item))
    for armature in bpy.data.armatures:
        found.update((f"armatures[{armature.name}].bones[{bone.name}]", _values(bone)) for bone in armature.bones)
        found[f"armatures[{armature.name}]"] = _values(armature)
    for action in bpy.data.actions:
        found.update((f"actions[{action.name}].{path}[{index}]", keys) for path, index, keys in keys_of(action))
    for scene in bpy.data.scenes:
        markers = [(marker.name, marker.frame) for marker in scene.timeline_markers]
        found[f"scenes[{scene.name}]"] = [scene.frame_current_final, scene.frame_start, scene.frame_end, markers]
        found[f"scenes[{scene.name}].objects"] = sorted(scene.objects.keys())
    return found


def changed(before: State) -> dict[str, Difference]:
    """What came, went or changed since: by path and name the old and the new value, "" naming the thing as a whole."""
    now = state()
    paths = sorted(path for path in before.keys() | now.keys() if repr(before.get(path)) != repr(now.get(path)))
    return {path: _difference(before.get(path), now.get(path)) for path in paths}


def curves(action: Action) -> Iterator[FCurve]:
    """All F-curves of an action, wherever this Blender keeps them."""
    if not hasattr(action, "layers"):
        yield from action.fcurves
        return
    for layer in action.layers:
        for strip in layer.strips:
            for channelbag in strip.channelbags:
                yield from channelbag.fcurves


def keys_of(action: Action) -> Iterator[tuple[str, int, list[tuple]]]:
    """Data path, index and keys of each F-curve; the mute of the curve and of its modifiers come first."""
    for curve in curves(action):
        keys = [tuple(_plain(getattr(key, name)) for name in KEY) for key in curve.keyframe_points]
        mutes = (curve.mute, curve.lock, *(modifier.mute for modifier in curve.modifiers))
        yield curve.data_path, curve.array_index, [mutes, *keys]


def _object(item: Object) -> Iterator[tuple[str, object]]:
    path = f"objects[{item.name}]"
    yield path, _values(item)
    yield from _parts(f"{path}.constraints", item.constraints)
    yield from _parts(f"{path}.chains", item.two_bone_ik_chains)
    animation = item.animation_data
    if animation:
        yield f"{path}.animation", [_values(animation), len(animation.nla_tracks)]
        yield from _parts(f"{path}.drivers", animation.drivers)
    for bone in item.pose.bones if item.pose else ():
        yield f"{path}.pose[{bone.name}]", _values(bone)
        if bone.constraints:
            yield from _parts(f"{path}.pose[{bone.name}].constraints", bone.constraints)


def _parts(path: str, parts: bpy_struct) -> Iterator[tuple[str, object]]:
    for index, part in enumerate(parts):
        yield f"{path}[{index}]", _values(part)


def _values(owner: bpy_struct) -> dict[str, object]:
    return {name: _plain(getattr(owner, name)) for name in _settable(type(owner))}


@cache
def _settable(kind: type) -> list[str]:
    """What can be set of everything of this type, pointers included."""
    return [
        item.identifier
        for item in kind.bl_rna.properties
        if not item.is_readonly and item.type != "COLLECTION" and item.identifier not in _LEFT_OUT
    ]


def _plain(value: object) -> object:
    """As text can hold it, and copied: the rows of a matrix would change with it."""
    if isinstance(value, bpy_struct):
        return getattr(value, "name", str(value))
    if isinstance(value, float):
        return value + 0.0  # a zero has no sign that anybody sees
    return tuple(map(_plain, value)) if hasattr(value, "__len__") and not isinstance(value, str) else value


def _difference(before: object, now: object) -> Difference:
    if isinstance(before, dict) and isinstance(now, dict):
        return {name: (old, now[name]) for name, old in before.items() if repr(old) != repr(now[name])}
    return {"": (before, now)}
