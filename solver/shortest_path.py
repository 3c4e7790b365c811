"""The cheapest way through two states a frame (Viterbi, 1967): the best of all 2^n sequences, in time linear in n."""

from __future__ import annotations

import numpy as np

from .values import Array


def shortest_path(first: Array, steps: Array) -> list[int]:
    """The state, 0 or 1, on each of n frames; between sequences that cost the same, state 0 wins.

    first : (2,)               cost of each state on the first frame
    steps : (2, 2, n - 1)      cost of the step from each state to each state of the next frame
    """
    (cost_a, cost_b), came_from = first.tolist(), []
    for (aa, ab), (ba, bb) in np.moveaxis(steps, -1, 0).tolist():
        aa, ab, ba, bb = cost_a + aa, cost_a + ab, cost_b + ba, cost_b + bb
        to_a, to_b = ba < aa, bb < ab
        came_from.append((to_a, to_b))
        cost_a, cost_b = ba if to_a else aa, bb if to_b else ab
    chosen = [int(cost_b < cost_a)]
    for previous in reversed(came_from):
        chosen.append(int(previous[chosen[-1]]))
    return chosen[::-1]
