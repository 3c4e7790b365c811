"""Pole Smoothing in a bake: the elbow's way as Blender evaluates it, the keys, and what the report says."""

from __future__ import annotations

import re
from itertools import pairwise
from math import cos, radians, sin

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import PropertyGroup

from support import rigs
from support.empty_file import open_empty_file
from support.oracles import angle_between, shortest_rotation
from support.truth import Limb

FRAMES = range(1, 62)
POLE = (0.0, 0.02, 3.0)
BESIDE = (0.0, 3.0, 1.2)


def swinging_arm(pole: tuple[float, float, float] = POLE, **fields: object) -> PropertyGroup:
    """The hand swings over the head in front of a pole that hangs there, three degrees a frame."""
    chain = rigs.arm(pole=pole, **fields)
    angles = {frame: radians(3 * (frame - 31)) for frame in FRAMES}
    way = {frame: (1.2 * sin(a), 0.02 * sin(2 * a), 1 + 1.2 * cos(a)) for frame, a in angles.items()}
    rigs.animate(chain.target, location=way)
    return chain


def off_pole(found: np.ndarray, pole: tuple[float, float, float] = POLE) -> np.ndarray:
    """(n,) angle from the side of the pole to that of the elbow, about the line from root to tip, degrees."""
    line = found[:, 2] - found[:, 0]
    elbow, side = (np.cross(line, point - found[:, 0]) for point in (found[:, 1], np.array(pole)))
    return np.degrees(angle_between(elbow, side))


def well_placed(found: np.ndarray, pole: tuple[float, float, float] = POLE) -> np.ndarray:
    """(n,) True where the pole is more than 30 degrees off the line."""
    angle = np.degrees(angle_between(found[:, 2] - found[:, 0], np.array(pole) - found[:, 0]))
    return (angle > 30.01) & (angle < 149.99)


def swivel_steps(found: np.ndarray) -> np.ndarray:
    """(n - 1,) degrees by which the elbow swivels from frame to frame, the shortest turn of the line undone."""
    lines = found[:, 2] - found[:, 0]
    elbows = np.cross(lines, found[:, 1] - found[:, 0])
    turns = [shortest_rotation(*(line / np.linalg.norm(line) for line in pair)) for pair in pairwise(lines)]
    carried = np.array([turn @ elbow for turn, elbow in zip(turns, elbows, strict=False)])
    return np.degrees(angle_between(carried, elbows[1:]))


def rotation_keys(rig: bpy.types.Object) -> np.ndarray:
    """(8, n) values of all rotation keys of both bones."""
    curves = [curve for curve in versions.curves(rig) if curve.data_path.endswith("rotation_quaternion")]
    return np.array([[key.co.y for key in curve.keyframe_points] for curve in curves])


def test_an_elbow_near_its_pole_turns_over_many_frames() -> None:
    chain = swinging_arm()
    rig = chain.id_data
    api.bake(rig, frames=(1, 61))
    whipped = Limb().played(FRAMES)
    chain.pole_smoothing = 1.0
    report = api.bake(rig, frames=(1, 61))
    found = Limb().played(FRAMES)
    assert report.posed
    assert swivel_steps(whipped).max() > 75
    assert swivel_steps(found).max() < 20
    np.testing.assert_allclose(found[:, 2], whipped[:, 2], atol=1e-6)
    good = well_placed(whipped)
    assert 20 < good.sum() < 45
    np.testing.assert_array_equal(found[good], whipped[good])


def test_the_report_says_how_far_a_limb_left_its_pole() -> None:
    chain = swinging_arm(pole_smoothing=0.6)
    report = api.bake(chain.id_data, frames=(1, 61))
    off = off_pole(Limb().played(FRAMES))
    [found] = [line for line in report.chains[0].findings() if "Pole Smoothing" in line.text]
    [angle] = re.findall(r"by up to (\d+) degrees", found.text)
    assert float(angle) == pytest.approx(off.max(), abs=0.6)
    assert off[int(found.frame) - 1] == pytest.approx(off.max(), abs=0.1)
    [count] = re.findall(r"on (\d+) frames", found.text)
    assert int(count) == (off > 0.5).sum()
    np.testing.assert_allclose(np.degrees(np.abs(report.chains[0].swivel)), off, atol=0.02)


def test_a_pole_well_placed_keeps_its_keys_to_the_bit() -> None:
    found = []
    for smoothing in (0.0, 1.0):
        open_empty_file()
        chain = swinging_arm(BESIDE, pole_smoothing=smoothing)
        report = api.bake(chain.id_data, frames=(1, 61))
        found.append(rotation_keys(chain.id_data))
    assert well_placed(Limb().played(FRAMES), BESIDE).all()
    np.testing.assert_array_equal(*found)
    assert "Pole Smoothing" not in str(report)


def test_the_scenes_frame_rate_says_how_long_a_frame_is() -> None:
    found = []
    for rate, base, smoothing in ((24, 1.0, 0.5), (24, 2.0, 1.0), (48, 1.0, 1.0)):
        open_empty_file()
        bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = rate, base
        chain = swinging_arm(pole_smoothing=smoothing)
        api.bake(chain.id_data, frames=(1, 61))
        found.append(rotation_keys(chain.id_data))
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
    assert np.abs(found[2] - found[1]).max() > 0.01


def test_solve_and_live_show_the_pole_as_it_is() -> None:
    chain = swinging_arm(pole_smoothing=1.0)
    rig = chain.id_data
    for live in (False, True):
        rig.two_bone_ik_live = live
        for frame in (25, 30, 31, 40):
            bpy.context.scene.frame_set(frame)
            if not live:
                api.solve(rig)
            found = Limb().joints()
            assert off_pole(found[None])[0] < 0.1


@pytest.mark.parametrize(
    ("fields", "scale", "keys"),
    [
        ({"bend": "NEAREST"}, (1, 1, 1), "EVERY_FRAME"),
        ({"unreachable": "HOLD"}, (1, 1, 1), "EVERY_FRAME"),
        ({"unreachable": "SKIP"}, (1, 1, 1), "REDUCED"),
        ({"pole_influence": 0.5, "pole_angle": 0.7}, (1, 1, 1), "EVERY_FRAME"),
        ({"use_bend_limits": True, "bend_min": 0.1, "bend_max": 2.0}, (1, 1, 1), "EVERY_FRAME"),
        ({"influence": 0.5, "reference": "POSE"}, (1.0, 1.3, 0.8), "EVERY_FRAME"),
    ],
    ids=str,
)
def test_a_smoothed_limb_plays_as_it_is_solved(fields: dict, scale: tuple[float, ...], keys: str) -> None:
    rig = swinging_arm(pole_smoothing=1.0, **fields).id_data
    rig.pose.bones["spine"].scale = scale
    report = api.bake(rig, frames=(1, 61), keys=keys, measure="ALL")
    assert report.posed
    assert np.abs(report.chains[0].swivel).max() > 0.2
    assert np.isfinite(rotation_keys(rig)).all()


def test_targets_from_a_smoothed_pose_give_it_again() -> None:
    chain = swinging_arm(pole_smoothing=1.0)
    rig = chain.id_data
    api.bake(rig, frames=(1, 61))
    before = Limb().played(FRAMES)
    assert not any("keep its pose" in note for note in api.bake_targets(rig, frames=(1, 61)).notes)
    report = api.bake(rig, frames=(1, 61))
    np.testing.assert_allclose(Limb().played(FRAMES), before, atol=2e-5)
    assert not report.chains[0].swivel.any()
