"""Choices among words: properties for users, whose texts are in choices.toml, and words that scripts and files give."""

import tomllib
from collections.abc import Collection
from enum import StrEnum
from pathlib import Path
from typing import Any, NoReturn, Self

from bpy.props import EnumProperty

_CHOICES = tomllib.loads(Path(__file__).with_name("choices.toml").read_text("utf-8"))


class Word(StrEnum):
    """A word among others; `Refused` for any that is none of them."""

    def __repr__(self) -> str:
        """As users write it: Python's help shows defaults in this way."""
        return repr(self.value)

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        from .messages.refused import unknown_word

        raise unknown_word(cls.__name__, value, cls)

    @classmethod
    def several(cls, words: Any) -> frozenset[Self]:
        """These words, of a collection or one alone."""
        return frozenset(map(cls, words if isinstance(words, Collection) and not isinstance(words, str) else [words]))


def choice(name: str, **settings: Any) -> object:
    """The property of this name; `settings` are further ones of `EnumProperty`."""
    texts = _CHOICES[name]
    items = [tuple(item) for item in texts["items"]]
    return EnumProperty(name=texts["name"], description=texts["description"], items=items, **settings)
