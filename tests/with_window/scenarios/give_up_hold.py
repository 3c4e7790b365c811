"""A hold that takes long shows how far it is; Esc gives it up without a trace, and the next one is carried out."""

from __future__ import annotations

import time

import bpy
from scenarios.limb import limb_with_target
from user import Steps, User

_LONG = 400
"""Frames; each takes the script below a hundredth of a second."""


def scenario(user: User) -> Steps:
    limb_with_target()
    target = bpy.context.object.two_bone_ik_chains[0].target
    bpy.app.handlers.frame_change_post.append(lambda *_: time.sleep(0.01))
    bpy.context.scene.frame_set(7)
    yield from user.open_sidebar("Animation")

    def press(end: int) -> None:
        with bpy.context.temp_override(window=user.window, area=user.area, region=user.sidebar):
            bpy.ops.two_bone_ik.hold("INVOKE_DEFAULT", frame_start=1, frame_end=end)

    press(_LONG)
    yield from user.wait(10)
    user.screenshot("progress")
    assert bpy.context.scene.frame_current != 7
    yield from user.press("ESC")
    yield from user.wait(5)
    user.screenshot("given-up")
    assert bpy.context.scene.frame_current == 7
    assert not len(target.two_bone_ik_holds)

    press(12)
    yield from user.wait(20)
    assert bpy.context.scene.frame_current == 7
    assert [hold.frame_end for hold in target.two_bone_ik_holds] == [12]
