"""When the feet of several takes stand, as Plant finds it: what a library of takes can be searched by.

    python examples/library.py [PICTURE]

Needs NumPy and Matplotlib; takes solver and takes from the checkout.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
# The takes are those by which the tests judge: they are made from known footsteps.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import matplotlib.pyplot as plt

from support.planted import planted
from support.takes import TAKES, disturbed

NAMES = ("walk", "stroll", "run", "stair", "turn", "jump")
COLORS = ("white", "tab:orange", "tab:blue", "black")
"""By contact: none, ball, heel, both."""
WORDS = ("ball", "heel", "both")
SECONDS = 4.0


def contacts(name: str) -> tuple[np.ndarray, np.ndarray]:
    """(n,) seconds and (n, 2) what of each foot stands, as a .npz file has it: 0, or 1 ball, 2 heel, 3 both."""
    take = disturbed(TAKES[name](), noise=0.0005, seed=4)
    result, _ = planted(take)
    times = np.arange(len(result.stands)) / take.rate
    return times[times <= SECONDS], (result.stands @ (1, 2))[times <= SECONDS]


def main(picture: str | None = None) -> None:
    """Save the plot under the name `picture`, or show it in a window if there is no name."""
    figure, axes = plt.subplots(figsize=(9, 4.2), layout="constrained")
    for row, name in enumerate(NAMES):
        times, values = contacts(name)
        for foot in range(2):
            place = row + 0.2 + 0.35 * foot
            for value in range(1, 4):
                stands = values[:, foot] == value
                axes.fill_between(
                    times, place, place + 0.28, where=stands, step="post", color=COLORS[value], linewidth=0
                )
    for value, word in enumerate(WORDS, 1):
        axes.plot([], [], color=COLORS[value], linewidth=8, label=word)
    axes.set_yticks([row + 0.5 for row in range(len(NAMES))], NAMES)
    axes.invert_yaxis()
    axes.set(
        xlim=(0, SECONDS), xlabel="seconds", title="which part of the left foot, and below of the right one, stands"
    )
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    figure.savefig(picture, dpi=100) if picture else plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
