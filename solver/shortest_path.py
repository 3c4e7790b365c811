"""The cheapest way through two states a frame (Viterbi, 1967): the best of all 2^n sequences, in time linear in n."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .values import Array


def shortest_path(first: Array, steps: Array) -> NDArray[np.bool_]:
    """(n,) False for state 0 and True for state 1 on each frame; of sequences that cost the same, state 0 wins.

    first : (2,)               cost of each state on the first frame
    steps : (2, 2, n - 1)      cost of the step from each state to each state of the next frame
    """
    cost_a, cost_b = first.tolist()
    costs = [(cost_a, cost_b)]
    for aa, ab, ba, bb in zip(*steps.reshape(4, -1).tolist(), strict=True):
        aa, ab, ba, bb = cost_a + aa, cost_a + ab, cost_b + ba, cost_b + bb
        cost_a, cost_b = ba if ba < aa else aa, bb if bb < ab else ab
        costs.append((cost_a, cost_b))
    before = np.array(costs).T[:, None]
    (aa, ab), (ba, bb) = before[..., :-1] + steps
    # Where the state before is the same for both, the way back from the end begins anew; elsewhere it stays or swaps.
    to_a, to_b = ba < aa, bb < ab
    begins, swaps = np.append(to_a == to_b, True), np.append(to_a & ~to_b, False)
    state = np.append(to_a, cost_b < cost_a)
    swapped = np.logical_xor.accumulate(swaps[::-1])[::-1]
    rows = np.where(begins, np.arange(len(begins)), len(begins))
    next_begin = np.minimum.accumulate(rows[::-1])[::-1]
    return swapped ^ (state ^ swapped)[next_begin]
