"""Motion capture files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, radians, sin, tan
from pathlib import Path

import bpy
from bpy.types import Object

CMU = """\
Hips 0 0 0
 LHipJoint 0 0 0
  LeftUpLeg 1.36 -1.79 0.84
   LeftLeg 2.45 -6.73 0
    LeftFoot 2.56 -7.04 0
     LeftToeBase 0.16 -0.43 2.32
 RHipJoint 0 0 0
  RightUpLeg -1.36 -1.79 0.84
   RightLeg -2.45 -6.73 0
    RightFoot -2.56 -7.04 0
     RightToeBase -0.16 -0.43 2.32
 LowerBack 0 0 0
  Spine 0.03 2.04 -0.19
   Spine1 0.06 2.05 -0.04
    Neck 0 0 0
     Neck1 -0.05 1.75 0.17
      Head 0.10 1.76 -0.12
    LeftShoulder 0 0 0
     LeftArm 3.36 1.20 -0.31
      LeftForeArm 4.98 0 0
       LeftHand 3.48 0 0
        LeftFingerBase 0 0 0
         LeftHandIndex1 0.72 0 0
        LThumb 0 0 0
    RightShoulder 0 0 0
     RightArm -3.36 1.20 -0.31
      RightForeArm -4.98 0 0
       RightHand -3.48 0 0
        RightFingerBase 0 0 0
         RightHandIndex1 -0.72 0 0
        RThumb 0 0 0
"""
"""The joints of the motion capture database of Carnegie Mellon University as BVH files have them: offsets, y up."""


LOCAL_AXES = """\
Hips 0 90 0
 Spine 15 0 0
  Chest 10 -0.5 0
   Neck 16 0 0
    Head 6 0 0
   Shoulder_L 13 -0.3 5
    UpperArm_L 5 0 0
     LowerArm_L 24 0 0
      Hand_L 22 0 0
   Shoulder_R 13 -0.3 -5
    UpperArm_R -5 0 0
     LowerArm_R -24 0.0003 0
      Hand_R -22 -0.0001 0
 UpperLeg_L -2 -6.5 0
  LowerLeg_L 39.1 0 0
   Foot_L 41 0 0
    Toes_L 12 0 0
 UpperLeg_R -2 6.5 0
  LowerLeg_R -39 0 0
   Foot_R -41 0 0
    Toes_R -12 0 0
"""
"""As some programs write them, each joint along the x axis of its own bone and those of the right against it: at rest
one arm and one leg go down and the others up."""

Turns = Mapping[str, tuple[float, float, float]]
"""By joint the angles about z, y and x in degrees, applied in the order x, y, z."""


def bvh(
    skeleton: str = CMU,
    motion: Sequence[Turns] = ({}, {}),
    places: Sequence[Sequence[float]] = ((0.0, 0.0, 0.0),),
    rate: float = 1 / 0.0333,
) -> str:
    """The text of a BVH file with this skeleton and its motion on each frame; joints without turns are at rest.

    places : of the root on each frame, or one for all
    """
    lines, depth, names = ["HIERARCHY"], -1, []
    for line in skeleton.splitlines():
        name, *offset = line.split()
        new = line.index(name)
        if new <= depth:
            lines.append("End Site { OFFSET 0 0.5 0 }")
        lines += ["}"] * (depth - new + 1)
        position = "" if new else "Xposition Yposition Zposition "
        lines += [f"{'JOINT' if new else 'ROOT'} {name}", "{", f"OFFSET {' '.join(offset)}"]
        lines.append(f"CHANNELS {3 if new else 6} {position}Zrotation Yrotation Xrotation")
        depth = new
        names.append(name)
    lines += ["End Site { OFFSET 0 0.5 0 }", *["}"] * (depth + 1)]
    lines += ["MOTION", f"Frames: {len(motion)}", f"Frame Time: {1 / rate:.9g}"]
    for row, turns in enumerate(motion):
        values = [*places[row % len(places)]] + [angle for name in names for angle in turns.get(name, (0.0, 0.0, 0.0))]
        lines.append(" ".join(f"{value:.9g}" for value in values))
    # The format wants braces on lines of their own.
    return "\n".join(lines).replace(" { ", "\n{\n").replace(" }", "\n}") + "\n"


def imported(folder: Path, text: str) -> Object:
    """The armature that Blender imports from a BVH file."""
    path = folder / "actor.bvh"
    path.write_text(text)
    bpy.ops.import_anim.bvh(filepath=str(path))
    return bpy.context.object


def t_pose(degrees: float) -> str:
    """CMU's skeleton with arms along x, whose elbows and knees are bent at rest by `degrees` to the wrong side."""
    back = tan(radians(degrees))
    return (
        CMU.replace("LeftHand 3.48 0 0", f"LeftHand 3.48 0 {-3.48 * back:.9f}")
        .replace("RightHand -3.48 0 0", f"RightHand -3.48 0 {-3.48 * back:.9f}")
        .replace("LeftLeg 2.45 -6.73 0", "LeftLeg 0 -7 0")
        .replace("RightLeg -2.45 -6.73 0", "RightLeg 0 -7 0")
        .replace("LeftFoot 2.56 -7.04 0", f"LeftFoot 0 -7 {7 * back:.9f}")
        .replace("RightFoot -2.56 -7.04 0", f"RightFoot 0 -7 {7 * back:.9f}")
    )


def walk(count: int) -> list[Turns]:
    """A motion in which elbows bend forwards, knees backwards, and shoulders, hips and wrists move along."""
    frames = []
    for frame in range(count):
        bend, swing = 50 - 40 * cos(frame / 7), 30 * sin(frame / 5)
        turns = {"Hips": (5 * sin(frame / 9), 3.0 * frame, 0.0)}
        for side, sign in (("Left", 1), ("Right", -1)):
            turns[f"{side}Arm"] = (-sign * (40 + 20 * sin(frame / 11)), 0.5 * swing, swing)
            turns[f"{side}ForeArm"] = (4 * sin(frame / 4), -sign * bend, 25 * sin(frame / 6))
            turns[f"{side}UpLeg"] = (3.0, 2 * sin(frame / 3), sign * swing - 20)
            turns[f"{side}Leg"] = (0.0, 0.0, bend)
        frames.append(turns)
    return frames
