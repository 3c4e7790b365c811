"""What Blender calls: limbs follow their targets, the list what is selected.

After each evaluation of the scene the chains of armature objects that are live are posed. Blender evaluates what that
changes, and calls no handlers for it. Nothing is posed for a render: it shows keys, and of limbs without keys the pose
that Live left.

Blender starts faster without NumPy: it is imported with the first limb that is live.
"""

from collections.abc import Callable, Iterable
from typing import Any

import bpy
from bpy.app.handlers import persistent
from bpy.types import Context, Depsgraph, Scene, ViewLayer

from . import armatures
from .session import session
from .settings import properties


def _elsewhere(depsgraph: Depsgraph) -> bool:
    """Whether Blender evaluates for a render, or for a probe of ours."""
    return depsgraph.mode == "RENDER" or session.samplings > 0


def _isolated(scene: Scene) -> bool:
    """Whether this is a scene that we play to sample, with nothing in it that the user sees."""
    return scene.session_uid in session.isolated


@persistent
def _notice_objects(scene: Scene, depsgraph: Depsgraph) -> None:
    if depsgraph.id_type_updated("COLLECTION") and not _isolated(scene):
        armatures.forget()


@persistent
def _notice_renames(scene: Scene, depsgraph: Depsgraph) -> None:
    """A renamed bone lists its armature; a bone that Edit Mode copies does not."""
    renamed = depsgraph.id_type_updated("ARMATURE")
    if _elsewhere(depsgraph) or _isolated(scene) or not (renamed or depsgraph.id_type_updated("OBJECT")):
        return
    updated = {update.id.original for update in depsgraph.updates} if renamed else ()
    rigs = [rig for rig in armatures.local_armatures(scene) if rig.data in updated or rig.data.is_editmode]
    # Whatever names bones has imported it, but for what was appended.
    if rigs and (session.names_bones or any(rig.two_bone_ik_chains or rig.two_bone_ik_holds for rig in rigs)):
        from .settings import bone_marks

        bone_marks.notice(rigs)


@persistent
def _follow_renames(*_: object) -> None:
    """Renew names in a file that was loaded, and where undo has left some data-blocks as they were and not others."""
    items: Iterable[Any] = bpy.data.objects
    if any(item.two_bone_ik_chains or item.two_bone_ik_holds for item in items):
        from .settings import bone_marks

        bone_marks.follow_all()


@persistent
def _follow(scene: Scene, depsgraph: Depsgraph, *, edited: bool = True) -> None:
    for table, listener in session.evaluated:
        if table:
            listener(depsgraph)
    if _elsewhere(depsgraph):
        return
    live = [rig for rig in armatures.local_armatures(scene) if rig.two_bone_ik_live]
    if live and (live := _posed_here(live, depsgraph)):
        from .live.live import follow

        follow(live, scene, depsgraph, edited=edited)


def _posed_here(rigs: list[armatures.Rig], depsgraph: Depsgraph) -> list[armatures.Rig]:
    """Armatures that are posed in this view layer. If windows show several, the first that has an armature poses it.

    Scenes that share an armature may show different frames, and each pose would make Blender evaluate the other scene.
    """
    windows = _in_windows()
    shown = {(scene, layer.name): layer.objects for scene, layer in (windows if windows[1:] else ())}
    if len(shown) < 2 or (here := (depsgraph.scene, depsgraph.view_layer.name)) not in shown:
        return rigs
    return [rig for rig in rigs if here == next((at for at, objects in shown.items() if rig.name in objects), here)]


def _in_windows() -> list[tuple[Scene, ViewLayer]]:
    """What each window shows."""
    windows = (window for manager in bpy.data.window_managers for window in manager.windows)
    return [(window.scene, window.view_layer) for window in windows]


@persistent
def _follow_frame(scene: Scene, depsgraph: Depsgraph) -> None:
    if not _isolated(scene):
        _follow(scene, depsgraph, edited=False)


@persistent
def _follow_selection(scene: Scene, depsgraph: Depsgraph) -> None:
    if not _elsewhere(depsgraph) and any(rig.two_bone_ik_chains for rig in armatures.local_armatures(scene)):
        from .status import in_hand

        in_hand.notice(depsgraph.view_layer)


_forget_objects = persistent(lambda *_: armatures.forget())
_forget_state = persistent(lambda *_: session.forget_state())
_forget_file = persistent(lambda *_: session.forget_file())


@persistent
def _begin(*_: object) -> None:
    # Blender evaluates the animation of a file that it opens, and calls no handler.
    for scene, layer in _in_windows() or [(scene, scene.view_layers[0]) for scene in bpy.data.scenes]:
        if any(rig.two_bone_ik_live for rig in armatures.local_armatures(scene)):
            layer.update()
            _follow(scene, layer.depsgraph, edited=False)


@persistent
def _settle_options(*_: object) -> None:
    rigs = [item for item in bpy.data.objects if armatures.is_rig(item) and item.two_bone_ik_chains]
    if rigs:
        from .settings import keyed_options

        for rig in rigs:
            keyed_options.settle(rig)


def _choice_changed(rig: armatures.Rig) -> None:
    from .live import state

    state.invalidate(rig)


def _live_changed(rig: armatures.Rig, scene: Scene) -> None:
    from .live.live import live_changed

    live_changed(rig, scene)


def _active_changed(rig: armatures.Rig, context: Context) -> None:
    from .status import in_hand

    in_hand.take(rig, context)


def _contact_moved(rig: armatures.Rig, which: int, frame: int) -> None:
    from .plant import contact_runs

    contact_runs.move_end(rig, which, frame)


_HANDLERS: dict[str, tuple[Callable[..., None], ...]] = {
    "depsgraph_update_post": (_notice_objects, _notice_renames, _follow_selection, _follow),
    "frame_change_post": (_notice_objects, _notice_renames, _follow_frame),
    "load_pre": (_forget_objects,),
    "load_post": (_forget_file, _follow_renames, _begin, _settle_options),
    "undo_pre": (_forget_objects,),
    "redo_pre": (_forget_objects,),
    # Renamed bones make Blender evaluate, and Live is not to go by what it posed before.
    "undo_post": (_forget_state, _follow_renames),
    "redo_post": (_forget_state, _follow_renames),
}


def register() -> None:
    """Follow from now on."""
    for event, handlers in _HANDLERS.items():
        getattr(bpy.app.handlers, event).extend(handlers)
    properties.LISTENERS.update(
        choice=_choice_changed, live=_live_changed, active=_active_changed, contact=_contact_moved
    )


def unregister() -> None:
    """Follow no more; poses stay as they are."""
    for event, handlers in _HANDLERS.items():
        for handler in handlers:
            getattr(bpy.app.handlers, event).remove(handler)
    properties.LISTENERS.clear()
    session.forget_file()
