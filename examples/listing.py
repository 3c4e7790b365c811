"""Icon and title picture of the extensions platform: python examples/listing.py

A limb that follows a target round, solved on every frame at once; needs NumPy and matplotlib.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from solver import Chain, Goals, Options, solve

LISTING = Path(__file__).parents[1] / "docs" / "listing"
CHAIN = Chain(
    joints=np.array(((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.9, 0.0))),
    hinge_axis=np.array((0.0, 0.0, 1.0)),
)
DARK, LIGHT, TARGET = "#23282f", "#e8eef5", "#f5a623"


def main() -> None:
    """Write icon.png (256 by 256) and title.jpg (1920 by 1080) in docs/listing."""
    axes = canvas(256, 256, ((-0.3, 1.6), (-0.25, 1.65)))
    limb(axes, target=np.array((1.25, 1.2, 0.0)), width=22.0)
    plt.savefig(LISTING / "icon.png")
    axes = canvas(1920, 1080, ((-2.35, 3.05), (-1.05, 1.9875)))
    path(axes)
    limb(axes, target=np.array((1.2, 1.1, 0.0)), width=22.0)
    plt.savefig(LISTING / "title.jpg", pil_kwargs={"quality": 85, "optimize": True})


def canvas(width: int, height: int, view: tuple[tuple[float, float], tuple[float, float]]) -> Axes:
    """Dark axes that fill a picture of this many pixels and show this part of the plane."""
    figure = plt.figure(figsize=(width / 100, height / 100), dpi=100, facecolor=DARK)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=view[0], ylim=view[1], aspect="equal")
    axes.set_axis_off()
    return axes


def path(axes: Axes) -> None:
    """The limb on every frame of a target that goes round, and the way of the target."""
    turn = np.linspace(0.0, 2.0 * np.pi, 73)
    targets = np.stack((0.35 + 1.1 * np.cos(turn), 0.55 + 0.9 * np.sin(turn), 0.0 * turn), axis=-1)
    joints = solve(CHAIN, Goals(target=targets), Options()).joints[..., :2]
    shade = 0.12 + 0.25 * (0.5 + 0.5 * np.cos(turn - 0.6))
    axes.add_collection(LineCollection(joints, colors=[(0.91, 0.93, 0.96, alpha) for alpha in shade], linewidths=2.0))
    axes.plot(*targets[:, :2].T, color=TARGET, linewidth=3.0, alpha=0.9)


def limb(axes: Axes, target: np.ndarray, width: float) -> None:
    """One pose: two bones, their joints and the target."""
    joints = solve(CHAIN, Goals(target=target[None]), Options()).joints[0, :, :2]
    axes.plot(*joints.T, color=LIGHT, linewidth=width, solid_capstyle="round", solid_joinstyle="round")
    axes.plot(*joints[:2].T, "o", color=DARK, markersize=0.55 * width)
    axes.plot(*joints[2], "o", color=TARGET, markersize=1.1 * width)


if __name__ == "__main__":
    main()
