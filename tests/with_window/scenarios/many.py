"""One press for many: a section's settings go to all chains or, mirrored, to the other side; a bake leaves out a chain
without a target, for two characters at once, and says so before and after."""

from __future__ import annotations

import addon_utils
import bpy
from bl_ext.user_default.two_bone_ik.blender.bake import report
from user import LAST_COLUMN, Steps, User

COPY = "two_bone_ik.settings_copy"
HEADER = (0.76, 0.84)
"""Columns of the buttons in a section's header."""


def scenario(user: User) -> Steps:
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.context.scene.frame_end = 10
    for name, x in (("Villain", 1.5), ("Hero", 0.0)):
        bpy.ops.object.armature_human_metarig_add()
        rig = bpy.context.object
        rig.name, rig.location.x = name, x
        bpy.ops.two_bone_ik.chains_detect()
        bpy.ops.two_bone_ik.create_targets()
        rig.two_bone_ik_active = 0
    rig.two_bone_ik_chains["Leg.R"].target = None
    bpy.data.objects["Villain"].select_set(True)
    left = rig.two_bone_ik_chains["Arm.L"]
    left.softness, left.pole_angle = 0.2, 0.25
    bpy.ops.ed.undo_push()

    yield from user.open_sidebar("Animation")
    yield from user.wait()
    user.screenshot("before")
    yield from press(user, f"{COPY}(to='OTHER_SIDE', sections={{'BEND'}})")
    assert values("pole_angle") == {"Arm.L": 0.25, "Arm.R": -0.25, "Leg.L": 0.0, "Leg.R": 0.0}
    assert set(values("softness").values()) == {0.2, 0.0}
    yield from press(user, f"{COPY}(to='ALL', sections={{'REACH'}})")
    user.screenshot("copied")
    assert set(values("softness").values()) == {0.2}
    assert values("pole_angle")["Leg.L"] == 0.0
    yield from user.undo()
    assert values("softness") == {"Arm.L": 0.2, "Arm.R": 0.0, "Leg.L": 0.0, "Leg.R": 0.0}
    yield from user.undo()
    assert values("pole_angle")["Arm.R"] == 0.0
    for _ in range(2):
        yield from user.redo()
    assert values("pole_angle")["Arm.R"] == -0.25

    yield from press(user, "two_bone_ik.bake")
    user.screenshot("dialog")
    yield from user.press("RET")
    yield from user.wait()
    user.screenshot("baked")
    for name, left_out in (("Hero", ("Leg.R",)), ("Villain", ())):
        animation = bpy.data.objects[name].animation_data
        assert tuple(animation.action.frame_range) == (1, 10)
        assert report.last(bpy.data.objects[name]).left_out == left_out


def press(user: User, button: str) -> Steps:
    yield from user.move_to(button, HEADER if COPY in button else LAST_COLUMN)
    yield from user.press("LEFTMOUSE")
    yield from user.wait()


def values(field: str) -> dict[str, float]:
    """Of all chains of the hero, to two digits."""
    chains = bpy.data.objects["Hero"].two_bone_ik_chains
    return {chain.name: round(getattr(chain, field), 2) for chain in chains}
