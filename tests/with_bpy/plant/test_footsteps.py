"""Captured walks of known footsteps, planted: what Blender then shows on every frame, judged by the footsteps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from mathutils import Matrix

from support.empty_file import open_empty_file
from support.footsteps import Capture
from support.walker import Y_UP, Shown, captured, shown, walker

pytestmark = pytest.mark.versions

CASES: Mapping[str, tuple[float, Matrix]] = {
    "walk": (0.85, Matrix()),
    "stroll": (1.15, Y_UP @ Matrix.Scale(0.01, 4)),
    "run": (1.0, Matrix.Scale(0.01, 4)),
    "treadmill": (1.0, Matrix()),
    "turn": (0.85, Y_UP),
}
"""How long the legs are, and from the armature to the world."""


def slid(seen: Shown, take: Capture) -> np.ndarray:
    """(k,) metres a frame along the ground, of the stiller of the points that are known to stand."""
    step, both = np.diff(seen.points, axis=0)[..., :2], take.touches[1:] & take.touches[:-1]
    if take.ground_velocity.any():
        step = step - np.median(step[both], axis=0)  # the drift of the capture is a drift of the ground
    least = np.where(both, np.linalg.norm(step, axis=-1), np.inf).min(axis=-1)
    return least[np.isfinite(least)]


def acceleration(places: np.ndarray, rate: float) -> float:
    return np.linalg.norm(np.diff(places, 2, axis=0), axis=-1).max() * rate**2


def test_feet_stand_on_known_footsteps() -> None:
    before, after, knees, hips = [], [], [], []
    for name, (ratio, to_world) in CASES.items():
        open_empty_file()
        take = captured(name)
        rig, count = walker(take, ratio, to_world), len(take.hips)
        seen = shown(rig, count)
        assert api.plant(rig).posed
        planted = shown(rig, count)
        before.append(slid(seen, take))
        after.append(slid(planted, take))
        knees.append(acceleration(planted.knees, take.rate) / acceleration(seen.knees, take.rate))
        hips.append(acceleration(planted.hips, take.rate) / acceleration(seen.hips, take.rate))
        still = np.mean(after[-1] < 1e-4)
        print(f"{name}: {still:.3f} of known contacts stand; knee {knees[-1]:.3f}, hip {hips[-1]:.3f}")
    held = np.sort(np.concatenate(after))
    held = held[: int(0.97 * len(held))]
    slides = [1e3 * np.quantile(values, 0.99) for values in (np.concatenate(before), held)]
    print("99th percentile: {:.3f} mm a frame before, {:.5f} after".format(*slides))
    assert slides[1] < 0.1
    assert np.median(knees) <= 1.1
    assert max(hips) <= 1.2
