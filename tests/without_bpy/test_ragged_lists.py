"""Lists that make no array are refused in one sentence, with the shapes of two rows that differ."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from solver import Chain, Goals, Options, planar, prepare, reach, solve
from support.limbs import LEG, X

RAGGED = [[1.0, 2.0, 3.0], [1.0, 2.0]]


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("target", lambda: solve(LEG, Goals(target=RAGGED))),
        ("pole", lambda: solve(LEG, Goals(target=np.ones((2, 3)), pole=RAGGED))),
        ("joints", lambda: prepare(Chain(joints=RAGGED, hinge_axis=X))),
        ("joints", lambda: prepare(Chain(joints=[LEG.joints.tolist(), RAGGED], hinge_axis=X))),
        ("hinge_axis", lambda: prepare(Chain(joints=LEG.joints, hinge_axis=RAGGED))),
        ("softness", lambda: Options(softness=RAGGED)),
        ("target", lambda: planar.solve((1.0, 1.0), RAGGED)),
        ("lengths", lambda: planar.angles(RAGGED, (1.0, 1.0))),
        ("angles", lambda: planar.forward((1.0, 1.0), RAGGED)),
        ("bend", lambda: planar.mid((1.0, 1.0), (1.0, 1.0), RAGGED)),
        ("lengths", lambda: reach.annulus(RAGGED)),
    ],
)
def test_rows_of_different_shapes_are_both_named(name: str, call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="rows of one shape") as refused:
        call()
    assert str(refused.value) == f"{name} must have rows of one shape, but has rows of the shapes (3,) and (2,)"


def test_deeper_rows_of_different_shapes_are_named() -> None:
    with pytest.raises(ValueError, match=r"^pose must have rows of one shape, but .* \(2, 3, 3\) and \(1, 3, 3\)$"):
        solve(LEG, Goals(target=np.ones((2, 3)), pose=[np.ones((2, 3, 3)), np.ones((1, 3, 3))]))


NOT_REAL: dict[str, Callable[[Any], object]] = {
    "target": lambda value: solve(LEG, Goals(target=value)),
    "pole": lambda value: solve(LEG, Goals(target=np.ones(3), pole=value)),
    "joints": lambda value: prepare(Chain(joints=value, hinge_axis=X)),
    "hinge_axis": lambda value: prepare(Chain(joints=LEG.joints, hinge_axis=value)),
    "softness": lambda value: Options(softness=value),
    "lengths": lambda value: planar.angles(value, (1.0, 1.0)),
    "angles": lambda value: planar.forward((1.0, 1.0), value),
    "bend": lambda value: planar.mid((1.0, 1.0), (1.0, 1.0), value),
    "direction": lambda value: planar.oriented((1.0, 1.0, 1.0), (1.0, 1.0), value),
}
COMPLEX = [1j, [1j, 0.0, 0.0], np.array([1j, 0.0, 0.0]), [np.complex64(1j), 1.0], np.ones((2, 3, 3), dtype=complex)]


@pytest.mark.parametrize("value", COMPLEX, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("name", NOT_REAL)
def test_complex_numbers_are_refused(name: str, value: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=f"^{name} must have numbers: some are complex$"):
            NOT_REAL[name](value)


@pytest.mark.parametrize("name", sorted(NOT_REAL.keys() - {"pole"}))
def test_none_is_refused_as_no_number(name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must have numbers, but is None$"):
        NOT_REAL[name](None)


def test_what_is_no_number_is_named() -> None:
    with pytest.raises(ValueError, match=r"^target must have numbers: .*'up'"):
        solve(LEG, Goals(target=[["up", 0.0, 0.0]]))


@pytest.mark.parametrize("value", [["1", "2", "3"], np.array(["1", "2", "3"]), np.arange(3).astype("datetime64[s]")])
@pytest.mark.parametrize("name", NOT_REAL)
def test_text_and_times_are_refused_as_no_numbers(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{name} must have numbers: some are text or times$"):
        NOT_REAL[name](value)


def test_float32_is_solved_as_the_same_numbers_in_float64() -> None:
    random = np.random.default_rng(5)
    target, pole = random.normal(size=(2, 50, 3)).astype(np.float32)
    joints, axis = LEG.joints.astype(np.float32), np.asarray(X, np.float32)
    narrow = solve(Chain(joints=joints, hinge_axis=axis), Goals(target=target, pole=pole))
    wide = solve(
        Chain(joints=joints.astype(np.float64), hinge_axis=axis.astype(np.float64)),
        Goals(target=target.astype(np.float64), pole=pole.astype(np.float64)),
    )
    assert narrow.rotations.dtype == np.float64
    assert np.array_equal(narrow.rotations, wide.rotations)
    lengths = np.array([2.0, 1.0], np.float32)
    flat = planar.solve(lengths, target[:, :2])
    assert np.array_equal(flat.angles, planar.solve((2.0, 1.0), target[:, :2].astype(np.float64)).angles)
