"""Sentences for users in their language, with names and numbers filled in."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

from bpy.app.translations import pgettext_rpt


def translated(template: str, /, **values: object) -> str:
    """The template in the user's language, with values for its {placeholders}; braces inside the values are kept."""
    return pgettext_rpt(template).format(**values)


def nearest_name(name: str, known: Iterable[str]) -> str:
    """A sentence about an unknown name: which of the known names is most like it."""
    found = max(known, key=lambda other: SequenceMatcher(None, name.lower(), other.lower()).ratio(), default=None)
    return translated("there is none") if found is None else translated('the nearest is "{found}"', found=found)
