"""Options of a shot, by the names that manifests and the command line share: how to key, to measure and to open it."""

from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from ..blender.files import toml_file
from ..blender.messages.refused import Refused
from ..blender.messages.translation import translated
from ..blender.switch.switch_plan import ControlSet
from ..blender.takes.take import Up
from .text_values import above_zero, declared, number, of_table, one_of, reader

_ROWS = declared("keys")
_READERS: dict[str, Callable[[str], Any]] = {
    "strict": number("a distance from 0 on", lambda value: 0.0 <= value < inf),
    "import_fps": above_zero("a frame rate"),
    "import_scale": above_zero("a scale"),
    "import_up": one_of(Up),
    "import_height": above_zero("a height"),
    "import_take": str,
}

NAMES = (*_ROWS, *_READERS, "enable_autoexec")


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
        fields["to"] = of_table(inner, "to", table["to"], one_of(ControlSet))
    if "limbs" in table:
        fields["switched"] = toml_file.texts(inner, "limbs", table["limbs"])
    return fields


def _value(where: str, key: str, value: Any) -> Any:
    if key == "strict" and isinstance(value, bool):
        return 0.0 if value else None
    if key == "enable_autoexec" or _ROWS.get(key, {}).get("type") == "bool":
        return flag(where, key, value)
    text = str(value) if type(value) in (int, float) else value  # a bool is an int, too
    return of_table(where, key, text, _READERS.get(key) or reader(key))


def flag(where: str, key: str, value: object) -> bool:
    """The value, true or false; Refused for anything else."""
    if not isinstance(value, bool):
        raise Refused("WRONG_TYPE.field", value=value, wanted=translated("part.bool"), where=where, key=key)
    return value
