"""Options of the command `plant`, by the names that the command line, manifests and setup files share."""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from .. import api
from ..blender.files import toml_file
from ..blender.messages.refused import Refused
from ..blender.messages.translation import translated
from ..blender.targets.space import floor_named
from .shot_options import flag
from .text_values import STILLNESS, declared, number, of_table, reader

_ROWS = declared("plant")

NAMES = tuple(_ROWS)


def read(where: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """The options in a table of TOML: text as on the command line, flags true or false, a floor's height as a number.

    raises : Refused for anything else
    """
    toml_file.refuse_unknown(where, table, NAMES)
    return {key: _value(where, key, value) for key, value in table.items()}


def gathered(where: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """The table of a shot whose options of Plant stand in its table `plant`, also those that it gives by themselves.

    raises : Refused if it gives one twice
    """
    own = {key: table[key] for key in table.keys() & _ROWS.keys()}
    inner = toml_file.part(where, "plant", table)
    toml_file.refuse_unknown(f"[shot.plant] of {where}", inner, NAMES)
    for key in own.keys() & inner.keys():
        raise Refused("TWO_KEYS", where=where, key=key)
    others = {key: value for key, value in table.items() if key not in own}
    return others | ({"plant": own | inner} if own or inner else {})


def _value(where: str, key: str, value: object) -> Any:
    if _ROWS[key]["type"] == "bool":
        return flag(where, key, value)
    if key == "floor" and type(value) in (int, float):  # a bool is an int, too
        return of_table(where, key, str(value), number("a height", isfinite))
    if key == "floor" and not isinstance(value, str):
        raise Refused("WRONG_TYPE.field", value=value, wanted=translated("part.floor"), where=where, key=key)
    if key == "stillness" and isinstance(value, dict):
        toml_file.refuse_unknown(f"{key} of {where}", value, STILLNESS)
        value = ",".join(f"{name}={item}" for name, item in value.items())
    return of_table(where, key, value, reader(key))


def keywords(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as `api.plant` takes them; Refused where there is no such floor."""
    readers: dict[str, Callable[[Any], Any]] = {
        "hips": lambda name: name or None,
        "floor": lambda floor: floor if isinstance(floor, float) else floor_named(floor),
        "stillness": lambda pairs: api.Stillness(**dict(pairs)),
    }
    values = {name: readers[name](value) if name in readers else value for name, value in options.items()}
    return {_ROWS[name].get("keyword", name): value for name, value in values.items()}
