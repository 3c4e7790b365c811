"""A list of shots in TOML, for one machine or a farm:

    [[shot]]
    file = "seq1/sh010.blend"
    setup = "hero.toml"
    rig = "Hero"
    frames = "1:120"
    output = "sh010_baked.blend"

Only `file` is needed; the command line gives what a shot leaves out. Paths are relative to the manifest, except for
`output`, which is relative to the folder for outputs. By default an output has the path of its file in that folder, and
a file outside of the manifest's folder that path without "..". No output leaves the folder.
"""

import os
import re
from argparse import ArgumentTypeError
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..blender.files import toml_file
from ..blender.messages.refused import Refused
from .arguments import frames
from .path_mapping import PathMapping
from .shot import Shot

_KEYS = ("file", "setup", "rig", "frames", "output")
_SPAN = re.compile(r"([1-9]\d*)(?:-([1-9]\d*)(?::([1-9]\d*))?)?")


def shots(path: Path, folder: Path | None, common: Shot, mapped: PathMapping) -> dict[int, Shot]:
    """The shots by number, from 1 on; `common` gives what they leave out. Refused if one makes no sense.

    folder : for outputs and reports; None if none are written
    mapped : maps a path of the manifest to this machine
    """
    home = path.absolute().parent
    found: dict[int, Shot] = {}
    outputs: dict[Path, int] = {}
    for number, table in enumerate(toml_file.tables(path, "shot"), 1):
        where = f'Shot {number} of "{path}"'
        shot = _shot(where, table, common, lambda name: home / mapped(name))
        if folder:
            output = _below(folder, _output(table, shot.file, home), where)
            if output in outputs:
                raise Refused("SAME_OUTPUT", value=str(output), where=where, other=outputs[output])
            outputs[output] = number
            writes = shot.command != "check"
            shot = replace(shot, output=output if writes else None, report=output.with_suffix(".json"))
        found[number] = shot
    return found


def numbers(text: str | None, count: int) -> list[int]:
    """The numbers in a range expression such as 7, 1-10, 1-9:2 or 1,4,8; None gives all `count`."""
    if text is None:
        return list(range(1, count + 1))
    found: list[int] = []
    for part in text.split(","):
        span = _SPAN.fullmatch(part.strip())
        first, last, step = (int(item) for item in span.groups("0")) if span else (0, 0, 0)
        part_of = range(first, (last or first) + 1, step or 1)
        if not (span and part_of):
            raise Refused("ARGUMENTS.shot", value=text)
        found += part_of
    for number in found:
        if not 1 <= number <= count:
            raise Refused("SHOT", value=number, count=count)
    return list(dict.fromkeys(found))


def _shot(where: str, table: Mapping[str, Any], common: Shot, located: PathMapping) -> Shot:
    toml_file.refuse_unknown(where, table, _KEYS)
    rigs = table.get("rig", list(common.rigs))
    rigs = rigs if isinstance(rigs, list) else [rigs]
    texts = {key: value for key, value in table.items() if key != "rig"} | {f"rig {item}": item for item in rigs}
    for key, value in texts.items():
        if not isinstance(value, str):
            raise Refused("WRONG_TYPE.text", value=value, where=where, key=key)
    if "file" not in table:
        raise Refused("NO_FILE.in_shot", where=where)
    return replace(
        common,
        file=located(table["file"]),
        is_open=False,
        setup=located(table["setup"]) if "setup" in table else common.setup,
        rigs=tuple(rigs),
        frames=_frames(where, table, common),
    )


def _frames(where: str, table: Mapping[str, Any], common: Shot) -> tuple[float, float, float] | None:
    try:
        return frames(table["frames"]) if "frames" in table else common.frames
    except ArgumentTypeError as error:
        raise Refused("FRAMES", where=where, error=error) from None


def _output(table: Mapping[str, Any], file: Path, home: Path) -> Path:
    """The path of the output in the folder for outputs."""
    if "output" in table:
        return Path(table["output"])
    seen = Path(os.path.normpath(file.relative_to(home))) if file.is_relative_to(home) else Path(file.name)
    return Path(*(part for part in seen.parts if part != os.pardir))


def _below(folder: Path, output: Path, where: str) -> Path:
    """The path of the output; Refused if it leaves the folder."""
    # Without "..", which leads elsewhere behind a link.
    found = Path(os.path.abspath(folder / output))
    if not found.is_relative_to(os.path.abspath(folder)):
        raise Refused("OUTSIDE", value=str(output), where=where, folder=folder)
    return found
