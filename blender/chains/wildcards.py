"""Names with wildcards: * stands for any text, ? for one character, and everything else for itself."""

from itertools import accumulate
from operator import or_

WILDCARDS = frozenset("*?")


def wildcard_texts(pattern: str, name: str) -> list[str] | None:
    """The text that each wildcard of the pattern stands for in the name; earlier wildcards take as much as they can.

    returns : None if the pattern does not fit the name
    """
    # fits[i][j] tells whether the pattern from i on fits the name from j on: a table, since trying all the ways in
    # which many * share a name takes exponential time.
    fits = [[False] * len(name) + [True]]
    for char in reversed(pattern):
        rest = fits[-1]
        if char == "*":
            fits.append(list(accumulate(reversed(rest), or_))[::-1])
        else:
            fits.append([char in ("?", letter) and fit for letter, fit in zip(name, rest[1:], strict=True)] + [False])
    fits.reverse()
    if not fits[0][0]:
        return None
    texts, start = [], 0
    for char, rest in zip(pattern, fits[1:], strict=True):
        end = len(name) - rest[::-1].index(True) if char == "*" else start + 1
        if char in WILDCARDS:
            texts.append(name[start:end])
        start = end
    return texts
