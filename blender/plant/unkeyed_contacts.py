"""Contacts that were changed without a key, on the current frame: Blender drops them once something else is keyed.

With Auto Keying on, Plant takes them as if they were keyed, and keys them as it writes; otherwise it refuses to drop
them.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from bpy.types import PoseBone, Scene

from ...skeleton.values import Channel
from .. import versions
from ..armatures import Rig
from ..messages.refused import Refused
from . import contact_keys
from .contact_keys import KINDS, Row


def unkeyed(rig: Rig, scene: Scene, bones: Iterable[str]) -> Iterator[PoseBone]:
    """Those of the bones whose contact is not what their keys give on the current frame.

    A bone that was planted and has no keys any more still has the contact that they gave last. It does not count,
    unless another capture plays. A bone not yet evaluated since its keys were written does not count either.
    """
    curves, now = list(filter(contact_keys.is_row, versions.curves(rig))), np.array([scene.frame_current_final])
    for name in bones:
        bone: Any = rig.pose.bones.get(name)
        if bone is None:
            continue
        row = contact_keys.row_of(curves, bone.path_from_id())
        differs = getattr(bone, contact_keys.FIELD) != (KINDS[row.at(now)[0]] if row else "NONE")
        if differs and (row or not _is_left(rig, bone)) and _is_evaluated(rig, scene, bone, row):
            yield bone


def to_be_keyed(rig: Rig, scene: Scene, bones: Iterable[str]) -> list[Channel]:
    """Of each of the bones whose contact has no key one key on the current frame.

    raises : Refused if there are such bones and Auto Keying is off
    """
    changed = list(unkeyed(rig, scene, bones))
    if changed and not scene.tool_settings.use_keyframe_insert_auto:
        kind = getattr(changed[0], contact_keys.FIELD).capitalize()
        raise Refused("CONTACT_UNKEYED", object=rig, bone=changed[0].name, value=kind)
    return [_key(bone, scene.frame_current_final) for bone in changed]


def _is_left(rig: Rig, bone: Any) -> bool:
    """Whether a contact without keys is what Plant had keyed: the same capture plays, or what was made of one."""
    action: Any = versions.played(rig)[0]
    written = bone.two_bone_ik_contact_written
    return bool(written and action and (action.name == written or action.two_bone_ik_source))


def _is_evaluated(rig: Rig, scene: Scene, bone: PoseBone, row: Row | None) -> bool:
    """Whether Blender shows the armature, and its keys are those of this row."""
    graphs = (layer.depsgraph for layer in scene.view_layers if layer.depsgraph)
    shown = (found for found in map(rig.evaluated_get, graphs) if found.is_evaluated)
    rows = (contact_keys.row_of(versions.curves(found), bone.path_from_id()) for found in shown)
    return any((found and found.keys.tolist()) == (row and row.keys.tolist()) for found in rows)


def _key(bone: PoseBone, frame: float) -> Channel:
    value = KINDS.index(getattr(bone, contact_keys.FIELD))
    return contact_keys.channel(bone.path_from_id(), np.array([frame]), (np.array([[value]]) & (1, 2)) > 0)
