"""The solver alone, with sizes, signs and joints that no rig has: ValueError, or links as long as they are.

Shares nothing with the solver but its call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from bl_ext.user_default.two_bone_ik import solver


def faults(request: Mapping, *_: object) -> Iterator[str]:
    """Of one request: two lengths, the part of the reach at which the target is, a bend, and whether in Plane Rest."""
    first, second = request["lengths"]
    inner, outer = abs(first - second), first + second
    try:
        if request["rest"]:
            yield from _rest_faults(first, second)
        else:
            yield from _planar_faults(first, second, inner + request["part"] * (outer - inner), request["bend"])
    except ValueError:
        return


def _planar_faults(first: float, second: float, reach: float, bend: float | str) -> Iterator[str]:
    angles = solver.planar.angles([first, second], [reach, 0.0], float(bend))
    mid, tip = solver.planar.forward([first, second], angles)
    if bend not in (1, -1):
        yield f"bend taken: {bend}"
    size = first + second
    found = np.array([*(mid / size), *(tip / size), *[np.hypot(*link) / size for link in (mid, tip - mid)]])
    if not np.allclose(found[2:], [reach / size, 0.0, first / size, second / size], atol=1e-6):
        yield f"solver: tip {tip}, mid {mid} for {first}, {second} and target {reach}"


def _rest_faults(first: float, second: float) -> Iterator[str]:
    """Joints that differ by frame, with the target on the root."""
    elbows = np.array([[first, 0.0, 0.0], [first * 0.6, first * 0.8, 0.0], [0.0, first * 0.6, first * 0.8]])
    tips = elbows + second * np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    joints = np.stack([np.zeros((3, 3)), elbows, tips], axis=-2)
    chain = solver.Chain(joints=joints, hinge_axis=np.array([0.0, 0.0, 1.0]))
    options = solver.Options(plane=solver.Plane.REST)
    turns = solver.solve(chain, solver.Goals(target=np.zeros((3, 3))), options).rotations
    if not np.allclose(np.swapaxes(turns, -1, -2) @ turns, np.eye(3), atol=1e-6):
        yield f"sheared: determinants {np.linalg.det(turns).ravel()}"
