"""Sampling in a temporary scene that holds nothing but a probe: heavy meshes elsewhere cost nothing."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
from bpy.types import Scene

from ...messages.refused import unless_gone
from . import probe
from .request import SampleRequest

_TIME = ("fps", "fps_base", "frame_map_old", "frame_map_new")
_UNITS = ("system", "scale_length", "system_rotation")


@contextmanager
def opened(scene: Scene, wanted: SampleRequest) -> Iterator[Scene]:
    """A scene that shows, of all that is wanted, what `scene` would show; edits without keys stay as they are."""
    isolated = bpy.data.scenes.new("Two-Bone IK")
    try:
        _copy(scene.render, isolated.render, _TIME)
        _copy(scene.unit_settings, isolated.unit_settings, _UNITS)
        _copy(scene, isolated, ("use_gravity", "gravity"))
        with probe.probing(isolated, wanted):
            yield isolated
    finally:
        with unless_gone:
            _remove(isolated)


def _remove(scene: Scene) -> None:
    # Only this takes it off a screen. But in Blender 4 it reads the context's window, and crashes under `--command`,
    # where there is none.
    if any(window.scene == scene for manager in bpy.data.window_managers for window in manager.windows):
        bpy.data.scenes.remove(scene)
    else:
        # By name, which raises ReferenceError where the scene is gone: over that, too, Blender would crash.
        bpy.data.batch_remove((bpy.data.scenes[scene.name],))


def _copy(source: object, goal: object, names: tuple[str, ...]) -> None:
    for name in names:
        setattr(goal, name, getattr(source, name))
