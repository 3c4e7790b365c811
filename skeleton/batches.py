"""What is alike goes through NumPy together: for ordinary ranges, calls cost more than the numbers in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

import numpy as np

from ..solver.values import Array

_ROWS = 1 << 12
"""As many rows make a batch; what is made of more would not stay in the processor's cache."""

Item = TypeVar("Item")


def batches(items: Iterable[Item], kind: Callable[[Item], Hashable], rows: int) -> Iterator[list[Item]]:
    """All items, those of the same kind together, where each stands for so many `rows`."""
    alike: dict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        alike[kind(item)].append(item)
    most = max(1, _ROWS // max(1, rows))
    for found in alike.values():
        for start in range(0, len(found), most):
            yield found[start : start + most]


def stacked(arrays: Iterable[Array]) -> Array:
    """(n, c, ...) of arrays (n, ...), each of which may also be given once for all frames; component by component."""
    arrays = list(arrays)
    rows = max(map(len, arrays))
    result = np.empty((rows, len(arrays), *arrays[0].shape[1:]), order="F")
    for column, array in enumerate(arrays):
        result[:, column] = array
    return result
