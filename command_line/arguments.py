"""The arguments of the command line."""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from threading import TIMEOUT_MAX
from typing import Any, NoReturn

from ..blender.key_settings import DEFAULTS, Keys, Measure
from ..blender.messages.refused import Refused

_EPILOG = """\
exit status, of many files the highest:
  0   done
  3   done, but a target was out of reach and --strict was given
  4   keyed, but Blender does not pose it so
  5   refused; one line on stderr says why, and nothing was written
  6   crashed
  7   interrupted
  64  the command line makes no sense
"""
_BAKE = """\
Bake the chains of a file, or of all files of a manifest, into plain keys.

  %(prog)s shot.blend --setup hero.toml --output baked.blend
  %(prog)s --manifest season.toml --output-dir baked --jobs 8
  %(prog)s --manifest season.toml --output-dir baked --shot 12
"""
_SNAP = """\
The way back: key target and pole target over the range so that they follow the limbs as they move now. A bake from them
gives that motion back.

  %(prog)s shot.blend --setup hero.toml --output with_targets.blend
"""
_CHECK = """\
Tell on which frames targets are out of reach or limbs flip. No file is changed.

  %(prog)s shot.blend --strict && echo "all targets are within reach"
"""
_DETECT = """\
Find the limbs of a rig, tell why, and write their chains, and those that the rig has already, to a setup file.

  %(prog)s hero.blend --output hero.toml
"""


class _Parser(ArgumentParser):
    """Reports what is wrong in one line, as every other refusal does."""

    def error(self, message: str) -> NoReturn:
        raise Refused("ARGUMENTS.wrong", value=message, program=self.prog)


def parser(usage: str) -> ArgumentParser:
    """The parser; `usage` is what users write before the name of a command."""
    found = _Parser(
        usage,
        description="Two-bone limbs, solved in closed form and keyed.",
        epilog=_EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    commands = found.add_subparsers(title="commands", dest="command", required=True, metavar="COMMAND")
    bake = _shots(_command(commands, "bake", "key the chains over a range of frames", _BAKE))
    bake.add_argument("--keys", type=_one_of(Keys), help=f"{', '.join(Keys)}; the first by default")
    bake.add_argument("--tolerance", type=float, metavar="DISTANCE", help="for REDUCED; %(default)g by default")
    _shots(_command(commands, "check", "tell where targets are out of reach", _CHECK))
    snap = _shots(_command(commands, "snap", "key the targets so that they follow the pose", _SNAP))
    for command in (bake, snap):
        command.add_argument(
            "--measure",
            type=_one_of(Measure),
            metavar="FRAMES",
            help=f"{', '.join(Measure)}: on which frames to look afterwards whether what plays is what was keyed; "
            "the first by default: all up to 64, and some of more",
        )
        where = command.add_mutually_exclusive_group()
        where.add_argument("--output", type=Path, metavar="FILE", help="the file to write")
        where.add_argument("--in-place", action="store_true", help="write the file that was read")
    detect = _command(commands, "detect", "find the limbs of a rig and write a setup file", _DETECT)
    detect.add_argument("--rig", metavar="NAME", help="the armature, where the file has several")
    detect.add_argument("--output", type=Path, metavar="FILE", help="the setup file to write")
    return found


def _command(commands: Any, name: str, summary: str, description: str) -> ArgumentParser:
    """Adds a command with the arguments that all commands have."""
    command = commands.add_parser(
        name, help=summary, description=description, epilog=_EPILOG, formatter_class=RawDescriptionHelpFormatter
    )
    command.add_argument("file", nargs="?", type=Path, metavar="FILE", help="a .blend file; else the one that is open")
    return command


def _shots(command: ArgumentParser) -> ArgumentParser:
    """Adds the arguments of commands that work on shots."""
    command.set_defaults(output=None, in_place=False, **asdict(DEFAULTS))
    command.add_argument(
        "--rig",
        action="append",
        metavar="NAME",
        help="the armature, more than once for several; by default all that have chains, with --setup the only one",
    )
    command.add_argument("--setup", type=Path, metavar="FILE", help="a setup file, whose chains are added to the rig")
    command.add_argument(
        "--frames",
        type=frames,
        metavar="START:END[:STEP]",
        help="by default the scene's range; write --frames=-5:20 where it begins below zero",
    )
    command.add_argument(
        "--enable-autoexec", action="store_true", help="run Python that FILE brings along, as drivers may need it"
    )
    command.add_argument(
        "--strict",
        action="store_true",
        help="exit with 3 where a target is out of reach, and refuse a file that Blender says is damaged",
    )
    command.add_argument("--report", type=Path, metavar="FILE", help="write what was found to a JSON file")
    command.add_argument(
        "--progress",
        choices=("plain", "openjd", "none"),
        default="plain",
        help="a bar on a terminal, else a line now and then; as Open Job Description wants it; or none",
    )
    many = command.add_argument_group("many files")
    many.add_argument("--manifest", type=Path, metavar="FILE", help="shots in TOML: docs/command_line_and_python.md")
    many.add_argument("--shot", metavar="N", help="only these shots of the manifest, from 1 on: 7, 1-10, 1-9:2, 1,4,8")
    many.add_argument(
        "--path-mapping", type=Path, metavar="FILE", help="rules of Open Job Description for paths in the manifest"
    )
    many.add_argument("--output-dir", type=Path, metavar="DIR", help="where outputs and reports of the shots go")
    many.add_argument(
        "--jobs",
        type=int,
        nargs="?",
        const=os.cpu_count(),
        default=0,
        metavar="N",
        help="in N Blenders of their own, where a file that crashes one costs nothing but itself; N is by default the "
        "number of processors, and without --jobs this Blender does it",
    )
    many.add_argument(
        "--time-limit",
        type=_seconds,
        metavar="SECONDS",
        help="with --jobs, stop a Blender that takes longer over a shot",
    )
    return command


def frames(text: str) -> tuple[float, float, float]:
    """START:END[:STEP] as numbers."""
    parts = text.split(":")
    try:
        start, end, step = map(float, parts if len(parts) == 3 else [*parts, "1"])
    except ValueError:
        raise ArgumentTypeError(f'"{text}" is not START:END or START:END:STEP') from None
    return start, end, step


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < TIMEOUT_MAX:
        raise ArgumentTypeError(f'"{text}" is not a number of seconds above 0')
    return seconds


def _one_of(choices: type[StrEnum]) -> Callable[[str], StrEnum]:
    """Reads one of these words, in capital or small letters."""

    def chosen(text: str) -> StrEnum:
        try:
            return choices(text.upper())
        except ValueError:
            raise ArgumentTypeError(f'"{text}" is not one of {", ".join(choices)}') from None

    return chosen
