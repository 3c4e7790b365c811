"""Feet that stand as rigid bodies, beside a search for the same; feet in the air, and legs captured straight."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from solver.feet.corrections import corrections
from solver.feet.free_feet import bent_anew
from solver.feet.plant import Legs, PlantedLegs, PlantOptions, plant
from solver.feet.rigid import fitted_orientations, resting_turns, standing_turns
from solver.numbers import true_runs
from solver.rotation import from_axis_angles
from support.footsteps import LENGTHS, POINTS, SIDES, Capture, knees
from support.oracles import random_rotation
from support.planted import UP, most_acceleration, planted
from support.takes import TAKES, disturbed, stand


def shaken(seed: int, count: int = 40, noise: float = 0.05) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Orientations (n, 3, 3), ball and heel (n, 2, 3), and ankles (n, 3) of a foot that nearly stays where it is."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(0.0, noise, (count, 3))
    yaw = from_axis_angles(np.array((rng.uniform(-3.0, 3.0), *UP)))
    feet = yaw @ from_axis_angles(np.column_stack((np.linalg.norm(vectors, axis=1), vectors)))
    ankles = rng.normal((1.0, 2.0, 0.09), 0.01, (count, 3))
    return feet, ankles[:, None] + np.einsum("nij,pj->npi", feet, POINTS), ankles


def about_up(angle: float) -> np.ndarray:
    """(3, 3) a turn about the vertical."""
    return from_axis_angles(np.array((angle, *UP)))


@pytest.mark.parametrize("seed", range(5))
def test_the_place_of_a_flat_foot_is_that_of_a_search(seed: int) -> None:
    feet, points, ankles = shaken(seed)
    stands = np.ones((len(feet), 2), dtype=bool)
    turns = standing_turns(feet, points, stands, 30.0, UP)
    turned = ankles[:, None] + np.einsum("nij,npj->npi", turns, points - ankles[:, None])
    after = turned + corrections(turned, stands, None, 30.0, UP, captured=points)[:, None]
    assert np.ptp(after, axis=0).max() < 1e-12

    def cost(angle: float, shift: np.ndarray) -> float:
        middle = after[0].mean(axis=0)
        return np.sum(((after[0] - middle) @ about_up(angle).T + middle + shift - points) ** 2)

    best, steps = cost(0.0, np.zeros(3)), 10.0 ** np.arange(-6, 0)
    for step in steps:
        for sign in (-1, 1):
            assert cost(sign * step, np.zeros(3)) > best
            for axis in np.eye(3):
                assert cost(0.0, sign * step * axis) > best
                assert cost(sign * step, 0.5 * step * axis) > best
    around = [cost(angle, np.zeros(3)) for angle in np.linspace(-np.pi, np.pi, 721)]
    assert min(around) == pytest.approx(best, rel=1e-9), "and no heading far off is better"


@pytest.mark.parametrize("seed", range(3))
def test_pitch_and_roll_of_a_stand_are_the_captured_mean(seed: int) -> None:
    feet, points, _ = shaken(seed)
    turns = standing_turns(feet, points, np.ones((len(feet), 2), dtype=bool), 30.0, UP)
    after = turns @ feet
    assert np.abs(np.diff(after, axis=0)).max() < 1e-12
    mean = feet[:, 2].mean(axis=0)  # what points upwards, in the space of the foot
    assert after[0, 2] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_stretches_of_one_stand_share_pitch_and_roll(seed: int) -> None:
    feet, points, _ = shaken(seed)
    stands = np.ones((len(feet), 2), dtype=bool)
    stands[15:25, 1] = False
    feet[20:] = about_up(0.7) @ feet[20:]
    after = standing_turns(feet, points, stands, 30.0, UP) @ feet
    assert after[0, 2] == pytest.approx(after[-1, 2], abs=1e-12)
    heading = np.arctan2(*(after[-1, :2] @ after[0, :2].T @ (1, 0))[::-1])
    assert np.isfinite(heading)
    assert np.abs(np.diff(after[:15], axis=0)).max() < 1e-12
    assert np.abs(np.diff(after[25:], axis=0)).max() < 1e-12


def test_a_foot_with_its_ball_below_its_heel_keeps_its_heading() -> None:
    feet = np.broadcast_to(random_rotation(np.random.default_rng(1)), (8, 3, 3))
    points = np.broadcast_to(np.array(((0.0, 0.0, -0.1), (0.0, 0.0, 0.1))), (8, 2, 3))
    upwards = np.swapaxes(feet[:1], -1, -2) @ UP
    found = fitted_orientations(feet, points, np.array([8]), upwards, UP)
    assert found == pytest.approx(feet[:1], abs=1e-6)


@pytest.fixture(scope="module", params=["walk", "turn", "stair", "jump"])
def take(request: pytest.FixtureRequest) -> tuple[Capture, PlantedLegs, Capture]:
    captured = disturbed(TAKES[request.param](60.0), 0.002, 3)
    return captured, *planted(captured)


def angles(turns: np.ndarray) -> np.ndarray:
    """(...) degrees of rotations."""
    off = np.linalg.norm(turns - np.eye(3), axis=(-2, -1))
    return np.degrees(2.0 * np.arcsin(np.minimum(off / np.sqrt(8.0), 1.0)))


def test_both_points_stay_where_they_are_in_space(take: tuple) -> None:
    _, result, after = take
    both = result.stands[1:] & result.stands[:-1]
    assert np.linalg.norm(np.diff(after.points, axis=0), axis=-1)[both].max() < 1e-9


def test_a_change_of_label_hardly_adds_to_a_turn(take: tuple) -> None:
    before, result, after = take
    was, now = (angles(each.feet[1:] @ np.swapaxes(each.feet[:-1], -1, -2)) for each in (before, after))
    changed = (result.stands[1:] != result.stands[:-1]).any(axis=-1)
    assert (now - was)[changed].max() < 0.5


def test_turns_in_the_air_stay_within_those_of_stands(take: tuple) -> None:
    _, result, _ = take
    for foot in (0, 1):
        turned, spans = angles(result.turns[:, foot]), true_runs(result.stands[:, foot].any(axis=-1))
        for (_, last), (first, _) in pairwise(spans):
            assert turned[last : first + 1].max() <= max(turned[last], turned[first]) + 1e-9


def test_a_free_point_is_not_pushed_into_the_ground(take: tuple) -> None:
    before, result, after = take
    if result.level is None:
        return
    alone = result.stands[..., 0] ^ result.stands[..., 1]
    depth = np.where(result.stands, -np.inf, result.level - after.points[..., 2]).max(axis=-1)
    for row, foot in zip(*np.nonzero(alone), strict=True):
        free, own = (0, 1) if result.stands[row, foot, 1] else (1, 0)
        above = before.points[row, foot, ..., 2] - result.level[row, foot]
        assert depth[row, foot] < max(0.001, above[own] - above[free]) + 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_a_toe_rests_at_the_rotation_nearest_to_the_captured(seed: int) -> None:
    own = shaken(seed, count=60, noise=0.2)[0]
    stands = np.zeros(60, dtype=bool)
    stands[10:30] = stands[40:] = True
    flat = np.arange(60) < 20
    after = resting_turns(own, stands, flat, 30.0) @ own
    for rows, lies in ((slice(10, 30), slice(10, 20)), (slice(40, 60), slice(40, 60))):
        rest = after[rows][0]
        assert np.abs(after[rows] - rest).max() < 1e-12
        off = np.sum((own[lies] - rest) ** 2)
        for axis in (*np.eye(3), *-np.eye(3)):
            for angle in (1e-4, 0.1, 1.0, 3.0):
                assert np.sum((own[lies] - from_axis_angles(np.array((angle, *axis))) @ rest) ** 2) > off
    assert np.array_equal(resting_turns(own, np.zeros(60, dtype=bool), flat, 30.0) @ own, own)


KICKS = 3.4, 4.0
"""Seconds in which the right foot kicks; it stands before and behind."""
CROUCH = np.array((0.0, 0.0, -0.08))
"""Metres by which the hips are lower than upright."""


def kick(rate: float, straightest: float) -> Capture:
    """One who stands with bent legs, and kicks with one that gets as long as this part of its length."""
    take = stand(rate)
    take = replace(take, hips=take.hips + CROUCH)
    times = np.arange(len(take.hips)) / rate
    part = np.clip((times - KICKS[0]) / (KICKS[1] - KICKS[0]), 0.0, 1.0)
    up, share = np.sin(np.pi * part) ** 2 * np.radians(75.0), np.sin(np.pi * part) ** 2
    line = (take.ankles - take.hips)[:, 1]
    length = np.linalg.norm(line, axis=-1) / LENGTHS.sum()
    aim = line / (length * LENGTHS.sum())[:, None]
    swung = np.cos(up)[:, None] * aim + np.sin(up)[:, None] * np.array((0.0, 1.0, 0.0))
    swung /= np.linalg.norm(swung, axis=-1, keepdims=True)
    ankles, touches = take.ankles.copy(), take.touches.copy()
    length = length + share * (straightest - length)
    ankles[:, 1] = take.hips[:, 1] + (length * LENGTHS.sum())[:, None] * swung
    touches[(times > KICKS[0]) & (times < KICKS[1]), 1] = False
    ahead = np.broadcast_to((0.0, 1.0, 0.0), ankles.shape)
    return replace(take, ankles=ankles, touches=touches, knees=knees(take.hips, ankles, ahead))


@pytest.mark.parametrize("rate", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("straightest", [0.99, 0.999, 0.9999])
@pytest.mark.parametrize("lower", [0.01, 0.02])
def test_a_knee_that_gets_straight_in_the_air_does_not_snap(rate: float, straightest: float, lower: float) -> None:
    take = kick(rate, straightest)
    _, after = planted(take, stands=take.touches, level=take.floor - lower)
    rows = slice(round(KICKS[0] * rate), round(KICKS[1] * rate))
    ratio = most_acceleration(after.knees[rows, 1], rate) / most_acceleration(take.knees[rows, 1], rate)
    assert ratio < 1.1


@pytest.mark.parametrize(("captured", "planted", "least", "most"), [(0.9999, 0.995, 0.9, 1), (0.9, 0.895, 0, 0.01)])
def test_a_leg_in_the_air_bends_anew_if_its_knee_moves_far(
    captured: float, planted: float, least: float, most: float
) -> None:
    """By half a percent, the knee of a straight leg of a metre moves by 5 cm, and that of a bent one by 5 mm."""
    roots, tips = np.zeros((1, 1, 3)), -planted * UP[None, None]
    [[share]] = bent_anew(roots, tips, np.ones(1), np.full((1, 1), captured), np.zeros((1, 1)))
    assert least <= share <= most


def test_a_straight_leg_far_from_contacts_stays_as_captured() -> None:
    take = kick(60.0, 0.9999)
    stands = take.touches.copy()
    stands[round(2.5 * 60.0) :, 1] = False
    _, after = planted(take, stands=stands, level=take.floor)
    off = np.abs(after.knees - take.knees)[round(3.1 * 60.0) :, 1].max()
    assert off < 1e-9


@pytest.mark.parametrize("rate", [30.0, 120.0])
@pytest.mark.parametrize(("stood", "hovers"), [(0.03, 0.008), (-0.04, -0.04), (0.02, -0.01), (-0.03, 0.05)])
def test_no_foot_in_the_air_is_pushed_into_the_ground(rate: float, stood: float, hovers: float) -> None:
    """It was captured so high above the ground while it stands, in the middle, and while it does not."""
    times = np.arange(round(5.0 * rate)) / rate
    between = np.clip((np.abs(times - 2.5) - 0.5) / 0.3, 0.0, 1.0)
    height = stood + (hovers - stood) * between * between * (3.0 - 2.0 * between)
    stands = np.abs(times - 2.5) < 0.5
    found = height + corrections(height[:, None, None] * UP, stands[:, None], np.zeros((len(times), 1)), rate, UP)[:, 2]
    # Up to half a second beside the stand the foot may still be on its way.
    free = np.abs(times - 2.5) > 1.0
    usual, accelerations = min(0.0, hovers - min(stood, 0.0)), np.abs(np.diff(found, 2)) * rate**2
    assert np.abs(found[stands]).max() < 1e-12
    assert found[free].min() > usual - 0.001
    assert accelerations.max() < 5.0


LEG = LENGTHS.sum()


def stands(extension: float) -> PlantedLegs:
    """Feet that skate by a few millimetres below hips that stay, on legs as far extended as this."""
    times = np.arange(120) / 60
    skate = 0.003 * np.stack((np.sin(3 * times), np.cos(4 * times), 0 * times), axis=-1)
    tips = SIDES + skate[:, None] + np.array((0, 0, 0.09))
    roots = np.broadcast_to(SIDES + np.array((0, 0, 0.09 + extension * LEG)), tips.shape)
    return plant(
        Legs(
            hips=roots.mean(axis=1),
            roots=roots,
            tips=tips,
            points=tips[:, :, None] + POINTS,
            lengths=np.full(2, LEG),
            rate=60.0,
            up=UP,
            feet=np.full((*tips.shape, 3), np.nan),
            against=np.zeros(tips.shape[:2], dtype=bool),
        ),
        PlantOptions(),
    )


@pytest.mark.parametrize("extension", [0.99, 0.995, 0.999])
def test_hips_above_straight_legs_go_down_by_little(extension: float) -> None:
    lowered = stands(extension).lowering.max() / LEG
    # At most as much again as was missing to the full length, and a hair for the skating.
    assert lowered < 1.0 - extension + 1e-4


def test_straight_legs_reach_their_feet() -> None:
    assert stands(0.999).short.max() < 1e-12


def test_bent_legs_keep_their_softness() -> None:
    assert (stands(0.95).softness == 0.015).all()
