"""Known limbs into the plans of a switch: which bones show, which controls follow, what says which layer shows."""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ....skeleton.layers import CarriedBone, LayerPlan, Setting
from ....skeleton.place_bones import Evaluated
from ....skeleton.values import MERGE, Channel, Point
from ....solver.values import Array
from ... import versions
from ...armatures import Rig
from ...chains.rigs.rig_files import KnownLimb
from ...chains.rigs.switch_property import drivers_reading, property_path, switch_path, toe_path
from ...choices import Word
from ...messages.refused import Refused
from ...rna_paths import bone_and_property, value_at
from ..sample.request import SampleRequest
from . import dependencies
from .bone import read_bone, rest
from .keys import key_frames, key_points, numbers_on

_NEAR = 0.02
"""Frames: Blender makes keys that are closer than half of this into one; of frames beyond 40,000 it tells fewer."""

_PARTS = (0.25, 0.5, 0.75, 1.0)
"""Of the frame ahead of a border: there it shows whether a curve stands still, or changes."""


class Layer(Word):
    """Layers of a limb that can show."""

    FK = "FK"
    IK = "IK"


def read_layers(rig: Rig, limb: KnownLimb, to: Layer, frames: Array) -> LayerPlan:
    """The limb as it is to show its FK controls, or IK; Refused where nothing tells how IK is keyed."""
    bones = cache(lambda name: read_bone(rig, name))
    switch = setting_of(switch_path(rig, limb), limb.fk_value if to == Layer.FK else limb.ik_value)
    own, other = (limb.fk, limb.ik) if to == Layer.FK else (limb.ik, limb.fk)
    # Where nothing else shows the limb, the layer that is to show is held to the one that has shown it.
    shown, before = limb.shown or own, limb.shown or other

    def offset(bone: str, other: str) -> Array:
        return np.linalg.inv(rest(rig.data.bones[bone])) @ rest(rig.data.bones[other])

    def carried(control: str, follows: str) -> CarriedBone:
        bone = rig.data.bones[control]
        parents = tuple(bones(each.name) for each in bone.parent_recursive)
        moves = not bone.use_connect
        return CarriedBone(bone=bones(control), parents=parents, offset=offset(follows, control), moves=moves)

    kept = tuple((carried(name, name), name) for name in limb.kept)
    toe = toe_path(rig, limb)
    if toe and _left_off(rig, toe, switch.path, limb.ik_value, frames):
        toe = ""
    plan = LayerPlan(
        name=limb.name,
        shown=tuple(map(bones, (*shown, *limb.kept))),
        before=(
            *((each, offset(each, bone)) for each, bone in zip(before, shown, strict=True)),
            *((name, np.eye(4)) for name in limb.kept),
        ),
        source=source_bones(rig, limb, to),
        switch=switch,
        along=(setting_of(toe, 0.0 if to == Layer.FK else 1.0),) if toe else (),
        controls=kept,
        shared=frozenset(limb.kept).union({*limb.fk} & {*limb.ik}),
        pole_on=np.zeros(len(frames), dtype=np.bool_),
    )
    if to == Layer.FK:
        return replace(
            plan, controls=(*((carried(*pair), pair[1]) for pair in zip(limb.fk, shown, strict=True)), *kept)
        )
    if not limb.control:
        raise Refused("NO_IK_KEYS", object=rig, value=limb.name)
    pairs = [*zip((limb.control, *limb.ik[3:]), shown[2:], strict=True), *([(limb.toe_ik, shown[2])] if toe else [])]
    return replace(
        plan,
        controls=(*((carried(*pair), pair[1]) for pair in pairs), *kept),
        zero=tuple(map(bones, limb.zero)),
        chain=tuple(carried(*pair) for pair in zip(limb.ik[:2], shown, strict=False)),
        rigid=tuple(_held(rig, [f"{bones(name).path}.ik_stretch" for name in limb.ik[:2]], 0.0, frames)),
        far=tuple(_held(rig, [property_path(rig, limb, limb.stretch_switch)], 1.0, frames)),
        swivel=carried(limb.swivel, shown[0]) if limb.swivel else None,
        pole=carried(limb.pole, limb.pole) if limb.pole else None,
        pole_on=pole_on(rig, limb, frames),
    )


def source_bones(rig: Rig, limb: KnownLimb, to: Layer) -> frozenset[str]:
    """Names of the controls of the layer that is not to show; where none of IK is known, of what moves IK alone."""
    found = limb.fk if to == Layer.IK else limb.ik_controls
    if not found:
        carrying = dependencies.upstream(*dependencies.with_parents(Point(rig, limb.fk[0]))[1:])
        moving = dependencies.upstream(*(Point(rig, name) for name in limb.ik))
        found = tuple(point.bone for point in moving - carrying if point.object == rig and point.bone)
    return frozenset((*found, *limb.kept))


