"""Feet that lie flat while ball and heel stand, against footsteps that are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solver.feet.corrections import stand_spans
from solver.feet.flat_feet import raising_turns
from solver.feet.plant import Legs, Planted, PlantOptions, plant
from solver.feet.slides import slide
from support.footsteps import CLEARANCE, LENGTHS, Capture
from support.oracles import random_rotation
from support.planted import UP
from support.takes import TAKES, disturbed


def tilted(take: Capture, pitch: float) -> Capture:
    """The capture with feet whose toes are too high by so many radians, or too low, on all frames."""
    cos, sin = np.cos(pitch), np.sin(pitch)
    return replace(take, feet=take.feet @ np.array(((1, 0, 0), (0, cos, -sin), (0, sin, cos))))


def flattened(take: Capture, **options: object) -> tuple[Planted, np.ndarray, np.ndarray]:
    """What is found, the feet's orientations (n, 2, 3, 3), and ball and heel (n, 2, 2, 3), as the report has them."""
    legs = Legs(
        hips=take.hips.mean(axis=1),
        roots=take.hips,
        tips=take.ankles,
        points=take.points,
        lengths=np.full(2, LENGTHS.sum()),
        rate=take.rate,
        up=UP,
        feet=take.feet,
        soles=take.feet[..., 2],
    )
    found = plant(legs, PlantOptions(**options))
    after = replace(take, ankles=found.tips, feet=found.turns @ take.feet)
    return found, after.feet, after.points


def angles(turns: np.ndarray) -> np.ndarray:
    """(...) radians of rotations; of small ones, too."""
    return 2.0 * np.arcsin(np.minimum(np.linalg.norm(turns - np.eye(3), axis=(-2, -1)) / np.sqrt(8.0), 1.0))


@pytest.mark.parametrize("name", ["walk", "stair", "turn", "jump", "stand"])
@pytest.mark.parametrize("pitch", [0.0, 0.1, -0.1])
def test_soles_are_level_while_ball_and_heel_stand(name: str, pitch: float) -> None:
    take = tilted(disturbed(TAKES[name](60.0), 0.002, 3), pitch)
    found, feet, points = flattened(take)
    flat = found.stands.all(axis=-1)
    assert flat.sum() > 20
    tilt = np.arcsin(np.linalg.norm(np.cross(feet[..., 2], UP), axis=-1)[flat])
    before = np.arcsin(np.linalg.norm(np.cross(take.feet[..., 2], UP), axis=-1)[flat])
    slides = slide(points, found.stands)
    print(
        f"tilt {np.median(before):.3f} before, {tilt.max():.1e} after; slides by up to {np.nanmax(slides):.1e} a frame"
    )
    assert np.median(before) > 0.005
    assert tilt.max() < 1e-12
    assert np.nanmax(slides) < 1e-9


def test_flat_feet_keep_their_mean_heading() -> None:
    take = disturbed(TAKES["walk"](60.0), 0.002, 3)
    found, feet, _ = flattened(take)
    for foot in (0, 1):
        for first, last in stand_spans(found.stands[:, foot].all(axis=-1)):
            before, after = (each[first : last + 1, foot, :2, 1] for each in (take.feet, feet))
            assert np.abs(np.diff(after, axis=0)).max(initial=0.0) < 1e-12
            mean = before.mean(axis=0)
            # The middle of ball and heel, and the axis between them, differ from those of the bone by little.
            assert after[0] @ mean / np.linalg.norm(mean) > np.cos(0.02)


@pytest.mark.parametrize("name", ["walk", "stair", "turn"])
def test_feet_turn_without_a_step_where_they_come_to_lie_flat(name: str) -> None:
    take = disturbed(TAKES[name](60.0), 0.002, 3)
    found, feet, _ = flattened(take)
    worst = 0.0
    for foot in (0, 1):
        own, flat = take.feet[:, foot], found.stands[:, foot].all(axis=-1)
        axis = np.cross(own[:, :, 2], UP)
        vectors = axis / np.linalg.norm(axis, axis=1, keepdims=True) * np.arcsin(np.linalg.norm(axis, axis=1))[:, None]
        spans = stand_spans(flat)
        captured, after = (angles(each[1:] @ each[:-1].swapaxes(-1, -2)) for each in (own, feet[:, foot]))
        for before, following in zip(spans[:-1, 1], spans[1:, 0], strict=True):
            rows = slice(before, following)
            # A cubic is nowhere steeper than 1.5 times its chord and its two slopes together. Those are of a tenth of a
            # second, in which noise of 2 mm on 18 cm is at most that of a frame.
            noise = np.abs(np.diff(vectors[flat], axis=0)).max()
            chord = np.linalg.norm(vectors[following] - vectors[before]) / (following - before)
            worst = max(worst, (after[rows] - captured[rows]).max() / (1.5 * chord + 2.0 * noise))
    print(f"a step is greater than the captured one by up to {worst:.2f} of what the cubic may add")
    assert worst < 1.0


@pytest.mark.parametrize("pitch", [0.1, -0.1])
def test_feet_that_were_captured_tilted_stand_on_the_ground(pitch: float) -> None:
    take = TAKES["walk"](60.0)
    _, _, points = flattened(tilted(take, pitch), stands=take.touches)
    above = (points[..., 2] - CLEARANCE)[take.touches.all(axis=-1)]
    lowest = (tilted(take, pitch).points[..., 2] - CLEARANCE)[take.touches.all(axis=-1)].min(axis=-1)
    off = above - np.median(lowest)
    print(f"tilted by {pitch}, then {1e3 * off.min():.2f} to {1e3 * off.max():.2f} mm above what was lowest")
    assert np.ptp(above, axis=-1).max() < 1e-9
    assert np.abs(off).max() < 0.003


def test_feet_without_flat_contacts_keep_their_orientation() -> None:
    take = disturbed(TAKES["walk"](60.0), 0.002, 3)
    stands = take.touches & (False, True)
    found, _, _ = flattened(take, stands=stands)
    assert (found.turns == np.eye(3)).all()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_toes_are_raised_no_farther_than_the_ground(seed: int) -> None:
    rng = np.random.default_rng(seed)
    along = np.array([random_rotation(rng)[:, 0] for _ in range(200)])
    flat, least = np.ones(200, dtype=bool), -0.2
    raised = np.einsum("nij,nj->ni", raising_turns(along, least, flat, 60.0, UP), along)
    assert np.abs(raised[:, 2] - np.maximum(along[:, 2], least)).max() < 1e-12
    level = [each[:, :2] / np.linalg.norm(each[:, :2], axis=1, keepdims=True) for each in (along, raised)]
    assert np.abs(level[1] - level[0]).max() < 1e-9
