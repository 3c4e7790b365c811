"""The cheapest way through two states a frame (Viterbi, 1967): the best of all 2^n sequences, in time linear in n.

The costs of the ways through a stretch of frames are a 2 x 2 matrix, and the costs through one stretch after another
are the product in which + stands for * and the minimum for +. So about √n stretches of √n frames each go side by side.
"""

from math import isqrt

import numpy as np

from .values import Array, Mask


def shortest_path(first: Array, steps: Array, tie: float = 0.0) -> Mask:
    """(n, ...) False for state 0 and True for state 1 on each frame; of ways that cost the same, state 0 wins.

    first : (2, ...)               cost of each state on the first frame
    steps : (2, 2, n - 1, ...)     cost of the step from each state to each state of the next frame
    tie : ways to a frame whose costs differ by no more than this count as ways that cost the same
    """
    costs = _costs(first, steps)
    (aa, ab), (ba, bb) = costs[:, None, :-1] + steps
    # Where the state before is the same for both, the way back from the end begins again; elsewhere it stays or swaps.
    to_a, to_b = ba < aa - tie, bb < ab - tie
    last = (costs[1, -1:] < costs[0, -1:] - tie), np.ones_like(first[:1], dtype=bool)
    state, begins = np.concatenate((to_a, last[0])), np.concatenate((to_a == to_b, last[1]))
    swaps = np.concatenate((to_a & ~to_b, ~last[1]))
    swapped = np.logical_xor.accumulate(swaps[::-1])[::-1]
    rows = np.arange(len(begins)).reshape(-1, *[1] * (begins.ndim - 1))
    next_begin = np.minimum.accumulate(np.where(begins, rows, len(begins))[::-1])[::-1]
    return swapped ^ np.take_along_axis(state ^ swapped, next_begin, axis=0)


def _costs(first: Array, steps: Array) -> Array:
    """(2, n, ...) of the cheapest sequence up to each frame that ends in each state."""
    count = steps.shape[2]
    length = isqrt(count) + 1
    stretches = count // length + 1
    padded = np.zeros((2, 2, stretches * length, *steps.shape[3:]))
    padded[:, :, :count] = steps
    ways = np.moveaxis(padded.reshape(2, 2, stretches, length, *steps.shape[3:]), 3, 0).copy()
    for row in range(1, length):
        ways[row] = _after(ways[row - 1], ways[row])
    starts = [first]
    for stretch in range(stretches - 1):
        starts.append((starts[-1][:, None] + ways[-1, :, :, stretch]).min(axis=0))
    costs = (np.stack(starts, axis=1)[:, None] + ways).min(axis=1)  # (length, 2, stretches, ...)
    within = np.moveaxis(costs, 0, 2).reshape(2, stretches * length, *steps.shape[3:])[:, :count]
    return np.concatenate((first[:, None], within), axis=1)


def _after(before: Array, step: Array) -> Array:
    """(2, 2, ...) costs of the cheapest ways that go on with a step."""
    return np.minimum(before[:, 0, None] + step[None, 0], before[:, 1, None] + step[None, 1])
