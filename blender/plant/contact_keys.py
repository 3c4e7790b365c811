"""On which frames feet and hands stand, as keys of their chains' end bones: moved, copied and deleted as any others.

Users have set contacts from the first key of a bone to the last. What a curve gives beyond says nothing: it
goes on with its last value for ever.

A contact may also be changed without a key, on the current frame: Blender drops it once something else is keyed. With
Auto Keying on, Plant takes it as if it were keyed, and keys it as it writes; otherwise it refuses to drop it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import Any

import numpy as np
from bpy.types import FCurve, PoseBone, Scene
from numpy.typing import NDArray

from ...skeleton.values import Channel
from ...solver.values import Array
from .. import versions
from ..armatures import Rig
from ..curves.key_checks import code
from ..curves.keys import FEW_KEYS, count_posed, single_key_points, whole_frames
from ..curves.write import attribute, attributes, set_keys
from ..messages.refused import Refused
from ..rna_paths import bone_and_property
from ..settings import keyed_options
from ..settings.key_settings import KeyStyle

NAME, FIELD = "contact", keyed_options.bone_field("contact")
"""The option, and the property of pose bones that has it."""

KINDS = "NONE", "BALL", "HEEL", "BOTH"
"""What stands, by the number that keys have."""

STYLE = KeyStyle(interpolation="CONSTANT")
"""How channels of contacts are to be written: the last key is constant, too."""

GROUP = "Contacts"
"""Name of the group of their F-curves."""

POINTS = np.array((1, 2))
"""Ball and heel, as keys have them; both together are 3, as in options.toml."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Row:
    """The contacts of one limb, as the keys of their curve give them.

    keys : (m, 2) frame and value of each; in order if there is no curve
    curve : None if each value lasts until the next key; otherwise the curve, for Blender to evaluate
    """

    keys: NDArray[np.float32]
    curve: FCurve | None = None

    @classmethod
    def of(cls, curve: FCurve) -> "Row":
        """Read the contacts from a curve with keys."""
        keys, kinds = single_key_points(curve), attribute(curve.keyframe_points, "interpolation")
        lasts = (kinds == code("interpolation", "CONSTANT")).all() and (keys[1:, 0] > keys[:-1, 0]).all()
        lasts = lasts and (keys[:, 1] == np.floor(keys[:, 1])).all()
        return cls(keys=keys, curve=None if lasts and not len(curve.modifiers) else curve)

    @property
    def span(self) -> tuple[float, float]:
        """The frames of the first key and of the last."""
        return float(self.keys[0, 0]), float(self.keys[-1, 0])

    def at(self, frames: Array) -> NDArray[np.intp]:
        """(n,) what stands on n frames, as Blender evaluates it: beyond the keys the values go on."""
        if self.curve:
            values = np.array(list(map(self.curve.evaluate, frames.tolist())))
        else:
            before = np.searchsorted(self.keys[:, 0], frames.astype(np.float32), side="right") - 1
            values = self.keys[before.clip(0), 1]
        # Blender cuts off what is behind the point. A curve may be moved to where there is no word: the nearest counts.
        return values.astype(np.intp).clip(0, len(KINDS) - 1)

    def within(self, frames: Array) -> NDArray[np.intp]:
        """(n,) what stands on n frames between the first key and the last; beyond these nothing stands."""
        first, last = self.span
        return np.where((frames >= first) & (frames <= last), self.at(frames), 0)

    def with_key(self, channel: Channel) -> "Row":
        """The contacts of this row once its curve has the one key of the channel, too."""
        keys, frame, value = self.keys, np.float32(channel.frames[0]), channel.values[0, 0]
        if self.curve:
            frames = np.union1d(keys[:, 0], np.arange(ceil(self.span[0]), floor(self.span[1]) + 1.0))
            steps = self.at(frames)
            keys = np.column_stack((frames, steps))[_edges(steps)].astype(np.float32)
        keys = keys[keys[:, 0] != frame]
        return Row(keys=np.insert(keys, np.searchsorted(keys[:, 0], frame), (frame, value), axis=0))


def standing(row: Row, frames: Array) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
    """(n, 2) whether ball and heel stand on these frames (n,), as Blender evaluates it; (n,) whether anybody said so.

    returns : None where nothing is said of any of them
    """
    first, last = row.span
    said = (frames >= first) & (frames <= last)
    return ((row.at(frames)[:, None] & POINTS) > 0, said) if said.any() else None


def path(bone: str) -> str:
    """RNA path of the contacts of the bone with this RNA path."""
    return keyed_options.path(bone, NAME)


def row_of(rig: Rig, bone: str) -> Row | None:
    """The contacts of the bone with this RNA path; None if no curve that plays has keys of it."""
    curve = versions.curve_finder(rig)(path(bone), index=0)
    return Row.of(curve) if curve and not curve.mute and len(curve.keyframe_points) else None


def is_row(curve: FCurve) -> bool:
    """Whether it has the contacts of a limb."""
    return curve.data_path.endswith(f".{FIELD}")


