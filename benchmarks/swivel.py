"""Elbows and knees that come near their pole, against Blender's constraint: python benchmarks/swivel.py, as run.py.

The walk of benchmarks/reduced.py, with a millimetre of noise, at 24 frames a second. Each limb bends towards three
poles that are badly placed: on the line from its root to its target on one frame, but for a centimetre. All is measured
on the bones that Blender evaluates.
"""

from __future__ import annotations

import importlib
import os
import sys
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import numpy as np
import reduced
import scenes
from bpy.types import Object
from mathutils import Vector

PACKAGE = reduced.PACKAGE
FRAMES = range(1, reduced.FRAMES + 1)
ON_FRAMES = (60, 136, 330)
"""Those on which the three poles are on the line."""
ASIDE = 0.01
FLIP = 45.0
"""Degrees: an elbow that swivels farther in one frame flips."""
BENT = 0.01
"""Of the limb's length: a mid joint nearer to the line shows no side, such as that of the arm that reaches too high."""
SMOOTHING = (0.5, 1.0)


def limb(rig: Object, end: str) -> tuple[np.ndarray, np.ndarray]:
    """(n, 3, 3) joints and (n, 3, 3) orientation of the root bone on all frames, in the space of the armature."""
    joints, turns = [], []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        bone = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[end]
        joints.append([point.copy() for point in (bone.parent.head, bone.head, bone.tail)])
        turns.append(bone.parent.matrix.to_3x3().normalized())
    return np.array(joints, dtype=float), np.array(turns, dtype=float)


def acceleration(turns: np.ndarray) -> float:
    """Greatest angular acceleration of the root bone, degrees a frame squared."""
    steps = [_rotation_vector(before.T @ after) for before, after in pairwise(turns)]
    return float(np.degrees(np.linalg.norm(np.diff(steps, axis=0), axis=-1)).max())


def flips(joints: np.ndarray) -> int:
    """Frames on which a bent limb swivels farther than `FLIP` about its line, whose shortest turn is undone."""
    count = 0
    size = np.linalg.norm(np.diff(joints[0], axis=0), axis=-1).sum()
    for before, after in pairwise(joints):
        lines = [Vector(found[2] - found[0]) for found in (before, after)]
        sides = [line.cross(Vector(found[1] - found[0])) for line, found in zip(lines, (before, after), strict=True)]
        turn = (lines[0].rotation_difference(lines[1]) @ sides[0]).angle(sides[1])
        bent = min(side.length / line.length for line, side in zip(lines, sides, strict=True)) > BENT * size
        count += bent and np.degrees(turn) > FLIP
    return int(count)


def bad_pole(rig: Object, joints: np.ndarray, frame: int) -> Object:
    """A pole on the line from root to tip on this frame, half as far again as the tip; it goes along with the rig."""
    pole = bpy.data.objects.new("Bad Pole", None)
    bpy.context.scene.collection.objects.link(pole)
    root, _, tip = joints[frame - 1]
    pole.parent, pole.location = rig, root + 1.5 * (tip - root) + (ASIDE, 0.0, 0.0)
    return pole


def by_constraint(rig: Object, end: str, target: Object, pole: Object) -> tuple[np.ndarray, np.ndarray]:
    """The limb under Blender's own constraint."""
    constraint = rig.pose.bones[end].constraints.new("IK")
    constraint.target, constraint.pole_target, constraint.chain_count = target, pole, 2
    joints = limb(rig, end)
    rig.pose.bones[end].constraints.remove(constraint)
    return joints


def by_bake(api, rig: Object, end: str, pole: Object, smoothing: float) -> tuple[np.ndarray, np.ndarray, float]:
    """The limb as it is baked, and how far it leaves the pole, in degrees."""
    chain = rig.two_bone_ik_chains[end]
    chain.pole_target, chain.pole_smoothing = pole, smoothing
    action = rig.animation_data.action
    report = api.bake(rig, [chain.name], frames=(FRAMES[0], FRAMES[-1]), new_action=True, measure="NONE")
    joints = limb(rig, end)
    rig.animation_data.action = action
    for bone in scenes.limb_bones(rig):
        bone.matrix_basis.identity()
    return *joints, float(np.degrees(np.abs(report.chains[0].swivel).max()))


def _rotation_vector(turn: np.ndarray) -> np.ndarray:
    sine = np.array((turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]))
    size = np.linalg.norm(sine)
    return sine / (size or 1.0) * np.arctan2(size, np.trace(turn) - 1.0)


def main() -> int:
    """The exit status: 1 where a smoothed limb flips as often as the constraint's."""
    import addon_utils  # on the path since bpy is imported

    addon_utils.enable(PACKAGE, default_set=True)
    api = importlib.import_module(f"{PACKAGE}.api")
    rig = reduced.take(api, 1)
    for chain in rig.two_bone_ik_chains:
        chain.name, chain.tip_bone, chain.use_rotation = chain.end_bone, "", False
    print(f"Blender {bpy.app.version_string}, {len(FRAMES)} frames; flips, and greatest angular acceleration in times")
    print("that of the same limb without a bad pole; constraint, then Pole Smoothing", *SMOOTHING, "and off the pole")
    status = 0
    for chain in rig.two_bone_ik_chains:
        end = chain.end_bone
        good = by_bake(api, rig, end, chain.pole_target, 0.0)
        captured = acceleration(good[1])
        for frame in ON_FRAMES:
            pole = bad_pole(rig, good[0], frame)
            joints, turns = by_constraint(rig, end, chain.target, pole)
            peer = flips(joints)
            row = f"{end + ', frame ' + str(frame):24}{peer:4}{acceleration(turns) / captured:8.1f}"
            for smoothing in SMOOTHING:
                joints, turns, off = by_bake(api, rig, end, pole, smoothing)
                row += f"{flips(joints):6}{acceleration(turns) / captured:8.1f}{off:6.0f}"
                status |= flips(joints) >= peer
            print(row, flush=True)
    return int(status)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers
