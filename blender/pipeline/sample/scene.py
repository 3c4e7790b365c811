"""Sampling in the user's own scene: step by step where physics or handlers count, or just as it stands."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

import bpy
from bpy.types import Object, Scene

from ....solver.values import Array
from ...errors import unless_gone
from .. import unkeyed
from ..read import follow
from ..samples import Samples
from . import probe
from .wanted import Wanted

_OURS = __package__.partition(".blender")[0]
_SIMULATIONS = {"CLOTH", "SOFT_BODY", "FLUID", "DYNAMIC_PAINT", "PARTICLE_SYSTEM"}


def needed(wanted: Wanted) -> bool:
    """True where only playing the scene tells: a simulation moves what is wanted, or scripts act on frame changes."""
    handlers = (*bpy.app.handlers.frame_change_pre, *bpy.app.handlers.frame_change_post)
    foreign = any(not handler.__module__.startswith(_OURS) for handler in handlers)
    return foreign or any(map(_simulated, {place.object for place in follow.upstream(*wanted.placed)}))


def _simulated(item: Object) -> bool:
    return bool(item.rigid_body) or any(modifier.type in _SIMULATIONS for modifier in item.modifiers)


def samples(scene: Scene, wanted: Wanted, frames: Array) -> Generator[float, None, Samples]:
    """Samples over `frames`; then the scene is as before, with edits that have no key. Yields the part done."""
    with _restored(scene):
        return (yield from probe.step(scene, wanted, frames))


def current(scene: Scene, wanted: Wanted) -> Samples:
    """One frame: the scene as it stands, with edits that have no key."""
    recorder = probe.Recorder(wanted)
    layer = scene.view_layers[0]
    with probe.probing(scene, wanted):
        layer.update()
        recorder.record(layer.depsgraph)
    return recorder.samples()


@contextmanager
def _restored(scene: Scene) -> Iterator[None]:
    frame, subframe = scene.frame_current, scene.frame_subframe
    edits = unkeyed.edits(unkeyed.everywhere(), scene.frame_current_final)
    try:
        yield
    finally:
        with unless_gone:
            scene.frame_set(frame, subframe=subframe)
        unkeyed.restore(edits)
