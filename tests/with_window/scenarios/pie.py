"""A key that the user gives the pie menu opens it, and the mouse chooses."""

from __future__ import annotations

import bpy
from bpy.types import Object
from scenarios.limb import limb_with_target
from user import Steps, User


def scenario(user: User) -> Steps:
    limb_with_target()
    rig = bpy.context.object
    keymaps = bpy.context.window_manager.keyconfigs.user.keymaps
    key = keymaps["Pose"].keymap_items.new("wm.call_menu_pie", "F6", "PRESS")
    key.properties.name = "TWO_BONE_IK_MT_pie"
    yield

    assert missed(rig) > 0.1
    yield from pointed(user, 0.7, 0.5, "solve")
    assert missed(rig) < 1e-4
    for live in (True, False):
        yield from pointed(user, 0.3, 0.5, "live")
        assert rig.two_bone_ik_live == live
    yield from pointed(user, 0.7, 0.75, "pull")
    tool = bpy.context.workspace.tools.from_space_view3d_mode("POSE")
    assert tool.idname == "two_bone_ik.pull_limb"


def missed(rig: Object) -> float:
    """How far the tip is from the target."""
    chain = rig.two_bone_ik_chains[0]
    tip = rig.matrix_world @ rig.pose.bones[chain.end_bone].tail
    return (tip - chain.target.matrix_world.translation).length


def pointed(user: User, x: float, y: float, name: str) -> Steps:
    """Hold the key in the middle of the viewport, point so, and let go: on a slow machine a tap may be held, too."""
    yield from user.point(0.5, 0.5)
    yield from user.hold("F6")
    yield from user.wait(10)
    yield from user.point(x, y)
    yield from user.wait(10)
    user.screenshot(name)
    yield from user.release("F6")
    yield from user.wait(10)
