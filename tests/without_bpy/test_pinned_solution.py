"""Limbs that are solved with their mid joint pinned to the pole, wholly or in part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import Bend, Chain, Goals, Options, Reference, Status, Unreachable, pole_pin, solve
from support.limbs import (
    LEG,
    OPTIONS,
    assert_sound,
    lengths,
    limb,
    random_limb,
    random_pose,
    targets_within_reach,
    total_length,
)
from support.oracles import rotation_angle


def random_goals(rng: np.random.Generator, chain: Chain, count: int, *, posed: bool = False) -> Goals:
    target = targets_within_reach(rng, chain, count)
    pole = total_length(chain) * rng.normal(size=(count, 3))
    return Goals(target=target, pole=pole, pose=random_pose(rng, count) if posed else None)


@given(OPTIONS, st.integers(0, 1000), st.sampled_from((0.2, 0.7, 1.0)), st.booleans())
@settings(max_examples=100, deadline=None)
def test_whatever_the_options_a_pinned_pose_is_sound(options: dict, seed: int, pin: float, posed: bool) -> None:
    rng = np.random.default_rng(seed)
    chain = random_limb(rng)
    goals = random_goals(rng, chain, 10, posed=posed)
    solution = solve(chain, goals, Options(**options, pole_pin=pin))
    if options["unreachable"] != Unreachable.HOLD:
        assert_sound(solution, chain)
    if options["plane"] in {"AUTO", "POLE"} and options["influence"] == 1.0:
        assert (solution.stretch <= options["max_stretch"] * (1 + 1e-9)).all()
        assert (solution.stretch >= (1 - 1e-9) / options["max_stretch"]).all()
    elif options["influence"] == 1.0:
        np.testing.assert_array_equal(solution.rotations, solve(chain, goals, Options(**options)).rotations)


@given(OPTIONS, st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_frames_without_the_pin_are_what_they_were_to_the_bit(options: dict, seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = random_limb(rng)
    goals = random_goals(rng, chain, 4)
    found = solve(chain, goals, Options(**options, pole_pin=np.array((0.0, 1.0, 0.0, 0.5))))
    expected = solve(chain, goals, Options(**options))
    for name in ("rotations", "joints", "stretch", "status", "shortfall", "reach", "hinge_angle"):
        np.testing.assert_array_equal(getattr(found, name)[[0, 2]], getattr(expected, name)[[0, 2]])


@pytest.mark.parametrize("most", [1.0, 1.5])
def test_all_of_the_pin_puts_the_joints_where_geometry_says(most: float) -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        chain = random_limb(rng)
        goals = random_goals(rng, chain, 10)
        found = solve(chain, goals, Options(pole_pin=1.0, max_stretch=most))
        expected = pole_pin.pinned(lengths(chain), goals.target, goals.pole, most)
        np.testing.assert_allclose(found.joints, expected.joints, atol=1e-12 * total_length(chain))
        np.testing.assert_allclose(found.stretch, expected.stretch, atol=1e-12)
        np.testing.assert_allclose(found.reach, expected.reach)
        np.testing.assert_array_equal(found.status, expected.status)


def test_each_bone_keeps_to_limits_of_its_own() -> None:
    """Of 90,000 pairs of lengths within them none brings the mid joint nearer to the pole."""
    rng = np.random.default_rng(7)
    compared = 0
    for _ in range(40):
        chain = random_limb(rng)
        goals = random_goals(rng, chain, 1)
        limits = np.stack((rng.uniform(0.5, 1.0, 2), rng.uniform(1.0, 2.0, 2)), axis=-1)
        found = solve(chain, replace(goals, stretch_limits=limits), Options(pole_pin=1.0, max_stretch=2.0))
        assert (found.stretch >= limits[:, 0] - 1e-9).all()
        assert (found.stretch <= limits[:, 1] + 1e-9).all()
        mid, tip, pole = found.joints[0, 1], found.joints[0, 2], goals.pole[0]
        distance, size = np.linalg.norm(tip), total_length(chain)
        first, second = np.meshgrid(*(np.linspace(*ends, 300) for ends in lengths(chain)[:, None] * limits))
        ahead, along = pole @ tip / distance, (distance**2 + first**2 - second**2) / (2 * distance)
        meet = along**2 <= first**2
        away = np.sqrt(max(pole @ pole - ahead**2, 0.0))
        apart = np.hypot(along[meet] - ahead, np.sqrt(first[meet] ** 2 - along[meet] ** 2) - away)
        if len(apart) > 100:
            assert -1e-9 * size <= apart.min() - np.linalg.norm(mid - pole) < 0.02 * size
            compared += 1
    assert compared > 30


@pytest.mark.parametrize(
    "options",
    [
        {"pole_angle": 1.0},
        {"pole_influence": 0.3},
        {"bend": Bend.NEGATIVE},
        {"bend": Bend.NEAREST},
        {"softness": 0.3},
        {"bend_max": 0.2},
        {"unreachable": Unreachable.STRETCH},
        {"unreachable": Unreachable.HOLD},
    ],
    ids=str,
)
def test_at_all_of_the_pin_other_options_no_longer_act(options: dict) -> None:
    rng = np.random.default_rng(3)
    goals = random_goals(rng, LEG, 50)
    found = solve(LEG, goals, Options(pole_pin=1.0, max_stretch=1.4, **options))
    expected = solve(LEG, goals, Options(pole_pin=1.0, max_stretch=1.4))
    for name in ("rotations", "joints", "stretch", "status", "hinge_angle"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-12)


def test_a_limit_of_the_extension_does_not_hold_the_pin() -> None:
    rng = np.random.default_rng(4)
    goals = random_goals(rng, LEG, 20, posed=True)
    found = solve(LEG, goals, Options(pole_pin=1.0, use_extension_limit=True))
    np.testing.assert_allclose(found.joints[:, 2], goals.target, atol=1e-12)
    assert not (found.status == Status.LIMITED).any()


@pytest.mark.parametrize("reference", Reference)
def test_a_pin_that_is_keyed_moves_no_bone_by_a_jump(reference: Reference) -> None:
    """From none to all, also where both are far apart: in steps of a thousandth, a bone turns by a degree or so."""
    rng = np.random.default_rng(5)
    part = np.linspace(0.0, 1.0, 1001)
    for _ in range(20):
        chain = random_limb(rng)
        one = random_goals(rng, chain, 1, posed=True)
        goals = Goals(**{name: np.repeat(getattr(one, name), len(part), axis=0) for name in ("target", "pole", "pose")})
        found = solve(chain, goals, Options(pole_pin=part, max_stretch=2.0, reference=reference))
        size = total_length(chain)
        reached = np.linalg.norm(np.diff(found.joints, axis=0), axis=-1).max()
        assert reached < 0.05 * (size + np.linalg.norm(one.pole)), "no joint jumps"
        for end in (0, -1):
            near = found.rotations[end - 1 if end else 1]
            turned = [rotation_angle(a, b) for a, b in zip(found.rotations[end], near, strict=True)]
            assert max(turned) < 0.1


@pytest.mark.parametrize("place", [(0.0, 0.6, 0.0), (0.0, 0.0, 0.0), (0.0, 1.2, 0.0), (0.0, -0.5, 0.0)], ids=str)
@pytest.mark.parametrize("before", [True, False])
def test_a_pole_on_the_line_leaves_the_plane_as_it_is(place: tuple[float, ...], before: bool) -> None:
    """That of the frames before, or the one without a pole: no NaN, no jump."""
    beside = np.linspace(0.3, 0.0, 31)[:, None] if before else np.zeros((5, 1))
    pole = np.array(place) + beside * (0.6, 0.0, 0.8)
    goals = Goals(target=np.tile((0.0, 1.2, 0.0), (len(pole), 1)), pole=pole)
    found = solve(LEG, goals, Options(pole_pin=1.0, max_stretch=1.2))
    assert_sound(found, LEG)
    np.testing.assert_allclose(found.rotations[-1], found.rotations[-2], atol=0.15 if before else 1e-12)


def test_poses_come_back_from_a_pole_at_the_mid_joint() -> None:
    """Tip and mid joint of any pose, as target and pole, give that pose: also where its bones are scaled."""
    rng = np.random.default_rng(6)
    chain = limb((0.0, 1.0, 0.1), (0.0, 1.9, -0.1))
    mid = rng.normal(size=(100, 3))
    mid /= np.linalg.norm(mid, axis=-1, keepdims=True) * rng.uniform(0.8, 1.2, (100, 1))
    end = rng.normal(size=(100, 3))
    tip = mid + end / np.linalg.norm(end, axis=-1, keepdims=True)
    found = solve(chain, Goals(target=tip, pole=mid), Options(pole_pin=1.0, max_stretch=1.5))
    np.testing.assert_array_equal(found.joints[:, 1], mid)
    np.testing.assert_array_equal(found.joints[:, 2], tip)
