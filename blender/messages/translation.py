"""Sentences for users in their language, with names and numbers filled in; sentences.toml has them all."""

import tomllib
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpy.app.translations import pgettext_rpt

from .numbers import LEAST, ReadableFormatter

if TYPE_CHECKING:
    from ...skeleton.values import Point


class Alert(str):
    """A sentence that the user must know: one of the group of this name."""

    __slots__ = ()


def translated(name: str, /, **values: object) -> str:
    """The sentence of this name in the user's language, with values for its {placeholders}; their braces are kept.

    values : among them the `unit` of its lengths, if it has any, as `numbers.unit_name` gives it
    """
    group, _, case = name.partition(".")
    template = _sentences()[group]
    words = pgettext_rpt(template[case] if case else template)
    if ":length}" in words or ":number}" in words:
        readable = ReadableFormatter(str(values.get("unit", "")), translated("part.less", least=LEAST))
        text = readable.vformat(words, (), values)
    else:
        text = words.format(**values)
    return Alert(text) if group == "alert" else text


@cache
def _sentences() -> dict[str, Any]:
    """Each sentence by its name; a name with a dot is two keys, before and after the dot. Read when needed."""
    return tomllib.loads(Path(__file__).with_name("sentences.toml").read_text("utf-8"))


def nearest_name(name: str, known: Iterable[str]) -> str:
    """A sentence about an unknown name: which of the known names is most like it."""
    most_alike = _most_alike(name, tuple(known))
    return translated("part.none") if most_alike is None else translated("part.nearest", found=most_alike)


@lru_cache(maxsize=64)
def _most_alike(name: str, known: tuple[str, ...]) -> str | None:
    """Kept, since a panel asks at each redraw, and a rig may have a thousand bones."""
    return max(known, key=lambda other: SequenceMatcher(None, name.lower(), other.lower()).ratio(), default=None)


def known_words(word: object, known: Iterable[str]) -> str:
    """What to choose from instead of an unknown word: all that are known, and which of them is most like it.

    word : anything that is not a word is like none of them
    """
    words = list(known)
    listed = ", ".join(words)
    if not (isinstance(word, str) and word):
        return listed
    return translated("part.known", known=listed, nearest=nearest_name(word, words))


def frame_text(frame: float) -> str:
    """A frame as users write it: 1000000, and 1.333 for a third."""
    return f"{round(float(frame), 3):.12g}"  # NumPy takes ten times as long to round one number


def point_text(point: "Point") -> str:
    """An object's name, and that of its bone behind a comma."""
    return f"{point.object.name}, {point.bone}" if point.bone else point.object.name
