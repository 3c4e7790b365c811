"""Captures as scenes play them: with frames between keys, held poses and jumps; in part, and several in one."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from solver.feet.contacts import footing
from solver.feet.hips import found_ratio
from solver.feet.jumps import pieces
from support.footsteps import LENGTHS, Capture
from support.planted import UP, f1, planted
from support.takes import TAKES, disturbed, legs_scaled, walk

LEGS = np.full(2, LENGTHS.sum())


def interpolated(points: np.ndarray, times: int) -> np.ndarray:
    """So many times as many frames a second, straight from each of (n, ...) to the next."""
    ways = np.arange(times).reshape(-1, *[1] * (points.ndim - 1)) / times
    between = points[:-1, None] + ways * np.diff(points, axis=0)[:, None]
    return np.concatenate((between.reshape(-1, *points.shape[1:]), points[-1:]))


def stood(points: np.ndarray, rate: float) -> np.ndarray:
    """(n, 2) which feet stand."""
    return footing(points, rate, LEGS, UP).stands.any(axis=-1)


@pytest.mark.parametrize("held", [30, 240])
@pytest.mark.parametrize("name", ["walk", "run", "stair", "stand", "jump"])
def test_a_pose_that_is_held_leaves_the_contacts(name: str, held: int) -> None:
    take = disturbed(TAKES[name](30.0), 0.002, seed=1)
    longer = np.concatenate((take.points, np.repeat(take.points[-1:], held, axis=0)))
    # Near the end the feet may go on to stand as they are held.
    alone, before = stood(take.points, 30.0)[:-5], stood(longer, 30.0)[: len(take.points) - 5]
    assert f1(alone, before) > 0.99


@pytest.mark.parametrize("held", [60, 600])
@pytest.mark.parametrize("first", [True, False])
def test_a_pose_held_beside_a_treadmill_leaves_its_speed(first: bool, held: int) -> None:
    take = disturbed(TAKES["treadmill"](30.0), 0.002, seed=1)
    pose = np.repeat(take.points[:1] if first else take.points[-1:], held, axis=0)
    longer = footing(np.concatenate((pose, take.points) if first else (take.points, pose)), 30.0, LEGS, UP)
    assert np.linalg.norm(longer.velocity - take.ground_velocity) < 0.05
    stands = longer.stands.any(axis=-1)
    walked, paused = stands[held:] if first else stands[:-held], stands[:held] if first else stands[-held:]
    assert f1(walked, take.touches.any(axis=-1)) > 0.95
    assert paused[5:-5].sum() == 0, "a treadmill would have stopped"


def test_a_pause_within_a_walk_leaves_the_contacts() -> None:
    points = disturbed(walk(30.0), 0.002, seed=1).points
    paused = np.insert(points, 120, np.repeat(points[119:120], 200, axis=0), axis=0)
    alone, found = stood(points, 30.0), np.delete(stood(paused, 30.0), slice(120, 320), axis=0)
    assert f1(alone, found) > 0.98


@pytest.mark.parametrize(("noise", "times"), [(0.002, 10), (0.005, 4), (0.01, 2), (0.01, 10)])
@pytest.mark.parametrize("name", ["walk", "stair", "turn", "jump"])
def test_frames_between_two_keys_leave_the_contacts(name: str, noise: float, times: int) -> None:
    take = disturbed(TAKES[name](30.0), noise, seed=1)
    truth = take.touches.any(axis=-1)
    score = f1(stood(interpolated(take.points, times), 30.0 * times)[::times], truth)
    keyed = f1(stood(take.points, 30.0), truth)
    assert score > keyed - 0.03


@pytest.mark.parametrize("count", [8, 12, 16, 24])
@pytest.mark.parametrize("name", ["walk", "stroll", "run", "stair"])
def test_few_frames_do_not_show_another_length_of_legs(name: str, count: int) -> None:
    take, scaled, ranges = disturbed(TAKES[name](30.0), 0.002, seed=1), [], range(0, 200, 7)
    for first in ranges:
        hips, points = (each[first : first + count] for each in (take.hips.mean(axis=1), take.points))
        scaled.append(found_ratio(hips, points, 30.0, LEGS[0], UP))
    wrong = [round(ratio, 3) for ratio in scaled if ratio != 1.0]
    assert len(wrong) <= 1


@pytest.mark.parametrize("ratio", [0.8, 1.2])
def test_two_seconds_show_another_length_of_legs(ratio: float) -> None:
    take = legs_scaled(disturbed(walk(30.0), 0.002, seed=1), ratio)
    for first in range(0, 180, 20):
        hips, points = (each[first : first + 60] for each in (take.hips.mean(axis=1), take.points))
        assert found_ratio(hips, points, 30.0, ratio * LEGS[0], UP) == pytest.approx(ratio, abs=0.06)


def jumping(take: Capture, rows: int) -> Capture:
    """The take whose first rows are half a metre aside."""
    away = np.where(np.arange(len(take.hips)) < rows, 0.5, 0.0)[:, None, None] * (1.0, 0.0, 0.0)
    return replace(take, **{each: getattr(take, each) + away for each in ("hips", "knees", "ankles")})


@pytest.mark.parametrize("times", [1, 2, 3, 4, 10])
@pytest.mark.parametrize("rows", [1, 60])
def test_a_jump_is_seen_where_frames_lie_within_it(rows: int, times: int) -> None:
    ankles = jumping(disturbed(walk(30.0, seconds=4.0), 0.002, seed=1), rows).ankles
    found = pieces(interpolated(ankles, times), LEGS, 30.0 * times)
    before, behind = (rows - 1) * times + 1, rows * times
    within = [slice(before, behind)] if times > 1 else []
    assert found == [slice(0, before), *within, slice(behind, (len(ankles) - 1) * times + 1)]


@pytest.mark.parametrize("step", [0.4, 0.3, 0.15])
def test_a_t_pose_is_no_part_of_a_take_at_any_step(step: float) -> None:
    ankles = jumping(disturbed(walk(30.0, seconds=4.0), 0.002, seed=1), 1).ankles
    frames = np.arange(round((len(ankles) - 1) / step)) * step
    row = frames.astype(int)
    places = ankles[row] + (frames - row)[:, None, None] * (ankles[row + 1] - ankles[row])
    last = pieces(places, LEGS, 30.0 / step)[-1]
    assert 1.0 - 1e-9 <= frames[last.start] < 1.0 + step
    assert last.stop == len(frames)


@pytest.mark.parametrize(("rate", "times"), [(12.0, 1), (30.0, 1), (120.0, 1), (30.0, 2), (30.0, 5)])
@pytest.mark.parametrize("name", TAKES)
def test_feet_that_step_run_or_jump_are_one_take(name: str, rate: float, times: int) -> None:
    """Also with frames between the keys."""
    ankles = disturbed(TAKES[name](rate), 0.01, seed=1).ankles
    assert pieces(interpolated(ankles, times), LEGS, rate * times) == [slice(0, (len(ankles) - 1) * times + 1)]


@pytest.mark.parametrize("rate", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("row", [0, 100])
def test_no_contact_goes_on_across_a_jump(rate: float, row: int) -> None:
    """Many captures begin with a T-pose on their first frame."""
    take = disturbed(walk(rate, seconds=6.0), 0.001, 1)
    away = np.where(np.arange(len(take.hips)) <= row, 0.15, 0.0)[:, None, None] * (1.0, 0.0, 0.0)
    jumping = replace(take, hips=take.hips + away, knees=take.knees + away, ankles=take.ankles + away)
    stands = footing(jumping.points, rate, LEGS, UP).stands
    assert not (stands[row] & stands[row + 1]).any()
    before = np.abs(planted(take)[0].moved).max()
    moved = planted(jumping)[0].moved.max()
    if row == 0:
        assert moved < 1.5 * before


RAISED = 0.03
"""Metres by which the floor is higher than captured."""


def with_t_pose(take: Capture) -> Capture:
    """The take behind a frame of straight legs, half a metre aside."""
    hips = take.hips[:1] + np.array((0.5, 0.0, 0.0))
    knees = hips - np.array((0.0, 0.0, LENGTHS[0]))
    first = replace(take, hips=hips, knees=knees, ankles=knees - np.array((0.0, 0.0, LENGTHS[1])))
    first = replace(
        first, feet=np.tile(np.eye(3), (1, 2, 1, 1)), touches=np.zeros((1, 2, 2), bool), floor=take.floor[:1]
    )
    return joined(first, take)


def joined(first: Capture, second: Capture) -> Capture:
    rows = {each.name for each in fields(Capture)} - {"rate", "ground_velocity"}
    return replace(second, **{name: np.concatenate((getattr(first, name), getattr(second, name))) for name in rows})


def test_a_t_pose_in_front_changes_nothing_and_stays() -> None:
    take = disturbed(walk(120.0, seconds=1.5), 0.002, seed=3)
    alone = {"stands": take.touches, "level": take.floor + RAISED, "ratio": 1.0}
    _, truth = planted(take, **alone)
    before = with_t_pose(take)
    _, after = planted(before, **{**alone, "stands": before.touches, "level": before.floor + RAISED})
    off = [np.abs(getattr(after, name)[1:] - getattr(truth, name)).max() for name in ("hips", "knees", "ankles")]
    moved = [np.abs(getattr(after, name)[0] - getattr(before, name)[0]).max() for name in ("knees", "ankles")]
    assert max(off) < 1e-12
    # Straight legs are bent by a hair, so that nothing snaps.
    assert moved[1] < 1e-3
    assert moved[0] < 0.02


@pytest.mark.parametrize("rate", [30.0, 120.0])
def test_takes_put_together_are_told_apart(rate: float) -> None:
    first, second = (walk(rate, seconds=seconds) for seconds in (1.0, 2.0))
    count = len(first.hips)
    both = joined(first, replace(second, ankles=second.ankles + np.array((0.0, -2.0, 0.0))))
    assert pieces(both.ankles, LEGS, rate) == [slice(0, count), slice(count, len(both.ankles))]


def test_one_foot_alone_never_jumps() -> None:
    ankles = np.zeros((20, 1, 3))
    ankles[10:, :, 1] = 0.5
    assert pieces(ankles, LEGS[:1], 30.0) == [slice(0, 20)]


@pytest.mark.parametrize("held", [2, 3])
def test_a_walk_in_place_with_held_poses_is_one_take(held: int) -> None:
    """Both feet move whenever one does: backward with the ground, or forward."""
    times = np.arange(97) // held * held / 24.0
    phases = (times[:, None] + (0.0, 0.5)) % 1.0
    ahead = np.where(phases < 0.6, 0.3 - phases, 1.5 * phases - 1.2)
    tips = np.stack((0.0 * ahead, 1.4 * ahead, 0.15 * (phases > 0.6)), axis=-1)
    assert pieces(tips, LEGS, 24.0) == [slice(0, 97)]
