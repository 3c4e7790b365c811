"""Ctrl-Q while Live, the overlay and the tool are in use: Blender quits, with exit status 0 and without a complaint."""

from __future__ import annotations

import bpy
from scenarios.limb import limb_with_target
from user import Steps, User


def scenario(user: User) -> Steps:
    limb_with_target()
    bpy.context.object.two_bone_ik_live = True
    bpy.context.window_manager.two_bone_ik_overlay = True
    with bpy.context.temp_override(window=user.window, area=user.area):
        bpy.ops.wm.tool_set_by_id(name="two_bone_ik.pull_limb")
    yield from user.open_sidebar("Animation")
    yield from user.wait()
    bpy.context.preferences.view.use_save_prompt = False
    print("Played to the end", flush=True)
    user.window.event_simulate("Q", "PRESS", ctrl=True)
    yield from user.wait()
    raise AssertionError("Blender has not quit")
