"""Pull Limb: with another tool it has no handles, and a drag pulls nothing, in another file and on a new rig either."""

from __future__ import annotations

from pathlib import Path

import addon_utils
import bpy
from mathutils import Vector
from scenarios.limb import metarig
from scenarios.pull import close, joints, move, pose
from user import Steps, User

TOOL, SELECT = "two_bone_ik.pull_limb", "builtin.select_box"
OVER = (1.0, 0.8, 0.2)
"""The color of a handle with the mouse over it."""
UP = Vector((-0.1, 0.0, 0.2))


def scenario(user: User) -> Steps:
    metarig()
    bpy.ops.object.mode_set(mode="POSE")
    yield from front(user)
    yield from choose(user, TOOL)
    assert (yield from has_handle(user, joints("Arm.L")[2]))
    yield from pull(user)

    yield from choose(user, SELECT)
    yield from refuse_pull(user, "other_tool")
    yield from save_and_open(user)
    yield from refuse_pull(user, "opened")

    # Chosen again, it has its handles again: with the next file too.
    yield from choose(user, TOOL)
    yield from save_and_open(user)
    assert (yield from has_handle(user, joints("Arm.L")[2]))
    yield from choose(user, SELECT)

    bpy.ops.object.mode_set(mode="OBJECT")
    generate(user)
    bpy.ops.object.mode_set(mode="POSE")
    yield from front(user)
    hand = world("hand_fk.L")
    assert not (yield from has_handle(user, hand))
    before = pose()
    yield from drag(user, hand)
    user.screenshot("generated")
    assert pose() == before


def front(user: User) -> Steps:
    """The whole character from the front, with nothing selected."""
    bpy.ops.pose.select_all(action="DESELECT")
    with user.override():
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
    yield from user.wait(40)


def save_and_open(user: User) -> Steps:
    """The window is another one then, with the viewport that the file has."""
    path = str(Path(bpy.app.tempdir, "pulled.blend"))
    bpy.ops.wm.save_as_mainfile(filepath=path)
    with bpy.context.temp_override(window=user.window):
        bpy.ops.wm.open_mainfile(filepath=path)
    yield
    user.window = bpy.context.window_manager.windows[0]
    user.area = next(area for area in user.window.screen.areas if area.type == "VIEW_3D")
    yield from user.wait(40)


def choose(user: User, tool: str) -> Steps:
    with user.override():
        bpy.ops.wm.tool_set_by_id(name=tool)
    yield from user.wait(20)


def refuse_pull(user: User, name: str) -> Steps:
    """No handle is at the hand, and a drag there leaves the pose."""
    yield from user.wait(20)
    before, tip = pose(), joints("Arm.L")[2]
    seen = yield from has_handle(user, tip)
    user.screenshot(name)
    assert not seen, name
    yield from drag(user, tip)
    assert pose() == before, name


def has_handle(user: User, place: Vector) -> Steps:
    """Whether one lights up under the mouse."""
    yield from user.point(0.1, 0.1)
    yield from user.point_at(place)
    yield from user.wait(20)
    return user.sees(OVER)


def drag(user: User, place: Vector) -> Steps:
    yield from user.point_at(place)
    yield from user.hold("LEFTMOUSE")
    yield from move(user, place + UP)
    yield from user.release("LEFTMOUSE")
    yield from user.wait(5)


def pull(user: User) -> Steps:
    root, _, tip = joints("Arm.L")
    yield from drag(user, tip)
    assert close(joints("Arm.L"), (root, None, tip + UP)), joints("Arm.L")


def generate(user: User) -> None:
    """The rig that Rigify generates from the metarig, active; without the face, which takes long."""
    from support.rigify import remove_face

    addon_utils.enable("rigify", default_set=True)
    with user.override():
        remove_face(bpy.context.object)
        bpy.ops.pose.rigify_generate()


def world(bone: str) -> Vector:
    bpy.context.view_layer.update()
    rig = bpy.context.object.evaluated_get(bpy.context.view_layer.depsgraph)
    return rig.matrix_world @ rig.pose.bones[bone].head
