"""Feet planted over a part of a capture: every other frame shows what was captured."""

from __future__ import annotations

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.plant import contact_keys
from bpy.types import Object

from support.truth import on_frame, worlds
from support.walker import captured, walker

LAST = 60
ROUNDED = 2e-6
"""Metres: a Bezier segment that is split has its new handles in float32."""


def thinned(step: int, interpolation: str = "BEZIER", *, shift: int = 0) -> Object:
    """Two seconds of a walk, with keys on every `step`-th frame only, beginning with 1 + `shift`."""
    rig = walker(captured("walk", 2.0))
    for curve in versions.curves(rig):
        points = curve.keyframe_points
        for key in reversed(points):
            if (round(key.co.x) - 1 - shift) % step:
                points.remove(key, fast=True)
        for key in points:
            key.interpolation = interpolation
        curve.update()
    on_frame(1)
    return rig


def joints(rig: Object, frames: np.ndarray) -> np.ndarray:
    """(n, b, 4, 4) all bones in the world, as Blender evaluates them."""
    return worlds(rig, frames.tolist(), *rig.pose.bones.keys())


def balls(rig: Object, frames: range) -> np.ndarray:
    """(n, 2, 3) of both feet in the world, as Blender evaluates them."""
    return worlds(rig, frames, "toe.L", "toe.R")[..., :3, 3]


def outside(start: float, end: float) -> np.ndarray:
    """Whole frames, and half frames near the range, but those of it and of the way to the whole frames beside it."""
    frames = np.arange(-3.0, LAST + 6.0, 0.5)
    near = (frames > start - 9.0) & (frames < end + 9.0)  # of keys on every seventh frame, one and more on each side
    frames = frames[near | (frames % 1.0 == 0.0)]
    return frames[(frames <= np.ceil(start) - 1.0) | (frames >= np.floor(end) + 1.0)]


def assert_kept(rig: Object, start: float, end: float) -> None:
    frames = outside(start, end)
    before = joints(rig, frames)
    api.plant(rig, frames=(start, end))
    off = np.abs(joints(rig, frames) - before).max(axis=(1, 2, 3))
    assert off.max() < ROUNDED, f"frame {frames[off.argmax()]}"
    assert versions.played(rig)[0].two_bone_ik_source, "it was planted"


ODD_TO_EVEN, BETWEEN_FRAMES = (21, 40), (20.5, 40.5)


@pytest.mark.parametrize(
    ("span", "interpolation"),
    [
        *((span, "BEZIER") for span in ((20, 41), ODD_TO_EVEN, BETWEEN_FRAMES)),
        *((span, kind) for span in (ODD_TO_EVEN, BETWEEN_FRAMES) for kind in ("LINEAR", "CONSTANT")),
    ],
    ids=str,
)
def test_frames_beside_a_range_between_keys_stay(span: tuple[float, float], interpolation: str) -> None:
    assert_kept(thinned(2, interpolation), *span)


@pytest.mark.parametrize("step", [1, 3, 7])
def test_sparse_captures_stay_outside_a_range(step: int) -> None:
    random = np.random.default_rng(step)
    for _ in range(2):
        start = int(random.integers(2, 30))
        assert_kept(thinned(step, shift=int(random.integers(step))), start, start + int(random.integers(8, 20)))


@pytest.mark.parametrize("missing", ["all", "a part", "one key"])
def test_hips_without_keys_stay_outside_a_range(missing: str) -> None:
    rig = thinned(2)
    channelbag = versions.ensure_channelbag(rig)
    for curve in [curve for curve in channelbag.fcurves if '"hips"].location' in curve.data_path]:
        if missing == "one key":
            for key in reversed(curve.keyframe_points):
                if round(key.co.x) != 31:
                    curve.keyframe_points.remove(key)
        elif missing == "all" or curve.array_index != 1:
            channelbag.fcurves.remove(curve)
    assert_kept(rig, 20, 40)