def with_source_keys(rig: Rig, limbs: Iterable[KnownLimb], to: Layer, frames: Array) -> Array:
    """The frames, rising, and in between those on which controls of the layer that is not to show have keys."""
    bones = {name for limb in limbs for name in source_bones(rig, limb, to)}
    found = np.unique(np.concatenate([np.empty(0), *(key_frames(Point(rig, name)) for name in bones)]))
    found = found[(found > frames[0]) & (found < frames[-1])]
    # Keys that are closer than this Blender merges.
    rows = np.searchsorted(frames, found).clip(1, max(len(frames) - 1, 1))
    apart = np.minimum(found - frames[rows - 1], frames[rows % len(frames)] - found) > MERGE
    apart[1:] &= np.diff(found) > MERGE
    return np.sort(np.concatenate((frames, found[apart])))


def shows(rig: Rig, limb: LayerPlan, frames: Array) -> bool:
    """Whether the layer that the limb is to show does so on all frames already."""
    return all((numbers_on(rig, one.path, frames) == one.value).all() for one in limb.switches)


def _left_off(rig: Rig, path: str, switch: str, shown: float, frames: Array) -> bool:
    """Whether a property is 0 on these frames, and on the nearest ones on which the switch is at `shown`."""
    curve = versions.curve_finder(rig)(switch, index=0)
    keyed = key_points(curve)[0] if curve else np.empty(0)
    times = np.concatenate((frames, keyed, (frames[0] - 1.0, frames[-1] + 1.0)))
    times = times[numbers_on(rig, switch, times) == shown]
    away = np.maximum(frames[0] - times, times - frames[-1]).clip(0.0)
    nearest = times[away <= away.min(initial=np.inf) + MERGE]
    return bool(len(nearest)) and not numbers_on(rig, path, np.concatenate((frames, nearest))).any()


def _held(rig: Rig, paths: Iterable[str], value: float, frames: Array) -> Iterator[Setting]:
    """Holds those of the properties that are anything else on a frame; one that is driven has to stay as it is."""
    driven = {driver.data_path for driver in versions.drivers(rig)}
    for path in filter(None, paths):
        if path not in driven and (numbers_on(rig, path, frames) != value).any():
            yield setting_of(path, value)


def pole_on(rig: Rig, limb: KnownLimb, frames: Array) -> NDArray[np.bool_]:
    """(n,) True on frames on which IK of the limb bends towards its pole control."""
    path = property_path(rig, limb, limb.pole_switch) if limb.pole and limb.pole_switch else ""
    return numbers_on(rig, path, frames) > 0.5 if path else np.full(len(frames), bool(limb.pole))


def shown_request(rig: Rig, limbs: Sequence[LayerPlan], carriers: Iterable[str]) -> SampleRequest:
    """What shows the limbs now, bones of these names, and the channels of those that turn IK chains."""
    shown = {Point(rig, name) for limb in limbs for name, _ in limb.before}
    told = {Point(rig, name) for name in carriers}
    kept = {Point(rig, name) for limb in limbs for _, name in limb.controls}
    sized = frozenset(Point(rig, bone.name) for limb in limbs for bone in limb.sized)
    return SampleRequest(objects=frozenset({rig}), bones=frozenset(shown | told | kept), own=sized, turned=sized)


def trial_bones(limbs: Sequence[LayerPlan]) -> set[str]:
    """Names of the bones that tell whether limbs are posed as they are to be."""
    shown = {bone.name for limb in limbs for bone in limb.shown}
    return shown | {carried.bone.name for limb in limbs for carried in limb.chain}


def ties(rig: Rig, limbs: Sequence[LayerPlan]) -> Evaluated:
    """Before anything is evaluated: what carries controls, as far up as it will move, with all that it follows.

    Stale are bones that switches move.
    """
    constrained = {
        name
        for bone, each in dependencies.constrained(rig)
        if not (each.type == "COPY_SCALE" and bone.bone.inherit_scale == "NONE")
        for name in dependencies.moved_by(bone, each)
    }
    paths = {switch.path for limb in limbs for switch in limb.switches}
    driven = {driver.data_path for driver in drivers_reading(rig, paths)}
    stale = {bone_and_property(path)[0] for path in driven}
    for name in {bone_and_property(path)[0] for path in paths | driven}.intersection(rig.pose.bones.keys()):
        bone = rig.pose.bones[name]
        for each in bone.constraints:
            if f"{each.path_from_id()}.influence" in paths | driven:
                stale |= dependencies.moved_by(bone, each)
    depends = _carrying(rig, limbs, stale.union(bone.name for limb in limbs for bone in limb.keyed))
    return Evaluated(poses={}, depends=depends, constrained=constrained, stale=stale)


def _carrying(rig: Rig, limbs: Sequence[LayerPlan], moving: Set[str]) -> dict[str, frozenset[str]]:
    """Of each bone that carries a control what it follows, from the control up to one that follows none `moving`."""
    sources = cache(lambda place: tuple(dependencies.sources_of(place)))
    found: dict[str, frozenset[str]] = {}
    for carried in (carried for limb in limbs for carried in limb.carried):
        for bone in carried.parents:
            if bone.name not in found:
                followed = dependencies.upstream(Point(rig, bone.name), sources=sources)
                found[bone.name] = frozenset(point.bone for point in followed)
            if found[bone.name].isdisjoint(moving):
                break
    return found


