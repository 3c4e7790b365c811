"""Options of a shot, by the names that manifests, setup files and the command line share: how to key, to measure and to
open it, and those of Plant and Switch."""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from .. import api
from ..blender.files import toml_file
from ..blender.messages.refused import Refused
from ..blender.messages.translation import translated
from ..blender.targets.space import floor_named
from .text_values import STILLNESS, declared, number, of_table

_KEYS = declared("keys")
_PLANT = declared("plant")

IMPORT = ("import_fps", "import_scale", "import_up", "import_height", "import_take")
"""How to import a take, see `Import`."""

NAMES = (*_KEYS, "strict", *IMPORT, "enable_autoexec")
PLANT_NAMES = tuple(_PLANT)


def read(where: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """The options in a table of TOML, by the fields of a shot: text as on the command line, numbers, true or false.

    raises : Refused for anything else
    """
    return {key: _value(where, key, value) for key, value in table.items() if key in NAMES}


def read_switch(where: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a shot that [shot.switch] gives."""
    inner = f"[shot.switch] of {where}"
    toml_file.refuse_unknown(inner, table, ("to", "limbs"))
    fields: dict[str, Any] = {}
    if "to" in table:
        fields["to"] = of_table(inner, "to", table["to"])
    if "limbs" in table:
        fields["switched"] = toml_file.texts(inner, "limbs", table["limbs"])
    return fields


def read_plant(where: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """The options of Plant in a table of TOML: text as on the command line, flags true or false, a floor as a number.

    raises : Refused for anything else
    """
    toml_file.refuse_unknown(where, table, PLANT_NAMES)
    return {key: _value(where, key, value) for key, value in table.items()}


def gathered(where: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """The table of a shot whose options of Plant are in its table `plant`, also those that it gives by themselves.

    raises : Refused if it gives one twice
    """
    own = {key: table[key] for key in table.keys() & _PLANT.keys()}
    inner = toml_file.table(where, "plant", table, of_shot=True)
    toml_file.refuse_unknown(f"[shot.plant] of {where}", inner, PLANT_NAMES)
    for key in own.keys() & inner.keys():
        raise Refused("TWO_KEYS", where=where, key=key)
    others = {key: value for key, value in table.items() if key not in own}
    return others | ({"plant": own | inner} if own or inner else {})


def _value(where: str, key: str, value: Any) -> Any:
    is_number = type(value) in (int, float)  # a bool is an int, too
    if key == "strict" and isinstance(value, bool):
        return 0.0 if value else None
    if key == "enable_autoexec" or (_KEYS | _PLANT).get(key, {}).get("type") == "bool":
        if not isinstance(value, bool):
            raise Refused("WRONG_TYPE.field", value=value, wanted=translated("part.bool"), where=where, key=key)
        return value
    if key == "floor" and is_number:
        return of_table(where, key, str(value), number("a height", isfinite))
    if key == "floor" and not isinstance(value, str):
        raise Refused("WRONG_TYPE.field", value=value, wanted=translated("part.floor"), where=where, key=key)
    if key == "stillness" and isinstance(value, dict):
        toml_file.refuse_unknown(f"{key} of {where}", value, STILLNESS)
        value = ",".join(f"{name}={item}" for name, item in value.items())
    return of_table(where, key, str(value) if is_number and key in NAMES else value)


def plant_keywords(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as `api.plant` takes them; Refused where there is no such floor."""
    readers: dict[str, Callable[[Any], Any]] = {
        "hips": lambda name: name or None,
        "floor": lambda floor: floor if isinstance(floor, float) else floor_named(floor),
        "stillness": lambda pairs: api.Stillness(**dict(pairs)),
    }
    values = {name: readers[name](value) if name in readers else value for name, value in options.items()}
    return {_PLANT[name].get("keyword", name): value for name, value in values.items()}