def channel(bone: str, frames: Array, values: NDArray[np.intp]) -> Channel:
    """Keys where it changes, on the first frame and on the last, for the bone with this RNA path.

    frames : (n,)
    values : (n,)   what stands, as keys have it
    """
    rows = _edges(values)
    return Channel(path=path(bone), group=GROUP, frames=frames[rows], values=values[rows, None].astype(np.float64))


def _edges(values: NDArray[np.intp]) -> NDArray[np.intp]:
    """Where values (n,) are others than before, and the last."""
    return np.union1d(np.flatnonzero(np.concatenate(((True,), values[1:] != values[:-1]))), [len(values) - 1])


def keep_in_steps(curve: FCurve) -> None:
    """Let each value of a row last until the next key.

    Blender knows of curves that it has made for keys of an enum that they go in steps, but not of copies.
    """
    for key in curve.keyframe_points:
        key.interpolation = "CONSTANT"


def drop_repeats(curve: FCurve) -> None:
    """Take away keys that say what the key before says, but for the last; of a curve in steps alone."""
    row = Row.of(curve)
    if not row.curve:
        edges, keys = _edges(row.keys[:, 1].astype(np.intp)), attributes(curve.keyframe_points)
        set_keys(curve.keyframe_points, {name: values[edges] for name, values in keys.items()})
        curve.update()


def going_on(rig: Rig, channel: Channel) -> Channel:
    """The channel with one more key where the row has keys behind it: from there on it goes on as it was."""
    curve, behind = versions.curve_finder(rig)(channel.path, index=0), floor(channel.frames[-1]) + 1.0
    if curve is None or not any(key.co.x > behind for key in curve.keyframe_points):
        return channel
    frames, values = np.append(channel.frames, behind), np.append(channel.values, [[curve.evaluate(behind)]], axis=0)
    return replace(channel, frames=frames, values=values)


def unkeyed(rig: Rig, scene: Scene, bones: Iterable[str]) -> Iterator[PoseBone]:
    """The bones of these names whose contact is not what their keys give on the current frame.

    A bone that was planted and has no keys any more still has the contact that they gave last. It does not count,
    unless another capture plays. A bone not yet evaluated since its keys were written does not count either.
    """
    now = np.array([scene.frame_current_final])
    for name in bones:
        bone: Any = rig.pose.bones.get(name)
        if bone is None:
            continue
        row = row_of(rig, bone.path_from_id())
        differs = getattr(bone, FIELD) != (KINDS[row.at(now)[0]] if row else "NONE")
        if differs and (row or not _is_left(rig, bone)) and _is_evaluated(rig, scene, bone, row):
            yield bone


def to_be_keyed(rig: Rig, scene: Scene, bones: Iterable[str]) -> list[Channel]:
    """One key on the current frame for each of these bones whose contact was changed without a key.

    raises : Refused if there are such bones and Auto Keying is off
    """
    changed = list(unkeyed(rig, scene, bones))
    if changed and not scene.tool_settings.use_keyframe_insert_auto:
        kind = getattr(changed[0], FIELD).capitalize()
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
    rows = (row_of(found, bone.path_from_id()) for found in shown)
    return any((found and found.keys.tolist()) == (row and row.keys.tolist()) for found in rows)


def _key(bone: PoseBone, frame: float) -> Channel:
    return channel(bone.path_from_id(), np.array([frame]), np.array([KINDS.index(getattr(bone, FIELD))]))


def is_captured(rig: Rig) -> bool:
    """Whether there is something to plant: contacts, or a limb that turns by keys on more than a few frames.

    Without chains each bone counts as one of a limb: to detect these takes long, and panels ask at each redraw.
    """
    ends = {chain.end_bone for chain in rig.two_bone_ik_chains}
    for curve in versions.curves(rig):
        if is_row(curve):
            return True
        if len(curve.keyframe_points) > FEW_KEYS and count_posed(curve) > FEW_KEYS:
            bone, field = bone_and_property(curve.data_path)
            if field.startswith("rotation_") and (bone in ends or not ends):
                return True
    return False


def keyed_span(rig: Rig, few: int = 0) -> tuple[int, int] | tuple[()]:
    """The whole frames from the first to the last key that poses a bone of the armature; empty where none does.

    few : curves with no more keys do not count
    """
    posing = (curve for curve in versions.curves(rig) if curve.data_path.startswith("pose.bones["))
    return whole_frames(curve for curve in posing if len(curve.keyframe_points) > few and is_motion(curve)) or ()


def is_motion(curve: FCurve) -> bool:
    """Whether it moves, turns or scales a bone or an object."""
    return curve.data_path.rpartition(".")[2].startswith(("location", "rotation_", "scale"))


def usual_frames(rig: Rig, scene: Scene) -> tuple[int, int]:
    """Which frames to plant: the preview range, else the frames with keys, else the scene's."""
    if scene.use_preview_range:
        return scene.frame_preview_start, scene.frame_preview_end
    return keyed_span(rig) or (scene.frame_start, scene.frame_end)
