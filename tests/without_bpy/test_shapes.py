"""What the solver does not take as it was given is refused in one sentence that names both shapes, or the value."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from solver import Chain, Goals, Options, planar, prepare, reach, solve
from support.limbs import LEG, X, random_pose

POSE = random_pose(np.random.default_rng(0), 3)
FOUR = np.ones((4, 3))


def goals(**given: np.ndarray) -> Goals:
    return Goals(**{"target": FOUR, **given})


@pytest.mark.parametrize(
    ("call", "first", "second"),
    [
        (lambda: solve(LEG, goals(pole=np.ones((5, 3)))), "target (4, 3)", "pole (5, 3)"),
        (lambda: solve(LEG, goals(pose=POSE)), "target (4, 3)", "pose (3, 2, 3, 3)"),
        (lambda: solve(LEG, goals(seconds=np.arange(3.0))), "target (4, 3)", "seconds (3,)"),
        (
            lambda: solve(Chain(joints=np.stack([LEG.joints] * 3), hinge_axis=X), goals()),
            "target (4, 3)",
            "joints (3, 3, 3)",
        ),
        (
            lambda: prepare(Chain(joints=np.stack([LEG.joints] * 4), hinge_axis=np.stack([X] * 3))),
            "joints (4, 3, 3)",
            "hinge_axis (3, 3)",
        ),
        (lambda: solve(LEG, goals(), Options(softness=np.full(3, 0.1))), "target (4, 3)", "softness (3,)"),
        (lambda: planar.solve(np.ones((3, 2)), FOUR[:, :2]), "lengths (3, 2)", "target (4, 2)"),
        (lambda: planar.angles((1, 1), FOUR[:, :2], np.ones(3)), "target (4, 2)", "bend (3,)"),
        (lambda: planar.mid((1, 1), FOUR[:, :2], np.ones(3)), "target (4, 2)", "bend (3,)"),
        (lambda: planar.forward((1, 1), (1, 1, 1)), "lengths (2,)", "angles (3,)"),
        (lambda: planar.oriented((1, 1, 1), FOUR[:, :2], np.ones(3)), "target (4, 2)", "direction (3,)"),
    ],
)
def test_shapes_that_do_not_fit_are_both_named(call: Callable[[], object], first: str, second: str) -> None:
    with pytest.raises(ValueError, match="do not fit together") as refused:
        call()
    assert str(refused.value) == f"rows of {first} and {second} do not fit together"


@pytest.mark.parametrize("root", [(5.0, 5.0, 5.0), (0.0, 0.0, 1e-6), (-1e-9, 0.0, 0.0)])
def test_a_root_that_is_not_the_origin_is_refused(root: tuple[float, float, float]) -> None:
    joints = np.stack([LEG.joints, LEG.joints + root])
    with pytest.raises(ValueError, match=r"the root, the first of the joints, must be the origin, but row \[1\] is"):
        prepare(Chain(joints=joints, hinge_axis=X))


def test_a_root_that_rounding_moved_is_taken() -> None:
    moved = Chain(joints=LEG.joints + 1e-15, hinge_axis=X)
    expected = solve(Chain(joints=LEG.joints, hinge_axis=X), goals())
    np.testing.assert_allclose(solve(moved, goals()).joints, expected.joints, atol=1e-12)


def test_a_word_that_is_no_choice_is_refused_in_the_plane_too() -> None:
    with pytest.raises(ValueError, match="'NOPE' is not a valid Unreachable"):
        planar.solve((1, 1), (1, 1), 1, "NOPE")


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: solve(None, goals()), "chain must be Chain(joints=..., hinge_axis=...), but is of the type NoneType"),
        (lambda: solve(LEG, FOUR), "goals must be Goals(target=...), but is of the type ndarray"),
        (lambda: solve(LEG, goals(), {"softness": 1}), "options must be Options(...), but is of the type dict"),
        (lambda: Options(bend="UP"), "'UP' is not a valid Bend: choose from REST, POSITIVE, NEGATIVE, NEAREST, LIMITS"),
        (
            lambda: planar.mid((1, 1), np.ma.array((1.0, 1.0), mask=(0, 1))),
            "target must have all its numbers, but some are masked",
        ),
        (lambda: planar.mid((1, 1), (1, 1), 0), "bend must be 1 or -1, but is 0.0"),
    ],
)
def test_what_is_of_another_type_is_named(call: Callable[[], object], named: str) -> None:
    with pytest.raises(ValueError, match=re.escape(named)):
        call()


def test_numbers_that_vary_may_be_lists() -> None:
    softness = [0.0, 0.1, 0.2, 0.3]
    expected = solve(LEG, goals(), Options(softness=np.array(softness)))
    np.testing.assert_array_equal(solve(LEG, goals(), Options(softness=softness)).joints, expected.joints)


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
TEXTS = [["1", "2", "3"], np.array(["1", "2", "3"]), np.arange(3).astype("datetime64[s]")]


@pytest.mark.parametrize("name", NOT_REAL)
def test_what_are_no_real_numbers_is_refused(name: str) -> None:
    words = [(value, ": some are complex") for value in COMPLEX] + [
        (value, ": some are text or times") for value in TEXTS
    ]
    words += [(None, ", but is None")] if name != "pole" else []
    for value, why in words:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(ValueError, match=f"^{name} must have numbers{why}$"):
                NOT_REAL[name](value)


def test_what_is_no_number_is_named() -> None:
    with pytest.raises(ValueError, match=r"^target must have numbers: .*'up'"):
        solve(LEG, Goals(target=[["up", 0.0, 0.0]]))


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
