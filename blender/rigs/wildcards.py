"""Names with wildcards: * stands for any text, ? for one character, and everything else for itself."""

import re
from collections.abc import Iterable
from functools import lru_cache

_WILDCARDS = frozenset("*?")


def wildcards_in(name: str) -> str:
    """The wildcards of a name, in their order."""
    return "".join(char for char in name if char in _WILDCARDS)


def wildcard_texts(pattern: str, name: str) -> list[str] | None:
    """The text that each wildcard of the pattern stands for in the name; earlier wildcards take as much as they can.

    returns : None if the pattern does not fit the name
    """
    match = _backwards(pattern).fullmatch(name[::-1])
    return [text[::-1] for text in reversed(match.groups())] if match else None


@lru_cache(maxsize=1024)
def _backwards(pattern: str) -> re.Pattern[str]:
    """What fits names that are spelt from behind."""
    # From behind, each * but the last takes as little as it can and is not tried again: trying all ways in which many *
    # share a name would take exponential time.
    last, *parts = (re.sub(r"\\\?", "(.)", re.escape(part)) for part in pattern[::-1].split("*"))
    between = [f"(?>(.*?){part})" for part in parts[:-1]] + [f"(.*){part}" for part in parts[-1:]]
    return re.compile("".join((last, *between)), re.DOTALL)


def filled(pattern: str, texts: Iterable[str]) -> str:
    """The pattern with a text in place of each wildcard; there are as many texts, or more."""
    in_order = iter(texts)
    return "".join(next(in_order) if char in _WILDCARDS else char for char in pattern)
