"""Copies of the objects whose targets are to be held: they are keyed on trial, in actions of their own."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
from bpy.types import Action, FCurve, Object

from ...skeleton.target_channels import KeyedTarget
from ...skeleton.transform import Basis
from ...skeleton.values import Channel, Point
from ...solver.values import Array
from .. import versions
from ..bake import write_channels
from ..curves import borders, write
from ..curves.keys import by_path_and_index
from ..scene.bone import bone_or_object
from ..scene.curves import OwnTransforms
from ..settings.hold_and_plant_properties import holds_of
from ..settings.key_settings import DEFAULTS
from . import kept_keys


class TrialCopies(ExitStack):
    """A copy of each object that was added; closing it removes them."""

    def __init__(self) -> None:
        super().__init__()
        self._copies: dict[Object, Object] = {}

    def add(self, item: Object) -> None:
        """Copy the object, if it has no copy yet, with an action of its own."""
        if item not in self._copies:
            copy: Any = self.enter_context(write_channels.copied(item))
            self._copies[item] = copy
            copy.two_bone_ik_source = None  # it would count as a user
            if versions.played(copy)[0]:
                versions.copy_action(copy)

    def restore(self, point: Point, target: KeyedTarget) -> None:
        """Give the copy, in the spans of the point's holds, the keys from before them."""
        kept_keys.restore(self._copies[point.object], point.object, target, holds_of(point))

    def key(self, item: Object, channels: Sequence[Channel], span: tuple[float, float]) -> None:
        """Key the copy in the span; outside of it the curves stay as they are."""
        copy, paths = self._copies[item], {channel.path for channel in channels}
        spans = {key: span for key in by_path_and_index(versions.curves(copy)) if key[0] in paths}
        with borders.kept(copy, spans):
            write.keys(copy, channels, span=span, style=DEFAULTS)
            for curve in versions.curves(copy):
                if curve.data_path in paths:
                    _deselect(curve)

    def played(self, item: Object) -> tuple[Action | None, str]:
        """What the copy plays: an action and the identifier of its slot."""
        return versions.played(self._copies[item])

    def basis(self, point: Point, frames: Array) -> Basis:
        """How the copy, or its bone of this name, is on these frames."""
        copy = self._copies[point.object]
        return OwnTransforms(copy, frames).basis(bone_or_object(Point(copy, point.bone)))

    def values(self, item: Object, paths: Sequence[str], frame: float) -> dict[str, Array]:
        """By path what the properties of the copy are on a frame."""
        copy = self._copies[item]
        find = versions.curve_finder(copy)

        def value(path: str, index: int, now: float) -> float:
            curve = find(path, index=index)
            return curve.evaluate(frame) if curve else now

        now: dict[str, Sequence[float]] = {path: copy.path_resolve(path) for path in paths}
        return {path: np.array([value(path, *row) for row in enumerate(values)]) for path, values in now.items()}


def _deselect(curve: FCurve) -> None:
    """Otherwise the next hold would begin with the range of these keys."""
    for part in ("select_control_point", "select_left_handle", "select_right_handle"):
        curve.keyframe_points.foreach_set(part, np.zeros(len(curve.keyframe_points), dtype=np.bool_))
