"""The pictures of the manual that show Blender: the human metarig, from the package to baked limbs."""

from __future__ import annotations

from math import radians

import bpy
from bl_ext.user_default.two_bone_ik.blender.plant import contact_keys
from bl_ext.user_default.two_bone_ik.blender.status import in_hand
from mathutils import Euler, Vector
from scenarios.limb import metarig
from user import LAST_COLUMN, Steps, User

MODULE = "bl_ext.user_default.two_bone_ik"
MOVES = {
    "Arm Target.L": (-0.24, -0.25, 0.44),
    "Arm Target.R": (-0.14, -0.15, 0.5),
    "Leg Target.L": (0.0, -0.3, 0.25),
}
"""How far, from frame 1 to frame 24. The right arm is too short for it."""
SECTION = 22 if bpy.app.version >= (5, 0) else 25
"""Height of a closed section of the panel."""
MESSAGE = 30
"""Height of the place that is kept for a message, of two lines."""
SECTIONS = ("Plant", "Hold", "Bones", "Bend", "Reach", "Report")
"""Below the section Target, whose last row has the button Snap to Pose."""


def scenario(user: User) -> Steps:
    yield from preferences(user)
    metarig()
    bpy.context.scene.frame_end = 48
    look_at(user)
    yield from user.open_sidebar("Animation")
    yield from show(user, "start")
    yield from pull(user)
    bpy.ops.two_bone_ik.chains_detect()
    bpy.ops.two_bone_ik.create_targets()
    bpy.context.object.two_bone_ik_active = 0
    yield from show(user, "targets")
    animate()
    bpy.context.object.two_bone_ik_live = True
    bpy.context.window_manager.two_bone_ik_overlay = True
    yield from show(user, "overlay")
    yield from bake(user)
    yield from options(user)


def preferences(user: User) -> Steps:
    """Where packages are installed, and what can be set once."""
    bpy.ops.screen.userpref_show(section="EXTENSIONS")
    yield from user.wait()
    window = bpy.context.window_manager.windows[-1]
    yield from press(window, "LEFTMOUSE", window.width - 20, window.height - 18)
    yield from user.wait()
    user.picture("install", window.x, window.y + window.height - 270, window.width, 270)
    yield from press(window, "ESC", 0, 0)
    bpy.context.preferences.active_section = "ADDONS"
    bpy.context.window_manager.addon_search = "Two-Bone"
    with bpy.context.temp_override(window=window):
        bpy.ops.preferences.addon_expand(module=MODULE)
    yield from user.wait()
    user.picture("preferences", window.x, window.y, window.width, 345)
    with bpy.context.temp_override(window=window):
        bpy.ops.wm.window_close()
    yield from user.wait()


def animate() -> None:
    for name, move in MOVES.items():
        target = bpy.data.objects[name]
        target.keyframe_insert("location", frame=1)
        target.location += Vector(move)
        target.keyframe_insert("location", frame=24)
    bpy.context.scene.frame_set(24)


def look_at(user: User) -> None:
    """The rig from the front, beside the sidebar."""
    view = user.area.spaces.active.region_3d
    view.view_rotation = Euler((radians(82.0), 0.0, radians(20.0))).to_quaternion()
    view.view_distance = 3.4
    view.view_location = Vector((0.0, 0.0, 0.95)) + view.view_rotation @ Vector((-0.42, -0.28, 0.0))


def pull(user: User) -> Steps:
    """The tool, with its handles."""
    bpy.ops.object.mode_set(mode="POSE")
    with bpy.context.temp_override(window=user.window, area=user.area):
        bpy.ops.wm.tool_set_by_id(name="two_bone_ik.pull_limb")
    yield from smoothed(user)
    area, height = user.area, 720
    user.picture("pull", area.x, area.y + area.height - height, area.width - user.sidebar.width, height)
    bpy.ops.object.mode_set(mode="OBJECT")


def bake(user: User) -> Steps:
    """The dialog."""
    yield from user.move_to("two_bone_ik.bake", LAST_COLUMN)
    yield from user.press("LEFTMOUSE")
    yield from smoothed(user)
    user.picture("dialog", user.area.x + user.area.width - 520, 0, 520, 640)
    yield from user.press("RET")
    yield from user.wait()
    assert bpy.context.object.animation_data


def options(user: User) -> Steps:
    """The report, and all fields of a chain; without the timeline the panel has room for them."""
    timeline = next(area for area in user.window.screen.areas if area.type == "DOPESHEET_EDITOR")
    with bpy.context.temp_override(window=user.window, area=timeline):
        bpy.ops.screen.area_close()
    yield from user.wait()
    bpy.context.preferences.addons[MODULE].preferences.tab = "Two-Bone IK"
    yield from user.open_sidebar("Two-Bone IK")
    yield from toggle_section(user, "Report")
    bottom, top = max(user.mouse[1] - 300, user.sidebar.y), user.mouse[1] + 100
    user.picture("report", user.sidebar.x, bottom, user.sidebar.width, top - bottom)
    yield from toggle_section(user, "Report")
    bpy.context.object.two_bone_ik_chains[0].use_bend_limits = True
    for section in ("Reach", "Bend", "Bones"):
        yield from toggle_section(user, section)
    user.picture("options", user.sidebar.x, user.area.y + 16, user.sidebar.width, user.area.height - 70)


def toggle_section(user: User, name: str) -> Steps:
    """Open or close a section of the panel; those between it and Target are closed."""
    with bpy.context.temp_override(window=user.window, area=user.area):
        rig = in_hand.rig_in_hand(bpy.context)
    shown = [section for section in SECTIONS if section != "Plant" or contact_keys.is_captured(rig)]
    yield from toggle_below(user, "two_bone_ik.snap_targets", shown.index(name))


def toggle_below(user: User, button: str, closed: int = 0, message: int = 0) -> Steps:
    """Open or close the section below this button, with this many closed ones and pixels of a message between."""
    yield from user.move_to_top(button)
    y = user.mouse[1] - 36 - message - closed * SECTION
    yield from press(user.window, "LEFTMOUSE", user.sidebar.x + 80, y)
    yield from user.wait()


def press(window: bpy.types.Window, key: str, x: int, y: int) -> Steps:
    for kind, value in (("MOUSEMOVE", "NOTHING"), (key, "PRESS"), (key, "RELEASE")):
        window.event_simulate(kind, value, x=x, y=y)
        yield


def show(user: User, name: str) -> Steps:
    """A picture of the right side of the 3D Viewport."""
    yield from smoothed(user)
    area, width, height = user.area, 800, 720
    user.picture(name, area.x + area.width - width, area.y + area.height - height, width, height)


def smoothed(user: User) -> Steps:
    """Until the viewport is drawn with smoothing, as Blender comes; what is drawn after the picture needs none."""
    bpy.context.preferences.system.viewport_aa = "8"
    yield from user.wait()
    bpy.context.preferences.system.viewport_aa = "OFF"
