"""The holds that an object keeps, as `skeleton.hold` takes them, and back."""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil, floor
from typing import Any

import numpy as np
from bpy.types import FCurve, Object, PoseBone, Scene

from ...skeleton.hold import Hold
from ...skeleton.values import ChainPlan, Point
from ...solver.values import Array
from .. import versions
from ..armatures import Rig, is_rig
from ..curves import kept_action
from ..curves.keys import FEW_KEYS, single_key_points
from ..curves.write import attribute
from ..messages.refused import Refused
from ..messages.translation import frame_text, point_text
from ..rigs import controls
from ..rna_paths import bone_and_property
from ..scene.bone import bone_or_object
from ..scene.dependencies import target_of
from ..settings.properties import TwoBoneIKHold, active_chain, holds_of


def kept(item: Object) -> Any:
    """All holds of an object and of its bones."""
    return item.two_bone_ik_holds  # type: ignore[attr-defined]


def hold_to(scene: Any) -> tuple[Object, str] | None:
    """What the scene's field Hold to names: an object with the name of its bone, or None for the world."""
    item = scene.two_bone_ik_hold_to
    return (item, scene.two_bone_ik_hold_to_bone if is_rig(item) else "") if item else None


def of_chain(chain: Any) -> list[TwoBoneIKHold]:
    """The holds of a chain's target."""
    point = target_of(chain, "target")
    return holds_of(point) if point else []


def owner(point: Point) -> Object | PoseBone:
    """The object or the bone that takes the keys."""
    return bone_or_object(controls.keyed_point(point))


def refuse_other(chain: ChainPlan) -> None:
    """Raise `Refused` where the target plays what was not made from its keys, or turns otherwise than it was held."""
    point = chain.target
    if kept_action.plays_other(point.object):
        playing = versions.played(point.object)[0].name
        raise Refused("HELD_ACTION", chain=chain, object=point.object, value=point_text(point), action=playing)
    mode = owner(point).rotation_mode
    if any(record.rotation and record.rotation_mode != mode for record in holds_of(point)):
        held_in = holds_of(point)[0].rotation_mode
        raise Refused("HELD_MODE", chain=chain, object=point.object, value=point_text(point), mode=held_in)


def read(record: TwoBoneIKHold) -> Hold:
    """The record as a hold."""
    return Hold(
        start=record.frame_start,
        end=record.frame_end,
        at=record.frame,
        space=Point(record.space, record.space_bone) if record.space else None,
        rotation=record.rotation,
        ease=tuple(record.ease),
        grip=np.array(record.grip, dtype=np.float64),
    )


def lost(record: TwoBoneIKHold) -> bool:
    """Whether what it holds on to no longer exists."""
    item = record.space
    return not (item or record.to_world) or bool(record.space_bone and record.space_bone not in item.data.bones)


def keep(point: Point, hold: Hold, location: Sequence[float], orientation: Sequence[float]) -> None:
    """Add a hold with its grip. `location` and `orientation` are the values from before the first hold of the point."""
    record: TwoBoneIKHold = kept(point.object).add()
    record.name = title(hold)
    record.bone, record.rotation, record.ease = point.bone, hold.rotation, hold.ease
    record.frame_start, record.frame_end, record.frame = hold.start, hold.end, hold.at
    record.space, record.space_bone = hold.space or (None, "")
    record.to_world = hold.space is None
    record.rotation_mode = owner(point).rotation_mode
    record.location, record.orientation = location, [*orientation, 0.0][:4]
    # Blender reads a matrix set by rows as columns.
    record.grip = hold.grip.T.tolist()


def forget(point: Point) -> None:
    """Remove all holds of a point."""
    records = kept(point.object)
    for index in reversed([row for row, record in enumerate(records) if record.bone == point.bone]):
        records.remove(index)


def usual_frames(rig: Rig, scene: Scene) -> tuple[int, int]:
    """Over which frames to hold the active chain's target: its selected keys, the preview range, the frames to come."""
    chain = active_chain(rig)
    target = target_of(chain, "target") if chain else None
    point = controls.keyed_point(target) if target else None
    playing = versions.curves(point.object) if point else ()
    curves = [curve for curve in playing if bone_and_property(curve.data_path)[0] == point.bone]
    selected = {frame for curve in curves for frame in _selected_frames(curve)}
    if len(selected) > 1:
        return floor(min(selected)), ceil(max(selected))
    if scene.use_preview_range:
        return scene.frame_preview_start, scene.frame_preview_end
    captured = [ceil(curve.range()[1]) for curve in curves if len(curve.keyframe_points) > FEW_KEYS]
    now, last = scene.frame_current, max(captured, default=scene.frame_end)
    return now, last if last > now else max(scene.frame_end, now)


def _selected_frames(curve: FCurve) -> list[float]:
    """Reads all keys in two calls: the panel asks on each redraw, and a captured target has thousands of keys."""
    return single_key_points(curve)[attribute(curve.keyframe_points, "select_control_point"), 0].tolist()


def title(hold: Hold) -> str:
    """When, and to what."""
    span = "-".join(frame_text(frame) for frame in dict.fromkeys((hold.start, hold.end)))
    return f"{span} {point_text(hold.space)}" if hold.space else span


def shown(point: Point) -> Iterator[tuple[TwoBoneIKHold, Hold, list[Hold]]]:
    """Each hold with the later ones, which win over it."""
    records = holds_of(point)
    all_holds = [read(record) for record in records]
    for index, (record, hold) in enumerate(zip(records, all_holds, strict=True)):
        yield record, hold, all_holds[index + 1 :]


def undisputed(hold: Hold, later: Iterable[Hold], frames: Array) -> Array:
    """The whole frames at these (n,) on which the hold decides alone; between them it has no keys of its own."""
    frames = np.unique(frames.round())
    inside = (frames >= hold.start) & (frames <= hold.end)
    for other in later:
        inside &= (frames < other.span[0]) | (frames > other.span[1])
    return frames[inside]
