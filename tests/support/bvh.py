"""Motion capture as it comes in files."""

from __future__ import annotations

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


def bvh() -> str:
    """A BVH file of this skeleton, two frames of rest."""
    lines, depth, count = ["HIERARCHY"], -1, 0
    for line in CMU.splitlines():
        name, *offset = line.split()
        new = line.index(name)
        if new <= depth:
            lines.append("End Site { OFFSET 0 0.5 0 }")
        lines += ["}"] * (depth - new + 1)
        position = "" if new else "Xposition Yposition Zposition "
        lines += [f"{'JOINT' if new else 'ROOT'} {name}", "{", f"OFFSET {' '.join(offset)}"]
        lines.append(f"CHANNELS {3 if new else 6} {position}Zrotation Yrotation Xrotation")
        depth, count = new, count + (3 if new else 6)
    lines += ["End Site { OFFSET 0 0.5 0 }", *["}"] * (depth + 1)]
    lines += ["MOTION", "Frames: 2", "Frame Time: 0.0333", *[" ".join(["0"] * count)] * 2]
    # The format wants braces on lines of their own.
    return "\n".join(lines).replace(" { ", "\n{\n").replace(" }", "\n}") + "\n"
