"""What Blender calls: limbs follow their targets, edits without a key survive undo, another file begins with nothing.

After each evaluation of the scene the chains of armature objects that are live are posed. That makes Blender evaluate
once more, and then nothing has moved, so there it ends. Renders show what is keyed, and bakes read it.

Blender starts faster without NumPy: it is imported with the first limb that is live. A module that nobody has imported
yet has nothing to forget.
"""

from __future__ import annotations

import sys
from types import ModuleType

import bpy
from bpy.app.handlers import persistent
from bpy.types import Depsgraph, Scene

from . import armatures


def _imported(module: str) -> ModuleType | None:
    return sys.modules.get(f"{__package__}.{module}")


@persistent
def _follow(scene: Scene, depsgraph: Depsgraph) -> None:
    probe = _imported("pipeline.sample.probe")
    if depsgraph.mode == "RENDER" or (probe and probe.is_open()):
        return
    for rig in armatures.local_armatures(scene):
        if rig.two_bone_ik_live:
            from .live import state

            state.pose(rig, scene, depsgraph)


@persistent
def _restore_edits(scene: Scene, *_: object) -> None:
    if edits := _imported("pipeline.unkeyed_edits"):
        edits.restore_kept(scene)


@persistent
def _forget_poses(*_: object) -> None:
    armatures.forget()
    if state := _imported("live.state"):
        state.forget()


@persistent
def _begin(*_: object) -> None:
    _forget_poses()
    for name in ("messages.report", "pipeline.unkeyed_edits"):
        if module := _imported(name):
            module.forget()


_HANDLERS = (
    ("depsgraph_update_post", _follow),
    ("frame_change_post", _follow),
    ("load_post", _begin),
    ("undo_post", _restore_edits),
    ("redo_post", _restore_edits),
    ("undo_post", _forget_poses),
    ("redo_post", _forget_poses),
)


def register() -> None:
    """Follow from now on."""
    for event, handler in _HANDLERS:
        getattr(bpy.app.handlers, event).append(handler)


def unregister() -> None:
    """Follow no more, and leave undo to Blender; poses stay as they are."""
    for event, handler in _HANDLERS:
        getattr(bpy.app.handlers, event).remove(handler)
    _begin()
