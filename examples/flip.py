"""A target that passes the root on its way: a fixed bend against NEAREST.

    python examples/flip.py [PICTURE]

Needs NumPy and Matplotlib; takes the solver from the checkout.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import matplotlib.pyplot as plt

from solver import Bend, Chain, Goals, Options, solve

CHAIN = Chain(
    joints=np.array(((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.4, 1.9, 0.0))),
    hinge_axis=np.array((0.0, 0.0, 1.0)),
)
FRAMES = np.arange(1, 121)


def path() -> np.ndarray:
    """(n, 3) a path from beyond full reach, past the root, and out again on the other side."""
    along = 2.3 * np.cos(np.linspace(0.0, np.pi, len(FRAMES)))
    return np.stack((0.02 * np.ones_like(along), along, np.zeros_like(along)), axis=-1)


def main(picture: str | None = None) -> None:
    """Save the plot under the name `picture`, or show it in a window if there is no name."""
    figure, rows = plt.subplots(2, 1, figsize=(8, 5.5), sharex=True, layout="constrained")
    for bend, style in ((Bend.REST, "-"), (Bend.NEAREST, "--")):
        solution = solve(CHAIN, Goals(target=path()), Options(bend=bend))
        # A full fold to either side is one pose, so the hinge may go on turning through it.
        hinge = np.unwrap(solution.hinge_angle)
        root = np.unwrap(np.arctan2(solution.joints[:, 1, 1], solution.joints[:, 1, 0]))
        rows[0].plot(FRAMES, np.degrees(root), style, label=bend)
        rows[1].plot(FRAMES, np.degrees(hinge), style, label=bend)
        turned = np.degrees(np.abs(np.diff(root)).sum() + np.abs(np.diff(hinge)).sum())
        print(f"{bend}: the joints turn {turned:.0f} degrees in all")
    rows[0].set_ylabel("root bone, degrees")
    rows[1].set_ylabel("hinge, degrees")
    rows[1].set_xlabel("frame")
    rows[0].legend(frameon=False)
    figure.savefig(picture, dpi=120) if picture else plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
