"""Drag: the mouse pulls the tip, along an axis that is typed as in Blender's own transforms; Esc leaves no trace."""

from __future__ import annotations

import bpy
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import limb_states
from mathutils import Vector
from scenarios.limb import limb_with_target
from user import Steps, User


def scenario(user: User) -> Steps:
    limb_with_target()
    rig = bpy.context.object
    rig.two_bone_ik_chains[0].target = None
    bpy.ops.ed.undo_push()
    before, start = pose(), tip()
    yield from user.open_sidebar("Animation")

    yield from user.click("two_bone_ik.drag")
    yield from user.point(0.6, 0.6)
    yield from user.point(0.5, 0.5)
    yield
    assert pose() != before
    user.screenshot("pulled")
    yield from user.press("TAB")
    yield
    assert bpy.context.mode == "POSE"
    yield from user.press("ESC")
    yield
    assert pose() == before

    yield from user.click("two_bone_ik.drag")
    yield from user.press("Z")
    yield from user.move(user.mouse[0], user.mouse[1] - 20)
    yield
    user.screenshot("along_z")
    yield from user.press("RET")
    yield
    offset = Vector(bpy.context.window_manager.operators[-1].properties.offset)
    assert offset.xy.length == 0.0, offset
    assert -1.0 < offset.z < -0.05, offset
    assert (tip() - start - offset).length < 1e-4, tip() - start
    posed = pose()
    yield from user.undo()
    yield
    assert pose() == before
    yield from user.redo()
    yield
    assert pose() == posed

    yield from user.point(0.5, 0.5)
    yield from user.wait(10)  # or it is a double click
    yield from user.click("two_bone_ik.drag")
    yield from user.press("F")
    yield
    user.screenshot("flipped")
    assert pose() != posed
    yield from user.press("RIGHTMOUSE")
    yield
    assert pose() == posed

    bpy.context.scene.tool_settings.use_snap = True
    yield from user.click("two_bone_ik.drag")
    yield from user.point(0.4, 0.6)
    yield from user.point(0.5, 0.5)
    yield
    yield from user.press("RET")
    yield
    offset = Vector(bpy.context.window_manager.operators[-1].properties.offset)
    assert any(offset)
    assert all(part.is_integer() for part in offset), offset

    # A target goes along as the mouse moves, and Esc puts it back.
    bpy.context.scene.tool_settings.use_snap = False
    target = bpy.context.object.two_bone_ik_chains[0].target = bpy.data.objects["Empty"]  # undo has made others
    before = pose(), target.location[:]
    yield from user.click("two_bone_ik.drag")
    for place in (0.45, 0.5, 0.55):
        yield from user.point(place, 0.6)
        yield
        assert (target.matrix_world.translation - tip()).length < 1e-4, place
        assert told() == "REACHED"
    user.screenshot("with_target")
    assert target.location[:] != before[1]
    yield from user.press("ESC")
    yield
    assert (pose(), target.location[:]) == before


def pose() -> list[tuple[float, ...]]:
    return [tuple(bone.rotation_quaternion) for bone in bpy.data.objects["Armature"].pose.bones]


def told() -> str:
    """How the list says that the limb stands."""
    layer = bpy.context.view_layer
    return next(iter(limb_states(bpy.data.objects["Armature"], bpy.context.scene, layer.depsgraph).values())).state


def tip() -> object:
    """World, as Blender evaluates it."""
    bpy.context.view_layer.update()
    rig = bpy.data.objects["Armature"].evaluated_get(bpy.context.view_layer.depsgraph)
    return rig.matrix_world @ rig.pose.bones[-1].tail
