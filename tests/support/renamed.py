"""Two arms whose bones are renamed, swapped and edited."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import bpy
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from .rigs import Bone, armature, empty

SIDES = tuple(
    Bone(f"{name}.{side}", (x * sign, 0, z), (x2 * sign, 0.1, z2), parent and f"{parent}.{side}")
    for side, sign in (("L", 1.0), ("R", -1.0))
    for name, (x, z), (x2, z2), parent in (
        ("upper", (0.2, 1.0), (1.0, 1.0), ""),
        ("lower", (1.0, 1.0), (1.8, 1.1), "upper"),
        ("hand", (1.8, 1.1), (2.0, 1.1), "lower"),
    )
)
OWN = ("end_bone", "root_bone", "tip_bone")


def named(chain_: object, fields: tuple[str, ...] = OWN) -> tuple[str, ...]:
    """The bones that the chain names."""
    return tuple(getattr(chain_, field) for field in fields)


def evaluate() -> None:
    """What a window does after each step of the user."""
    bpy.context.view_layer.update()


def sides(name: str = "Sides") -> Object:
    """Two arms with a chain each that names all of its bones, and with a target each."""
    rig = armature(SIDES, name)
    for side, x in (("L", 1.2), ("R", -1.2)):
        target = empty(f"Target.{side}", (x, 0.6, 1.3))
        fields = {"root_bone": f"upper.{side}", "tip_bone": f"hand.{side}"}
        api.add_chain(rig, f"lower.{side}", name=f"Arm.{side}", target=target, **fields)
    evaluate()
    return rig


@contextmanager
def nobody_looking() -> Iterator[None]:
    """While it is open, Blender calls no handler, as without the extension."""
    handlers = [getattr(bpy.app.handlers, name) for name in ("depsgraph_update_post", "frame_change_post")]
    before = [[*each] for each in handlers]
    for each in handlers:
        each.clear()
    try:
        yield
    finally:
        for each, functions in zip(handlers, before, strict=True):
            each.extend(functions)


def in_edit_mode(rig: Object, edit: Callable[[], object]) -> None:
    """Do something in Edit Mode, with all bones selected."""
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.armature.select_all(action="SELECT")
    edit()
    bpy.ops.object.mode_set(mode="OBJECT")


def swap(rig: Object, one: str, other: str) -> None:
    """Give each of two bones the other's name."""
    bones = rig.data.bones
    bones[one].name = "for a moment"
    bones[other].name = one
    bones["for a moment"].name = other
