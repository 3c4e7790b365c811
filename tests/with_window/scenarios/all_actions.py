"""One press bakes all actions of a character, and one undo takes it back; Esc between two of them leaves no trace."""

from __future__ import annotations

import time

import bpy
from user import Steps, User

from support import file_data
from support.shelf import NAMES, keys, play, shelf


def scenario(user: User) -> Steps:
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.data.batch_remove([*bpy.data.meshes, *bpy.data.materials])
    rig, target = shelf()
    play(rig, "Run")
    play(target, "Run_Target")
    yield from user.open_sidebar("Animation")
    bpy.ops.ed.undo_push()
    yield from user.wait()
    before = keys()

    yield from press(user)
    assert [name for name in NAMES if keys()[name] != before[name]] == list(NAMES)
    assert bpy.data.objects["Rig"].animation_data.action.name == "Run"
    user.screenshot("baked")
    yield from user.undo()
    assert keys() == before
    assert bpy.data.objects["Rig"].animation_data.action.name == "Run"

    # With a script on frame changes the whole scene is played; this one takes its time.
    bpy.app.handlers.frame_change_post.append(lambda *_: time.sleep(0.1))
    file = file_data.dump()
    yield from press(user, waits=1)
    user.screenshot("progress")
    yield from user.press("ESC")
    yield from user.wait()
    assert file_data.changed(file) == set()
    user.screenshot("given-up")


def press(user: User, waits: int | None = None) -> Steps:
    """Bake with All Actions, and so many events later."""
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.area.regions[-1]):
        bpy.ops.two_bone_ik.bake("INVOKE_DEFAULT", all_actions=True)
    yield
    user.screenshot("dialog")
    yield from user.press("RET")
    for _ in range(waits or 0):
        yield
    if waits is None:
        yield from user.wait()
