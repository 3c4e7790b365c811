"""A small test of the library on this machine, with timing: `python -m two_bone_ik_solver`.

The tip is computed again from the rotations, by other means than the solver's own, and compared with the target.
The exit status is 1 if a tip is farther from its target than rounding explains.
"""

import sys
from time import perf_counter

import numpy as np

from . import __version__
from .solver import Chain, Goals, planar, solve

_ROWS = 100_000
_TOLERANCE = 1e-12
"""Metres, on limbs of some two metres: a thousand times the rounding of float64."""


def _planar(random: np.random.Generator) -> tuple[float, float]:
    """(farthest tip, seconds) of two links in a plane, with targets within reach."""
    lengths, reach = np.array([1.0, 0.9]), random.uniform(0.2, 1.8, _ROWS)
    target = reach * np.exp(1j * random.uniform(-np.pi, np.pi, _ROWS))
    start = perf_counter()
    first, hinge = planar.angles(lengths, np.stack((target.real, target.imag), axis=-1)).T
    seconds = perf_counter() - start
    tip = lengths[0] * np.exp(1j * first) + lengths[1] * np.exp(1j * (first + hinge))
    return np.abs(tip - target).max(), seconds


def _in_space(random: np.random.Generator) -> tuple[float, float]:
    """(farthest tip, seconds) of an arm in space with a pole, with targets within reach."""
    rest = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.9, 0.2]])
    direction = random.normal(size=(_ROWS, 3))
    target = direction * (random.uniform(0.2, 1.8, _ROWS) / np.linalg.norm(direction, axis=-1))[:, None]
    arm, goals = Chain(joints=rest, hinge_axis=np.array([1.0, 0.0, 0.0])), Goals(target=target, pole=rest[1] + 5.0)
    start = perf_counter()
    rotations = solve(arm, goals).rotations
    seconds = perf_counter() - start
    tip = np.einsum("nbij,bj->ni", rotations, np.diff(rest, axis=0))
    return np.linalg.norm(tip - target, axis=-1).max(), seconds


def main() -> int:
    """Solve, print how far the tips are from their targets and how long it took, and give the exit status."""
    print(f"two_bone_ik_solver {__version__}, NumPy {np.__version__}, Python {sys.version.partition(' ')[0]}")
    random, worst = np.random.default_rng(1), 0.0
    for name, test in (("in a plane", _planar), ("in space", _in_space)):
        miss, seconds = test(random)
        worst = max(worst, miss)
        print(f"{name}: {_ROWS} poses in {seconds * 1e3:.0f} ms, farthest tip {miss:.1e} m from its target")
    passed = worst <= _TOLERANCE
    print("passed" if passed else f"failed: a tip is farther than {_TOLERANCE:g} m from its target")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
