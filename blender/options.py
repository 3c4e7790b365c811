"""Options, each declared once as a row of options.toml, and words that scripts and files give.

The keys of a row:

    type : bool, int, float, vector, text, bone or object (by name for operators), word (one of `items`), words (any of
        them), keyframe (words of Blender's own, those of `of` in `Keyframe`); pairs, for the command line alone
    name, description, default, min, max, … : as Blender's properties take them; items are identifier, name, tooltip
    owner : what the option belongs to
    words : of a keyframe option, those that are offered; by default all
    keyed : whether it can be animated, on the end bone of the chain
    section : of the panel, whose settings are copied together
    of : for a bone, the option with the object that has it; by default it is a bone of the armature itself
    keyword, argument : its name in `api`, and in files and on the command line, where it is not that of the row
    commands, help, metavar : of the command line
    stillness : the field of `api.Stillness` that it sets

Blender imports this file when it starts, and starts faster without NumPy.
"""

import tomllib
from collections.abc import Callable, Collection, Mapping, Set
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, Self, TypeVar

from bpy import props
from bpy.types import Keyframe, Object

OPTIONS: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("options.toml").read_text("utf-8")
)
"""The rows by table and name; their order is that of the properties."""

_PROPERTIES: dict[str, Any] = {
    "bool": props.BoolProperty,
    "int": props.IntProperty,
    "float": props.FloatProperty,
    "vector": props.FloatVectorProperty,
    "object": partial(props.PointerProperty, type=Object),
    **dict.fromkeys(("text", "bone"), props.StringProperty),
    **dict.fromkeys(("word", "words", "keyframe"), props.EnumProperty),
}
_SETTINGS = frozenset("name description default min max soft_min soft_max precision step subtype unit size".split())

_Class = TypeVar("_Class", bound=type)


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


def rows(table: str, **wanted: Any) -> dict[str, dict[str, Any]]:
    """The rows of a table with these values.

    >>> list(rows("keys", owner="bake"))
    ['mute_constraints']
    """
    of_table = OPTIONS[table].items()
    return {name: row for name, row in of_table if all(row.get(key) == value for key, value in wanted.items())}


def option(table: str, name: str, *, by_name: bool = False, **settings: Any) -> object:
    """The property that this row declares.

    by_name : an object is given by its name, as operators take it
    settings : further ones of the property, or others than the row's
    """
    row = OPTIONS[table][name]
    kind, texts = row["type"], {key: value for key, value in row.items() if key in _SETTINGS}
    if "items" in row:
        texts["items"] = [tuple(item) for item in row["items"]]
    if kind == "keyframe":
        texts |= _of_keyframes(row["of"], row.get("words"))
    options: Set[str] | None = settings.pop("options", row.get("options"))
    if kind == "words":
        options, texts["default"] = {"ENUM_FLAG", *options}, set(row.get("default", ()))
    flags = {} if options is None else {"options": set(options)}
    return _PROPERTIES["text" if by_name and kind == "object" else kind](**texts | flags | settings)


def _of_keyframes(field: str, words: Collection[str] | None) -> dict[str, Any]:
    """A choice in Blender's own words and icons; among all that there are for None."""
    choice: Any = Keyframe.bl_rna.properties[field]
    items = tuple(
        (item.identifier, item.name, item.description, item.icon, item.value)
        for item in choice.enum_items
        if words is None or item.identifier in words
    )
    return {"items": items, "translation_context": choice.translation_context}


def with_properties(properties: Mapping[str, object]) -> Callable[[_Class], _Class]:
    """Gives a class these properties by name, before those that it declares itself."""

    def decorated(owner: _Class) -> _Class:
        # Not in the body of the class: from Python 3.14 on, it would lose those that it declares.
        owner.__annotations__ = {**properties, **owner.__annotations__}
        return owner

    return decorated
