"""All rows of a list of shots: the [[shot]] tables of a manifest, each parsed once it is asked for, or FILEs.

`manifest` asks for those that --shot chooses; without it, `run_command` has all of them parsed, and so checked.

To parse a manifest of a hundred thousand shots takes seconds. To find its rows takes a fraction of one: each begins
with a line [[shot]], unless the text has strings of several lines or writes its tables in another way.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..blender.files import toml_file
from ..blender.messages.refused import Refused

_LARGEST = 256 << 20
"""Bytes of a manifest: a million shots."""

# A line begins with \n, which Python finds faster than where a line begins.
_END = r"[ \t\r]*(?:#[^\n]*)?(?=\n|\Z)"
_SHOT = re.compile(rf"\n[ \t]*\[\[[ \t]*shot[ \t]*\]\]{_END}")
_TABLE = re.compile(r"\n[ \t]*\[[^\n]*")
_OF_SHOT = re.compile(r"\n[ \t]*\[\[?[ \t]*shot[ \t]*\.")
_KEYS = ("file", "name", "import_take")
_QUOTED = {key: re.compile(rf"""\n[ \t]*{key}[ \t]*=[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'){_END}""") for key in _KEYS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """All rows, each of which may stand for several files.

    files, names, takes : as they are written, takes as `import_take`; "" for a row that has none
    defaults : the table that gives what rows leave out
    read : gives the table of the row at a place
    """

    files: Sequence[str]
    names: Sequence[str]
    takes: Sequence[str]
    defaults: Mapping[str, Any]
    read: Callable[[int], dict[str, Any]]


def of_files(files: Iterable[Path]) -> Rows:
    """A row for each FILE of the command line."""
    texts = [*map(str, files)]
    empty = [""] * len(texts)
    return Rows(files=texts, names=empty, takes=empty, defaults={}, read=lambda place: {"file": texts[place]})


def of_manifest(path: Path, *, whole: bool) -> Rows:
    """The rows of a manifest; Refused if what was read of it is not right.

    whole : parse all rows, to find what is wrong in any of them
    """
    text = toml_file.text(path, _LARGEST)
    return (None if whole else _split(path, text)) or _parsed(path, text)


def _parsed(path: Path, text: str) -> Rows:
    tables, others = toml_file.tables_of(path, text, "shot", "defaults")
    toml_file.refuse_empty(path, "shot", tables)
    defaults = toml_file.table(f'"{path}"', "defaults", others)
    files, names, takes = ([str(table.get(key, "")) for table in tables] for key in _KEYS)
    return Rows(files=files, names=names, takes=takes, defaults=defaults, read=tables.__getitem__)


def _split(path: Path, text: str) -> Rows | None:
    """The rows, split at the lines [[shot]]; None if the text may have rows without such a line."""
    # What is left of a line's end on Windows, before the lines that are found, is none in TOML.
    head, *parts = (part.rstrip("\r") for part in _SHOT.split(f"\n{text}"))
    inner = {line for part in parts if "[" in part for line in _TABLE.findall(part)}
    if not parts or '"""' in text or "'''" in text or not all(map(_OF_SHOT.match, inner)):
        return None
    own = [_TABLE.split(part, maxsplit=1)[0] for part in parts] if inner else parts
    files = [_text("file", part) for part in own]
    shots, others = toml_file.tables_of(path, head, "shot", "defaults")
    if shots or "" in files:
        return None
    defaults = toml_file.table(f'"{path}"', "defaults", others)

    def read(place: int) -> dict[str, Any]:
        row = f"[[shot]]{parts[place]}"
        try:
            [table], _ = toml_file.tables_of(path, row, "shot")
        except Refused:
            # What is wrong is told with its line, so it is read again behind as many lines.
            before = "\n" * "\n".join([head, *parts[:place]]).count("\n")
            [table], _ = toml_file.tables_of(path, before + row, "shot")
        return table

    names, takes = ([_text(key, part) for part in own] for key in _KEYS[1:])
    return Rows(files=files, names=names, takes=takes, defaults=defaults, read=read)


def _text(key: str, part: str) -> str:
    """What the first line of the part that gives the key has in quotes; "" for none."""
    _, _, begun = part.partition(f'\n{key} = "')
    text, _, after = begun.partition('"')
    if text and "\\" not in text and after[:1] in ("", "\n"):
        return text  # as nearly all rows are written, and found in a fifth of the time of what follows
    line = _QUOTED[key].search(part) if key in part else None
    if not line:
        return ""
    quoted = line[1]
    return quoted[1:-1] if "\\" not in quoted or quoted[0] == "'" else tomllib.loads(f"_ = {quoted}")["_"]
