"""The rows of a list of shots: the [[shot]] tables of a manifest, of which only the chosen ones are parsed, or FILEs.

To parse a manifest of a hundred thousand shots takes seconds. To find its rows takes a fraction of one: each begins
with a line [[shot]], unless the text has strings of several lines or writes its tables in another way.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..blender.files import atomic_write, toml_file
from ..blender.messages.refused import Refused

_LARGEST = 256 << 20
"""Bytes of a manifest: a million shots."""

_STRING = r"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_LINE = re.compile(
    rf"^[ \t]*(?:(?P<table>\[.*)|(?P<key>file|name)[ \t]*=[ \t]*(?P<text>{_STRING})[ \t\r]*(?:#.*)?$)", re.MULTILINE
)
_SHOT = re.compile(r"\[\[[ \t]*shot[ \t]*\]\][ \t\r]*(?:#.*)?")
_OF_SHOT = re.compile(r"\[\[?[ \t]*shot[ \t]*\.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One of the list, which may stand for several files.

    file : as it is written
    name : as it is written; "" if there is none
    read : gives the table, filled in from [defaults]
    """

    file: str
    name: str
    read: Callable[[], dict[str, Any]]


def of_files(files: Iterable[Path]) -> list[Row]:
    """A row for each FILE of the command line."""
    return [Row(file=str(file), name="", read=partial(dict, file=str(file))) for file in files]


def of_manifest(path: Path, shared: Sequence[str], *, whole: bool) -> list[Row]:
    """The rows of a manifest; Refused if it is none, as far as it was read.

    shared : the keys that [defaults] may have
    whole : parse all of it, to find what is wrong anywhere
    """
    try:
        text = atomic_write.text(path, _LARGEST)
    except ValueError as error:
        raise Refused("NOT_TOML.syntax", value=str(path), error=error) from None
    return (None if whole else _found(path, text, shared)) or _parsed(path, text, shared)


def _parsed(path: Path, text: str, shared: Sequence[str]) -> list[Row]:
    tables, others = toml_file.tables_of(path, text, "shot", "defaults")
    toml_file.refuse_empty(path, "shot", tables)
    defaults = _defaults(path, others, shared)
    return [
        Row(
            file=str(table.get("file", "")),
            name=str(table.get("name", "")),
            read=partial(_with_defaults, defaults, table),
        )
        for table in tables
    ]


def _defaults(path: Path, content: dict[str, Any], shared: Sequence[str]) -> dict[str, Any]:
    defaults = toml_file.table(path, "defaults", content)
    toml_file.refuse_unknown(f'[defaults] of "{path}"', defaults, shared)
    return defaults


def _found(path: Path, text: str, shared: Sequence[str]) -> list[Row] | None:
    """The rows by the lines that they begin with; None if the text does not show them plainly."""
    if '"""' in text or "'''" in text:
        return None
    starts: list[int] = []
    values: list[dict[str, str]] = []
    is_own = False  # whether a key is the shot's own, and not that of a table in it
    for line in _LINE.finditer(text):
        table, key, value = line.group("table", "key", "text")
        if key:
            if is_own:
                values[-1].setdefault(key, value)
        elif _SHOT.fullmatch(table.rstrip()):
            starts.append(line.start())
            values.append({})
            is_own = True
        elif starts and not _OF_SHOT.match(table):
            return None
        else:
            is_own = False
    if not starts or not all("file" in value for value in values):
        return None
    head = toml_file.tables_of(path, text[: starts[0]], "shot", "defaults")
    if head[0]:
        return None
    defaults = _defaults(path, head[1], shared)
    ends = [*starts[1:], len(text)]
    return [
        Row(
            file=_unquoted(value["file"]),
            name=_unquoted(value.get("name", '""')),
            read=partial(_table, path, text, start, end, defaults),
        )
        for start, end, value in zip(starts, ends, values, strict=True)
    ]


def _table(path: Path, text: str, start: int, end: int, defaults: dict[str, Any]) -> dict[str, Any]:
    # With the lines before it, so that what is wrong is told with its line.
    lines = "\n" * text.count("\n", 0, start)
    tables, _ = toml_file.tables_of(path, lines + text[start:end], "shot")
    return _with_defaults(defaults, tables[0])


def _with_defaults(defaults: dict[str, Any], table: dict[str, Any]) -> dict[str, Any]:
    """The table filled in from [defaults], with the tables that both have."""
    both = [key for key in defaults.keys() & table.keys() if isinstance(defaults[key], dict)]
    inner = {key: defaults[key] | table[key] for key in both if isinstance(table[key], dict)}
    return defaults | table | inner


def _unquoted(text: str) -> str:
    value: str = text[1:-1] if "\\" not in text or text[0] == "'" else tomllib.loads(f"text = {text}")["text"]
    return value
