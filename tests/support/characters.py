"""Characters with two arms, and what an animator selects of them."""

from __future__ import annotations

import bpy
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.status.in_hand import chain_in_hand
from bpy.types import Object

from .rigs import Bone, armature, empty

SIDES = ("L", "R")
_BONES = tuple(
    Bone(f"{name}.{side}", (x * sign, y, z), (x2 * sign, y2, z), f"{parent}.{side}" if parent else "spine")
    for side, sign in zip(SIDES, (1, -1), strict=True)
    for name, (x, y, z), (x2, y2), parent in (
        ("upper", (0, 0, 1), (1, 0.2), ""),
        ("twist", (1, 0.2, 1), (1.1, 0.2), "upper"),
        ("lower", (1.1, 0.2, 1), (2, 0), "twist"),
        ("hand", (2, 0, 1), (2.3, 0), "lower"),
        ("finger", (2.3, 0, 1), (2.5, 0), "hand"),
    )
)
SPINE = Bone("spine", (0, 0, 0), (0, 0, 1))
GOAL = Bone("goal", (0, 2, 0), (0, 2, 1))
"""A control that limbs can reach for."""


def character(name: str = "Rig") -> Object:
    """A rig with chains "L" and "R"; each has the bones and the empties NAME target.SIDE and NAME pole.SIDE."""
    rig = armature((SPINE, *_BONES, GOAL), name)
    for side in SIDES:
        chain = api.add_chain(rig, f"lower.{side}", root_bone=f"upper.{side}", tip_bone=f"hand.{side}")
        chain.name = side
        chain.target = empty(f"{name} target.{side}", (1.5 if side == "L" else -1.5, 0.5, 1.2))
        chain.pole_target = empty(f"{name} pole.{side}", (0, 3, 1))
    rig.two_bone_ik_active = 0
    return rig


def select(*items: Object, active: Object | None = None) -> None:
    """These alone, in Object Mode; the first is active, or `active`, which need not be selected."""
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for item in bpy.context.scene.objects:
        item.select_set(item in items)
    bpy.context.view_layer.objects.active = active or (items[0] if items else None)


def select_bones(rig: Object, *names: str) -> None:
    """These alone, in Pose Mode; the first is active."""
    select(rig)
    rig.data.bones.active = rig.data.bones[names[0]]
    for bone in rig.pose.bones:
        owner = bone if hasattr(bone, "select") else bone.bone
        owner.select = bone.name in names
    bpy.ops.object.mode_set(mode="POSE")


def in_hand() -> tuple[str, str] | None:
    """Names of armature and chain."""
    found = chain_in_hand(bpy.context)
    return found and (found.id_data.name, found.name)
