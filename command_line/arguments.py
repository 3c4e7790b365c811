"""The arguments of the command line; help.toml has the texts of --help, but for those of options.toml."""

import os
import re
import tomllib
from argparse import Action, ArgumentError, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import Any, NoReturn

from ..blender.extension import VERSION
from ..blender.messages.refused import Refused
from ..blender.messages.translation import known_words
from ..blender.settings.key_settings import DEFAULTS
from ..blender.switch.switch_plan import ControlSet
from ..blender.takes.take import Up
from .formats import BLEND, FORMATS, READABLE
from .shot import ReportDetail
from .text_values import above_zero, declared, formats, frames, jobs, number, one_of, reader

_HELP = tomllib.loads(Path(__file__).with_name("help.toml").read_text("utf-8"))
_SHOWN: dict[str, Any] = {"epilog": _HELP["epilog"], "formatter_class": RawDescriptionHelpFormatter}
_EMPTY = re.compile("--[a-z-]+=")
_NUMBER = re.compile(r"(?!.*([/\\]|\.blend$))[-+]?([.\d].*|nan|inf(inity)?)", re.IGNORECASE)
"""What is meant for a number, right or wrong, and is no FILE such as 010.blend or ../shot.blend."""

_FILE: dict[str, Any] = {"type": Path, "metavar": "FILE"}


class _Parser(ArgumentParser):
    """Reports what is wrong in one line, as every other refusal does. It takes no option for another that begins so."""

    def __init__(self, prog: str | None = None, **settings: Any) -> None:
        super().__init__(prog=prog, allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        raise Refused("ARGUMENTS.wrong", value=message, program=self.prog)

    def _check_value(self, action: Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            raise ArgumentError(action, f'invalid choice: "{value}" (choose from {known_words(value, action.choices)})')

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        return super().parse_args(list(_clear(args, _with_value(self))), namespace)


def _with_value(command: ArgumentParser) -> set[str]:
    """The options of all commands that take a value."""
    names: set[str] = set()
    for action in command._actions:
        if action.option_strings and action.nargs != 0:
            names.update(action.option_strings)
        elif isinstance(action.choices, dict):
            names.update(*map(_with_value, action.choices.values()))
    return names


def _clear(args: Sequence[str], with_value: Collection[str]) -> Iterator[str]:
    """The arguments without options whose value is empty, as job templates write them, and with one for --strict."""
    pairs = zip(args, [*args, None][1:], strict=True)
    for item, following in pairs:
        if item in with_value and following == "":
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


def parser(usage: str) -> ArgumentParser:
    """The parser; `usage` is what users write before the name of a command."""
    root = _Parser(usage, description=_HELP["description"], **_SHOWN)
    root.add_argument("--version", action="version", version=f"two_bone_ik {VERSION}", help=_HELP["version"])
    adder = root.add_subparsers(title="commands", dest="command", required=True, metavar="COMMAND")
    commands = {name: adder.add_parser(name, **texts, **_SHOWN) for name, texts in _HELP["commands"].items()}
    for name, command in commands.items():
        _add(command, "file", nargs="?" if name == "detect" else "*", metavar="FILE", type=_named)
        _add(command, "--enable-autoexec", action="store_true")
        if name != "switch":
            _add(command, "--import-fps", type=above_zero("a frame rate"), metavar="FPS")
            _add(command, "--import-scale", type=above_zero("a scale"), default=1.0, metavar="SCALE")
            _add(command, "--import-up", type=one_of(Up), metavar="AXIS")
            _add(command, "--import-height", type=above_zero("a height"), metavar="HEIGHT")
            _add(command, "--import-take", default="", metavar="NAME")
        if name != "detect":
            _add_shots(command)
    names = ("bake", "snap", "plant", "switch", "build", "detect")
    bake, snap, plant, switch, build, detect = (commands[name] for name in names)
    _add(switch, "--to", type=one_of(ControlSet))
    _add(switch, "--limb", dest="switched", action="append", metavar="NAME")
    _add_declared(commands, "plant", default=None)  # a setup file may give what is not given here
    _add_declared(commands, "keys")
    for command in (bake, snap, plant, switch, build):
        where = command.add_mutually_exclusive_group()
        _add(where, "--output", **_FILE)
        _add(where, "--in-place", action="store_true")
    _add(detect, "--rig", texts="arguments_of_detect", metavar="NAME")
    _add(detect, "--output", texts="arguments_of_detect", **_FILE)
    _add(detect, "--force", texts="arguments_of_detect", action="store_true")
    return root


def _add(group: Any, argument: str, *, texts: str = "arguments", **settings: Any) -> None:
    group.add_argument(argument, help=_filled(_HELP[texts][argument]), **settings)


def _filled(text: str) -> str:
    return text.replace("{takes}", " ".join(READABLE[1:])).replace("{formats}", " ".join(FORMATS))


def _add_declared(commands: Mapping[str, ArgumentParser], table: str, **default: Any) -> None:
    """Adds what options.toml has of this table for commands."""
    for name, row in declared(table).items():
        how: dict[str, Any] = {"type": reader(name), "metavar": row.get("metavar")}
        how |= {"action": "extend"} if row["type"] == "pairs" else {}
        how = {"action": "store_true"} if row["type"] == "bool" else how
        for command in row["commands"]:
            commands[command].add_argument(f"--{name.replace('_', '-')}", help=row["help"], **how, **default)


def _add_shots(command: ArgumentParser) -> None:
    """Adds the arguments of commands that work on shots."""
    command.set_defaults(output=None, in_place=False, report_detail=ReportDetail.FULL, **asdict(DEFAULTS))
    # In one list, so that their order tells which go together.
    _add(command, "--rig", dest="rigs", action="append", type=lambda name: (name, None), metavar="NAME")
    _add(command, "--setup", dest="rigs", action="append", type=lambda name: (None, Path(name)), metavar="FILE")
    _add(command, "--frames", type=frames, metavar="START:END[:STEP]")
    distance = number("a distance from 0 on", lambda value: 0.0 <= value < inf)
    _add(command, "--strict", type=distance, metavar="DISTANCE")
    _add(command, "--keep-going", action="store_true")
    _add(command, "--python-before", **_FILE)
    _add(command, "--python-after", **_FILE)
    _add(command, "--time-limit", type=above_zero("a number of seconds"), metavar="SECONDS")
    _add(command, "--force", action="store_true")
    _add(command, "--dry-run", action="store_true")
    _add(command, "--report", **_FILE)
    _add(command, "--report-detail", type=one_of(ReportDetail))
    _add(command, "--summary", **_FILE)
    _add(command, "--progress", choices=("plain", "openjd", "none"), default="plain")
    _add_many(command.add_argument_group("many files"))


def _add_many(many: Any) -> None:
    """Adds the arguments of runs over many shots."""
    _add(many, "--manifest", **_FILE)
    _add(many, "--allow-scripts", action="store_true")
    _add(many, "--shot", metavar="N")
    _add(many, "--path-mapping", **_FILE)
    _add(many, "--output-dir", type=Path, metavar="DIR")
    _add(many, "--format", dest="formats", type=formats, default=(BLEND,), metavar="FORMATS")
    _add(many, "--jobs", type=jobs, nargs="?", const=os.cpu_count(), default=0, metavar="N")
    _add(many, "--log-dir", type=Path, metavar="DIR")
