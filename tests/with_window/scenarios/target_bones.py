"""A metarig in Pose Mode gets target bones: all else stays, and one undo takes them away; then one is moved, live."""

from __future__ import annotations

from itertools import product

import addon_utils
import bpy
import numpy as np
from bpy.types import Object
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Matrix, Vector
from user import Steps, User

from support import file_data


def scenario(user: User) -> Steps:
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    # Parts of the default cube are worked out anew by undo.
    bpy.data.batch_remove([*bpy.data.meshes, *bpy.data.materials])
    bpy.ops.object.armature_human_metarig_add()
    rig = bpy.context.object
    bpy.ops.two_bone_ik.chains_detect()
    rig.data.use_mirror_x = True
    with bpy.context.temp_override(window=user.window, area=user.area):
        bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones.active = rig.data.bones["spine"]
    rig.pose.bones["thigh.L"].rotation_quaternion = (0.9, -0.4, 0, 0.1)
    rig.pose.bones["shin.L"].rotation_quaternion = (0.9, 0.4, 0, 0)
    yield from user.open_sidebar("Animation")
    with user.override():
        bpy.ops.view3d.view_all()
    bpy.ops.ed.undo_push()
    yield
    user.screenshot("before")
    before, state = file_data.dump(), told()

    yield from user.click("two_bone_ik.create_targets")
    yield
    yield
    user.screenshot("created")
    limbs = [(limb, side) for limb in ("Arm", "Leg") for side in "LR"]
    assert bones() == [f"{limb} {role}.{side}" for limb, side in limbs for role in ("Target", "Pole")]
    assert told() == state
    after = file_data.dump()
    yield from user.undo()
    yield
    assert bones() == []
    assert not (changed := file_data.changed(before)), sorted(changed)[:9]
    yield from user.redo()
    yield
    assert not (changed := file_data.changed(after)), sorted(changed)[:9]
    assert told() == state

    for name in ("Arm Target.L", "Leg Pole.R"):
        yield from click_on(user, name)
        user.screenshot(f"selected {name}")
        assert bpy.context.mode == "POSE"
        assert [bone.name for bone in bpy.context.selected_pose_bones] == [name]
        assert bpy.context.active_pose_bone.name == name

    rig = bpy.context.object
    rig.two_bone_ik_live = True
    target = rig.pose.bones["Arm Target.L"]
    target.location.y -= 0.1
    target.location.z += 0.2
    yield
    yield
    user.screenshot("live")
    rig = evaluated()
    assert (rig.pose.bones["hand.L"].head - rig.pose.bones["Arm Target.L"].head).length < 1e-4
    yield from user.undo()


def click_on(user: User, name: str) -> Steps:
    """On the wire of a target bone, at the corner of its cube or the end of its sphere's axes that is farthest up."""
    region = next(region for region in user.area.regions if region.type == "WINDOW")
    posed = evaluated().pose.bones[name]
    corners = [Vector(signs) for signs in product((-1.0, 1.0), repeat=3)]
    if posed.custom_shape.empty_display_type == "SPHERE":
        corners = [sign * axis for axis in Matrix.Identity(3) for sign in (-1.0, 1.0)]
    size = posed.length * posed.custom_shape.empty_display_size
    wire = [evaluated().matrix_world @ posed.matrix @ (corner * size) for corner in corners]
    view = user.area.spaces.active.region_3d
    x, y = max((location_3d_to_region_2d(region, view, point) for point in wire), key=lambda place: place.y)
    yield from user.point(x / region.width, y / region.height)
    yield from user.press("LEFTMOUSE")
    yield
    yield


def bones() -> list[str]:
    return [bone.name for bone in bpy.context.object.data.bones if "Target" in bone.name or "Pole" in bone.name]


def evaluated() -> Object:
    return bpy.context.object.evaluated_get(bpy.context.evaluated_depsgraph_get())


def told() -> tuple:
    """What an animator would miss if it changed."""
    rig = bpy.context.object
    limbs = [bone for bone in rig.pose.bones if bone.name not in bones()]
    return (
        bpy.context.mode,
        rig.name,
        rig.mode,
        [item.name for item in bpy.context.selected_objects],
        rig.data.bones.active.name,
        rig.data.use_mirror_x,
        sorted(bone.name for bone in bpy.context.selected_pose_bones),
        [item.name for item in bpy.data.scenes],
        np.round([evaluated().pose.bones[bone.name].matrix for bone in limbs], 5).tolist(),
    )
