"""Motions of a rig that Rigify has generated, and where Blender then has the bones that deform it.

By IK it walks, or reaches out of reach; by FK it strides, or swings limbs that get straight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import cos, pi, sin

import numpy as np
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object
from mathutils import Euler, Quaternion, Vector

from .rigs import animate
from .truth import on_frame

FRAMES = range(1, 31)
HALVES = np.arange(1.5, 30.0)
SPAN = (FRAMES[0], FRAMES[-1])
"""Half of the cycle of a walk: the left side goes through one half of it, the right side through the other."""
LIMBS = ("thigh", "upper_arm")
PARTS = ("thigh", "shin", "foot", "toe", "upper_arm", "forearm", "hand")
SIDES = (("L", 0.0, 1.0), ("R", pi, -1.0))


def walk(rig: Object) -> None:
    """Hips low, heels rolling, hands and toes turning, limbs swivelled: keyed on the IK controls."""
    bones = rig.pose.bones

    def turned(*angles: float) -> Sequence[float]:
        return Euler(angles).to_quaternion()

    for frame in range(1, 62, 5):
        phase = 2.0 * pi * frame / 60.0
        animate(bones["root"], location={frame: (0, 0.02 * frame, 0)})
        animate(bones["torso"], location={frame: (0, 0, -0.1 + 0.03 * cos(2.0 * phase))})
        for side, shift, x in SIDES:
            swing, lift = sin(phase + shift), cos(phase + shift)
            animate(bones[f"foot_ik.{side}"], location={frame: (0, 0.25 * swing, 0.1 + 0.1 * lift)})
            animate(bones[f"foot_ik.{side}"], rotation_quaternion={frame: turned(0.3 * swing, 0, 0.1 * x)})
            animate(bones[f"foot_heel_ik.{side}"], rotation_euler={frame: (0.4 + 0.3 * swing, 0.1, 0.05)})
            animate(bones[f"toe_ik.{side}"], rotation_quaternion={frame: turned(0.2 * swing, 0, 0)})
            animate(bones[f"hand_ik.{side}"], location={frame: (-0.15 * x, -0.2 + 0.2 * swing, 0.1 * lift)})
            animate(bones[f"hand_ik.{side}"], rotation_quaternion={frame: turned(0.5 * swing, 0.3, 0.4 * x)})
            for limb in LIMBS:
                animate(bones[f"{limb}_ik.{side}"], rotation_euler={frame: (0, 0.2 * swing, 0)})


def stride(rig: Object) -> None:
    """Legs and arms swing by their FK controls, which show."""
    bones = rig.pose.bones
    for side, shift, x in SIDES:
        for frame in range(1, 62, 6):
            swing = sin(2.0 * pi * frame / 60.0 + shift)
            angles = {
                "thigh": (0.5 * swing - 0.2, 0.1, 0.05 * x),
                "shin": (0.6 + 0.3 * swing, 0, 0),
                "foot": (0.3 * swing, 0.1, 0.1),
                "toe": (0.2 * swing, 0, 0),
                "upper_arm": (0.4 * swing, 0.2, 0.3 * x),
                "forearm": (0.8 + 0.3 * swing, 0, 0),
                "hand": (0.3 * swing, 0.1, 0.1),
            }
            for name, turn in angles.items():
                animate(bones[f"{name}_fk.{side}"], rotation_quaternion={frame: Euler(turn).to_quaternion()})
        for limb in LIMBS:
            bones[f"{limb}_parent.{side}"]["IK_FK"] = 1.0
    rig.update_tag()


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


def deforming(rig: Object, frames: Sequence[float]) -> np.ndarray:
    """(frames, bones, 4, 4) of the limbs' bones that deform the character, as Blender evaluates them."""
    names = [f"DEF-{part}.{side}" for part in PARTS for side in "LR"]
    names += [f"DEF-{part}.{side}.001" for part in (*PARTS[:2], *PARTS[4:6]) for side in "LR"]
    return pose_of(rig, names, frames)


def pose_of(rig: Object, names: Sequence[str], frames: Sequence[float]) -> np.ndarray:
    """(frames, bones, 4, 4) of these bones, as Blender evaluates them."""
    found = []
    for frame in frames:
        on_frame(frame)
        found.append([np.array(rig.pose.bones[name].matrix) for name in names])
    return np.array(found)


def off(after: np.ndarray, before: np.ndarray) -> tuple[float, float, float]:
    """How far bones are off, at the most: metres, degrees, and parts of their scale."""
    scales = [np.linalg.norm(each[..., :3, :3], axis=-2) for each in (after, before)]
    turns = [each[..., :3, :3] / scale[..., None, :] for each, scale in zip((after, before), scales, strict=True)]
    half = np.linalg.norm(turns[0] - turns[1], axis=(-2, -1)) / np.sqrt(8.0)
    moved = np.linalg.norm(after[..., :3, 3] - before[..., :3, 3], axis=-1)
    return moved.max(), np.degrees(2.0 * np.arcsin(half)).max(), np.abs(scales[0] - scales[1]).max()


def assert_kept(after: np.ndarray, before: np.ndarray) -> None:
    """Within what the manual promises on frames: metres, degrees, and parts of the scale."""
    moved, turned, scaled = off(after, before)
    assert moved < 1e-4
    assert turned < 0.1
    assert scaled < 1e-3


@contextmanager
def staying(rig: Object, frames: Sequence[float] = FRAMES, halves: Sequence[float] = HALVES) -> Iterator[None]:
    """What is done meanwhile leaves all that deforms where it was, on frames and between them."""
    before, between = deforming(rig, frames), deforming(rig, halves)
    yield
    assert_kept(deforming(rig, frames), before)
    assert off(deforming(rig, halves), between)[0] < 1e-3


def key_setting(rig: Object, name: str, values: Mapping[float, float]) -> None:
    """Key a setting of all limbs, which jumps from key to key."""
    for limb in LIMBS:
        for side in "LR":
            path = f'pose.bones["{limb}_parent.{side}"]["{name}"]'
            points = versions.ensure_channelbag(rig).fcurves.new(path).keyframe_points
            for frame, value in values.items():
                points.insert(frame, value).interpolation = "CONSTANT"


def key_switch(rig: Object, values: Mapping[float, float], interpolation: str) -> None:
    """Key which layer the left leg shows."""
    path = 'pose.bones["thigh_parent.L"]["IK_FK"]'
    points = versions.ensure_channelbag(rig).fcurves.new(path, index=0).keyframe_points
    for frame, value in values.items():
        points.insert(frame, value).interpolation = interpolation
