"""A target that passes full reach and comes back, with and without softness.

    python examples/softness.py [PICTURE]

Needs NumPy and Matplotlib; takes the solver from the checkout.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import matplotlib.pyplot as plt

from solver import Chain, Goals, Options, solve

CHAIN = Chain(
    joints=np.array(((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.2, 1.9, 0.0))),
    hinge_axis=np.array((0.0, 0.0, 1.0)),
)
FRAMES = np.linspace(1.0, 100.0, 991)


def main(picture: str | None = None) -> None:
    """Save the plot under the name `picture`, or show it in a window if there is no name."""
    distance = 1.7 + 0.25 * np.sin(2.0 * np.pi * FRAMES / 100.0)
    target = distance[:, None] * np.array((0.0, 1.0, 0.0))
    figure, (reach, knee) = plt.subplots(2, 1, figsize=(8, 5.5), sharex=True, layout="constrained")
    reach.plot(FRAMES, distance, color="0.6", label="target")
    for softness in (0.0, 0.05, 0.1):
        solution = solve(CHAIN, Goals(target=target), Options(softness=softness))
        speed = np.abs(np.degrees(np.gradient(solution.hinge_angle, FRAMES)))
        reach.plot(FRAMES, solution.joints[:, 2, 1], label=f"tip, softness {softness:g}")
        knee.plot(FRAMES, speed, label=f"softness {softness:g}")
        print(f"softness {softness:g}: the hinge turns up to {speed.max():.1f} degrees a frame")
    reach.set_ylabel("distance from the root")
    knee.set_ylabel("hinge, degrees a frame")
    knee.set_xlabel("frame")
    reach.legend(frameon=False)
    figure.savefig(picture, dpi=120) if picture else plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
