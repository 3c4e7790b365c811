"""Edits without a key: a bake keeps them, so do undo and redo of it, and undo of the edit itself takes it back."""

from __future__ import annotations

import bpy
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object, PoseBone
from scenarios.limb import limb_with_target
from user import Steps, User

EDITED = (3.0, 2.0, 1.5)


def scenario(user: User) -> Steps:
    limb_with_target()
    hand = extra_bone()
    for frame, size in ((1, 1.0), (20, 2.0)):
        hand.scale = (size, size, size)
        hand.keyframe_insert("scale", frame=frame)
    bpy.context.scene.frame_set(5)
    yield from settle(user)
    played = size_shown()
    assert played != EDITED
    the_hand().scale = EDITED
    yield from settle(user)
    for last, sampling in ((6, "AUTO"), (8, "SCENE")):
        yield from bake(user, last, sampling)
        assert size_shown() == EDITED, "a bake keeps the edit"
        yield from there_and_back(user)
    yield from bake(user, 10, "AUTO")
    bpy.data.objects["Empty"].location.x += 0.1
    yield from settle(user)
    for _ in range(2):  # of the move, and of the bake
        yield from undone(user)
        assert size_shown() == EDITED, "undo keeps the edit"
    for _ in range(2):  # of both bakes before
        yield from undone(user)
    assert size_shown() == EDITED, "undo keeps the edit"
    yield from undone(user)
    assert size_shown() == played, "undo takes the edit itself back"
    user.screenshot("end")


def there_and_back(user: User) -> Steps:
    keyed = key_count()
    yield from undone(user)
    assert key_count() < keyed, "the bake is undone"
    assert size_shown() == EDITED, "undo keeps the edit"
    yield from user.redo()
    yield
    assert key_count() == keyed, "the bake is redone"
    assert size_shown() == EDITED, "redo keeps the edit"


def undone(user: User) -> Steps:
    yield from user.undo()
    yield


def settle(user: User) -> Steps:
    yield
    with bpy.context.temp_override(window=user.window):
        bpy.ops.ed.undo_push()
    yield


def bake(user: User, last: int, sampling: str) -> Steps:
    with bpy.context.temp_override(window=user.window, area=user.area):
        bpy.ops.two_bone_ik.bake("EXEC_DEFAULT", True, frame_end=last, sampling=sampling)
    yield


def extra_bone() -> PoseBone:
    """Beside the limb, in its action."""
    bpy.ops.object.mode_set(mode="EDIT")
    bone = bpy.context.object.data.edit_bones.new("Hand")
    bone.head, bone.tail = (1, 0, 0), (1, 0, 1)
    bpy.ops.object.mode_set(mode="POSE")
    return the_hand()


def rig() -> Object:
    return bpy.data.objects["Armature"]


def the_hand() -> PoseBone:
    return rig().pose.bones["Hand"]


def size_shown() -> tuple[float, ...]:
    """As Blender evaluates it."""
    evaluated = rig().evaluated_get(bpy.context.evaluated_depsgraph_get())
    return tuple(evaluated.pose.bones["Hand"].scale)


def key_count() -> int:
    return sum(len(curve.keyframe_points) for curve in versions.curves(rig()))
