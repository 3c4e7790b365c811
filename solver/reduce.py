"""Fewest keys: chooses rows to key so that the curve through them stays within a tolerance of the values on all rows.

A *span* is the curve from one key to the next: a straight line, or a cubic with its own slopes at both ends (Hermite),
the slopes with which it comes nearest to the rows between. A cubic Bezier whose handles lie a third of the way to the
next key is that same cubic, so Blender plays what is tested here. The slopes are a least-squares fit (as in Schneider,
1990). If the values jump, the value of one key stays until the next.

The fewest spans are a shortest path through the rows (as in Imai and Iri, 1988), searched in breadth: first all rows
that one span reaches, then all that two spans reach.
"""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

import numpy as np

from .values import Array, Integers, Mask

Rows = Integers

Error = Callable[[Rows, Array], Array]
"""(rows (r,), values (r, k)) -> (r,): how far off these values are on these rows, as a multiple of the tolerance."""

_NEAR = 16
"""Every row up to this many rows on is tried; then every second row, and so on, for as long as any is reached."""

_FITTED = 16
"""The slopes of a span are fitted to at most this many of its rows."""

_PROBED = 4
"""This many rows of a span are tested first; they rule out most spans that do not hold."""

_AT_ONCE = 1 << 14
"""Rows that are tested in one call, so that they stay in the processor's cache."""

