"""The paths of two feet from above, as captured and planted.

    python examples/plant.py [PICTURE]

Needs NumPy and Matplotlib; takes solver and walk from the checkout.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
# The walk is one by which the tests judge: it is made from known footsteps.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import matplotlib.pyplot as plt

from solver.numbers import true_runs
from support.planted import planted
from support.takes import disturbed, walk

TAKE = disturbed(walk(seconds=4.0), noise=0.0005, seed=4, skate=0.016, drift=0.008)
"""Feet that skate by up to two centimetres a step."""
FEET = (("left", "tab:blue"), ("right", "tab:orange"))


def main(picture: str | None = None) -> None:
    """Save the plot under the name `picture`, or show it in a window if there is no name."""
    result, posed = planted(TAKE)
    figure, both = plt.subplots(2, 1, figsize=(9, 5.6), sharex=True, sharey=True, layout="constrained")
    for axes, title, take in zip(both, ("captured", "planted"), (TAKE, posed), strict=True):
        slid = []
        for foot, (side, color) in enumerate(FEET):
            for point, (name, alpha) in enumerate((("ball", 1.0), ("heel", 0.45))):
                path = take.points[:, foot, point, :2]
                axes.plot(path[:, 1], path[:, 0], color=color, alpha=alpha, linewidth=1, label=f"{side} {name}")
                for first, last in true_runs(result.stands[:, foot, point]):
                    stood = path[first : last + 1]
                    axes.plot(stood[:, 1], stood[:, 0], "o-", color="black", linewidth=3, markersize=3)
                    slid.append(np.linalg.norm(stood - stood[0], axis=1).max())
        axes.set(title=title, ylabel="metres to the side")
        print(f"{title}: points that stand go {1e3 * np.median(slid):.1f} mm away, at most {1e3 * max(slid):.1f} mm")
    both[0].plot([], [], "o-", color="black", linewidth=3, markersize=3, label="contact")
    both[0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    both[1].set_xlabel("metres ahead")
    figure.savefig(picture, dpi=100) if picture else plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
