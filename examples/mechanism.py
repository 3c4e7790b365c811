"""What Build into Rig adds to a limb, and how it turns: aim, upper and lower.

    python examples/mechanism.py [PICTURE]

Needs NumPy and Matplotlib; takes the solver from the checkout.
"""

import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import matplotlib.pyplot as plt
from matplotlib.patches import Arc

from solver import planar

LENGTHS, TARGET = np.array((1.0, 0.7)), np.array((1.25, 0.0))
POLE = (0.6, 0.8)  # x and z in the space of aim


def main(picture: str | None = None) -> None:
    """Save the plot under the name `picture`, or show it in a window if there is no name."""
    first, hinge = planar.angles(LENGTHS, TARGET, bend=-1)
    joints = np.vstack((np.zeros(2), planar.forward(LENGTHS, np.array((first, hinge)))))

    figure, (along, across) = plt.subplots(1, 2, figsize=(9, 4), width_ratios=(1.9, 1), layout="constrained")
    along.plot(
        (0, TARGET[0]),
        (0, 0),
        color="tab:green",
        label="aim: Damped Track to the target, Locked Track to the pole target",
    )
    for name, colour, row in (("upper", "tab:blue", 0), ("lower", "tab:orange", 1)):
        along.plot(*joints[row : row + 2].T, color="0.85", linewidth=12, solid_capstyle="round", zorder=0)
        along.plot(
            *joints[row : row + 2].T, "o-", color=colour, label=f"{name}: its angle is driven, the limb copies it"
        )
    along.plot(*np.stack((joints[1], joints[1] + 0.3 * joints[1])).T, ":", color="0.6")
    _mark_angle(along, joints[0], 0.0, first, "turn")
    _mark_angle(along, joints[1], first, first + hinge, "t")
    along.plot(*TARGET, "x", color="black", markersize=10)
    along.annotate("target", TARGET, (6, 6), textcoords="offset points")
    along.set_title("from the side", fontsize=10)
    figure.legend(loc="outside lower center", frameon=False, fontsize=9)

    across.plot((0, 0), (0, 1), ":", color="0.6")
    across.plot(*zip((0, 0), POLE, strict=True), color="tab:green")
    across.plot(*POLE, "x", color="black", markersize=10)
    across.annotate("pole target", POLE, (-30, 8), textcoords="offset points")
    _mark_angle(across, np.zeros(2), *sorted((math.pi / 2, math.atan2(POLE[1], POLE[0]))), "roll")
    across.set_title("along aim", fontsize=10)
    for axes in (along, across):
        axes.set_aspect("equal")
        axes.margins(0.12)
        axes.axis("off")
    off = np.hypot(*(joints[-1] - TARGET))
    print(f"turn {math.degrees(first):.1f}, t {math.degrees(hinge):.1f} degrees: the tip is {off:.1e} off the target")
    figure.savefig(picture, dpi=120) if picture else plt.show()


def _direction(angles: np.ndarray) -> np.ndarray:
    return np.stack((np.cos(angles), np.sin(angles)), axis=-1)


def _mark_angle(axes: plt.Axes, place: np.ndarray, start: float, end: float, name: str) -> None:
    low, high = sorted((start, end))
    axes.add_patch(Arc(tuple(place), 0.44, 0.44, theta1=math.degrees(low), theta2=math.degrees(high), color="0.4"))
    axes.annotate(name, place + 0.32 * _direction(np.array(0.5 * (low + high))), ha="center", va="center")


if __name__ == "__main__":
    main(*sys.argv[1:])
