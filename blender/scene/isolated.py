"""Sampling in a temporary scene that holds nothing but a probe: heavy meshes elsewhere cost nothing."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy
from bpy.types import ID, Object, Scene

from ..messages.refused import unless_gone
from . import probe
from .request import SampleRequest

_TIME = ("fps", "fps_base", "frame_map_old", "frame_map_new")
_UNITS = ("system", "scale_length", "system_rotation")


_open: set[int] = set()
"""`session_uid` of the scenes that are there now."""


def is_isolated(scene: Scene) -> bool:
    """Whether the scene is one of these: nothing that the user sees is evaluated in it."""
    return scene.session_uid in _open


@contextmanager
def opened(scene: Scene, wanted: SampleRequest) -> Iterator[Scene]:
    """A scene that shows, of all that is wanted, what `scene` would show; edits without keys stay as they are."""
    isolated = bpy.data.scenes.new("Two-Bone IK")
    probes: list[Object] = []
    uid = isolated.session_uid
    _open.add(uid)
    with probe.marked():
        try:
            _copy(scene.render, isolated.render, _TIME)
            _copy(scene.unit_settings, isolated.unit_settings, _UNITS)
            _copy(scene, isolated, ("use_gravity", "gravity"))
            probe.link(isolated, wanted, probes)
            yield isolated
        finally:
            _open.remove(uid)
            _remove(isolated, probes)


def _remove(scene: Scene, probes: Iterable[Object]) -> None:
    # Only this takes it off a screen. But in Blender 4 it reads the context's window, and crashes under `--command`,
    # where there is none.
    if any(window.scene == scene for manager in bpy.data.window_managers for window in manager.windows):
        bpy.data.scenes.remove(scene)
    # At one go: each time Blender goes through the whole file. Over what is gone already it would crash.
    bpy.data.batch_remove([item for item in (scene, *probes) if _is_there(item)])


def _is_there(item: ID) -> bool:
    with unless_gone:
        return bool(item.name)
    return False


def _copy(source: object, goal: object, names: tuple[str, ...]) -> None:
    for name in names:
        setattr(goal, name, getattr(source, name))
