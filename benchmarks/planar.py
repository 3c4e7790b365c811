"""The solver alone against a C loop of the arccos formula and a plain Python loop: python benchmarks/planar.py

Needs NumPy and a C compiler (CC, by default cc). Peer and ours take turns in one run; ratios are medians over the
rounds, with the quartiles. Processor time counts.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from math import acos, atan2, cos, sin
from pathlib import Path
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from solver import Chain, Goals, planar, solve

COUNT = 1_000_000
ROUNDS = 25
LENGTHS = np.array((1.0, 0.8))


def main() -> None:
    """Time the solver against the loop in C, and print a row for each."""
    rng = np.random.default_rng(1)
    distance, direction = rng.uniform(0.2, 1.8, COUNT), rng.uniform(-np.pi, np.pi, COUNT)
    targets = np.stack((distance * np.cos(direction), distance * np.sin(direction)), axis=-1)
    in_space = rng.normal(size=(COUNT, 3))
    poles = rng.normal(size=(COUNT, 3))
    chain = Chain(joints=np.array(((0, 0, 0), (0, 1.0, 0.1), (0, 1.8, 0))), hinge_axis=np.array((1.0, 0.0, 0.0)))
    with tempfile.TemporaryDirectory() as folder:
        c_loop = compiled(Path(folder))
        np.testing.assert_allclose(planar.angles(LENGTHS, targets), wrapped(c_loop(targets)), atol=1e-6)
        ours = {
            "joint position": lambda: planar.mid(LENGTHS, targets),
            "angles": lambda: planar.angles(LENGTHS, targets),
            "both bones in space, aimed": lambda: solve(chain, Goals(target=in_space)),
            "both bones in space, pole": lambda: solve(chain, Goals(target=in_space, pole=poles)),
        }
        print(f"{COUNT:,} targets, nanoseconds a target; NumPy {np.__version__}")
        report("C loop", [timed(lambda: c_loop(targets)) for _ in range(ROUNDS)])
        report("plain Python loop", [timed(lambda: python_loop(targets[:20_000]), 20_000) for _ in range(3)])
        for name, run in ours.items():
            run()
            rounds = [(timed(lambda: c_loop(targets)), timed(run)) for _ in range(ROUNDS)]
            report(name, [our for _, our in rounds], [our / peer for peer, our in rounds])


def compiled(folder: Path) -> Callable[[np.ndarray], np.ndarray]:
    """The C loop as a function from targets (n, 2) to angles (n, 2)."""
    library = folder / "planar.so"
    source = Path(__file__).with_suffix(".c")
    subprocess.run([os.environ.get("CC", "cc"), "-O3", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
    loop = ctypes.CDLL(str(library)).solve
    pointer = ctypes.POINTER(ctypes.c_double)
    loop.argtypes = [ctypes.c_long, ctypes.c_double, ctypes.c_double, pointer, pointer]
    result = np.empty((COUNT, 2))

    def run(targets: np.ndarray) -> np.ndarray:
        loop(len(targets), *LENGTHS, targets.ctypes.data_as(pointer), result.ctypes.data_as(pointer))
        return result

    return run


def python_loop(targets: np.ndarray) -> list[tuple[float, float]]:
    """Solve targets (n, 2) one by one, without NumPy, for angles (n, 2)."""
    first, second = LENGTHS.tolist()
    angles = []
    for x, y in targets.tolist():
        hinge = acos(min(max((x * x + y * y - first * first - second * second) / (2 * first * second), -1.0), 1.0))
        angles.append((atan2(y, x) - atan2(second * sin(hinge), first + second * cos(hinge)), hinge))
    return angles


def wrapped(angles: np.ndarray) -> np.ndarray:
    """The same angles between -π and π."""
    return np.angle(np.exp(1j * angles))


def timed(run: Callable[[], object], count: int = COUNT) -> float:
    """Nanoseconds a target."""
    start = process_time()
    run()
    return (process_time() - start) / count * 1e9


def report(name: str, times: list[float], ratios: list[float] | None = None) -> None:
    """Print a row: the median of the times, and of the ratios to the C loop with their quartiles."""
    line = f"{name:28} {np.median(times):7.1f}"
    if ratios:
        low, middle, high = np.quantile(ratios, (0.25, 0.5, 0.75))
        line += f"   {middle:5.2f} times the C loop's ({low:.2f} to {high:.2f})"
    print(line)


if __name__ == "__main__":
    main()
