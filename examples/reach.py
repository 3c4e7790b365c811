"""The place of the tip for any distance of the target, by Out of Reach.

    python examples/reach.py [PICTURE]

Needs NumPy and Matplotlib; takes the solver from the checkout.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import matplotlib.pyplot as plt

from solver import Chain, Goals, Options, Unreachable, solve

CHAIN = Chain(
    joints=np.array(((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.6, 0.0))),
    hinge_axis=np.array((0.0, 0.0, 1.0)),
)
DISTANCES = np.linspace(0.0, 2.4, 481)
WAYS = {
    "closest pose": Options(),
    "softness 0.3": Options(softness=0.3),
    "stretch, at most 1.3": Options(unreachable=Unreachable.STRETCH, max_stretch=1.3),
    "bend limited to 40 to 100 degrees": Options(bend_min=np.radians(40.0), bend_max=np.radians(100.0)),
}


def main(picture: str | None = None) -> None:
    """Save the plot under the name `picture`, or show it in a window if there is no name."""
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    axes.plot(DISTANCES, DISTANCES, ":", color="0.6", label="on the target")
    for name, options in WAYS.items():
        solution = solve(CHAIN, Goals(target=DISTANCES[:, None] * np.array((0.0, 1.0, 0.0))), options)
        tip = np.linalg.norm(solution.joints[:, 2], axis=-1)
        axes.plot(DISTANCES, tip, label=name)
        print(f"{name}: the tip goes from {tip.min():.3f} to {tip.max():.3f}")
    axes.set_xlabel("distance from root to target")
    axes.set_ylabel("distance from root to tip")
    axes.legend(frameon=False)
    figure.savefig(picture, dpi=120) if picture else plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
