"""Hock, Spread Twist and Pin to Pole, set in the panel: it says what cannot be, and the limb follows what can."""

from __future__ import annotations

from math import radians

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik.ui import limb_notice
from bpy.types import Object
from mathutils import Euler
from scenarios.pictures import MODULE, toggle_section
from user import LAST_COLUMN, RIGHT_HALF, Steps, User

from support.hocks import LEG, angle, joints, turn
from support.rigs import Bone, armature, chain

TWIST = Bone("twist", (0.025, -0.15, 1.65), (0.05, -0.3, 1.3), "thigh")
TARGET, POLE = (0.2, 0.4, 0.3), (0.3, -0.5, 1.4)
CLOSE = 1e-5


def scenario(user: User) -> Steps:
    rig = leg()
    timeline = next(area for area in user.window.screen.areas if area.type == "DOPESHEET_EDITOR")
    with bpy.context.temp_override(window=user.window, area=timeline):
        bpy.ops.screen.area_close()
    yield from user.wait()
    view = user.area.spaces.active.region_3d
    view.view_rotation = Euler((radians(80.0), 0.0, radians(70.0))).to_quaternion()
    view.view_location, view.view_distance = (0.0, 0.6, 1.2), 5.0
    bpy.context.preferences.addons[MODULE].preferences.tab = "Two-Bone IK"  # where all of the panel has room
    yield from user.open_sidebar("Two-Bone IK")
    yield from hock(user, rig)
    yield from twist(user, rig)
    yield from pin(user, rig)


def leg() -> Object:
    """A hind leg, alone in the file; Live and overlay are on."""
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    rig = armature((*LEG, TWIST))
    limb = chain(rig, "shin", target=TARGET, pole=POLE, root_bone="thigh", tip_bone="toe")
    limb.name = "Hind Leg"
    rig.two_bone_ik_live = bpy.context.window_manager.two_bone_ik_overlay = True
    bpy.ops.ed.undo_push()
    return rig


def hock(user: User, rig: Object) -> Steps:
    """The third bone is named, turns with the root bone, and by an angle."""
    yield from toggle_section(user, "Bones")
    yield from paste(user, "two_bone_ik_chains[0].hock_bone", "hock")
    limb = rig.two_bone_ik_chains[0]
    assert (limb.hock_bone, limb.hock) == ("hock", "PARALLEL")
    assert angle(turn(rig, "thigh"), turn(rig, "hock")) < CLOSE
    assert distance(rig) < CLOSE
    yield from user.move_to("two_bone_ik_chains[0].use_twist", RIGHT_HALF)  # and meet the fields above it on the way
    yield from paste(user, 'pose.bones["shin"].two_bone_ik_hock_angle', "30")
    assert abs(angle(turn(rig, "thigh"), turn(rig, "hock")) - radians(30.0)) < CLOSE
    assert distance(rig) < CLOSE
    user.screenshot("hock")


def twist(user: User, rig: Object) -> Steps:
    """The twist bone that is found is listed, and takes its share."""
    yield from user.click("two_bone_ik_chains[0].use_twist", RIGHT_HALF)
    yield from user.wait()
    assert rig.two_bone_ik_chains[0].use_twist
    by_place = angle(turn(rig, "thigh"), turn(rig, "twist"))
    yield from user.click("two_bone_ik.twist_share", RIGHT_HALF)  # no longer by its place
    yield from user.wait()
    yield from paste(user, 'pose.bones["twist"].two_bone_ik_twist', "0", (0.42,))
    assert 0.02 < by_place < 0.6 * angle(turn(rig, "thigh"), turn(rig, "twist"))
    user.screenshot("twist")


def pin(user: User, rig: Object) -> Steps:
    """Refused where the third bone turns with the root bone, or a bone would be sheared; then the knee is there."""
    yield from user.move_to("two_bone_ik.settings_copy(to='ALL', sections={'BEND'})", LAST_COLUMN)
    yield from user.move(user.sidebar.x + 80, user.mouse[1])  # the title beside this button
    yield from user.press("LEFTMOUSE")
    yield from user.wait()
    yield from paste(user, 'pose.bones["shin"].two_bone_ik_pole_pin', "1")
    assert refusal(rig) == "PIN_OF_PARALLEL"
    user.screenshot("refused")
    yield from user.move_to("two_bone_ik_chains[0].hock", RIGHT_HALF)
    yield from user.press("LEFTMOUSE")
    yield from user.wait()
    yield from user.press("R")
    yield from user.wait()
    assert rig.two_bone_ik_chains[0].hock == "RIGID"
    assert refusal(rig) == "SHEAR"
    yield from user.click("two_bone_ik.set_aligned", RIGHT_HALF)
    yield from user.wait()
    assert not refusal(rig)
    user.screenshot("pinned")
    assert distance(rig) < CLOSE
    assert np.linalg.norm(joints(rig)[1] - POLE) < CLOSE


def paste(user: User, name: str, text: str, columns: tuple[float, ...] = RIGHT_HALF) -> Steps:
    """Ctrl-V over a field."""
    yield from user.move_to(name, columns)
    bpy.context.window_manager.clipboard = text
    x, y = user.mouse
    for value in ("PRESS", "RELEASE"):
        user.window.event_simulate("V", value, x=x, y=y, ctrl=True)
        yield
    yield from user.wait()


def distance(rig: Object) -> float:
    """From the evaluated tip to the target."""
    return float(np.linalg.norm(joints(rig)[3] - TARGET))


def refusal(rig: Object) -> str:
    """Why the limb cannot be posed, as the panel says it; "" where it can."""
    found = limb_notice.look(bpy.context, rig)["Hind Leg"].refusal
    return found.kind if found else ""
