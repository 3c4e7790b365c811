"""Sampling in the user's own scene: step by step where physics or handlers count, or just as it stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
from bpy.types import Object, Scene

from ....skeleton.values import Samples
from ...messages.refused import unless_gone
from .. import unkeyed_edits
from ..read import dependencies
from ..unkeyed_edits import Keyed
from . import probe
from .request import SampleRequest

_OURS = __package__.partition(".blender")[0]
_SIMULATIONS = {"CLOTH", "SOFT_BODY", "FLUID", "DYNAMIC_PAINT", "PARTICLE_SYSTEM"}


def needed(wanted: SampleRequest) -> bool:
    """True where only playing the scene tells: a simulation moves what is wanted, or scripts act on frame changes."""
    handlers = (*bpy.app.handlers.frame_change_pre, *bpy.app.handlers.frame_change_post)
    # What is no function, such as a list's own append, may have no module, or None for one.
    foreign = any(not str(getattr(handler, "__module__", "")).startswith(_OURS) for handler in handlers)
    return foreign or any(map(_simulated, {place.object for place in dependencies.upstream(*wanted.placed)}))


def _simulated(item: Object) -> bool:
    return bool(item.rigid_body) or any(modifier.type in _SIMULATIONS for modifier in item.modifiers)


@contextmanager
def opened(scene: Scene, wanted: SampleRequest, keyed: Keyed) -> Iterator[Scene]:
    """The scene itself, to be stepped; then it is as before, with edits that have no key, but for those `keyed`."""
    # Probed on the way back as well: what is hidden would else keep the channels of the last frame stepped to.
    with probe.probing(scene, wanted), _restored(scene, keyed):
        yield scene


def probed(scene: Scene, wanted: SampleRequest) -> Samples:
    """One frame of a scene that is probed for all that is wanted: as it stands, with edits that have no key."""
    recorder = probe.Recorder(wanted)
    layer = scene.view_layers[0]
    layer.update()
    recorder.record(layer.depsgraph)
    return recorder.samples()


@contextmanager
def _restored(scene: Scene, keyed: Keyed) -> Iterator[None]:
    frame = scene.frame_current + scene.frame_subframe  # as `frame_current_final`, but to the last digit
    edits = unkeyed_edits.edits(unkeyed_edits.everywhere(), scene.frame_current_final, keyed)
    try:
        yield
    finally:
        with unless_gone:
            probe.set_frame(scene, frame)
        unkeyed_edits.restore(edits)
