"""Options with a value for each frame and chain pose as the same values one by one; influence blends as keys do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import Bend, Chain, Goals, Options, Plane, Reference, Unreachable, solve
from solver.values import VARYING
from support.limbs import LEG, STRAIGHT, assert_same, random_limb, random_pose, solved
from support.oracles import rotation_about

# A frame that holds another one, or the shortest path over all of them, is not posed by itself.
CHOICES = st.fixed_dictionaries(
    {
        "plane": st.sampled_from([Plane.AUTO, Plane.POLE, Plane.AIM, Plane.REST]),
        "reference": st.sampled_from(Reference),
        "bend": st.sampled_from([bend for bend in Bend if bend != Bend.NEAREST]),
        "unreachable": st.sampled_from([choice for choice in Unreachable if choice != Unreachable.HOLD]),
        "use_extension_limit": st.booleans(),
    }
)
NUMBERS = {
    "pole_angle": st.sampled_from((0.0, 0.7, -3.0)),
    "pole_influence": st.sampled_from((1.0, 0.4, 0.0)),
    "softness": st.sampled_from((0.0, 0.1, 1.0)),
    "max_stretch": st.sampled_from((1.0, 1.5)),
    "bend_min": st.sampled_from((-np.pi, -0.5, 0.0, 0.3)),
    "bend_max": st.sampled_from((np.pi, 2.0, 0.4)),
    "influence": st.sampled_from((1.0, 0.3, 0.0)),
}


# Without a pin, and with: where its shells only touch, the elbow turns by the square root of what is rounded.
PINS = [(st.just(0.0), 1e-9), (st.sampled_from((0.0, 0.4, 1.0)), 1e-7)]


def random_goals(rng: np.random.Generator, *shape: int) -> Goals:
    """Targets within reach and beyond, with poles and poses of their own."""
    return Goals(
        target=1.4 * rng.normal(size=(*shape, 3)),
        pole=2.0 * rng.normal(size=(*shape, 3)),
        pose=random_pose(rng, int(np.prod(shape))).reshape(*shape, 2, 3, 3),
    )


def drawn(data: st.DataObject, *shape: int, pins: st.SearchStrategy[float]) -> dict[str, np.ndarray]:
    """An array of this shape for each number."""
    count, numbers = int(np.prod(shape)), {**NUMBERS, "pole_pin": pins}
    assert set(numbers) == set(VARYING)
    return {
        name: np.array(data.draw(st.lists(values, min_size=count, max_size=count))).reshape(shape)
        for name, values in numbers.items()
    }


@pytest.mark.once
@pytest.mark.parametrize(("shape", "varying"), [((3,), (3,)), ((2, 3), (1, 3))], ids=["frames", "limbs"])
@pytest.mark.parametrize(("pins", "near"), PINS)
@settings(max_examples=50)
@given(data=st.data(), choices=CHOICES, seed=st.integers(0, 1000))
def test_numbers_that_vary_pose_each_frame_as_it_is_posed_alone(
    shape, varying, pins, near, data, choices, seed
) -> None:
    """A limb of other lengths on each frame, or limbs side by side; each number has a value for each of them."""
    rng = np.random.default_rng(seed)
    chains = [random_limb(rng) for _ in range(3)]
    joints, axes = (np.stack([getattr(chain, name) for chain in chains]) for name in ("joints", "hinge_axis"))
    limbs = (
        Chain(joints=joints, hinge_axis=axes) if len(shape) == 1 else Chain(joints=joints[None], hinge_axis=axes[None])
    )
    if pins is PINS[1][0] and len(shape) == 1:
        limbs, chains = chains[0], chains[:1] * 3  # a pin that folds lengths of a frame's own chooses no side
    goals, numbers = random_goals(rng, *shape), drawn(data, *varying, pins=pins)
    found = solve(limbs, goals, Options(**choices, **numbers))
    for row in np.ndindex(*shape):
        own = {name: float(values[(0, *row[1:]) if len(row) == 2 else row]) for name, values in numbers.items()}
        one = Goals(**{name: getattr(goals, name)[row][None] for name in ("target", "pole", "pose")})
        alone = solve(chains[row[-1]], one, Options(**choices, **own))
        assert_same(found, alone, near, row, 0)


def test_frames_without_influence_keep_the_pose_to_the_bit() -> None:
    rng = np.random.default_rng(5)
    goals = random_goals(rng, 20)
    influence = np.where(np.arange(20) % 2, 1.0, 0.0)
    found = solve(LEG, goals, Options(influence=influence))
    whole = solve(LEG, goals)
    np.testing.assert_array_equal(found.rotations[::2, 0], goals.pose[::2, 0])
    np.testing.assert_array_equal(found.rotations[1::2], whole.rotations[1::2])
    np.testing.assert_array_equal(found.joints[1::2], whole.joints[1::2])


def test_influence_goes_from_the_input_pose_to_the_solution() -> None:
    rng = np.random.default_rng(7)
    chain, pose, target = random_limb(rng), random_pose(rng, 5), rng.normal(size=(5, 3))
    own = solved(chain, target, pose=pose, influence=0.0)
    np.testing.assert_allclose(own.rotations, pose, atol=1e-14)
    np.testing.assert_allclose(
        solved(chain, target, pose=pose, influence=1 - 1e-12).rotations,
        solved(chain, target, pose=pose).rotations,
        atol=1e-11,
    )


@pytest.mark.parametrize("factor", [0.25, 0.5, 0.9])
def test_influence_turns_each_bone_about_a_fixed_axis(factor: float) -> None:
    rng = np.random.default_rng(8)
    chain, pose, target = random_limb(rng), random_pose(rng, 20), rng.normal(size=(20, 3))
    whole, part = solved(chain, target, pose=pose), solved(chain, target, pose=pose, influence=factor)
    for row in range(20):
        for start, end, found in zip(
            *(on_parents(rotations[row]) for rotations in (pose, whole.rotations, part.rotations)), strict=True
        ):
            axis, angle = axis_and_angle(start.T @ end)
            np.testing.assert_allclose(start.T @ found, rotation_about(axis, factor * angle), atol=1e-12)


@pytest.mark.parametrize("bend", [Bend.POSITIVE, Bend.NEGATIVE])
def test_a_part_of_a_fold_bends_to_the_side_of_the_whole(bend: Bend) -> None:
    """The end bone turns by half a turn there, which both sides are as near to."""
    time = np.linspace(0.0, 1.0, 60)
    for seed in range(20):
        target = 0.1 * np.column_stack((np.cos(time + seed), np.sin(2.0 * time), np.sin(3.0 * time + seed)))
        whole, part = (solved(STRAIGHT, target, bend=bend, influence=factor) for factor in (1.0, 0.6))
        assert (np.abs(whole.hinge_angle) > np.pi - 1e-9).all()
        np.testing.assert_allclose(part.hinge_angle, 0.6 * whole.hinge_angle, atol=1e-9)


def test_stretch_is_blended_too() -> None:
    options = {"unreachable": Unreachable.STRETCH, "max_stretch": 2.0}
    solution = solved(STRAIGHT, (0, 2.7, 0), influence=0.5, **options)
    np.testing.assert_allclose(solution.stretch, 1.25)
    np.testing.assert_allclose(solution.joints[0, 2], (0, 1.8 * 1.25, 0), atol=1e-15)


def on_parents(rotations: np.ndarray) -> list[np.ndarray]:
    return [rotations[0], rotations[0].T @ rotations[1]]


def axis_and_angle(turn: np.ndarray) -> tuple[np.ndarray, float]:
    values, vectors = np.linalg.eig(turn)
    axis = np.real(vectors[:, np.argmin(np.abs(values - 1))])
    angle = np.arccos(np.clip((np.trace(turn) - 1) / 2, -1, 1))
    skew = np.array((turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]))
    return (axis if axis @ skew >= 0 else -axis), angle
