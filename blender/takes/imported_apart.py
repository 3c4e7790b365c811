"""A capture in a scene of its own: from there the user's scene gets it, or it goes without a trace."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
from bpy.types import ID, Scene, ViewLayer, Window

from ..armatures import is_rig
from ..scene import probe
from .fit_scene import CaptureTime, fit
from .import_take import import_take
from .take import Import


class Capture:
    """What was imported.

    scene : that of its own, with the rate of the capture
    notes : sentences for the report
    """

    def __init__(self, scene: Scene, added: list[ID], notes: Sequence[str]) -> None:
        self._added = added
        self.scene, self.notes = scene, notes
        self.rigs = [*filter(is_rig, scene.objects)]

    def hand_over(self, layer: ViewLayer) -> None:
        """Put it into the scene of this view layer, its armatures selected; of an empty scene, set rate and range."""
        scene: Any = layer.id_data
        if not _is_animated(scene):
            render = self.scene.render
            fit(scene, CaptureTime(self.scene.frame_start, self.scene.frame_end, render.fps / render.fps_base))
        active = layer.active_layer_collection
        above = layer.layer_collection if active.exclude or not active.collection.is_editable else active
        for item in layer.objects:
            item.select_set(False, view_layer=layer)
        for item in self.scene.collection.objects:
            above.collection.objects.link(item)
            item.select_set(item in self.rigs, view_layer=layer)
        for child in self.scene.view_layers[0].layer_collection.children:
            above.collection.children.link(child.collection)
            above.children[child.name].exclude = child.exclude
        layer.objects.active = self.rigs[0]
        self._added.clear()


@contextmanager
def imported_apart(window: Window, take: Import) -> Iterator[Capture]:
    """Gives what was imported; on exit, everything that was not handed over is removed.

    window : shows `take.scene`; importers work on the scene of the window
    raises : Refused
    """
    scene, layer = take.scene, window.view_layer
    with probe.scene_apart(scene) as (apart, added):
        there = {block.session_uid for block in bpy.data.user_map()}
        apart.camera = scene.camera  # who looks through a camera goes on to do so
        try:
            # Blender evaluates the scene that it goes back to.
            with probe.restored(scene, {}):
                window.scene = apart
                try:
                    taken = import_take(take._replace(scene=apart))
                finally:
                    window.scene, window.view_layer = scene, layer
        finally:
            added += [block for block in bpy.data.user_map() if block.session_uid not in there]
        yield Capture(apart, added, taken.notes)


def _is_animated(scene: Scene) -> bool:
    blocks: list[Any] = [scene, *scene.objects, *(item.data for item in scene.objects if item.data)]
    played = [block.animation_data for block in blocks if block.animation_data]
    return any(animation.action or animation.nla_tracks for animation in played)
