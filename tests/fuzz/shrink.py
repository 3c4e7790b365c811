"""The smallest scene that still has the fault: parts are left out, one by one, as long as it stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from math import isfinite
from time import perf_counter

Path = tuple

OPTIONAL = {"around", "edit", "frame", "handler", "rope"}
"""What a scene as a whole may lack; the rest may be empty."""

NEEDED = {"what", "near", "type", "target", "pole_target", "chain_count", "iterations"}
"""Without these it would be another scene: the target on the root, a constraint that does not converge."""


def smallest(scene: dict, fails: Callable[[dict], bool], seconds: float = 60.0) -> dict:
    """`scene` with all left out without which it still `fails`, as far as that is found in so many seconds."""
    end = perf_counter() + seconds
    for candidate in _candidates(scene):
        if perf_counter() > end:
            break
        if fails(candidate):
            return smallest(candidate, fails, end - perf_counter())
    return scene


def _candidates(scene: dict) -> Iterator[dict]:
    """The scene with one part left out, the largest parts first, and then with one number made simpler."""
    for path in sorted(_paths(scene), key=len):
        yield _without(scene, path)
    for path in _numbers(scene):
        value = _at(scene, path)
        if isfinite(value) and len(repr(round(value, 1))) < len(repr(value)):
            yield _with(scene, path, round(value, 1))


def _paths(part: object, path: Path = ()) -> Iterator[Path]:
    """Of everything that can be left out: places and other rows of numbers only as a whole."""
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for name, item in items:
        if isinstance(name, int) and isinstance(item, (float, int, str)):
            continue
        if name not in NEEDED if path else name in OPTIONAL:
            yield (*path, name)
        yield from _paths(item, (*path, name))


def _numbers(part: object, path: Path = ()) -> Iterator[Path]:
    """Of numbers that may be simpler; bones would come to lie on each other, and scale would be none."""
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for name, item in items:
        if isinstance(item, float):
            yield (*path, name)
        if name not in {"bones", "scale", "request"}:
            yield from _numbers(item, (*path, name))


def _at(part: object, path: Path) -> object:
    for name in path:
        part = part[name]
    return part


def _without(scene: dict, path: Path) -> dict:
    smaller = deepcopy(scene)
    del _at(smaller, path[:-1])[path[-1]]
    return smaller


def _with(scene: dict, path: Path, value: object) -> dict:
    other = deepcopy(scene)
    _at(other, path[:-1])[path[-1]] = value
    return other
