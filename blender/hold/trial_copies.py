"""Copies of the objects of targets, keyed on trial: the objects themselves change only once all holds can be made.

Each copy plays a copy of the action that its object plays. In the spans of holds it gets new keys, or those from before
them back, from the action that is kept of the object.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from bpy.types import Object

from ...skeleton import transform
from ...skeleton.target_channels import CarriedTarget, KeyedTarget
from ...skeleton.transform import Basis
from ...skeleton.values import Channel, Point, Samples
from ...solver.values import Array
from ...solver.vectors import product
from .. import versions
from ..bake import write_channels
from ..curves import borders, kept_action, write
from ..curves.key_checks import code
from ..curves.keys import by_path_and_index
from ..curves.own_keys import any_inside
from ..curves.write import Attributes
from ..scene import dependencies
from ..scene.bone import bone_or_object
from ..scene.curves import OwnTransforms
from ..settings.key_settings import DEFAULTS
from . import holds


@contextmanager
def copied(item: Any) -> Iterator[Any]:
    """A copy of an object, which is removed in the end, with the action that it plays unless another object does."""
    with write_channels.copied(item) as copy:
        copy.two_bone_ik_source = None  # it would count as a user
        if versions.played(copy)[0]:
            versions.copy_action(copy)
        yield copy


def restore(copy: Object, item: Object, target: KeyedTarget, records: Sequence[Any]) -> None:
    """Give `copy`, which plays a copy of what `item` plays, the keys from before these holds, in their spans.

    Outside of the spans all keys stay, but for handles that were made free at the borders.
    """
    before, channelbag = kept_action.curves(item), versions.ensure_channelbag(copy)
    for path, spans, _ in _held(target, records):
        for index in range(len(copy.path_resolve(path))):
            curve, source = channelbag.fcurves.find(path, index=index), before.get((path, index))
            if curve is None:
                continue  # it was never keyed, or its keys were removed
            keys = _outside(write.attributes(curve.keyframe_points), spans)
            if source:
                keys = _with_source(keys, write.attributes(source.keyframe_points), spans)
            if len(keys["co"]):
                write.set_keys(curve.keyframe_points, keys)
                curve.update()
            else:
                channelbag.fcurves.remove(curve)
    set_unkeyed(copy, target, records)


def set_unkeyed(item: Object, target: KeyedTarget, records: Sequence[Any]) -> None:
    """Set the properties that these holds have held, and that have no keys, to the values that the holds remember."""
    find = versions.curve_finder(item)
    for path, _, values in _held(target, records):
        owner: Any = item.path_resolve(path)
        for index in range(len(owner)):
            if find(path, index=index) is None:
                owner[index] = values[index]


def key(copy: Object, channels: Sequence[Channel], span: tuple[float, float]) -> None:
    """Key a copy in the span; outside of it the curves stay as they are."""
    paths = {channel.path for channel in channels}
    spans = {key: span for key in by_path_and_index(versions.curves(copy)) if key[0] in paths}
    with borders.kept(copy, spans):
        write.keys(copy, channels, span=span, style=DEFAULTS)
        for curve in versions.curves(copy):
            if curve.data_path in paths:  # otherwise the next hold would begin with the range of these keys
                none = np.zeros(len(curve.keyframe_points), dtype=np.bool_)
                for part in ("select_control_point", "select_left_handle", "select_right_handle"):
                    curve.keyframe_points.foreach_set(part, none)


def with_copied(copy: Object, point: Point, target: KeyedTarget, samples: Samples, frames: Array) -> Samples:
    """The samples, with the target, its control and what that carries moved to where the copy has them.

    frames : (n,) those of the samples
    """
    keyed = target.parents[0]
    basis = OwnTransforms(copy, frames).basis(bone_or_object(Point(copy, keyed.bone)))
    worlds = CarriedTarget.of(target, samples, {}).worlds(point, Basis.side_by_side([basis]))
    way = product(worlds[keyed], transform.inverse(samples.world(keyed)))
    places = *map(Point, samples.to_world), *samples.pose
    below = [place for place in places if keyed in dependencies.with_parents(place)]
    carried = {place: product(way, samples.world(place)) for place in below} | worlds
    to_world = samples.to_world | {place.object: world for place, world in carried.items() if not place.bone}
    bones = {place: world for place, world in carried.items() if place.bone}
    poses = {place: product(transform.inverse(to_world[place.object]), world) for place, world in bones.items()}
    return replace(samples, to_world=to_world, pose=samples.pose | poses, basis=samples.basis | {keyed: basis})


def play(item: Object, copy: Object) -> None:
    """Let the object play the keys of its copy; what it plays now is kept."""
    kept_action.keep(item)
    kept_action.replace_played(item, *versions.played(copy))


def _held(target: KeyedTarget, records: Sequence[Any]) -> Iterator[tuple[str, list[tuple[float, float]], Any]]:
    """Each path that holds key, the spans in which they do, and its values from before."""
    turning = [record for record in records if record.rotation]
    yield target.location_path, [holds.read(record).span for record in records], records[0].location
    if turning:
        yield target.rotation_path, [holds.read(record).span for record in turning], records[0].orientation


def _outside(keys: Attributes, spans: Sequence[tuple[float, float]]) -> Attributes:
    outside = ~any_inside(keys["co"][:, 0], spans)
    return {name: values[outside] for name, values in keys.items()}


def _with_source(keys: Attributes, source: Attributes, spans: Sequence[tuple[float, float]]) -> Attributes:
    """The keys, and the source's keys in the spans; a key that both have becomes as it was if its handles are free."""
    free = code("handle_left_type", "FREE")
    places = {tuple(co): row for row, co in enumerate(source["co"].tolist())}
    rows = [places.get(tuple(co), -1) for co in keys["co"].tolist()]
    frozen = (keys["handle_left_type"] == free) & (keys["handle_right_type"] == free) & (np.array(rows, int) >= 0)
    taken = np.concatenate((np.flatnonzero(any_inside(source["co"][:, 0], spans)), np.array(rows, int)[frozen]))
    order = np.argsort(np.concatenate((keys["co"][~frozen, 0], source["co"][taken, 0])), kind="stable")
    return {name: np.concatenate((values[~frozen], source[name][taken]))[order] for name, values in keys.items()}
