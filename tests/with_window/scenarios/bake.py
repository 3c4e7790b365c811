"""A limb and a moving target: open the tab, click Bake, confirm, and there are keys; one undo takes them away.

The operator and the Python interface give the same keys as the click.
"""

from __future__ import annotations

import bpy
from bl_ext.user_default.two_bone_ik import api
from scenarios.limb import keyed_range, keys, limb_with_target
from user import LAST_COLUMN, Steps, User


def scenario(user: User) -> Steps:
    limb_with_target()
    yield from user.open_sidebar("Animation")
    yield from user.click("two_bone_ik.bake", LAST_COLUMN)
    yield
    user.screenshot("dialog")
    yield from user.press("RET")
    yield
    user.screenshot("keys")
    assert keyed_range() == (1, 20)
    clicked = keys()
    yield from user.undo()
    assert keyed_range() is None
    for bake in (bpy.ops.two_bone_ik.bake, lambda: api.bake(bpy.context.object)):
        bake()
        assert keys() == clicked
        bpy.context.object.animation_data_clear()
