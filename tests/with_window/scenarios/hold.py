"""From a hand near the cup to a hand on the cup until frame 60 in three presses: eyedropper, cup, Hold.

A press before that, while the hand is moved without a key, is refused, and the hand stays where it was moved to.
"""

from __future__ import annotations

from math import sin

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik.blender import versions
from scenarios.pictures import toggle_section
from user import Steps, User

from support.rigs import animate, arm


def scenario(user: User) -> Steps:
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    scene = bpy.context.scene
    rig = arm(target=(1.2, 0.6, 1.3)).id_data
    target = bpy.data.objects["Target"]
    bpy.ops.mesh.primitive_cube_add(size=0.3, location=(1.5, 0.1, 1.2))
    cup = bpy.context.object
    cup.name = "Cup"
    for frame in range(1, 82, 5):
        animate(target, location={frame: (1.2 + 0.1 * sin(frame), 0.6, 1.3)})
        animate(cup, location={frame: (1.5, 0.1, 1.2 + 0.2 * sin(frame / 9 - 20 / 9))})
    for item in (target, cup):
        for curve in versions.curves(item):
            for key in curve.keyframe_points:
                key.select_control_point = False
    scene.frame_end = 60
    scene.frame_set(20)
    rig.two_bone_ik_live = True
    bpy.context.view_layer.objects.active = target
    cup.select_set(False)
    target.select_set(True)
    bpy.ops.ed.undo_push()
    yield from user.open_sidebar("Animation")
    yield from user.wait()
    yield from toggle_section(user, "Hold")
    target.location.z = 1.5
    bpy.ops.ed.undo_push()
    yield from user.click("two_bone_ik.hold")
    yield from user.wait()
    user.screenshot("moved")
    yield from user.press("ESC")  # closes Blender's message
    yield from user.wait()
    assert abs(target.location.z - 1.5) < 1e-6
    assert not target.two_bone_ik_holds
    scene.frame_set(21)
    scene.frame_set(20)
    assert abs(target.location.z - 1.3) < 1e-6
    before = user.clicks
    yield from user.move_to("two_bone_ik_hold_to")
    yield from user.press("E")  # as a click on the eyedropper in the field
    yield
    yield from user.point_at(cup.matrix_world.translation)
    yield from user.press("LEFTMOUSE")
    yield
    user.screenshot("picked")
    assert scene.two_bone_ik_hold_to == cup
    yield from user.click("two_bone_ik.hold")
    yield
    assert user.clicks - before == 3
    user.screenshot("held")
    first = None
    for frame in range(20, 61):
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        found = [np.array(item.evaluated_get(depsgraph).matrix_world) for item in (cup, target)]
        offset = found[1][:3, 3] - found[0][:3, 3]
        first = offset if first is None else first
        assert np.abs(offset - first).max() < 1e-5, frame
        tip = rig.evaluated_get(depsgraph).pose.bones["lower"].tail
        assert np.abs(np.array(tip) - found[1][:3, 3]).max() < 2e-4, frame
