"""Lengths read back out of sentences for users."""

from __future__ import annotations

import re

_SIZES = {"mm": 0.001, "m": 1.0, "km": 1000.0}


def told_length(sentence: str, before: str) -> float | None:
    """The metres told right behind these words, to three digits; None where they stand nowhere."""
    found = re.search(rf"{before} (?:less than )?([\d.]+) (mm|m|km)\b", sentence)
    return float(found[1]) * _SIZES[found[2]] if found else None
