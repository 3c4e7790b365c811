"""Live limbs: they follow while targets are dragged and frames go by, without keys.

After each evaluation of the scene the chains of armature objects that are live are posed. That makes Blender evaluate
once more, and then nothing has moved, so there it ends. Renders show what is keyed, and bakes read it.
"""

from __future__ import annotations

from functools import lru_cache

import bpy
from bpy.app.handlers import persistent
from bpy.types import Depsgraph, Scene

from . import now
from .pipeline.sample import probe


def watch() -> None:
    """The switch of some armature object was set: look for those that are live again."""
    _live.cache_clear()


@lru_cache(maxsize=1)
def _live(_count: int) -> list[str]:
    """Names of the armature objects that are live, while the file holds so many objects.

    To look at each of 5,000 objects takes Blender a millisecond, far too long for every evaluation of a scene.
    """
    return [item.name for item in bpy.data.objects if item.type == "ARMATURE" and item.two_bone_ik_live]


@persistent
def _follow(scene: Scene, depsgraph: Depsgraph) -> None:
    if depsgraph.mode == "RENDER" or probe.is_open():
        return
    for name in _live(len(bpy.data.objects)):
        rig = scene.objects.get(name)
        if rig:
            now.pose(rig, scene, depsgraph)
        elif name not in bpy.data.objects:
            watch()


@persistent
def _forget(*_: object) -> None:
    now.forget()
    watch()


_HANDLERS = {
    "depsgraph_update_post": _follow,
    "frame_change_post": _follow,
    "load_post": _forget,
    "undo_post": _forget,
    "redo_post": _forget,
}


def register() -> None:
    """Follow from now on."""
    for event, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, event).append(handler)


def unregister() -> None:
    """Follow no more; poses stay as they are."""
    for event, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, event).remove(handler)
    _forget()
