"""An arm whose hand moves on while its elbow rests on a table: with a pole, half pinned to it, and pinned.

    python examples/pole_pin.py [PICTURE]

Needs NumPy and Matplotlib; takes the solver from the checkout.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import matplotlib.pyplot as plt

from solver import Chain, Goals, Options, solve

CHAIN = Chain(
    joints=np.array(((0.0, 0.0, 0.0), (1.0, -0.1, 0.0), (1.9, 0.1, 0.0))), hinge_axis=np.array((0.0, 0.0, 1.0))
)
ELBOW = np.array((0.75, -0.75, 0.0))
"""Where the elbow is to rest: on a table, as high as the pole target."""


def main(picture: str | None = None) -> None:
    """Save the plot under the name `picture`, or show it in a window if there is no name."""
    angle, reach = np.radians(np.linspace(5.0, 95.0, 5)), np.linspace(1.15, 0.6, 5)[:, None]
    targets = ELBOW + reach * np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), axis=-1)
    figure, plots = plt.subplots(1, 3, figsize=(11, 2.9), sharex=True, sharey=True, layout="constrained")
    for axes, pin in zip(plots, (0.0, 0.5, 1.0), strict=True):
        solution = solve(CHAIN, Goals(target=targets, pole=ELBOW), Options(pole_pin=pin))
        axes.axhspan(-1.0, ELBOW[1], color="0.9")
        for joints in solution.joints:
            axes.plot(*joints[:, :2].T, "o-", color="tab:blue", linewidth=2, markersize=4)
        axes.plot(*targets[:, :2].T, "x", color="black", label="target")
        axes.plot(*ELBOW[:2], "*", color="tab:orange", markersize=14, label="pole target", zorder=3)
        axes.set_title(f"Pin to Pole {pin:g}")
        axes.set(xlim=(-0.2, 2.1), ylim=(-1.0, 0.3), aspect="equal", xticks=[], yticks=[])
        low, high = solution.stretch.min(), solution.stretch.max()
        print(f"{pin:g}: bones scaled from {low:.3f} to {high:.3f}")
    plots[0].legend(loc="upper right", frameon=False)
    figure.savefig(picture, dpi=90) if picture else plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
