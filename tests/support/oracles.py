"""Independent truths for the solver: plain geometry, high precision, brute force. No code is shared with it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import mpmath
import numpy as np


def circle_crossings(first: float, second: float, x: float, y: float, digits: int = 50) -> list[np.ndarray]:
    """Both mid joints, bend -1 first, to so many decimal digits; a target out of reach is moved into reach first."""
    with mpmath.workdps(digits):
        l1, l2, x, y = (mpmath.mpf(float(value)) for value in (first, second, x, y))
        distance = mpmath.hypot(x, y)
        reach = min(max(distance, abs(l1 - l2)), l1 + l2)
        along = (reach**2 + l1**2 - l2**2) / (2 * reach)
        across = mpmath.sqrt(max(l1**2 - along**2, 0))
        u, v = x / distance, y / distance
        return [np.array([float(along * u - s * across * v), float(along * v + s * across * u)]) for s in (1, -1)]


def rotation_about(axis: np.ndarray, angle: np.ndarray | float) -> np.ndarray:
    """(..., 3, 3) by Rodrigues' formula, for angles (...)."""
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    skew = np.array(((0, -z, y), (z, 0, -x), (-y, x, 0)))
    angle = np.asarray(angle)[..., None, None]
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


def shortest_rotation(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(3, 3) from one direction to another, which must not be opposite."""
    axis = np.cross(start, end)
    if np.linalg.norm(axis) == 0.0:
        return np.eye(3)
    return rotation_about(axis, np.arctan2(np.linalg.norm(axis), np.dot(start, end)))


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """(3, 3), any orientation equally likely."""
    return rotation_about(rng.normal(size=3), 2 * np.pi * rng.random()) @ shortest_rotation(
        np.array((0.0, 0.0, 1.0)), _direction(rng)
    )


def angle_between(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(...) of vectors (..., 3), exact near 0 and near pi."""
    return np.arctan2(np.linalg.norm(np.cross(first, second), axis=-1), np.sum(first * second, axis=-1))


def rotation_angle(first: np.ndarray, second: np.ndarray) -> float:
    """The angle between two rotation matrices, from the quaternion between them."""
    turn = first.T @ second
    sine = np.linalg.norm((turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]))
    return float(np.arctan2(sine, np.trace(turn) - 1))


def least_cost(step: Callable[[int, int, int], float], count: int) -> tuple[float, tuple[int, ...]]:
    """The least cost of all 2^count sequences; a frame costs step(frame, before, now), `before` is -1 on the first."""

    def cost(choices: tuple[int, ...]) -> float:
        steps = enumerate(zip((-1, *choices), choices, strict=False))
        return sum(step(frame, before, now) for frame, (before, now) in steps)

    return min((cost(choices), choices) for choices in product((0, 1), repeat=count))


def constraint_pose(
    joints: np.ndarray, up: np.ndarray, goal: np.ndarray, pole: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(3, 3) joints and (2, 3, 3) turns of the bones to which Blender's IK constraint with a pole converges.

    joints : (3, 3)     root, mid and tip before the constraint
    up : (3,)           the direction, beside the line from root to tip, that the constraint turns towards the pole
    """
    root, mid, tip = joints
    turn = _look(goal - root, pole - root) @ _look(tip - root, up).T
    l1, l2 = np.linalg.norm(mid - root), np.linalg.norm(tip - mid)
    reach = np.clip(np.linalg.norm(goal - root), abs(l1 - l2), l1 + l2)
    aim, side, _ = _look(goal - root, turn @ (mid - root)).T
    cosine = (l1**2 + reach**2 - l2**2) / (2 * l1 * reach)
    solved = np.stack((root, root + l1 * (cosine * aim + np.sqrt(max(0.0, 1 - cosine**2)) * side), root + reach * aim))
    links = zip(np.diff(joints, axis=0), np.diff(solved, axis=0), strict=True)
    turns = [shortest_rotation(turn @ before, after) @ turn for before, after in links]
    return solved, np.stack(turns)


def _look(forward: np.ndarray, up: np.ndarray) -> np.ndarray:
    """(3, 3) with the columns forward, up made orthogonal to it, and their product, all of length one."""
    forward = forward / np.linalg.norm(forward)
    up = up - up @ forward * forward
    up /= np.linalg.norm(up)
    return np.column_stack((forward, up, np.cross(forward, up)))


def _direction(rng: np.random.Generator) -> np.ndarray:
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)