def test_a_capture_planted_as_a_whole_gets_no_keys_beside() -> None:
    rig = thinned(2)
    span = tuple(versions.played(rig)[0].frame_range)
    api.plant(rig)
    assert tuple(versions.played(rig)[0].frame_range) == span


@pytest.mark.parametrize(("frames", "ratio"), [((1, 250), 0.88), ((-50, 250), 1.0), ((-50, 31), 0.88)], ids=str)
def test_frames_beyond_the_keys_count_in_nothing(frames: tuple[int, int], ratio: float) -> None:
    # A shorter leg once made a treadmill of a pose that is held.
    asked, alone = (walker(captured("walk", 1.0), ratio) for _ in range(2))
    report, truth = api.plant(asked, frames=frames), api.plant(alone)
    assert report.feet == truth.feet
    assert report.notes == truth.notes
    assert report.chains[0].frames.tolist() == list(range(1, 32))
    np.testing.assert_array_equal(joints(asked, np.arange(-5.0, 40.0)), joints(alone, np.arange(-5.0, 40.0)))
    ends = [contact.end for contact in api.contacts(asked, frames=frames, find=True)]
    assert max(ends) <= 31.0


@pytest.mark.parametrize(
    ("factor", "shift", "keys", "first", "last"),
    [
        (0.8, 0.0, (0.8, 69.6), 0, 70),
        (0.8, 0.43, (1.23, 70.03), 1, 71),
        (0.8, -21.9, (-21.1, 47.7), -22, 48),
        (0.9994, 0.0, (0.9994, 79.952), 1, 80),  # its first key is so near a frame that Blender would merge the two
    ],
)
def test_a_capture_is_planted_to_ends_between_frames(
    factor: float, shift: float, keys: tuple[float, float], first: int, last: int
) -> None:
    """Blender plays the first key on the whole frame before it, and the last one on the frame behind it."""

    def take() -> Object:
        rig = walker(captured("walk", 3.0))
        for curve in versions.curves(rig):
            for key in reversed(curve.keyframe_points):
                key.co.x = factor * key.co.x + shift
                if key.co.x > keys[1] + 0.2:
                    curve.keyframe_points.remove(key)
            curve.update()
        return rig

    rig = take()
    assert versions.played(rig)[0].frame_range[:] == pytest.approx(keys, abs=1e-4)
    # At the beginning the left foot stands, and at the end the right one.
    frames, ends = range(first - 1, last + 2), ((0, slice(0, 5)), (1, slice(-5, None)))
    before = balls(rig, frames)
    assert contact_keys.keyed_span(rig) == (first, last)
    report = api.plant(rig)
    assert report.chains[0].frames.tolist() == list(range(first, last + 1))
    assert not [note for note in report.notes if "jumps" in note]
    after = balls(rig, frames)
    for foot, end in ends:
        assert np.ptp(before[end, foot, :2], axis=0).max() > 1e-3
        assert np.ptp(after[end, foot, :2], axis=0).max() < 1e-5  # in single precision
    for foot in report.feet:
        assert foot.total == last - first + 1
        assert foot.after[1] < 1e-4
    for asked in ((first, last), (first - 9, last + 9)):
        again = take()
        assert api.plant(again, frames=asked).feet == report.feet
        np.testing.assert_array_equal(balls(again, frames), after)


def test_a_walk_to_and_fro_is_planted_beyond_its_keys() -> None:
    rig = walker(captured("walk", 1.0))
    for curve in versions.curves(rig):
        curve.modifiers.new("CYCLES").mode_after = "MIRROR"
    report, once = api.plant(rig, frames=(1, 61)), api.plant(walker(captured("walk", 1.0)))
    assert report.chains[0].frames[-1] == 61.0
    assert all(foot.frames > 1.5 * of_one.frames for foot, of_one in zip(report.feet, once.feet, strict=True))
