"""A human whose limbs are built into the rig, animated with G, the mouse and I; what then plays is kept in out/."""

from __future__ import annotations

import json

import addon_utils
import bpy
import numpy as np
from bpy.types import Object
from mathutils import Vector
from scenarios.pull_chosen import front
from scenarios.target_bones import click_on, evaluated
from user import OUT, Steps, User

from support import file_data

FRAMES = range(1, 14)
MOVES = {"Arm Target.L": Vector((-0.25, 0.0, 0.35)), "Leg Target.R": Vector((-0.1, 0.0, 0.4))}
LIMBS = {"Arm Target.L": "hand.L", "Leg Target.R": "foot.R"}
PIXEL = 1e-2
"""Metres, of the whole character in the view."""


def scenario(user: User) -> Steps:
    rig = human()
    bpy.ops.two_bone_ik.chains_detect()
    with bpy.context.temp_override(window=user.window, area=user.area):
        bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.two_bone_ik.create_targets(kind="BONES")
    yield from front(user)
    bpy.ops.ed.undo_push()
    yield from user.open_sidebar("Animation")
    yield
    before = file_data.dump()
    yield from user.click("two_bone_ik.build", (0.5,))
    yield from user.wait(20)
    assert len(built()) >= 4 * 3, built()
    after = file_data.dump()
    yield from user.undo()
    yield
    assert not (changed := file_data.changed(before)), sorted(changed)[:9]
    yield from user.redo()
    yield
    assert not (changed := file_data.changed(after)), sorted(changed)[:9]
    user.screenshot("built")

    for frame, part in ((1, 0.0), (7, 1.0), (13, 0.3)):
        bpy.context.scene.frame_set(frame)
        for name, way in MOVES.items():
            yield from click_on(user, name)
            assert [bone.name for bone in bpy.context.selected_pose_bones] == [name]
            if part:
                yield from grab(user, name, way * part if part == 1.0 else way * -0.7)
            yield from user.press("I")
            yield
            yield
    bpy.context.scene.frame_set(7)
    yield
    user.screenshot("moved")
    bpy.context.scene.frame_end = FRAMES[-1]
    rig = bpy.context.object
    poses = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        poses.append([np.array(evaluated().pose.bones[bone.name].matrix).tolist() for bone in rig.pose.bones])
    hands = np.array(poses)[:, [bone.name for bone in rig.pose.bones].index("hand.L"), :3, 3]
    assert np.linalg.norm(hands[6] - hands[0] - MOVES["Arm Target.L"]) < 3 * PIXEL, hands[[0, 6]]
    light()
    OUT.mkdir(exist_ok=True)
    (OUT / "built.json").write_text(json.dumps(poses))
    bpy.ops.wm.save_as_mainfile(filepath=str(OUT / "built.blend"), copy=True)


def grab(user: User, name: str, way: Vector) -> Steps:
    """Move the selected target this way with the mouse; the limb goes along."""
    start = head(name)
    yield from user.point_at(start)
    yield from user.press("G")
    yield from user.point_at(start + way)
    yield
    yield from user.press("LEFTMOUSE")
    yield from user.wait(5)
    assert (head(name) - start - way).length < PIXEL, (head(name), start + way)
    assert (head(LIMBS[name]) - head(name)).length < 1e-4, name


def head(name: str) -> Vector:
    return evaluated().matrix_world @ evaluated().pose.bones[name].head


def built() -> list[str]:
    return [bone.name for bone in bpy.context.object.data.bones if bone.name.startswith("IK-")]


def human() -> Object:
    """Rigify's metarig, with a bar for each bone of the body, to be rendered."""
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.data.batch_remove([*bpy.data.meshes, *bpy.data.materials])
    bpy.ops.object.armature_human_metarig_add()
    rig = bpy.context.object
    for bone in rig.data.bones:
        if bone.name.startswith(("spine", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "shoulder")):
            bar = bpy.data.meshes.new(bone.name)
            wide, long = 0.12 * bone.length, bone.length
            corners = [(0, -long, 0), *((x, -0.8 * long, z) for x in (-wide, wide) for z in (-wide, wide)), (0, 0, 0)]
            sides = [
                (1, 2, 4, 3),
                (0, 1, 2),
                (0, 2, 4),
                (0, 4, 3),
                (0, 3, 1),
                (5, 1, 2),
                (5, 2, 4),
                (5, 4, 3),
                (5, 3, 1),
            ]
            bar.from_pydata(corners, [], sides)
            item = bpy.data.objects.new(bone.name, bar)
            bpy.context.scene.collection.objects.link(item)
            item.parent, item.parent_type, item.parent_bone = rig, "BONE", bone.name
    bpy.context.view_layer.objects.active = rig
    return rig


def light() -> None:
    """A camera, and a sun behind it."""
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    for item in (camera, sun):
        bpy.context.scene.collection.objects.link(item)
        item.location, item.rotation_euler = (1.2, -5.0, 1.2), (1.5, 0.0, 0.25)
    bpy.context.scene.camera = camera
