"""Live and overlay on: disabling, enabling and loading a file leave nothing behind and lose nothing."""

from __future__ import annotations

from pathlib import Path

import addon_utils
import bpy
from scenarios.limb import limb_with_target
from scenarios.live import REACHED, distance
from user import Steps, User

MODULE = "bl_ext.user_default.two_bone_ik"


def scenario(user: User) -> Steps:
    limb_with_target()
    bpy.context.object.two_bone_ik_chains[0].target.animation_data_clear()
    bpy.context.object.two_bone_ik_live = True
    bpy.context.window_manager.two_bone_ik_overlay = True
    yield from user.open_sidebar("Animation")

    addon_utils.disable(MODULE, default_set=True)
    bpy.data.objects["Empty"].location.x -= 0.5
    yield from user.wait(3)
    addon_utils.enable(MODULE, default_set=True)
    yield from user.wait(3)
    bpy.data.objects["Empty"].location.x += 0.1
    yield
    assert distance() < 1e-5
    bpy.context.window_manager.two_bone_ik_overlay = True
    user.area.tag_redraw()  # a click on the button does it, a script has to
    yield from user.wait(3)
    assert user.sees(REACHED)

    path = Path(bpy.app.tempdir, "live.blend")
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=False)
    yield from user.wait(3)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    yield from user.wait(3)
    assert bpy.data.objects["Armature"].two_bone_ik_live
    bpy.data.objects["Empty"].location.z -= 0.2
    yield from user.wait(3)
    assert distance() < 1e-5
    user.screenshot("loaded")
    assert user.sees(REACHED)
    bpy.context.window_manager.two_bone_ik_overlay = False
    yield from user.wait(3)
    assert not user.sees(REACHED)
