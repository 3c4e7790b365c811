"""The scenes to be timed: Rigify's human metarig with four limbs, alone or in a heavy scene."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import cos, sin

import bpy
from bpy.types import Object
from mathutils import Euler, Vector

LIMBS = ("forearm.L", "forearm.R", "shin.L", "shin.R")


def metarig(frames: int) -> Object:
    """A new file with the metarig in it."""
    new_file(frames)
    bpy.ops.object.armature_human_metarig_add()
    return bpy.context.object


def new_file(frames: int) -> None:
    """An empty file, with Rigify enabled."""
    import addon_utils  # on the path since bpy is imported

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    addon_utils.enable("rigify", default_set=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames


def keyed_targets(rig: Object, frames: int, every: int = 10) -> list[Object]:
    """An empty for each limb, moving about its tip."""
    return [
        _keyed(rig, f"Target {name}", rig.data.bones[name].tail_local, frames, every, number)
        for number, name in enumerate(LIMBS)
    ]


def constrained_targets(rig: Object, frames: int) -> list[Object]:
    """Empties that copy the location of keyed ones."""
    followers = []
    for leader in keyed_targets(rig, frames):
        follower = bpy.data.objects.new(f"{leader.name} follower", None)
        bpy.context.scene.collection.objects.link(follower)
        follower.constraints.new("COPY_LOCATION").target = leader
        followers.append(follower)
    return followers


def animate_spine(rig: Object, frames: int) -> None:
    """Keys for pelvis and chest."""
    for name in ("spine", "spine.003"):
        bone = rig.pose.bones[name]
        for frame in range(1, frames + 10, 10):
            bone.rotation_quaternion = Euler((0.1 * sin(frame / 9), 0.1 * cos(frame / 7), 0.0)).to_quaternion()
            bone.keyframe_insert("rotation_quaternion", frame=frame)


def heavy_meshes(frames: int, count: int = 10) -> list[Object]:
    """Animated meshes with subdivision and displacement, which Blender evaluates again on every frame."""
    balls = []
    for number in range(count):
        bpy.ops.mesh.primitive_uv_sphere_add(segments=48, ring_count=24, location=(3.0 + number, 3.0, 0.0))
        ball = bpy.context.object
        balls.append(ball)
        ball.modifiers.new("Subdivision", "SUBSURF").levels = 2
        wave = ball.modifiers.new("Wave", "WAVE")
        wave.height = 0.1
        ball.keyframe_insert("location", frame=1)
        ball.location.z = 1.0
        ball.keyframe_insert("location", frame=frames)
    return balls


def static_objects(count: int) -> None:
    """Empties that nothing moves; each adds to the view layer's dependency graph."""
    for number in range(count):
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(f"Prop {number}", None))


def keyed_poles(rig: Object, frames: int) -> list[Object]:
    """An empty for each limb, moving a metre in front of knees and behind elbows."""
    before = Vector((0.0, -1.0, 0.0))
    return [
        _keyed(rig, f"Pole {name}", rig.data.bones[name].head_local + before * (1 - 2 * ("arm" in name)), frames, 10, 0)
        for name in LIMBS
    ]


def add_chains(api, rig: Object, targets: list[Object], poles: Sequence[Object | None] = (None,) * 4) -> None:
    """A chain for each limb."""
    for name, target, pole in zip(LIMBS, targets, poles, strict=True):
        api.add_chain(rig, name, target=target, pole_target=pole)


def add_constraints(rig: Object, targets: list[Object], poles: Sequence[Object | None] = (None,) * 4) -> None:
    """Blender's own constraint for each limb."""
    for name, target, pole in zip(LIMBS, targets, poles, strict=True):
        constraint = rig.pose.bones[name].constraints.new("IK")
        constraint.target, constraint.pole_target, constraint.chain_count = target, pole, 2


def mute_constraints(rig: Object, *, mute: bool) -> None:
    """Mute Blender's own constraints, or let them act."""
    for name in LIMBS:
        for constraint in rig.pose.bones[name].constraints:
            constraint.mute = mute


def nla_bake(rig: Object, frames: int, names: Collection[str] = (), **more: object) -> None:
    """Bake visual keys with Blender's own operator, and take its undo step.

    names : of the bones; those of the limbs if there are none
    more : options of the operator
    """
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    names = names or {bone.name for bone in limb_bones(rig)}
    for bone in rig.pose.bones:
        (bone if "select" in bone.bl_rna.properties else bone.bone).select = bone.name in names
    options = {"frame_start": 1, "frame_end": frames, "only_selected": True, "visual_keying": True, **more}
    bpy.ops.nla.bake("EXEC_DEFAULT", True, bake_types={"POSE"}, **options)
    bpy.ops.object.mode_set(mode="OBJECT")


def limb_bones(rig: Object) -> Iterator[bpy.types.PoseBone]:
    """The eight bones that a bake keys."""
    for name in LIMBS:
        yield from (rig.pose.bones[name], rig.pose.bones[name].parent)


def many_limbs(count: int, frames: int) -> tuple[Object, list[str], list[Object]]:
    """A rig with `count` chains of two bones side by side, the names of their end bones, and keyed targets."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.object.armature_add(enter_editmode=True)
    rig = bpy.context.object
    bones = rig.data.edit_bones
    bones.remove(bones[0])
    for number in range(count):
        root, end = bones.new(f"root {number}"), bones.new(f"end {number}")
        root.head, root.tail = (number, 0.0, 0.0), (number, 0.05, 1.0)
        end.head, end.tail, end.parent = root.tail, (number, 0.0, 1.9), root
    bpy.ops.object.mode_set(mode="OBJECT")
    names = [f"end {number}" for number in range(count)]
    targets = [_keyed(rig, f"Target {name}", rig.data.bones[name].tail_local, frames, 10, 0) for name in names]
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    return rig, names, targets


def _keyed(rig: Object, name: str, place: Vector, frames: int, every: int, phase: int) -> Object:
    empty = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(empty)
    animate(empty, place, frames, every, phase)
    return empty


def animate(item: Object, place: Vector, frames: int, every: int, phase: int) -> None:
    """Key an object so that it moves about this place."""
    place = place.copy()
    for frame in range(1, frames + every, every):
        item.location = place + 0.15 * Vector((sin(frame / 17 + phase), cos(frame / 23), sin(frame / 29 + phase)))
        item.keyframe_insert("location", frame=frame)
