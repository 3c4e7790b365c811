"""The character of the manual's examples: a Hero with arms, legs and all that their set-ups name."""

from __future__ import annotations

import bpy
from bpy.types import Object

from .rigs import Bone, animate, armature, empty

_SIDES = (("L", 1.0), ("R", -1.0))
_BONES = (
    Bone("root", (0, 0, 0), (0, 0.2, 0)),
    Bone("spine", (0, 0, 1), (0, 0, 1.5), "root"),
    *(
        Bone(
            f"{name}.{side}",
            (x * sign, y, z),
            (x2 * sign, y2, z2),
            f"{parent}{side}" if parent.endswith(".") else parent,
        )
        for side, sign in _SIDES
        for name, (x, y, z), (x2, y2, z2), parent in (
            ("upper_arm", (0.2, 0, 1.5), (0.5, 0.05, 1.5), "spine"),
            ("forearm", (0.5, 0.05, 1.5), (0.8, 0, 1.5), "upper_arm."),
            ("hand", (0.8, 0, 1.5), (0.9, 0, 1.5), "forearm."),
            ("thigh", (0.1, 0, 1), (0.1, -0.05, 0.55), "spine"),
            ("shin", (0.1, -0.05, 0.55), (0.1, 0, 0.1), "thigh."),
            ("foot", (0.1, 0, 0.1), (0.1, -0.15, 0), "shin."),
            ("foot_ik", (0.1, 0, 0.1), (0.1, -0.15, 0.1), "root"),
        )
    ),
)


def hero(name: str = "Hero", frame_end: int = 250) -> Object:
    """The character, active, with targets for its hands that move within reach; the scene has that many frames."""

    rig = armature(_BONES, name)
    for side, sign in _SIDES:
        if f"hand target.{side}" not in bpy.data.objects:
            target = empty(f"hand target.{side}")
            animate(target, location={1: (0.6 * sign, -0.1, 1.4), frame_end: (0.6 * sign, 0.1, 1.6)})
            empty(f"elbow target.{side}", (0.5 * sign, 2, 1.5))
    bpy.context.scene.frame_end = frame_end
    return rig
