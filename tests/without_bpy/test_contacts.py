"""Contacts: frames on which heel and ball stand, found in captures of known footsteps; what samples do not show."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from solver.feet.contacts import Footing, FootingOptions, Stillness, footing, on_ground
from solver.feet.hips import found_ratio
from solver.feet.statistics import commonest
from solver.shortest_path import shortest_path
from support.footsteps import CLEARANCE, LENGTHS, Capture
from support.oracles import least_cost, random_rotation
from support.planted import UP, f1
from support.takes import TAKES, disturbed, run, stair, stand, treadmill, walk

LEGS = np.full(2, LENGTHS.sum())
RATES = (30.0, 60.0, 120.0)


def found(take: Capture, **options: object) -> Footing:
    return footing(take.points, take.rate, LEGS, UP, FootingOptions(**options))


def best_thresholds(takes: list[Capture], whole_feet: bool) -> tuple[float, float, float]:
    """The best F1 of all pairs of least speed and height, and the pair.

    They are given what has to be found otherwise: the floor, and the velocity of a treadmill.
    """
    speeds, heights, truths = [], [], []
    for take in takes:
        points = on_ground(take.points, take.rate, take.ground_velocity)
        speeds.append(np.linalg.norm(np.gradient(points, axis=0), axis=-1) * take.rate)
        heights.append(points[..., 2] - take.floor)
        truths.append(take.touches)
    speed, height, truth = (np.concatenate(parts) for parts in (speeds, heights, truths))
    truth = truth.any(axis=-1) if whole_feet else truth
    scores = []
    for fast in np.geomspace(0.02, 4.0, 40):
        for high in np.geomspace(0.002, 0.3, 30):
            stands = (speed < fast) & (height < high)
            scores.append((f1(stands.any(axis=-1) if whole_feet else stands, truth), fast, high))
    return max(scores)


@pytest.fixture(scope="module", params=[(0.002, 0.97), (0.01, 0.9)], ids=["2 mm", "10 mm"])
def known(request: pytest.FixtureRequest) -> tuple[float, list[Capture], np.ndarray]:
    """The F1 that is asked for; walks, a run, a stair and more with faults on top; the contacts found in them."""
    noise, least = request.param
    every = [disturbed(make(rate), noise, seed) for seed, make in enumerate(TAKES.values()) for rate in RATES]
    # Only on the stair the ground is told, as a mesh would tell it; all else is found.
    stairs = {number for number in range(len(every)) if list(TAKES)[number // len(RATES)] == "stair"}
    stands = [found(take, level=take.floor if n in stairs else None).stands for n, take in enumerate(every)]
    return least, every, np.concatenate(stands)


@pytest.mark.parametrize("whole_feet", [True, False], ids=["feet", "points"])
def test_contacts_are_right_on_most_frames(known: tuple, whole_feet: bool) -> None:
    least, takes, stands = known
    truth = np.concatenate([take.touches for take in takes])
    score = f1(stands.any(axis=-1), truth.any(axis=-1)) if whole_feet else f1(stands, truth)
    best, fast, high = best_thresholds(takes, whole_feet)
    print(f"F1 {score:.4f}; best thresholds {best:.4f}, at {fast:.2f} m/s and {high:.3f} m")
    assert score > best
    # Heel and ball, each for itself, come to rest and leave within the noise.
    assert score >= least - (0.0 if whole_feet else 0.01)


@pytest.mark.parametrize("size", [0.01, 100.0])
def test_contacts_do_not_depend_on_the_size(size: float) -> None:
    take = disturbed(walk(30.0, seconds=3.0), 0.002, 1)
    scaled = footing(size * take.points, take.rate, size * LEGS, UP)
    assert (scaled.stands == found(take).stands).all()
    assert np.allclose(scaled.level, size * found(take).level)


def test_contacts_do_not_depend_on_the_axes() -> None:
    take = disturbed(treadmill(30.0), 0.002, 1)
    turn = random_rotation(np.random.default_rng(1))
    turned = footing(take.points @ turn.T, take.rate, LEGS, turn @ UP)
    assert (turned.stands == found(take).stands).all()
    assert np.allclose(turned.velocity, turn @ found(take).velocity)


@pytest.mark.parametrize("make", [walk, run])
def test_contacts_do_not_depend_on_the_rate(make: object) -> None:
    slow, fast = (found(make(rate)).stands for rate in (30.0, 120.0))
    edges = np.count_nonzero(np.diff(fast, axis=0))
    # An edge may lie one slow frame earlier or later.
    assert np.count_nonzero(slow != fast[::4]) <= edges


@pytest.mark.parametrize("rate", [10, 11, 12, 12.5, 14, 15, 16, 18, 20, 24, 25, 29.97, 30, 48, 60, 100, 120, 240])
@pytest.mark.parametrize("skates", [0.0, 0.05], ids=["stands", "skates"])
def test_feet_stand_for_as_long_at_any_rate(rate: float, skates: float) -> None:
    """Also where the whole body drifts by this many metres a second."""
    take = walk(rate)
    way = skates * np.arange(len(take.hips))[:, None, None, None] / rate * np.array((1.0, 0.0, 0.0))
    stands = footing(take.points + way, rate, LEGS, UP).stands
    share, known = (each.any(axis=-1).mean() for each in (stands, take.touches))
    assert share == pytest.approx(known, abs=0.05)


def test_the_level_of_the_ground_is_found() -> None:
    take = disturbed(walk(30.0), 0.002, 1, drift=0.0)
    # The feet wander by a few millimetres in height.
    assert np.abs(found(take).level - (0.0 + CLEARANCE)).max() < 0.005


def test_a_stair_has_no_one_level() -> None:
    assert found(stair(30.0)).level is None


def test_the_velocity_of_a_treadmill_is_found() -> None:
    take = disturbed(treadmill(60.0), 0.002, 1)
    # The drift of the capture, 8 mm a second, belongs to the ground as well as the feet can tell.
    assert np.linalg.norm(found(take).velocity - take.ground_velocity) < 0.05


@pytest.mark.parametrize("name", [name for name in TAKES if name != "treadmill"])
def test_ground_that_stays_does_not_move(name: str) -> None:
    assert (found(disturbed(TAKES[name](30.0), 0.005, 1)).velocity == 0.0).all()


def test_no_contact_and_no_gap_is_too_short() -> None:
    take = disturbed(run(120.0), 0.01, 3)
    stillness = Stillness(contact=0.15, gap=0.08)
    for stands in np.moveaxis(found(take, stillness=stillness).stands.reshape(len(take.points), -1), 1, 0):
        edges = np.flatnonzero(np.diff(stands)) + 1
        for first, last in pairwise(edges):
            # A hair for the rounding of sums of costs.
            assert (last - first) / take.rate > (0.15 if stands[first] else 0.08) - 1e-9


def test_a_foot_that_rests_in_the_air_does_not_stand() -> None:
    take = walk(60.0)
    points = np.concatenate((take.points, np.repeat(take.points[-1:], 60, axis=0)))
    points[-60:, 0, :, 2] = 0.4
    stands = footing(points, 60.0, LEGS, UP).stands
    assert not stands[-50:, 0].any()
    assert stands[-50:, 1].any() or not take.touches[-1, 1].any()


def test_still_feet_stand_on_every_frame() -> None:
    points = np.repeat(stand(30.0).points[:1], 90, axis=0)
    assert footing(points, 30.0, LEGS, UP).stands.all()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_few_frames_are_enough(count: int) -> None:
    points = stand(30.0).points[:count]
    assert footing(points, 30.0, LEGS, UP).stands.shape == (count, 2, 2)


@pytest.mark.parametrize("count", [1, 2, 7, 11])
def test_the_path_is_the_cheapest_of_all(count: int) -> None:
    rng = np.random.default_rng(count)
    first, steps = rng.random(2), rng.random((2, 2, count - 1))

    def step(frame: int, before: int, now: int) -> float:
        return first[now] if frame == 0 else steps[before, now, frame - 1]

    assert tuple(shortest_path(first, steps)) == least_cost(step, count)[1]


@pytest.mark.parametrize("seed", range(5))
def test_a_value_that_is_common_by_chance_is_not_taken(seed: int) -> None:
    samples = np.random.default_rng(seed).uniform(-3, 3, (400, 1))
    assert commonest(samples, 0.2, np.ones(1)) == 1.0


@pytest.mark.parametrize(("often", "value"), [(30, 1.0), (90, 0.0)])
def test_a_value_is_taken_where_far_more_samples_have_it(often: int, value: float) -> None:
    rng = np.random.default_rng(1)
    samples = np.concatenate((np.zeros(often), np.ones(40), rng.uniform(-3, 3, 300)))[:, None]
    assert commonest(samples, 0.05, np.ones(1)) == pytest.approx(value, abs=0.05)


def roll(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Hips (n, 3) that go along, and points (n, 2, 2, 3) of feet that turn around them and seldom stand."""
    rng = np.random.default_rng(seed)
    times = np.arange(121) / 60
    hips = np.stack((0.1 * np.sin(3 * times), 1.1 * times, 0.5 + 0.2 * np.cos(4 * times)), axis=-1)
    phase = rng.uniform(0, 2 * np.pi, (2, 2)) + 4 * times[:, None, None]
    around = np.stack((0.1 * np.sin(phase / 3), np.sin(phase), np.cos(phase)), axis=-1)
    return hips, hips[:, None, None] + rng.uniform(0.5, 0.8, (2, 2, 1)) * around


@pytest.mark.parametrize("seed", range(5))
def test_feet_that_never_stand_show_neither_legs_nor_ground(seed: int) -> None:
    hips, points = roll(seed)
    assert found_ratio(hips, points, 60.0, 0.88, UP) == 1.0
    assert (footing(points, 60.0, np.full(2, 0.88), UP).velocity == 0.0).all()


def test_a_heel_that_rests_in_the_air_leaves_the_ground_level() -> None:
    take = disturbed(stand(30.0), 0.001, 1, drift=0.0)
    points = take.points.copy()
    points[50:, 1, 1, 2] += 0.12
    found = footing(points, take.rate, LEGS, UP)
    assert found.level is not None
    assert not found.stands[60:, 1, 1].any()
    assert found.stands[60:, 1, 0].mean() > 0.7


def test_the_lower_of_two_common_heights_is_the_heels() -> None:
    take = TAKES["stand"](30.0)
    points = take.points.copy()
    points[80:, :, 1, 2] += 0.12
    found = footing(points, take.rate, LEGS, UP)
    assert found.level is not None
    assert found.level[0, 0, 1] == pytest.approx(take.points[0, 0, 1, 2], abs=0.005)
