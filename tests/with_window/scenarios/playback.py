"""Live while the animation plays: on every frame that is drawn the tip is on its target, panel and overlay drawn."""

from __future__ import annotations

import bpy
from scenarios.limb import limb_with_target
from scenarios.live import distance
from user import LAST_COLUMN, Steps, User

PLACES = {1: (0.5, -0.6, 0.9), 20: (-0.4, 0.5, 1.1), 40: (0.2, -0.3, 1.4)}


def scenario(user: User) -> Steps:
    limb_with_target()
    rig, scene = bpy.context.object, bpy.context.scene
    target = rig.two_bone_ik_chains[0].target
    target.animation_data_clear()
    root = rig.matrix_world @ rig.pose.bones[0].head
    reach = sum(bone.length for bone in rig.data.bones)
    for frame, place in PLACES.items():
        target.location = [start + 0.5 * reach * part for start, part in zip(root, place, strict=True)]
        target.keyframe_insert("location", frame=frame)
    scene.frame_start, scene.frame_end, scene.sync_mode = 1, 40, "NONE"
    yield from user.open_sidebar("Animation")
    yield from user.click("two_bone_ik.live")
    yield from user.click("two_bone_ik_overlay", LAST_COLUMN)
    assert rig.two_bone_ik_live
    bpy.ops.screen.animation_play()
    seen = set()
    for _ in range(60):
        yield
        seen.add(scene.frame_current)
        assert distance() < 1e-5, scene.frame_current
        shown = rig.evaluated_get(bpy.context.view_layer.depsgraph)
        for bone in rig.pose.bones:
            assert bone.matrix_basis == shown.pose.bones[bone.name].matrix_basis, scene.frame_current
    bpy.ops.screen.animation_cancel(restore_frame=False)
    yield
    assert len(seen) > 5, seen
    user.screenshot("played")
    assert distance() < 1e-5

    # An edit while it stands, and on from there.
    target.location.z += 0.1 * reach
    target.keyframe_insert("location", frame=scene.frame_current)
    yield
    assert distance() < 1e-5
    for _ in range(5):
        yield from user.press("RIGHT_ARROW")
        yield
        assert distance() < 1e-5, scene.frame_current
    yield from user.undo()
    yield
    assert distance() < 1e-5
