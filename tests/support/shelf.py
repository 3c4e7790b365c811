"""An armature and its target with three actions each, as game animators keep them, of which none plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Action, Object, PoseBone

from .rigs import animate, arm

NAMES = ("Idle", "Run", "Walk")
LAST = {"Idle": 8, "Run": 5, "Walk": 12}
"""The last frame of each; all begin on frame 1."""

Keys = Mapping[tuple[str, int], Sequence[tuple[float, float]]]

AT_FIRST = {"location": (1.2, 0.6, 1.3), "rotation_quaternion": (1, 0, 0, 0)}


def shelf(of_rig: str = "{}", of_target: str = "{}_Target") -> tuple[Object, Object]:
    """The arm and its target; their actions are called so, with one of `NAMES` for `{}`.

    of_target : "" where the target is to have slots in the armature's actions
    """
    rig, target = arm().id_data, bpy.data.objects["Target"]
    for number, name in enumerate(NAMES):
        turn = {1: (1, 0, 0, 0), LAST[name]: (0.9, 0.1 * number, 0.2, 0.1)}
        action = acting(rig.pose.bones["spine"], of_rig.format(name), rotation_quaternion=turn)
        way = {
            1: (1.2, 0.3 * number, 1.3),
            LAST[name] // 2: (0.6, 0.8 - 0.4 * number, 1.1 + 0.2 * number),
            LAST[name]: (1.1, -0.5, 0.6 + 0.3 * number),
        }
        acting(target, of_target.format(name), None if of_target else action, location=way)
    return rig, target


def acting(owner: Object | PoseBone, name: str, action: Action | None = None, **keys: Mapping[float, object]) -> Action:
    """An action of this name with these keys, or this action with them in a slot; afterwards it does not play."""
    item = owner.id_data
    before = {key: tuple(getattr(owner, key)) for key in keys}
    item.animation_data_create().action = action
    animate(owner, **keys)
    made = item.animation_data.action
    made.name, made.use_fake_user = name or made.name, True
    item.animation_data.action = None
    for key, value in before.items():
        setattr(owner, key, value)
    return made


def pushed_down(item: Object, name: str, track: str, start: int = 1) -> None:
    """Put the action of this name into a muted track."""
    action = bpy.data.actions[name]
    new = item.animation_data.nla_tracks.new()
    new.name, new.mute = track, True
    strip = new.strips.new(name, start, action)
    if hasattr(strip, "action_slot"):
        strip.action_slot = action.slots[0]


def play(item: Object, name: str) -> None:
    """Let the object play the action of this name alone, as by hand."""
    action = bpy.data.actions[name]
    slots = versions.slots(action)
    named = versions.slot_named_for(item)
    versions.play(item, action, named if named in slots else slots[0])
    item.animation_data.use_nla = False


def keys() -> dict[str, Keys]:
    """Of each action its keys, by path and index."""
    return {
        action.name: {
            (curve.data_path, curve.array_index): [tuple(key.co) for key in curve.keyframe_points]
            for slot in versions.slots(action)
            for curve in versions.slot_curves(action, slot)
        }
        for action in bpy.data.actions
    }
