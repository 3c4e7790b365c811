"""Twenty targets on a grid in the annulus, and both elbows for each.

    python examples/elbows.py [PICTURE]

Needs NumPy and Matplotlib; takes the solver from the checkout.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import matplotlib.pyplot as plt

from solver import planar, reach

LENGTHS = np.array((1.0, 0.7))


def main(picture: str | None = None) -> None:
    """Save the plot under the name `picture`, or show it in a window if there is no name."""
    inner, outer = reach.annulus(LENGTHS)
    distances = inner + (outer - inner) * np.array((0.1, 0.4, 0.7, 1.0))
    distance, direction = np.meshgrid(distances, np.linspace(0.0, 2.0 * np.pi, 5, endpoint=False))
    targets = np.stack((distance * np.cos(direction), distance * np.sin(direction)), axis=-1).reshape(-1, 2)
    joints = planar.forward(LENGTHS, planar.both(LENGTHS, targets))

    figure, axes = plt.subplots(figsize=(6, 6), layout="constrained")
    for radius in (inner, outer):
        axes.add_patch(plt.Circle((0, 0), radius, fill=False, color="0.8"))
    for bend, colour in ((0, "tab:blue"), (1, "tab:orange")):
        chains = np.concatenate((np.zeros((len(targets), 1, 2)), joints[:, bend]), axis=1)
        axes.plot(*np.moveaxis(chains, 0, -1).transpose(1, 0, 2), "-", color=colour, linewidth=1, alpha=0.7)
        axes.plot(*joints[:, bend, 0].T, "o", color=colour, markersize=4, label=f"bend {'+1' if bend == 0 else '-1'}")
    axes.plot(*targets.T, "x", color="black", label="target")
    axes.plot(0, 0, "ks", label="root")
    axes.set_aspect("equal")
    axes.axis("off")
    axes.legend(loc="upper right", frameon=False)
    miss = np.abs(joints[:, :, 1] - targets[:, None]).max()
    print(f"{len(targets)} targets, both bends: farthest tip {miss:.1e} off")
    figure.savefig(picture, dpi=120) if picture else plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
