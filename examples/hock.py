"""A horse's hind leg that lifts its hoof: with the third bone fixed to the shin, and parallel to the thigh.

    python examples/hock.py [PICTURE]

Needs NumPy and Matplotlib; takes the solver from the checkout.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import matplotlib.pyplot as plt

from solver import Goals, Hock, hock

REST = np.array(((0.0, 0.0, 0.0), (-0.069, -0.375, 0.0), (0.137, -0.801, 0.0), (0.064, -1.207, 0.0)))
"""Hip, knee, hock and fetlock at rest, the horse's head to the left."""

LINKS = ("thigh", "shin", "third bone")
COLORS = ("tab:blue", "tab:orange", "tab:green")


def main(picture: str | None = None) -> None:
    """Save the plot under the name `picture`, or show it in a window if there is no name."""
    part = np.linspace(0.0, 1.0, 4)[:, None]
    targets = REST[3] + part * (-0.35, 0.0, 0.0) + np.sin(np.pi * part * 0.75) * (0.0, 0.33, 0.0)
    figure, plots = plt.subplots(1, 2, figsize=(8, 4.6), sharex=True, sharey=True, layout="constrained")
    for axes, kind in zip(plots, (Hock.RIGID, Hock.PARALLEL), strict=True):
        leg = hock.leg(REST, (0.0, 0.0, 1.0), kind)
        solved = hock.solve(leg, Goals(target=targets))
        thigh, shin, third = np.moveaxis(np.arctan2(solved.rotations[..., 1, 0], solved.rotations[..., 0, 0]), -1, 0)
        for joints, alpha in zip(solved.joints, np.linspace(0.25, 1.0, len(targets)), strict=True):
            for link, color in enumerate(COLORS):
                axes.plot(*joints[link : link + 2, :2].T, "o-", color=color, alpha=alpha, linewidth=3, markersize=4)
        axes.plot(*targets[:, :2].T, "x", color="black", zorder=3)
        axes.set_title(f"Hock {kind.value.title()}")
        axes.set(xlim=(-0.75, 0.65), ylim=(-1.3, 0.1), aspect="equal", xticks=[], yticks=[])
        turned = np.degrees(np.abs((third - thigh, third - shin))).max(axis=1)
        print(f"{kind.value}: third bone against thigh up to {turned[0]:.1f} degrees, against shin {turned[1]:.1f}")
    lines = [
        plt.Line2D([], [], color=color, linewidth=3, label=name) for name, color in zip(LINKS, COLORS, strict=True)
    ]
    lines.append(plt.Line2D([], [], color="black", marker="x", linestyle="", label="target"))
    plots[1].legend(handles=lines, loc="lower right", frameon=False)
    figure.savefig(picture, dpi=90) if picture else plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
