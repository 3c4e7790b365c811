"""Live limbs: they follow while targets are dragged and frames go by, without keys.

After each evaluation of the scene the chains of armature objects that are live are posed. That makes Blender evaluate
once more, and then nothing has moved, so there it ends. Renders show what is keyed, and bakes read it.
"""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent
from bpy.types import Depsgraph, Scene

from ..messages import report
from ..pipeline.sample import probe
from . import state


@persistent
def _follow(scene: Scene, depsgraph: Depsgraph) -> None:
    if depsgraph.mode == "RENDER" or probe.is_open():
        return
    for rig in state.armatures(scene):
        if rig.two_bone_ik_live:
            state.pose(rig, scene, depsgraph)


@persistent
def _forget(*_: object) -> None:
    state.clear()


@persistent
def _begin(*_: object) -> None:
    state.clear()
    report.forget()


_HANDLERS = {
    "depsgraph_update_post": _follow,
    "frame_change_post": _follow,
    "load_post": _begin,
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
