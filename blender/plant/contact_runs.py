"""The contacts of a character as users see and set them: runs of frames on which a limb stands alike."""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from itertools import pairwise
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np
from bpy.types import FCurve, Scene

from .. import versions
from ..armatures import Rig
from ..bake.build_plan import scene_of
from ..curves import write
from ..curves.key_checks import refuse_unwritable
from ..curves.unkeyed_edits import preserve_edits
from ..messages.refused import Refused
from ..rna_paths import bone_and_property
from ..session import session
from ..settings.properties import active_chain
from . import contact_keys
from .captured_action import remembered
from .contact_keys import KINDS, Row
from .feet import found_limbs, names_by_end


class Run(NamedTuple):
    """From one frame to another, both inclusive, a limb stands alike: `kind` is one of `KINDS`."""

    start: int
    end: int
    kind: str


def rows(rig: Rig) -> dict[str, FCurve]:
    """The rows of contacts that play, by the name of the bone that has them."""
    curves = (curve for curve in versions.curves(rig) if contact_keys.is_row(curve) and not curve.mute)
    found = {bone_and_property(curve.data_path)[0]: curve for curve in curves if len(curve.keyframe_points)}
    return {name: found[name] for name in sorted(found) if name in rig.pose.bones}


_detected: dict[int, tuple[list[str], dict[str, str]]] = session.of_state({})
"""By armature its bones, and names of limbs by end bones: the panel asks on each redraw, and detection takes long."""


def limb_names(rig: Rig, known: Collection[str]) -> dict[str, str]:
    """What users call the limbs that end in these bones, and those with chains; where there is none, as detected."""
    names = {chain.end_bone: chain.name for chain in rig.two_bone_ik_chains}
    if names.keys() >= set(known):
        return names
    bones = rig.data.bones.keys()
    if _detected.get(rig.session_uid, ([],))[0] != bones:
        _detected[rig.session_uid] = bones, names_by_end(rig, found_limbs(rig))
    of_rig = _detected[rig.session_uid][1]
    return {bone: of_rig[bone] for bone in known if bone in of_rig} | names


def span(row: FCurve) -> tuple[int, int]:
    """The whole frames from the first key of a row to the last; if there are none, the last is before the first."""
    first, last = row.range().to_tuple()
    return ceil(first), floor(last)


def runs(row: FCurve, start: int, end: int) -> list[Run]:
    """From one frame to another, one after another, as Blender evaluates the row; beyond its keys nothing stands."""
    values = Row.of(row).within(np.arange(start, end + 1.0))
    edges = [0, *(np.flatnonzero(np.diff(values)) + 1).tolist(), len(values)]
    return [Run(start + begin, start + beyond - 1, KINDS[values[begin]]) for begin, beyond in pairwise(edges)]


def whole_span(known: Iterable[FCurve]) -> tuple[int, int]:
    """The whole frames from the first key of these rows to the last; one where there is none."""
    starts, ends = zip(*map(span, known), strict=True)
    return min(starts), max(min(starts), *ends)


