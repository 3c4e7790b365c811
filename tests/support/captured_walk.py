"""A walk from known footsteps as a BVH file, in centimetres: what a camera sees of it, with feet that skate."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from bpy.types import Object

from .bvh import Turns, bvh, imported
from .footsteps import BALL, LENGTHS, SIDES, Capture
from .takes import disturbed, walk
from .truth import worlds

UNIT = 100.0
AXES = np.array(((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)))
"""From z up and y ahead to y up and z ahead."""

LEGS = [(side, [f"{side}{bone}" for bone in ("UpLeg", "Leg", "Foot", "ToeBase")]) for side in ("Left", "Right")]


def skating_walk(seconds: float = 3.0, rate: float = 30.0) -> Capture:
    """Two seconds and more of it."""
    return disturbed(walk(rate, seconds=seconds), noise=0.0005, seed=4, skate=0.016, drift=0.008)


def skeleton() -> str:
    """Hips and legs, and a body with arms above them."""
    lines = ["Hips 0 0 0", " Spine 0 20 0", "  Head 0 40 0"]
    lines += ["  LeftArm 18 30 0", "   LeftForeArm 28 0 0", "    LeftHand 25 0 0"]
    lines += ["  RightArm -18 30 0", "   RightForeArm -28 0 0", "    RightHand -25 0 0"]
    for (_, bones), aside in zip(LEGS, SIDES, strict=True):
        offsets = (aside, (0, 0, -LENGTHS[0]), (0, 0, -LENGTHS[1]), BALL)
        for depth, (bone, offset) in enumerate(zip(bones, offsets, strict=True)):
            lines.append(" " * (depth + 1) + f"{bone} " + " ".join(f"{value:.6f}" for value in UNIT * AXES @ offset))
    return "\n".join(lines) + "\n"


def text(take: Capture) -> str:
    """The BVH file of this capture, whose hips do not turn."""
    middle = take.hips.mean(axis=1)
    motion: list[Turns] = [{} for _ in middle]
    for foot, (_, bones) in enumerate(LEGS):
        hinge = np.cross(take.ankles - take.hips, take.knees - take.hips)[:, foot]
        thigh, shin = (_rotations(end[:, foot] - begin[:, foot], hinge) for begin, end in _bones(take))
        parents = (np.eye(3)[None], thigh, shin)
        for bone, parent, rotation in zip(bones, parents, (thigh, shin, take.feet[:, foot]), strict=False):
            local = AXES @ np.swapaxes(parent, 1, 2) @ rotation @ AXES.T
            for turns, angles in zip(motion, _angles(local), strict=True):
                turns[bone] = tuple(angles)
    return bvh(skeleton(), motion, UNIT * middle @ AXES.T, take.rate)


def _bones(take: Capture) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    return (take.hips, take.knees), (take.knees, take.ankles)


def _rotations(along: np.ndarray, hinge: np.ndarray) -> np.ndarray:
    """(n, 3, 3) from down and to the right, as at rest, to `along` and the hinge."""
    down = -along / np.linalg.norm(along, axis=1, keepdims=True)
    right = hinge / np.linalg.norm(hinge, axis=1, keepdims=True)
    return np.stack((right, np.cross(down, right), down), axis=2)


def _angles(rotations: np.ndarray) -> np.ndarray:
    """(n, 3) degrees about z, y and x."""
    about_y = np.arcsin(-rotations[:, 2, 0])
    about_z = np.arctan2(rotations[:, 1, 0], rotations[:, 0, 0])
    about_x = np.arctan2(rotations[:, 2, 1], rotations[:, 2, 2])
    return np.degrees(np.stack((about_z, about_y, about_x), axis=1))


def imported_walk(folder: Path, take: Capture | None = None) -> Object:
    """The armature that Blender imports from it; the scene has its frame rate, and goes as far."""
    take = take or skating_walk()
    scene = bpy.context.scene
    scene.render.fps, scene.frame_end = round(take.rate), len(take.hips)
    return imported(folder, text(take))


def balls(rig: Object, frames: range) -> np.ndarray:
    """(n, 2, 3) the heads of the toes in metres, as Blender evaluates them."""
    return worlds(rig, frames, *(bones[-1] for _, bones in LEGS))[..., :3, 3] / UNIT
