"""Pull Limb: the tool's handles pull tips and elbows of a character without chains; Esc and a click leave no trace."""

from __future__ import annotations

import addon_utils
import bpy
from mathutils import Vector
from scenarios.limb import metarig
from user import Steps, User

MODULE = "bl_ext.user_default.two_bone_ik"
LIMBS = {"Arm.L": ("upper_arm.L", "forearm.L", "hand.L"), "Leg.R": ("thigh.R", "shin.R", "foot.R")}


def scenario(user: User) -> Steps:
    metarig()
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="DESELECT")
    with user.override():
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
        bpy.ops.wm.tool_set_by_id(name="two_bone_ik.pull_limb")
    bpy.ops.ed.undo_push()
    yield from user.wait(40)
    before = pose()
    user.screenshot("chosen")

    # The hand, and the arm follows.
    root, mid, tip = joints("Arm.L")
    yield from user.point_at(tip)
    yield from user.wait(20)
    user.screenshot("hover")
    yield from user.hold("LEFTMOUSE")
    yield from move(user, tip + Vector((-0.1, 0.0, 0.3)))
    user.screenshot("pulled")
    yield from user.release("LEFTMOUSE")
    yield
    assert close(joints("Arm.L"), (root, None, tip + Vector((-0.1, 0.0, 0.3)))), joints("Arm.L")
    assert not bpy.context.object.two_bone_ik_chains
    pulled = pose()
    yield from user.undo()
    assert pose() == before
    yield from user.redo()
    assert pose() == pulled

    # The knee, and the foot stays.
    root, mid, tip = joints("Leg.R")
    yield from user.point_at(mid)
    yield from user.hold("LEFTMOUSE")
    yield from move(user, mid + Vector((-0.2, 0.0, 0.0)))
    user.screenshot("knee")
    yield from user.release("LEFTMOUSE")
    yield
    knee = joints("Leg.R")[1]
    assert close(joints("Leg.R"), (root, None, tip)), joints("Leg.R")
    assert knee.x < mid.x - 0.01, (knee, mid)
    turned = pose()

    # Along an axis.
    root, mid, tip = joints("Arm.L")
    yield from user.point_at(tip)
    yield from user.hold("LEFTMOUSE")
    yield from move(user, tip + Vector((0.1, 0.0, 0.0)))
    yield from user.press("Z")
    yield from move(user, tip + Vector((0.1, 0.0, -0.1)))
    user.screenshot("along_z")
    yield from user.release("LEFTMOUSE")
    yield
    assert close(joints("Arm.L"), (root, None, tip - Vector((0.0, 0.0, 0.1)))), joints("Arm.L")
    yield from user.undo()
    assert pose() == turned

    # Esc, and a click that pulls nowhere.
    steps = len(bpy.context.window_manager.operators)
    yield from user.point_at(tip)
    yield from user.hold("LEFTMOUSE")
    yield from move(user, tip + Vector((-0.1, 0.0, 0.3)))
    assert pose() != turned
    yield from user.press("ESC")
    yield from user.release("LEFTMOUSE")
    yield
    assert pose() == turned
    yield from user.point_at(tip)
    yield from user.wait(20)  # or it is a double click
    yield from user.press("LEFTMOUSE")
    yield
    assert pose() == turned
    assert "TWO_BONE_IK_OT_drag" not in [one.bl_idname for one in bpy.context.window_manager.operators[steps:]]

    # The entry of the context menu, for the bone that is active.
    rig = bpy.context.object
    rig.data.bones.active = rig.data.bones["forearm.L"]
    yield from user.point(0.5, 0.9)
    yield from user.press("RIGHTMOUSE")
    yield from user.wait(10)
    user.screenshot("menu")
    yield from user.press("UP_ARROW")  # from the first entry to the last
    yield from user.press("RET")
    yield from user.point(0.5, 0.8)
    yield from user.point(0.5, 0.6)
    yield from user.wait(5)
    user.screenshot("entry")
    assert joints("Arm.L")[2].z < tip.z - 0.1
    yield from user.press("ESC")
    yield
    assert pose() == turned
    assert not rig.two_bone_ik_chains

    # The extension goes while its tool is in use, and comes back.
    addon_utils.disable(MODULE, default_set=True)
    yield from user.wait(5)
    addon_utils.enable(MODULE, default_set=True)
    with bpy.context.temp_override(window=user.window, area=user.area):
        bpy.ops.wm.tool_set_by_id(name="two_bone_ik.pull_limb")
    yield from user.wait(5)
    root, _, tip = joints("Arm.L")
    yield from user.point_at(tip)
    yield from user.hold("LEFTMOUSE")
    yield from move(user, tip + Vector((-0.1, 0.0, 0.0)))
    yield from user.release("LEFTMOUSE")
    yield
    assert close(joints("Arm.L"), (root, None, tip + Vector((-0.1, 0.0, 0.0)))), joints("Arm.L")


def move(user: User, place: Vector) -> Steps:
    """As by hand: Blender takes the first part of the way for a drag."""
    x, y = user.mouse
    yield from user.move(x + 30, y + 30)
    yield from user.wait(5)
    yield from user.point_at(place)
    yield from user.wait(5)


def close(found: tuple[Vector, ...], wanted: tuple[Vector | None, ...]) -> bool:
    """To a pixel, where a place is wanted."""
    return all(there is None or (here - there).length < 5e-3 for here, there in zip(found, wanted, strict=True))


def joints(limb: str) -> tuple[Vector, ...]:
    """World, as Blender evaluates them."""
    bpy.context.view_layer.update()
    rig = bpy.context.object.evaluated_get(bpy.context.view_layer.depsgraph)
    return tuple(rig.matrix_world @ rig.pose.bones[name].head for name in LIMBS[limb])


def pose() -> list[tuple[float, ...]]:
    return [tuple(bone.rotation_quaternion) for bone in bpy.context.object.pose.bones]
