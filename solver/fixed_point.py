"""Fixed points of a function, for each row by itself: Newton's method with an estimated Jacobian.

Each row has its own Jacobian, which is updated after each step (Broyden, 1965). Steps that do not lead closer are
damped (Levenberg, 1944; Marquardt, 1963). In some rounds the Jacobian is measured by small differences instead, in
case the updates have stalled. Where values come no closer although they are no fixed point, the search begins again
from where plain substitution leads.
"""

from collections.abc import Callable

import numpy as np

from .values import SMALLEST, Array, Mask

_ROUNDS = 60
_MEASURING_ROUNDS = (6, 14, 24, 36, 48)
"""The rounds at whose start the Jacobian is measured, if rows are still off."""

_NUDGE = 1e-4
"""Step of these differences, as part of a row's size: far above float32 rounding, small enough to stay linear."""

_SUBSTITUTIONS = 32
"""Each goes half of the way, which settles where the whole way would swing to and fro."""


def fixed_point(function: Callable[[Array], Array], start: Array, close: float) -> Array:
    """(..., k) values x with function(x) == x; if none is found, the values that came closest.

    function : (..., k) -> (..., k)      each row of the result depends on the same row alone
    start : (..., k)
    close : part of a row's size by which function(x) may differ from x
    """
    values, off, is_open = _by_newton(function, start, close)
    if not is_open.any():
        return values
    led = start
    for _ in range(_SUBSTITUTIONS):
        led = 0.5 * (led + function(led))
    others, others_off, _ = _by_newton(function, led, close, _MEASURING_ROUNDS[2])
    better = is_open & (np.square(others_off).sum(axis=-1) < np.square(off).sum(axis=-1))
    return np.where(better[..., None], others, values)


def _by_newton(
    function: Callable[[Array], Array], start: Array, close: float, rounds: int = _ROUNDS
) -> tuple[Array, Array, Mask]:
    """The values (..., k) that came closest, by how much the function differs there, and (...) True if by too much."""
    values = start
    off = function(values) - values
    slopes = np.broadcast_to(-np.eye(start.shape[-1]), (*off.shape, start.shape[-1])).copy()
    damping = np.zeros(off.shape[:-1])
    values = np.broadcast_to(values, off.shape)
    for turn in range(rounds + 1):
        size = np.abs(values).max(axis=-1)
        open_ = np.abs(off).max(axis=-1) > close * size
        if turn == rounds or not open_.any():
            break
        if turn in _MEASURING_ROUNDS:
            slopes, damping = _measure_slopes(function, values, off, _NUDGE * size), np.zeros_like(damping)
        step = np.where(open_[..., None], _step(slopes, off, damping), 0.0)
        tried = values + step
        still_off = function(tried) - tried
        slopes += _slope_update(slopes, step, still_off - off)
        better = np.square(still_off).sum(axis=-1) < np.square(off).sum(axis=-1)
        damping = np.where(better, damping / 8.0, np.maximum(4.0 * damping, 1e-2))
        values = np.where(better[..., None], tried, values)
        off = np.where(better[..., None], still_off, off)
    return values, off, open_


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


def _measure_slopes(function: Callable[[Array], Array], values: Array, off: Array, nudge: Array) -> Array:
    columns = []
    nudge = np.where(nudge > 0.0, nudge, 1.0)[..., None]
    for axis in np.eye(values.shape[-1]):
        tried = values + nudge * axis
        columns.append((function(tried) - tried - off) / nudge)
    return np.stack(columns, axis=-1)
