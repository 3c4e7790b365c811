"""Sampling in the user's own scene: step by step where physics or handlers count, or just as it stands."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

import bpy
from bpy.types import ID, Object, Scene

from ...solver.values import Array
from .. import versions
from . import follow, probe
from .samples import Samples, Wanted

_SIMULATIONS = {"CLOTH", "SOFT_BODY", "FLUID", "DYNAMIC_PAINT", "PARTICLE_SYSTEM"}


def needed(wanted: Wanted) -> bool:
    """True where only playing the scene tells: a simulation moves what is wanted, or scripts act on frame changes."""
    handlers = (bpy.app.handlers.frame_change_pre, bpy.app.handlers.frame_change_post)
    return any(map(len, handlers)) or any(map(_simulated, {place.object for place in follow.upstream(*wanted.points)}))


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
    # Leaving a frame throws away what was edited there without a key.
    values = [entry for block in _animated() for entry in _animated_values(block)]
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=subframe)
        for owner, name, index, value in values:
            if index is None:
                setattr(owner, name, value)
            else:
                getattr(owner, name)[index] = value


def _animated() -> Iterator[ID]:
    for blocks in (bpy.data.objects, bpy.data.armatures, bpy.data.shape_keys, bpy.data.cameras, bpy.data.lights):
        yield from (block for block in blocks if block.animation_data and block.is_editable)


def _animated_values(block: ID) -> Iterator[tuple]:
    for curve in versions.curves(block):
        path, _, name = curve.data_path.rpartition(".")
        try:
            owner = block.path_resolve(path) if path else block
            value = getattr(owner, name)
        except (ValueError, AttributeError):
            continue  # the curve outlived its property
        is_array = hasattr(value, "__len__") and not isinstance(value, str)
        yield owner, name, curve.array_index if is_array else None, value[curve.array_index] if is_array else value
