"""The same targets in each of the three planes in which a chain may bend.

    python examples/planes.py [PICTURE]

Needs NumPy and Matplotlib; takes the solver from the checkout.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import matplotlib.pyplot as plt

from solver import Chain, Goals, Options, Plane, solve

CHAIN = Chain(
    joints=np.array(((0.0, 0.0, 0.0), (0.0, -0.25, -0.95), (0.0, 0.1, -1.85))),
    hinge_axis=np.array((1.0, 0.0, 0.0)),
)
"""A leg that faces -y."""
POLE = np.array((-0.9, -1.6, -0.6))


def main(picture: str | None = None) -> None:
    """Save the plot under the name `picture`, or show it in a window if there is no name."""
    side = np.linspace(-1.0, 1.0, 5)
    targets = np.stack((side, np.full(5, -0.35), -1.35 + 0.3 * side**2), axis=-1)
    figure = plt.figure(figsize=(11, 4.2), layout="constrained")
    for number, plane in enumerate((Plane.POLE, Plane.AIM, Plane.REST)):
        axes = figure.add_subplot(1, 3, number + 1, projection="3d")
        pole = POLE if plane == Plane.POLE else None
        solution = solve(CHAIN, Goals(target=targets, pole=pole), Options(plane=plane))
        axes.plot(*CHAIN.joints.T, "-", color="0.75", linewidth=4, label="rest pose")
        for joints in solution.joints:
            axes.plot(*joints.T, "o-", color="tab:blue", linewidth=2, markersize=3)
        axes.plot(*targets.T, "x", color="black", label="target")
        if pole is not None:
            axes.plot(*pole[:, None], "*", color="tab:orange", markersize=12, label="pole target")
        axes.set_title(plane.title())
        axes.set_box_aspect((2.0, 2.0, 2.0))
        axes.set(xlim=(-1.0, 1.0), ylim=(-1.6, 0.4), zlim=(-2.0, 0.0), xticks=[], yticks=[], zticks=[])
        axes.view_init(elev=18, azim=-65)
        print(f"{plane}: the tip stays up to {np.linalg.norm(solution.miss, axis=-1).max():.3f} away")
    figure.axes[0].legend(loc="upper left", frameon=False)
    figure.savefig(picture, dpi=90) if picture else plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
