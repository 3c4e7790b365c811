"""What people read of this layer, in their language: sentences with names and numbers in them."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

from bpy.app.translations import pgettext_rpt


def translated(template: str, /, **values: object) -> str:
    """The template as it is in the user's language, with values for its {placeholders}; braces in these are text."""
    return pgettext_rpt(template).format(**values)


def nearest_name(name: str, known: Iterable[str]) -> str:
    """What to say of a name that is none of those known: which of them is most like it."""
    found = max(known, key=lambda other: SequenceMatcher(None, name.lower(), other.lower()).ratio(), default=None)
    return translated("there is none") if found is None else translated('the nearest is "{found}"', found=found)
