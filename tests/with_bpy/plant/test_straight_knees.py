"""Legs that were captured straight, and a little beyond: knees do not jump where planted legs are bent farther."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.bvh import CMU, Turns, bvh, imported
from support.truth import on_frame, worlds

COUNT = 90
FRAMES = range(1, COUNT + 1)
THIGH, SHIN = np.array((2.45, 6.73)), np.array((2.56, 7.04))
"""Aside and down, as CMU's skeleton has them. At rest the leg is straight but for a hair, to the side."""
LEG = float(np.hypot(*THIGH) + np.hypot(*SHIN))


def bends(least: float) -> np.ndarray:
    """Degrees on each frame, from 24 to the least."""
    return 12.0 + 0.5 * least + (12.0 - 0.5 * least) * np.cos(np.arange(COUNT) / 10)


def squats(folder: Path, least: float) -> Object:
    """One who bends both knees up and down above feet that skate by a hair."""
    motion: list[Turns] = []
    places = []
    for frame, bend in enumerate(bends(least)):
        thigh, shin = np.radians((-bend / 2, bend / 2))
        motion.append({})
        for side in ("Left", "Right"):
            motion[-1] |= {
                f"{side}UpLeg": (0, 0, -bend / 2),
                f"{side}Leg": (0, 0, bend),
                f"{side}Foot": (0, 0, -bend / 2),
            }
        up = THIGH[1] * np.cos(thigh) + SHIN[1] * np.cos(shin)
        ahead = THIGH[1] * np.sin(thigh) + SHIN[1] * np.sin(shin)
        places.append((0.02 * np.sin(frame / 15), up, ahead))
    return imported(folder, bvh(CMU, motion, places))


def knees(rig: Object) -> np.ndarray:
    """(n, 2) leg lengths by which the knees are before the lines from hip to ankle, as Blender shows it."""
    names = [f"{side}{bone}" for side in ("Left", "Right") for bone in ("UpLeg", "Leg", "Foot", "ToeBase")]
    heads = worlds(rig, FRAMES, *names)[..., :3, 3].reshape(COUNT, 2, 4, 3)
    hip, knee, ankle, toe = np.moveaxis(heads, 2, 0)
    along, ahead = ankle - hip, toe - ankle
    along /= np.linalg.norm(along, axis=-1, keepdims=True)
    ahead -= np.sum(ahead * along, axis=-1, keepdims=True) * along
    return np.sum((knee - hip) * ahead, axis=-1) / np.linalg.norm(ahead, axis=-1) / LEG


@pytest.mark.parametrize("least", [0.0, -4.0], ids=["straight", "beyond straight"])
def test_knees_of_straight_legs_bend_forwards(tmp_path: Path, least: float) -> None:
    rig = squats(tmp_path, least)
    before = knees(rig)
    api.plant(rig, floor=0.02 * LEG + min(soles(rig)))
    after = knees(rig)
    jumps = [np.abs(np.diff(each, axis=0)).max() for each in (before, after)]
    # A leg that is shorter by 2 % has its knee a tenth of its length before the line.
    assert after.min() > 0.07
    assert jumps[1] < 1.5 * jumps[0]


def soles(rig: Object) -> list[float]:
    """Heights of the lowest ends of the feet on the first frame."""
    bones = rig.evaluated_get(on_frame(1)).pose.bones
    return [float((rig.matrix_world @ bones[f"{side}ToeBase"].tail).z) for side in ("Left", "Right")]


def kicks(folder: Path, low: float, seconds: float) -> Object:
    """One who stands with bent legs that skate, and kicks with the right one, whose knee bends by down to `low`."""
    motion: list[Turns] = []
    places = []
    for frame in range(COUNT):
        part = np.clip(0.5 + (frame - 54) / (30.0 * seconds), 0.0, 1.0)
        up, bend = np.sin(np.pi * part) ** 2, 30.0 + (low - 30.0) * np.sin(np.pi * part) ** 2
        motion.append({"LeftUpLeg": (0, 0, -15.0), "LeftLeg": (0, 0, 30.0), "LeftFoot": (0, 0, -15.0)})
        thigh = -15.0 - 40.0 * up
        motion[-1] |= {"RightUpLeg": (0, 0, thigh), "RightLeg": (0, 0, bend), "RightFoot": (0, 0, -thigh - bend)}
        high = np.cos(np.radians(15.0)) * (THIGH[1] + SHIN[1])
        places.append((0.15 * np.sin(frame / 9), high + 0.05 * np.sin(frame / 14), 0.1 * np.cos(frame / 11)))
    return imported(folder, bvh(CMU, motion, places))


@pytest.mark.parametrize(("low", "seconds"), [(-2.0, 0.6), (-6.0, 1.2), (-11.0, 0.6), (-19.0, 0.6), (-19.0, 1.2)])
def test_a_knee_beyond_straight_in_a_kick_does_not_snap(tmp_path: Path, low: float, seconds: float) -> None:
    rig = kicks(tmp_path, low, seconds)
    before = worlds(rig, FRAMES, "RightLeg")[:, 0, :3, 3] / LEG
    api.plant(rig)
    after = worlds(rig, FRAMES, "RightLeg")[:, 0, :3, 3] / LEG
    steps = [np.linalg.norm(np.diff(each, axis=0), axis=1) for each in (before, after)]
    # By 1.5 cm of a leg of 0.9 m.
    assert (steps[1] - steps[0]).max() < 0.0167
