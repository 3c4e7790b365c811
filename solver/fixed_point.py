"""Fixed points of a function, for each row by itself: Newton's method with an estimated Jacobian.

Each row has its own Jacobian, which is updated after each step (Broyden, 1965). Steps that do not lead closer are
damped (Levenberg, 1944; Marquardt, 1963). In some rounds the Jacobian is measured by small differences instead, in
case the updates have stalled. Where values come no closer although they are no fixed point, the search begins again
from where plain substitution leads. Where there is none at all, a search by steps along the axes (Rosenbrock, 1960) and
along the way that these have gone (Hooke and Jeeves, 1961) finds values that cost little.
"""

from collections.abc import Callable

import numpy as np

from .values import SMALLEST, Array, Mask

_ROUNDS = 60
_MEASURING_ROUNDS = (6, 14, 24, 36, 48)
"""The rounds at whose start the Jacobian is measured, if rows are still off."""

_STALLED = 0.8
"""A row stays as it is once the square of what it is off has not come below this part of it from one to the next."""

_NUDGE = 1e-4
"""Step of these differences, as part of a row's size: far above float32 rounding, small enough to stay linear."""

_SUBSTITUTIONS = 32
"""Each goes half of the way, which settles where the whole way would swing to and fro."""

_FIRST_STEP = 0.5
"""Step of the search for the least cost, as part of a row's size."""

_SEARCHES, _LONGER, _BACK = 24, 2.0, -0.5
"""Each goes once along every axis. What the next step there is of this one: where that costs less, and where not."""
_IDLE, _GAIN = 8, 1e-7
"""After this many, one after another, that each gain less than this part of a row's size, the search ends."""

_NEARLY = 1e-4
"""What is less than this part of a row's size off is taken for a fixed point that rounding hides."""


def fixed_point(function: Callable[[Array], tuple[Array, Array]], start: Array, close: float) -> Array:
    """(..., k) values x that lead to x; where none are found, values that cost little, the same for like rows.

    function : (..., k) -> (..., k), (...)     what values lead to, and its cost; each row depends on the same row alone
    start : (..., k)
    close : part of a row's size by which x may differ from what it leads to
    """

    def off_at(values: Array) -> Array:
        return function(values)[0] - values

    values, off = _by_newton(off_at, start, close)
    if _is_closer(off, values, close).all():
        return values
    led = start
    for _ in range(_SUBSTITUTIONS):
        led = led + 0.5 * off_at(led)
    others, others_off = _by_newton(off_at, led, close, _MEASURING_ROUNDS[2])
    better = ~_is_closer(off, values, close) & (np.square(others_off).sum(axis=-1) < np.square(off).sum(axis=-1))
    values, off = np.where(better[..., None], others, values), np.where(better[..., None], others_off, off)
    found = _is_closer(off, values, _NEARLY)
    return values if found.all() else np.where(found[..., None], values, _cheapest(function, start, off.shape))


def _cheapest(function: Callable[[Array], tuple[Array, Array]], start: Array, shape: tuple[int, ...]) -> Array:
    """(..., k) values that cost less than all a step beside them, which gets small.

    No slopes are followed: where there is no fixed point, these lead anywhere, by the last digit.
    """
    values, axes = np.broadcast_to(start, shape), np.eye(shape[-1] + 1, shape[-1])
    cost, idle = np.fmin(function(values)[1], np.inf), np.zeros(shape[:-1])
    size = np.abs(values).max(axis=-1)
    steps = np.broadcast_to(_FIRST_STEP * size[..., None], shape)
    for _ in range(_SEARCHES):
        before, at_first = cost, values
        for axis in axes:  # and once more, after the last, the whole way of this search
            tried = values + (steps * axis if axis.any() else values - at_first)
            still = function(tried)[1]
            cheaper = (still < cost)[..., None]
            values, cost = np.where(cheaper, tried, values), np.fmin(still, cost)
            steps = np.where(axis > 0.0, steps * np.where(cheaper, _LONGER, _BACK), steps)
        idle = np.where(cost < before - _GAIN * size, 0, idle + 1)
        steps = steps * (idle < _IDLE)[..., None]
        if not steps.any():
            break
    return values


def _is_closer(off: Array, values: Array, close: float) -> Mask:
    """(...)"""
    return np.abs(off).max(axis=-1) <= close * np.abs(values).max(axis=-1)


def _by_newton(
    off_at: Callable[[Array], Array], start: Array, close: float, rounds: int = _ROUNDS
) -> tuple[Array, Array]:
    """The values (..., k) that came closest, and by how much they are off there."""
    values = start
    off = off_at(values)
    slopes = np.broadcast_to(-np.eye(start.shape[-1]), (*off.shape, start.shape[-1])).copy()
    damping = np.zeros(off.shape[:-1])
    values, most = np.broadcast_to(values, off.shape), np.full(off.shape[:-1], np.inf)
    stalled = np.zeros(off.shape[:-1], bool)
    for turn in range(rounds):
        if turn in _MEASURING_ROUNDS:
            size = np.square(off).sum(axis=-1)
            stalled, most = stalled | ~(size < most), _STALLED * size
        open_ = ~(stalled | _is_closer(off, values, close))
        if not open_.any():
            break
        if turn in _MEASURING_ROUNDS:
            nudge = _NUDGE * np.abs(values).max(axis=-1)
            slopes, damping = _measure_slopes(off_at, values, off, nudge), np.zeros_like(damping)
        step = np.where(open_[..., None], _step(slopes, off, damping), 0.0)
        tried = values + step
        still_off = off_at(tried)
        slopes += _slope_update(slopes, step, still_off - off)
        better = np.square(still_off).sum(axis=-1) < np.square(off).sum(axis=-1)
        damping = np.where(better, damping / 8.0, np.maximum(4.0 * damping, 1e-2))
        values = np.where(better[..., None], tried, values)
        off = np.where(better[..., None], still_off, off)
    return values, off


def _step(slopes: Array, off: Array, damping: Array) -> Array:
    """(..., k) step towards the zero of the linear model, damped."""
    transposed = np.swapaxes(slopes, -1, -2)
    normal = transposed @ slopes
    # A thousandth of a thousandth keeps it solvable where a direction changes nothing; where another one changes a
    # million times as much, what is left of that in double precision.
    least = np.maximum(1e-9, 1e-14 * np.einsum("...ii->...", normal))
    normal += (damping + least)[..., None, None] * np.eye(off.shape[-1])
    step: Array = np.linalg.solve(normal, transposed @ off[..., None])[..., 0].astype(np.float64, copy=False)
    return -step


def _slope_update(slopes: Array, step: Array, change: Array) -> Array:
    """(..., k, k) the least change of the slopes after which they explain the last step."""
    size = np.square(step).sum(axis=-1)[..., None]
    missing = change - (slopes @ step[..., None])[..., 0]
    tells = size > SMALLEST**2  # the square of a smaller step is no number to divide by
    return np.where(tells, missing / np.where(tells, size, 1.0), 0.0)[..., :, None] * step[..., None, :]


def _measure_slopes(off_at: Callable[[Array], Array], values: Array, off: Array, nudge: Array) -> Array:
    nudge = np.where(nudge > 0.0, nudge, 1.0)[..., None]
    columns = [(off_at(values + nudge * axis) - off) / nudge for axis in np.eye(values.shape[-1])]
    return np.stack(columns, axis=-1)
