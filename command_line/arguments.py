"""The arguments of the command line; help.toml declares them, but for those of options.toml."""

import os
import re
import tomllib
from argparse import Action, ArgumentError, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from ..blender.extension import VERSION
from ..blender.messages.refused import Refused
from ..blender.messages.translation import known_words
from ..blender.settings.key_settings import DEFAULTS
from .formats import FORMATS, READABLE
from .shot import ReportDetail
from .text_values import declared, one_of, reader

_HELP = tomllib.loads(Path(__file__).with_name("help.toml").read_text("utf-8"))
_SHARED = {"epilog": _HELP["epilog"], "formatter_class": RawDescriptionHelpFormatter, "allow_abbrev": False}
_EMPTY = re.compile("--[a-z-]+=")
_NUMBER = re.compile(r"(?!.*([/\\]|\.blend$))[-+]?([.\d].*|nan|inf(inity)?)", re.IGNORECASE)
"""What is meant for a number, right or wrong, and is no FILE such as 010.blend or ../shot.blend."""


class _Parser(ArgumentParser):
    """Reports what is wrong in one line, as every other refusal does."""

    def error(self, message: str) -> NoReturn:
        raise Refused("ARGUMENTS.wrong", value=message, program=self.prog)

    def _check_value(self, action: Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            raise ArgumentError(action, f'invalid choice: "{value}" (choose from {known_words(value, action.choices)})')

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        return super().parse_args(list(_clear(args)), namespace)


def flag(name: str) -> str:
    """The argument of this name as users write it, or read of it in the help."""
    return "FILE" if name == "file" else f"--{name.replace('_', '-')}"


def _clear(args: Sequence[str]) -> Iterator[str]:
    """The arguments without options whose value is empty, as job templates write them, and with one for --strict."""
    tables = (*_HELP["arguments"].values(), declared("plant"), declared("keys"))
    valued = {flag(name) for table in tables for name, row in table.items() if row.get("type") != "bool"} - {"FILE"}
    pairs = zip(args, [*args, None][1:], strict=True)
    for item, following in pairs:
        if item in valued and following == "":
            next(pairs)
        elif item == "--strict":
            # In one: otherwise argparse takes a FILE behind it for the distance, and -inf for another option.
            has_number = following and _NUMBER.fullmatch(following)
            yield f"--strict={following if has_number else 0}"
            if has_number:
                next(pairs)
        elif not _EMPTY.fullmatch(item):
            yield item


def _named(text: str) -> Path:
    """The .blend file; Refused for an empty name, as of a variable that is not set: it would be the current folder."""
    if not text:
        raise Refused("ARGUMENTS.no_file")
    return Path(text)


_READERS: dict[str, Callable[[str], Any]] = {"file": _named, "report_detail": one_of(ReportDetail)}


def parser(usage: str) -> ArgumentParser:
    """The parser; `usage` is what users write before the name of a command."""
    root = _Parser(usage, description=_HELP["description"], **_SHARED)
    root.add_argument("--version", action="version", version=f"two_bone_ik {VERSION}", help=_HELP["version"])
    adder = root.add_subparsers(title="commands", dest="command", required=True, metavar="COMMAND")
    for name, texts in _HELP["commands"].items():
        command = adder.add_parser(name, **texts, **_SHARED)
        _add(command, "all", file={"nargs": "?" if name == "detect" else "*"})
        if name != "switch":
            _add(command, "takes")
        if name != "detect":
            command.set_defaults(output=None, in_place=False, report_detail=ReportDetail.FULL, **asdict(DEFAULTS))
            _add(command, "shots")
            _add(command.add_argument_group("many files"), "many", jobs={"const": os.cpu_count()})
        if name in _HELP["arguments"]:
            _add(command, name)
        for table, default in (("plant", {"default": None}), ("keys", {})):
            for option, row in declared(table).items():
                if name in row["commands"]:
                    _add_argument(command, option, row, **default)  # a setup file may give what is not given here
        if name not in ("check", "detect"):
            _add(command.add_mutually_exclusive_group(), "output")
    return root


def _add(group: Any, table: str, **others: dict[str, Any]) -> None:
    """Adds the arguments of a table; `others` is what argparse is told beside, by name."""
    for name, row in _HELP["arguments"][table].items():
        _add_argument(group, name, row, **row.get("how", {}), **others.get(name, {}))


def _add_argument(group: Any, name: str, row: Mapping[str, Any], **how: Any) -> None:
    if row.get("type") == "bool":
        how |= {"action": "store_true"}
    else:
        how |= {"type": Path if row.get("type") == "path" else _READERS.get(name) or reader(name)}
        how |= {"metavar": row.get("metavar")} | ({"action": "extend"} if row.get("type") == "pairs" else {})
    text = row["help"].replace("{takes}", " ".join(READABLE[1:])).replace("{formats}", " ".join(FORMATS))
    group.add_argument(name if name == "file" else flag(name), help=text, **how)
