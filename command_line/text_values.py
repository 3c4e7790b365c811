"""Reads values from text, as arguments and files in TOML have them; ArgumentTypeError says what is wrong."""

from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable
from dataclasses import fields
from math import inf, isfinite, nan
from typing import Any

from .. import api
from ..blender.files import toml_file
from ..blender.messages.refused import Refused
from ..blender.messages.translation import known_words
from ..blender.options import rows
from ..blender.settings.key_settings import Keys, Measure, Sampling
from ..blender.switch.switch_plan import ControlSet
from ..blender.takes.take import Up
from .formats import FORMATS

STILLNESS = tuple(field.name for field in fields(api.Stillness))


def jobs(text: str) -> int:
    """A number of Blenders."""
    if not text.isdecimal():
        raise ArgumentTypeError(f'"{text}" is not a number of Blenders')
    return int(text)


def formats(text: str) -> tuple[str, ...]:
    """Suffixes of files that can be written, that of Blender first."""
    suffixes = {f".{part.strip().lower().removeprefix('.')}" for part in text.split(",")}
    for unknown in sorted(suffixes - {*FORMATS}):
        names = [suffix[1:] for suffix in FORMATS]
        raise ArgumentTypeError(f'"{unknown[1:]}" is not one of {known_words(unknown[1:], names)}')
    return tuple(sorted(suffixes, key=FORMATS.index))


def frames(text: str) -> tuple[float, float, float]:
    """START:END[:STEP] as numbers."""
    parts, finite = text.split(":"), number("a number", isfinite)
    try:
        start, end, step = (finite(part) for part in (parts if len(parts) == 3 else [*parts, "1"]))
    except (ValueError, ArgumentTypeError):
        raise ArgumentTypeError(f'"{text}" is not START:END or START:END:STEP') from None
    return start, end, step


def limbs(text: str) -> tuple[str, ...]:
    """LEGS, ARMS or both."""
    kinds = tuple(part.strip().upper() for part in text.split(","))
    if not set(kinds) <= {"LEGS", "ARMS"}:
        raise ArgumentTypeError(f'"{text}" is not LEGS, ARMS or LEGS,ARMS')
    return kinds


def keep(text: str) -> tuple[str, ...]:
    """ARMS, SPINE, or names of limbs."""
    names = (part.strip() for part in text.split(","))
    return tuple(part.upper() if part.upper() in {"ARMS", "SPINE"} else part for part in names)


def stillness(text: str) -> tuple[tuple[str, float], ...]:
    """Fields of `api.Stillness` and their values."""
    pairs: list[tuple[str, float]] = []
    for part in text.split(","):
        name, _, value = (side.strip() for side in part.partition("="))
        if name not in STILLNESS:
            raise ArgumentTypeError(f'"{name}" is not one of {known_words(name, STILLNESS)}')
        pairs.append((name, above_zero("a number")(value)))
    return tuple(pairs)


def above_zero(what: str) -> Callable[[str], float]:
    """Reads a finite number above 0."""
    return number(f"{what} above 0", lambda value: 0.0 < value < inf)


def number(what: str, fits: Callable[[float], bool]) -> Callable[[str], float]:
    """Reads a number that fits."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = nan
        if not fits(value):
            raise ArgumentTypeError(f'"{text}" is not {what}')
        return value

    return read


def one_of(words: Iterable[str]) -> Callable[[str], str]:
    """Reads one of these words, in capital or small letters."""

    def chosen(text: str) -> str:
        for word in words:
            if text.upper() == word:
                return word
        raise ArgumentTypeError(f'"{text}" is not one of {known_words(text, words)}')

    return chosen


def of_table(where: str, key: str, value: object, read: Callable[[str], Any] | None = None) -> Any:
    """What is read from text in TOML; Refused if it is no text, or none that the reader understands.

    read : by default the reader of the key
    """
    (text,) = toml_file.texts(where, key, [value])
    try:
        return (read or reader(key))(text)
    except ArgumentTypeError as error:
        raise Refused("NOT_UNDERSTOOD", where=where, key=key, error=error) from None


_READERS: dict[str, Callable[[str], Any]] = {
    "keys": one_of(Keys),
    "tolerance": above_zero("a distance"),
    "interpolation": one_of(rows("keys")["interpolation"]["words"]),
    "sampling": one_of(Sampling),
    "measure": one_of(Measure),
    "limbs": limbs,
    "keep": keep,
    "stillness": stillness,
    "strict": number("a distance from 0 on", lambda value: 0.0 <= value < inf),
    "import_fps": above_zero("a frame rate"),
    "import_scale": above_zero("a scale"),
    "import_up": one_of(Up),
    "import_height": above_zero("a height"),
    "frames": frames,
    "time_limit": above_zero("a number of seconds"),
    "format": formats,
    "formats": formats,
    "jobs": jobs,
    "to": one_of(ControlSet),
}


def reader(name: str) -> Callable[[str], Any]:
    """The reader of an option, by its name on the command line; `str` for an option that has none."""
    return _READERS.get(name, str)


def declared(table: str) -> dict[str, dict[str, Any]]:
    """The rows of options.toml that commands take, by their names on the command line and in files."""
    declared_rows = rows(table).items()
    return {row.get("argument", row.get("keyword", name)): row for name, row in declared_rows if "commands" in row}
