"""Reads and writes TOML that people edit by hand; refusals name the file and the line or key."""

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from math import degrees
from pathlib import Path
from typing import Any

import numpy as np

from ..messages.refused import Refused
from ..messages.translation import nearest_name
from . import atomic_write


def tables(path: Path, name: str, *others: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The tables [[name]] of the file, and what it has under the names `others`; Refused if it has anything else."""
    return tables_of(path, text(path), name, *others)


def text(path: Path, largest: int = atomic_write.LARGEST_TEXT) -> str:
    """The text of the file; Refused if it is none, or larger."""
    try:
        return atomic_write.text(path, largest)
    except ValueError as error:
        raise Refused("NOT_TOML.syntax", value=str(path), error=error) from None


def tables_of(path: Path, text: str, name: str, *others: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What `tables` gives, from the text of a file or of a part of it."""
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise Refused("NOT_TOML.nested", value=str(path)) from None
    except ValueError as error:
        raise Refused("NOT_TOML.syntax", value=str(path), error=error) from None
    refuse_unknown(f'"{path}"', content, [name, *others])
    listed = content.pop(name, [])
    if not isinstance(listed, list) or not all(isinstance(table, dict) for table in listed):
        raise Refused("WRONG_TYPE.table", value=name, path=path)
    return listed, content


def table(where: str, name: str, content: Mapping[str, Any], *, of_shot: bool = False) -> dict[str, Any]:
    """The table [name], or [shot.name], empty if there is none; Refused if it is something else."""
    found = content.get(name, {})
    if not isinstance(found, dict):
        raise Refused("WRONG_TYPE.part" if of_shot else "WRONG_TYPE.one_table", value=name, where=where)
    return found


def refuse_empty(path: Path, name: str, listed: Sequence[object]) -> None:
    """Raise `Refused` if the file has no table [[name]]."""
    if not listed:
        raise Refused("EMPTY_FILE", value=str(path), table=name)


def texts(where: str, key: str, value: object) -> list[str]:
    """The text, or all of a list of texts; Refused if the value is something else, or no name can be so."""
    strings: list[str] = []
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, str):
            raise Refused("WRONG_TYPE.text", value=item, where=where, key=key)
        if "\0" in item:
            raise Refused("NUL_CHARACTER", value=item, where=where, key=key)
        strings.append(item)
    return strings


def refuse_unknown(where: str, keys: Iterable[str], known: Iterable[str]) -> None:
    """Raise `Refused` for the first of `keys` that is not known."""
    for key in keys:
        if key not in known:
            raise Refused("UNKNOWN_KEY", value=key, where=where, nearest=nearest_name(key, known))


def line(key: str, value: Any, *, is_angle: bool = False) -> str:
    """A line that sets the key to a string, a bool, a number of float32 precision, or a table of these."""
    return f"{key} = {_value(value)}" + (f"  # {degrees(value):.4g} degrees" if is_angle else "")


def _value(value: Any) -> str:
    if isinstance(value, float):
        # No more digits than it takes to get the same number back.
        return f"{np.float32(value)!s}"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_value(key)} = {_value(item)}' for key, item in value.items())} }}"
    # Of the characters that TOML wants escaped, JSON leaves out one.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
