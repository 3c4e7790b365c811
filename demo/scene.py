"""The human metarig of Rigify on its walk, with a target for each hand and foot and a pole target for each knee."""

from __future__ import annotations

from math import radians

import bpy
import motion
from bpy.types import Object
from mathutils import Euler, Matrix, Vector

FRAMES = range(1, 251)
SIDES = {"L": 1, "R": -1}


def metarig() -> Object:
    """A new file with the metarig in it, turned away from the axes of the world."""
    import addon_utils  # on the path since bpy is imported

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    # Rigify reads its preferences as it registers.
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.armature_human_metarig_add()
    rig = bpy.context.object
    rig.name = "Walker"
    rig.rotation_euler.z = radians(20.0)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES.start, FRAMES.stop - 1
    return rig


def animate(rig: Object) -> None:
    """Keys for the armature object, its pelvis and its spine."""
    turn = rig.rotation_euler.to_matrix()
    for frame in FRAMES:
        rig.location = turn @ Vector((0.0, -motion.travelled(frame), 0.0))
        rig.keyframe_insert("location", frame=frame)
        pelvis = rig.pose.bones["spine"]
        sideways, forward, up = motion.pelvis(frame)
        pelvis.location = pelvis.bone.matrix_local.to_3x3().inverted() @ Vector((sideways, -forward, up))
        pelvis.keyframe_insert("location", frame=frame)
        for name, angles in motion.turns(frame).items():
            bone = rig.pose.bones[name]
            bone.rotation_quaternion = Euler(angles).to_quaternion()
            bone.keyframe_insert("rotation_quaternion", frame=frame)


def targets(rig: Object) -> dict[str, dict[str, object]]:
    """For each end bone the fields of its chain, with new targets that have keys."""
    limbs = {}
    for letter, side in SIDES.items():
        foot, knee = rig.data.bones[f"foot.{letter}"], rig.data.bones[f"shin.{letter}"].head_local
        limbs[f"shin.{letter}"] = {
            "target": _animated(rig, f"Foot.{letter}", lambda frame, foot=foot, side=side: _ankle(foot, frame, side)),
            "pole_target": _animated(
                rig,
                f"Knee.{letter}",
                lambda frame, knee=knee: Matrix.Translation(knee + Vector((0.0, -0.8 - motion.travelled(frame), 0.0))),
            ),
            "tip_bone": foot.name,
            "use_rotation": True,
        }
        limbs[f"forearm.{letter}"] = {
            "target": _animated(rig, f"Hand.{letter}", lambda frame, side=side: _wrist(frame, side)),
            "tip_bone": f"hand.{letter}",
        }
    return limbs


def _ankle(foot: bpy.types.Bone, frame: int, side: int) -> Matrix:
    place = motion.foot(frame, side)
    ankle = Matrix.Translation((foot.head_local.x, foot.head_local.y - place.forward, foot.head_local.z + place.height))
    return ankle @ Matrix.Rotation(place.pitch, 4, "X") @ foot.matrix_local.to_3x3().to_4x4()


def _wrist(frame: int, side: int) -> Matrix:
    sideways, forward, up = motion.wrist(frame, side)
    return Matrix.Translation((sideways, -forward - motion.travelled(frame), up))


def _animated(rig: Object, name: str, place) -> Object:
    """An empty that is at `place(frame)` on every frame, in the space in which the walk starts."""
    empty = bpy.data.objects.new(name, None)
    empty.empty_display_size = 0.05
    empty.rotation_mode = "QUATERNION"
    bpy.context.scene.collection.objects.link(empty)
    start = rig.rotation_euler.to_matrix().to_4x4()
    for frame in FRAMES:
        empty.location, empty.rotation_quaternion, _ = (start @ place(frame)).decompose()
        empty.keyframe_insert("location", frame=frame)
        empty.keyframe_insert("rotation_quaternion", frame=frame)
    return empty