_STRAIGHT = 1e-9
"""Weight of the straight line in the fit, which decides if there are too few rows between the keys."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Curve:
    """Keys and the curve through them.

    frames : (m,)             rising
    values : (m, k)
    slopes : (m - 1, 2, k)    at the start and at the end of each span, change a frame
    constant : (m - 1,)           True if the value of the first key stays until the next
    """

    frames: Array
    values: Array
    slopes: Array
    constant: Mask

    def at(self, frames: Array) -> Array:
        """(n, k) values of the curve on these frames (n,); outside of the keys, those of the nearest key."""
        if len(self.frames) < 2:
            return np.repeat(self.values, len(frames), axis=0)
        span = np.searchsorted(self.frames, frames, side="right").clip(1, len(self.frames) - 1) - 1
        length = np.diff(self.frames)[span]
        part = ((frames - self.frames[span]) / length).clip(0.0, 1.0)
        part = np.where(self.constant[span] & (part < 1.0), 0.0, part)
        return _cubic(part, length, self.values[span], self.values[span + 1], self.slopes[span])


def fewest_keys(
    frames: Array, values: Array, error: Error, *, cubic: bool, keyed: Rows | None = None
) -> Generator[float, None, Curve]:
    """The curve with the fewest keys. Finding it takes long, so this yields the part that is done.

    frames : (n,)        rising
    values : (n, k)      on every frame
    error : see `Error`; up to 1 is allowed
    keyed : (r,) rows that may get keys, None for all. The first and the last always do; rows outside do not count.
        If no span leads from one of these rows to the next, all rows between the two may get keys as well.
    """
    keyed = np.arange(len(frames)) if keyed is None else keyed
    spans = _Spans(frames, values, error, cubic)
    rows, constant = keyed, np.zeros(0, dtype=bool)
    if len(keyed) > 1:
        rows, constant = yield from spans.path(keyed)
    slopes = spans.slopes(rows[:-1], rows[1:])
    return Curve(frames=frames[rows], values=values[rows], slopes=slopes, constant=constant)


@dataclass(frozen=True, slots=True, eq=False)
class _Spans:
    """Tests many spans at once, from rows `start` (s,) to later rows `end` (s,)."""

    frames: Array
    values: Array
    error: Error
    cubic: bool

    def path(self, keyed: Rows) -> Generator[float, None, tuple[Rows, Mask]]:
        """(m,) rows of the fewest keys, and (m - 1,) True if the value stays until the next key."""
        yield 0.0
        rows, jumps = self._rows_to_key(keyed)
        before = np.full(len(rows), -1)
        constant = np.zeros(len(rows), dtype=bool)
        layer, far = np.zeros(1, dtype=np.intp), 0
        while before[-1] < 0:
            yield far / len(rows)
            reached = []
            for ends in _later_ends(far, before, jumps):
                came_from, constant[ends] = self._origins(rows, layer, ends, jumps)
                before[ends] = came_from
                reached.append(ends[came_from >= 0])
                if len(ends) and not len(reached[-1]):
                    break
            layer = np.concatenate(reached)
            far = max(far, int(layer.max()))
        path = [len(rows) - 1]
        while path[-1]:
            path.append(int(before[path[-1]]))
        path.reverse()
        return rows[path], constant[path[1:]]

    def slopes(self, start: Rows, end: Rows) -> Array:
        """(s, 2, k) slopes at both ends, of the straight line or of the cubic that comes nearest to the values."""
        length = (self.frames[end] - self.frames[start])[:, None]
        line = (self.values[end] - self.values[start]) / length
        slopes = np.stack((line, line), axis=1)
        if self.cubic:
            for part in pieces(len(start), _AT_ONCE // _FITTED):
                slopes[part] += self._slope_changes(start[part], end[part], line[part])
        return slopes

    def _slope_changes(self, start: Rows, end: Rows, line: Array) -> Array:
        """(s, 2, k) differences between the slopes of the best cubic and those of the straight line."""
        count = (end - start - 1)[:, None]
        rows, counts = start[:, None] + 1 + _spread_rows(count, _FITTED), np.arange(_FITTED) < count
        since = self.frames[rows] - self.frames[start, None]
        length = self.frames[end, None] - self.frames[start, None]
        part = since / length
        leave, arrive = (1.0 - part) ** 2 * part * counts, part**2 * (part - 1.0) * counts
        missing = self.values[rows] - self.values[start, None] - since[..., None] * line[:, None]
        # The normal equations, two unknowns a span and column.
        both = np.stack((leave, arrive), axis=1)
        (a, b), (_, c) = np.moveaxis(both @ np.swapaxes(both, 1, 2), 0, -1)
        fitted = both @ missing
        a, c = a + _STRAIGHT, c + _STRAIGHT
        inverse = np.moveaxis(np.array(((c, -b), (-b, a))) / (a * c - b * b), -1, 0)
        return inverse @ fitted / length[..., None]

    def _rows_to_key(self, keyed: Rows) -> tuple[Rows, Mask]:
        """The rows `keyed`, and all rows between two that no span joins; True for rows to which the values jump."""
        start, end = keyed[:-1], keyed[1:]
        apart = ~self._keeps(start, end, self.slopes(start, end))
        start, end = start[apart], end[apart]
        jumped = self._stays(start, end)
        between = [np.arange(*ends) for ends in zip(start[~jumped], end[~jumped], strict=True)]
        rows = np.unique(np.concatenate((keyed, *between)))
        return rows, np.isin(rows, end[jumped])

    def _origins(self, rows: Rows, layer: Rows, ends: Rows, jumps: Mask) -> tuple[Rows, Mask]:
        """For each of the `ends`, the row of the `layer` from which a span leads there, or -1; True where it stays."""
        came_from, constant = np.full(len(ends), -1), np.zeros(len(ends), dtype=bool)
        # The shortest first, for these are the most likely to hold.
        to, start = (pairs.ravel() for pairs in np.meshgrid(np.arange(len(ends)), layer[::-1], indexing="ij"))
        later = start < ends[to]
        to, start = to[later], start[later]
        slopes = self.slopes(rows[start], rows[ends[to]])
        likely = self._may_hold(rows[start], rows[ends[to]], slopes)
        to, start, slopes = to[likely], start[likely], slopes[likely]
        while len(to):
            _, first = np.unique(to, return_index=True)
            good = first[self._keeps(rows[start[first]], rows[ends[to[first]]], slopes[first])]
            came_from[to[good]] = start[good]
            left = np.ones(len(to), dtype=bool)
            left[first] = False
            left &= came_from[to] < 0
            to, start, slopes = to[left], start[left], slopes[left]
        for missing in np.flatnonzero((came_from < 0) & jumps[ends]):
            start = layer[layer < ends[missing]]
            stays = self._stays(rows[start], np.full(len(start), rows[ends[missing]]))
            if stays.any():
                came_from[missing], constant[missing] = start[stays][0], True
        return came_from, constant

    def _may_hold(self, start: Rows, end: Rows, slopes: Array) -> Mask:
        """(s,) False if one of a few rows of the span is off."""
        count = (end - start - 1)[:, None]
        rows = start[:, None] + 1 + _spread_rows(count, _PROBED)
        span = np.repeat(np.arange(len(start)), _PROBED)
        off = self._off(span, rows.ravel(), start, end, slopes).reshape(rows.shape)
        return (count[:, 0] == 0) | (off <= 1.0).all(axis=1)

    def _keeps(self, start: Rows, end: Rows, slopes: Array) -> Mask:
        """(s,) True if the curve is within the tolerance on all rows of the span."""
        return self._all_within(start, end, lambda span, rows: self._off(span, rows, start, end, slopes))

    def _stays(self, start: Rows, end: Rows) -> Mask:
        """(s,) True if the values on all rows of the span stay within the tolerance of the first."""
        return self._all_within(start, end, lambda span, rows: self.error(rows, self.values[start[span]]))

    def _all_within(self, start: Rows, end: Rows, off: Callable[[Rows, Rows], Array]) -> Mask:
        """(s,) True if `off` is at most 1 on all rows between start and end.

        off : (spans (r,), rows (r,)) -> (r,)
        """
        good = np.ones(len(start), dtype=bool)
        count = end - start - 1
        for part in _parts(count):
            span = np.repeat(part, count[part])
            first = np.repeat(np.cumsum(count[part]) - count[part], count[part])
            rows = start[span] + 1 + np.arange(len(span)) - first
            good[span[off(span, rows) > 1.0]] = False
        return good

    def _off(self, span: Rows, rows: Rows, start: Rows, end: Rows, slopes: Array) -> Array:
        start, end = start[span], end[span]
        length = self.frames[end] - self.frames[start]
        part = (self.frames[rows] - self.frames[start]) / length
        return self.error(rows, _cubic(part, length, self.values[start], self.values[end], slopes[span]))


def _cubic(part: Array, length: Array, start: Array, end: Array, slopes: Array) -> Array:
    """(r, k) values at the `part` (r,) of a span of `length` (r,), from `start` to `end` (r, k), slopes (r, 2, k)."""
    part, length = part[:, None], length[:, None]
    rest = 1.0 - part
    level: Array = start + part * part * (1.0 + 2.0 * rest) * (end - start)
    return level + part * rest * length * (rest * slopes[:, 0] - part * slopes[:, 1])


def _later_ends(far: int, before: Rows, jumps: Mask) -> Iterator[Rows]:
    """Indices of rows to try next: all around the farthest row that was reached, and beyond it fewer and fewer."""
    low, high, stride = max(1, far - _NEAR), far + _NEAR + 1, 1
    while low < len(before):
        ends = np.arange(low, min(high, len(before)))
        chosen = (before[ends] < 0) & (((ends - low) % stride == 0) | jumps[ends] | (ends == len(before) - 1))
        yield ends[chosen]
        low, high, stride = high, high + (high - far), 2 * stride


def _spread_rows(count: Rows, most: int) -> Rows:
    """(s, most) numbers below `count` (s, 1): all if they are few enough, otherwise `most` at even distances."""
    number = np.arange(most)
    return np.where(count > most, (2 * number + 1) * count // (2 * most), np.minimum(number, np.maximum(count - 1, 0)))


def pieces(count: int, at_once: int) -> Iterator[slice]:
    """The slices of all rows, each of `at_once` or, at the end, fewer."""
    return (slice(first, first + at_once) for first in range(0, count, at_once))


def _parts(count: Rows) -> Iterator[Rows]:
    """Indices of the spans, in parts of about `_AT_ONCE` rows."""
    part = np.cumsum(count) // _AT_ONCE
    for number in np.unique(part):
        yield np.flatnonzero(part == number)
