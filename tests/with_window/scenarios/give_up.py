"""A bake that takes long shows how far it is; Esc gives it up, in its dialog and on the way, without a trace.

So does the extension when it is disabled.
"""

from __future__ import annotations

import time

import addon_utils
import bpy
from scenarios.limb import keyed_range, limb_with_target
from user import LAST_COLUMN, Steps, User

MODULE = "bl_ext.user_default.two_bone_ik"


def scenario(user: User) -> Steps:
    limb_with_target()
    # With a script on frame changes the whole scene is played; this one takes its time.
    bpy.app.handlers.frame_change_post.append(lambda *_: time.sleep(0.01))
    bpy.context.scene.frame_end = 500
    bpy.context.scene.frame_set(7)
    yield from user.open_sidebar("Animation")

    yield from user.click("two_bone_ik.bake", LAST_COLUMN)
    yield
    yield from user.press("ESC")
    yield
    assert keyed_range() is None

    yield from user.click("two_bone_ik.bake", LAST_COLUMN)
    yield
    yield from user.press("RET")
    yield from user.wait(10)
    user.screenshot("progress")
    assert bpy.context.scene.frame_current != 7
    yield from user.press("ESC")
    yield from user.wait(5)
    user.screenshot("given-up")
    assert keyed_range() is None
    assert bpy.context.scene.frame_current == 7
    assert [item.name for item in bpy.data.objects if "probe" in item.name] == []

    yield from user.click("two_bone_ik.bake", LAST_COLUMN)
    yield
    user.screenshot("dialog")
    yield from user.press("RET")
    yield from user.wait(10)
    assert bpy.context.scene.frame_current != 7
    addon_utils.disable(MODULE, default_set=True)
    assert keyed_range() is None
    assert bpy.context.scene.frame_current == 7
    assert [item.name for item in bpy.data.objects if "probe" in item.name] == []
    addon_utils.enable(MODULE, default_set=True)
    yield from user.wait(5)

    bpy.context.scene.frame_end = 40
    yield from user.click("two_bone_ik.bake", LAST_COLUMN)
    yield
    yield from user.press("RET")
    yield from user.wait(40)
    assert keyed_range() == (1, 40)
    assert bpy.context.scene.frame_current == 7

    # As Adjust Last Operation does; what would go on as modal here made Blender crash.
    bpy.context.window_manager.operators[-1].properties.frame_end = 30
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.sidebar):
        bpy.ops.ed.undo_redo()
    yield from user.wait(40)
    assert keyed_range() == (1, 30)