def page(known: Iterable[FCurve], frame: int, most: int) -> tuple[int, int]:
    """First and last frame of the part of the rows' span that has this frame, or is next to it: parts of equal length.

    most : frames of a part, unless the whole is less than twice as long
    """
    first, last = whole_span(known)
    count = last - first + 1
    parts = 1 if count < 2 * most else ceil(count / most)
    length = ceil(count / parts)
    start = first + length * min(max((frame - first) // length, 0), parts - 1)
    return start, min(start + length - 1, last)


def kind_over(row: FCurve, start: int, end: int) -> str:
    """What the limb stands on throughout these frames; "" if that changes."""
    kinds = {found.kind for found in runs(row, start, end)}
    return kinds.pop() if len(kinds) == 1 else ""


def run_at(row: FCurve, frame: int) -> Run:
    """The whole run that has this frame."""
    first, last = span(row)
    found = runs(row, min(first, frame), max(last, frame))
    return next(run for run in found if run.end >= frame)


def selected(item: Any, scene: Scene) -> tuple[str, int, int]:
    """The end bone of an armature object whose contacts are selected, first and last frame; "" where no limb can stand.

    Where users have selected none, that is what the active chain stands on now, or else the first limb with contacts.
    """
    known, chain, bone = rows(item), active_chain(item), item.two_bone_ik_contact_bone
    if bone in item.pose.bones:
        return bone, *item.two_bone_ik_contact_frames
    bone = chain.end_bone if chain else next(iter(known), "")
    if bone not in item.pose.bones:
        return "", 0, 0
    now = scene.frame_current
    start, end = run_at(known[bone], now)[:2] if bone in known else (now, now)
    return bone, start, end


def set_kind(rig: Rig, scene: Scene, bone: str, start: int, end: int, kind: str) -> None:
    """Key a limb so that it stands as told from one frame to another, both inclusive, and before and after as it did.

    bone : the name of its end bone, which may have no row yet
    raises : Refused, before anything changes, where keys could not be written or would not play
    """
    path = rig.pose.bones[bone].path_from_id()
    refuse_unwritable(rig, {contact_keys.path(path)}, contact_keys.STYLE)
    row = rows(rig).get(bone)
    first, last = span(row) if row else (start, end)
    # Keys far from the others would let what is between say the same.
    frames = np.arange(min(start, last + 1), max(end, first - 1) + 1.0)
    values = np.where((frames >= start) & (frames <= end), KINDS.index(kind), 0)
    channel = contact_keys.channel(path, frames, values)
    with preserve_edits(rig, scene, {channel.path}):
        keyed = [contact_keys.going_on(rig, channel)]
        write.keys(rig, keyed, span=(frames[0], frames[-1]), style=contact_keys.STYLE)
        contact_keys.drop_repeats(rows(rig)[bone])


def move_end(item: Any, which: int, frame: int) -> None:
    """Let the selected frames of an armature object begin (0) or end (1) on this one.

    If they are a run, its end moves too. Each run keeps one frame, so moving the end back restores it. At an end of the
    row, nothing stands on the frames that the run leaves. Where no key can be written, nothing changes.
    """
    bone, (start, end) = item.two_bone_ik_contact_bone, item.two_bone_ik_contact_frames
    row = rows(item).get(bone)
    run = run_at(row, start) if row else None
    if row is None or run is None or run[:2] != (start, end):
        item.two_bone_ik_contact_frames[which] = max(frame, start) if which else min(frame, end)
        return
    before, other = ((start, end)[index] for index in (which, 1 - which))
    limit, next_kind = _neighbour(row, before, which)
    _, frame, _ = sorted((other, frame, limit))  # no farther than these
    kind = next_kind if start <= frame <= end else run.kind
    first, last = sorted((before, frame))
    if first < last:
        with suppress(Refused):
            set_kind(item, scene_of(item), bone, first + which, last - 1 + which, kind)
            item.two_bone_ik_contact_frames = run_at(rows(item)[bone], other)[:2]


def _neighbour(row: FCurve, end: int, which: int) -> tuple[int, str]:
    """How far a run that begins (0) or ends (1) there can reach, and what kind the run next to it is."""
    outermost, step = span(row)[which], 1 if which else -1
    if step * end >= step * outermost:
        return outermost, "NONE"
    *ends, kind = run_at(row, end + step)
    keeps_frame = ends[which] != outermost or kind != "NONE"
    return ends[which] - step * keeps_frame, kind


def are_newer(rig: Rig, known: Mapping[str, FCurve]) -> bool:
    """Whether contacts were changed since Plant made the motion that plays; `known` are its rows by bone."""
    planted = remembered(rig)
    now = {row.data_path: Row.of(row).keys.tolist() for row in known.values()} if planted else {}
    return any(now.get(path, []) != list(planted[path].keys if path in planted else []) for path in {*now, *planted})
