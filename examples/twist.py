"""A hand that turns by 150 degrees: the skin of its forearm as it is, and with the turn spread over twist bones.

    python examples/twist.py [PICTURE]

Needs NumPy and Matplotlib; takes the solver from the checkout.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import matplotlib.pyplot as plt

from solver import rotation, twist

TURN = np.radians(150.0)
PLACES = np.array((0.25, 0.5, 0.75))
"""Of the twist bones, from elbow to wrist."""


def main(picture: str | None = None) -> None:
    """Save the plot under the name `picture`, or show it in a window if there is no name."""
    # The hand bends down a little, and turns about the forearm.
    bend = rotation.from_axis_angles(np.array((0.4, 0.0, 0.0, 1.0)))
    turns = rotation.from_axis_angles(np.stack((np.linspace(0.0, TURN, 40), *np.zeros((2, 40)), np.ones(40)), axis=-1))
    hand = turns[:, [2, 0, 1]][..., [2, 0, 1]] @ bend
    angle = twist.twist(hand, [1.0, 0.0, 0.0]).angle[-1]
    shares = twist.shares(PLACES, upper=False)
    # Without twist bones the skin goes over from the forearm to the hand near the wrist.
    as_it_is = np.array((0.0, 0.85, 1.0)), np.array((0.0, 0.0, angle))
    spread = np.array((0.0, *PLACES, 1.0)), np.array((0.0, *(angle * shares), angle))
    figure, plots = plt.subplots(2, 1, figsize=(8, 4.4), sharex=True, layout="constrained")
    titles = ("Hand turned by 150 degrees", "With Spread Twist, over three twist bones")
    for axes, title, (bones, turned) in zip(plots, titles, (as_it_is, spread), strict=True):
        thickness = draw(axes, bones, turned)
        axes.set_title(title)
        axes.set(aspect="equal", xticks=[], yticks=[], xlim=(-0.05, 1.25), ylim=(-0.15, 0.15))
        print(f"{title}: at its thinnest {thickness:.0%} of its thickness")
    figure.savefig(picture, dpi=90) if picture else plt.show()


def draw(axes: plt.Axes, bones: np.ndarray, turned: np.ndarray) -> float:
    """Draw the skin that hangs on bones at these places, turned so far; returns how thin it is where it is thinnest."""
    along, round_it = np.linspace(0.0, 1.2, 121), np.linspace(0.0, 2.0 * np.pi, 37)
    # Each point is carried by the two bones beside it, as weights of skins mostly are.
    weights = np.array([np.interp(along, bones, row) for row in np.eye(len(bones))])
    circles = np.exp(1j * (round_it + turned[:, None]))
    skin = np.einsum("bx,br->xr", weights, circles)
    radius = np.where(along < 1.0, 0.11 - 0.045 * along, 0.065)
    for number, line in enumerate((skin * radius[:, None]).T[:-1]):
        seen = np.where(line.imag > -0.002, line.real, np.nan)
        color = "tab:orange" if number % 9 == 0 else "tab:blue"
        axes.plot(along, seen, color=color, linewidth=2.2 if number % 9 == 0 else 0.8)
    axes.plot((0.0, 1.0), (0.0, 0.0), "o", color="black", markersize=6, zorder=4)
    if len(bones) > 3:
        axes.plot(PLACES, 0.0 * PLACES, "o", color="black", markerfacecolor="white", markersize=6, zorder=4)
    return float(np.abs(skin).min())


if __name__ == "__main__":
    main(*sys.argv[1:])
