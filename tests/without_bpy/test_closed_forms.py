"""Closed forms and short cuts over whole arrays against the plain definitions."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from two_bone_ik.skeleton import transform
from two_bone_ik.solver import rotation
from two_bone_ik.solver.feet.hips import envelope_weights, smooth_envelope
from two_bone_ik.solver.feet.statistics import densest

ROUNDING = 1e-12
"""Of a few products of numbers near 1."""


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1)


@pytest.mark.parametrize("order", ["".join(axes) for axes in permutations("XYZ")])
def test_euler_angles_turn_about_one_axis_after_another(order: str, rng: np.random.Generator) -> None:
    angles = rng.uniform(-7.0, 7.0, (50, 3))
    for found, own in zip(rotation.from_eulers(angles, order), angles, strict=True):
        expected = np.eye(3)
        for axis in map("XYZ".index, order):
            turn, (j, k) = np.eye(3), [(axis + 1) % 3, (axis + 2) % 3]
            turn[j, j] = turn[k, k] = np.cos(own[axis])
            turn[k, j], turn[j, k] = np.sin(own[axis]), -np.sin(own[axis])
            expected = turn @ expected
        np.testing.assert_allclose(found, expected, atol=ROUNDING)


def test_affine_products_and_inverses_are_those_of_matrices(rng: np.random.Generator) -> None:
    one, other = (transform.compose(rng.normal(size=(20, 2, 3, 3)), rng.normal(size=(20, 2, 3))) for _ in range(2))
    for first, second in ((one, other), (one[:1], other), (one, other[:1, :1])):
        np.testing.assert_allclose(transform.affine_product(first, second), first @ second, atol=ROUNDING)
    size = np.abs(np.linalg.inv(one)).max()
    np.testing.assert_allclose(transform.inverse(one), np.linalg.inv(one), atol=ROUNDING * size**2)


@pytest.mark.parametrize("size", [1, 3])
def test_the_densest_sample_has_most_others_near_it(size: int, rng: np.random.Generator) -> None:
    samples = np.concatenate((rng.normal(size=(90, size)), rng.normal(0.7, 0.05, (30, size))))
    near = [[np.linalg.norm(one - other) < 0.2 for other in samples] for one in samples]
    center = samples[np.argmax(np.sum(near, axis=1))]
    expected = samples[np.linalg.norm(samples - center, axis=1) < 0.2]
    mean, count = densest(samples, 0.2)
    assert count == len(expected)
    np.testing.assert_allclose(mean, expected.mean(axis=0), atol=ROUNDING)


@pytest.mark.parametrize("rate", [10.0, 24.0, 60.0, 120.0])
def test_an_envelope_is_the_mean_of_greatest_values(rate: float, rng: np.random.Generator) -> None:
    values, weights = rng.random(60), envelope_weights(rate, 0.2)
    side = len(weights) // 2
    windows = np.clip(np.arange(-side, 60 + side)[:, None] + np.arange(-side, side + 1), 0, 59)
    greatest = values[windows].max(axis=1)
    expected = [weights @ greatest[row : row + len(weights)] for row in range(60)]
    np.testing.assert_allclose(smooth_envelope(values, rate, 0.2), expected, atol=ROUNDING)
