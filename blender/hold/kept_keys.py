"""Gives a target back the keys that it had before its holds, in their spans, from the action that is kept of it."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from bpy.types import Object

from ...skeleton.target_channels import KeyedTarget
from .. import versions
from ..curves import write
from ..curves.kept_action import curves
from ..curves.key_checks import code
from ..curves.own_keys import any_inside
from ..curves.write import Attributes
from . import holds


def restore(copy: Object, item: Object, target: KeyedTarget, records: Sequence[Any]) -> None:
    """Give `copy`, which plays a copy of what `item` plays, the keys from before these holds, in their spans.

    Outside of the spans all keys stay, but for handles that were made free at the borders.
    """
    before, channelbag = curves(item), versions.ensure_channelbag(copy)
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
