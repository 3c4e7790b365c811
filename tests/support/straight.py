"""Limbs of generated rigs that get straight, by their FK controls or out of the reach of IK."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi, sin

from bpy.types import Object
from mathutils import Euler, Quaternion, Vector

from .rigs import animate
from .walking import LIMBS, SIDES


def swing(rig: Object, bends: Mapping[int, float]) -> None:
    """Arms and legs swing by their FK controls, which show, knees and elbows bent by these angles."""
    bones = rig.pose.bones
    for side, shift, x in SIDES:
        for frame, bend in bends.items():
            phase = sin(2.0 * pi * frame / 60.0 + shift)
            for upper, lower, end in (("thigh", "shin", "foot"), ("upper_arm", "forearm", "hand")):
                turns = {upper: (0.5 * phase - 0.2, 0.1, 0.1 * x), end: (0.3 * phase, 0.1, 0.1)}
                for name, turn in turns.items():
                    animate(bones[f"{name}_fk.{side}"], rotation_quaternion={frame: Euler(turn).to_quaternion()})
                straight = _straight(rig, f"{upper}_fk.{side}", f"{lower}_fk.{side}")
                bent = straight @ Quaternion((1.0, 0.0, 0.0), bend)
                animate(bones[f"{lower}_fk.{side}"], rotation_quaternion={frame: bent})
        for limb in LIMBS:
            bones[f"{limb}_parent.{side}"]["IK_FK"] = 1.0
    rig.update_tag()


def reach_out(rig: Object, stretch: float) -> None:
    """Feet and hands go farther than the limbs reach, which IK shows, and come back."""
    bones = rig.pose.bones
    for frame in range(1, 62, 10):
        phase = 2.0 * pi * frame / 60.0
        out = max(0.0, sin(phase / 2.0))
        for side, shift, x in SIDES:
            swings = 0.25 * sin(phase + shift)
            animate(bones[f"foot_ik.{side}"], location={frame: (0.0, swings, -0.25 * out)})
            animate(bones[f"hand_ik.{side}"], location={frame: (0.3 * out * x, swings - 0.2, 0.1)})
            for limb in LIMBS:
                bones[f"{limb}_parent.{side}"]["IK_Stretch"] = stretch


def _straight(rig: Object, upper: str, lower: str) -> Quaternion:
    """The rotation of the lower bone that puts it in line with the upper one."""
    bones = rig.data.bones
    along = bones[lower].matrix_local.to_3x3().inverted() @ bones[upper].matrix_local.to_3x3().col[1]
    return Vector((0.0, 1.0, 0.0)).rotation_difference(along)


def set_poles(rig: Object, pole: bool) -> None:
    """Whether IK bends towards the pole controls."""
    for limb in LIMBS:
        for side in "LR":
            rig.pose.bones[f"{limb}_parent.{side}"]["pole_vector"] = pole