def setting_of(path: str, value: float) -> Setting:
    """The property at this RNA path, held at a value."""
    return Setting(path=path, group=bone_and_property(path)[0] or "Object Transforms", value=value)


def setting_channel(rig: Rig, setting: Setting, frames: Array) -> tuple[Channel, str]:
    """Keys that hold a property over the frames and leave it as it is outside; how the last one goes on."""
    ahead, after = _beside(rig, setting.path, frames)
    # Where a key behind keeps it already, the last key is on the border: the style of the old one there is taken over.
    value = np.array([setting.value])
    keys = {**ahead, float(frames[0]): value, **(after or {float(frames[-1]): value})}
    curve = versions.curve_finder(rig)(setting.path, index=0)
    kinds = [key.interpolation for key in curve.keyframe_points if key.co.x <= frames[-1] + 1.0] if curve else []
    channel = Channel(
        path=setting.path,
        group=setting.group,
        frames=np.array(list(keys)),
        values=np.stack(list(keys.values())),
        held=np.ones(len(keys) - 1, dtype=np.bool_),
    )
    return channel, kinds[-1] if after and kinds else "CONSTANT"


def shown_beside(rig: Rig, limb: LayerPlan, bone: str, frames: Array) -> tuple[bool, bool]:
    """Whether what this bone is keyed to shows ahead of the frames, and after them."""
    if bone in limb.shared:
        return True, True
    start, end, path = frames[0], frames[-1], limb.switch.path
    curve = versions.curve_finder(rig)(path, index=0)
    times = key_points(curve)[0] if curve else np.empty(0)
    times = np.concatenate((times, (start - 1.0, start - _near(start), end + _near(end), end + 1.0)))
    shows = np.abs(numbers_on(rig, path, times) - limb.switch.value) < 1.0
    return bool(shows[times < start].any()), bool(shows[times > end].any())


def kept_beside(rig: Rig, channel: Channel, ahead: bool, after: bool) -> Channel:
    """The same with keys that keep what is ahead of its frames, and after them, where that is asked for."""
    before, behind = _beside(rig, channel.path, channel.frames)
    start, end = before if ahead else {}, behind if after else {}
    frames = np.array([*start, *channel.frames, *end])
    values = np.concatenate(
        [*([each[None] for each in start.values()]), channel.values, *(e[None] for e in end.values())]
    )
    slopes = channel.slopes
    if slopes is not None:
        straight = (np.diff(values, axis=0) / np.diff(frames)[:, None])[:, None].repeat(2, axis=1)
        first = len(start)
        straight[first : first + len(slopes)] = slopes
        slopes = straight
    stays = np.zeros(len(channel.frames) - 1, dtype=np.bool_) if channel.held is None else channel.held
    stays = np.concatenate((np.ones(len(start), dtype=np.bool_), stays, np.zeros(len(end), dtype=np.bool_)))
    return replace(channel, frames=frames, values=values, slopes=slopes, held=stays)


def borders(rig: Rig, path: str, frames: Array, ahead: bool = True, after: bool = True) -> tuple[float, float]:
    """First and last of the frames with those of the keys that keep a property ahead of them, and after them."""
    before, behind = _beside(rig, path, frames)
    start, end = [*before] if ahead else [], [*behind] if after else []
    return min((*start, float(frames[0]))), max((*end, float(frames[-1])))


def _near(frame: float) -> float:
    """How far from a frame the next key may be that stays apart from one on it."""
    return max(_NEAR, 4.0 * float(np.spacing(np.float32(abs(frame)))))


def _beside(rig: Rig, path: str, frames: Array) -> tuple[dict[float, Array], dict[float, Array]]:
    """Keys, (k,) by frame, that keep a property as it is ahead of these frames and after them.

    Both are as near as keys may be, since between frames nothing is to change either; ahead a frame away where the
    property stands still. Halfway to a key that is nearer ahead; behind a key that is no farther keeps it.
    """
    start, end = float(frames[0]), float(frames[-1])
    find, standing = versions.curve_finder(rig), np.atleast_1d(np.array(value_at(rig, path), dtype=np.float64))
    curves = [find(path, index=index) for index in range(len(standing))]
    if not any(curves):
        return {start - 1.0: standing}, {end + _near(end): standing}
    times = np.concatenate([key_points(curve)[0] for curve in curves if curve])

    def values(frame: float) -> dict[float, Array]:
        found = [curve.evaluate(frame) if curve else value for curve, value in zip(curves, standing, strict=True)]
        return {frame: np.array(found)}

    near, far = _near(start), _near(end)
    before = times[times < start - MERGE].max(initial=-np.inf)
    behind = times[times > end + MERGE].min(initial=np.inf)
    now = values(start)[start]
    if all(np.array_equal(values(frame)[frame], now) for frame in start - np.array(_PARTS)):
        near = 1.0
    ahead = start - near if before < start - near else (before + start) / 2.0
    return values(ahead), values(end + far) if behind > end + far else {}
