"""A list of shots in TOML, for one machine or a farm:

    [[shot]]
    file = "seq1/sh010.blend"
    setup = "hero.toml"
    rig = "Hero"
    frames = "1:120"
    output = "sh010_baked.blend"

Only `file` is needed; [defaults] and then the command line give what a shot leaves out. A pattern as `file` stands for
all files that fit. `rig` may be a list, also of tables with `name` and `setup`: [[shot.rig]]. $VARIABLES of the
environment in paths are filled in. Paths are relative to the manifest, except for
`output`, which is relative to the folder for outputs. By default an output has the path of its file in that folder, and
a file outside of the manifest's folder that path without "..". No output leaves the folder.
"""

import glob
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..blender.files import toml_file
from ..blender.messages.refused import Refused
from . import plant_options, record
from .path_mapping import PathMapping
from .rig_setup import RigSetup, repeated
from .shot import Shot
from .text_values import frames, of_table

_SHARED = ("setup", "rig", "frames", *plant_options.NAMES)
_KEYS = ("file", *_SHARED, "output")
_SPAN = re.compile(r"([1-9]\d*)(?:(-)([1-9]\d*)?(?::([1-9]\d*))?)?")
_VARIABLE = re.compile(r"\$(?:\w+|\{[^}]*\})")


def shots(path: Path, folder: Path | None, logs: Path | None, common: Shot, mapped: PathMapping) -> dict[int, Shot]:
    """The shots by number, from 1 on; `common` gives what they leave out. Refused if one makes no sense.

    folder : for outputs and reports; None if none are written
    logs : the folder for logs, or None
    mapped : maps a path of the manifest to this machine
    """
    home = path.absolute().parent
    by_number: dict[int, Shot] = {}
    outputs: dict[Path, int] = {}
    for table in _tables(path):
        entry = _Entry(f'Shot {len(by_number) + 1} of "{path}"', table, home, mapped)
        for file in entry.files(folder):
            number = len(by_number) + 1
            shot = replace(
                common, number=number, file=file, is_open=False, rigs=entry.rigs(common), **entry.asked(common)
            )
            if logs:
                log = _below(logs, entry.output(file), entry.where).with_suffix(record.LOG_SUFFIX)
                shot = replace(shot, log=log)
            if folder:
                output = _below(folder, entry.output(file), entry.where)
                if output in outputs:
                    raise Refused("SAME_OUTPUT", value=str(output), where=entry.where, other=outputs[output])
                outputs[output] = number
                writes = shot.command != "check"
                shot = replace(shot, output=output if writes else None, report=output.with_suffix(record.SUFFIX))
            by_number[number] = shot
    return by_number


def numbers(text: str | None, count: int) -> list[int]:
    """The numbers in a range expression such as 7, 1-10, 1-9:2, 191- or 1,4,8; None gives all `count`.

    A range that goes on beyond `count`, as the last task of a farm may ask for it, ends there.
    """
    if text is None:
        return list(range(1, count + 1))
    chosen: list[int] = []
    for part in text.split(","):
        span = _SPAN.fullmatch(part.strip())
        if not span:
            raise Refused("ARGUMENTS.shot", value=text)
        first = int(span[1])
        last = int(span[3] or count) if span[2] else first
        if first > count:
            raise Refused("SHOT", value=first, count=count)
        if last < first:
            raise Refused("ARGUMENTS.shot", value=text)
        chosen += range(first, min(last, count) + 1, int(span[4] or 1))
    return list(dict.fromkeys(chosen))


def _tables(path: Path) -> list[dict[str, Any]]:
    """The tables of the shots, filled in from [defaults]."""
    tables, others = toml_file.tables(path, "shot", "defaults")
    toml_file.refuse_empty(path, "shot", tables)
    defaults = toml_file.table(path, "defaults", others)
    toml_file.refuse_unknown(f'[defaults] of "{path}"', defaults, _SHARED)
    return [defaults | table for table in tables]


@dataclass(frozen=True, slots=True)
class _Entry:
    """One [[shot]] of a manifest, which may stand for several files.

    where : for messages
    home : the folder of the manifest
    """

    where: str
    table: Mapping[str, Any]
    home: Path
    mapped: PathMapping

    def __post_init__(self) -> None:
        toml_file.refuse_unknown(self.where, self.table, _KEYS)
        if "file" not in self.table:
            raise Refused("NO_FILE.in_shot", where=self.where)

    def files(self, folder: Path | None) -> list[Path]:
        """The file, or all that fit it as a pattern, but for those in the folder of outputs."""
        text = self._filled(self.table, "file")
        if not text:
            raise Refused("NO_FILE.in_shot", where=self.where)
        pattern = self.mapped(text)
        path = self.home / pattern
        if os.path.exists(path) or not glob.has_magic(str(pattern)):
            return [path]
        outputs = os.path.abspath(folder) if folder else None
        # The folder of the manifest may have brackets in its name.
        names = sorted(glob.glob(str(Path(glob.escape(str(self.home))) / pattern), recursive=True))
        paths = [Path(name) for name in names if not (outputs and Path(os.path.abspath(name)).is_relative_to(outputs))]
        if not paths:
            raise Refused("NO_FILE.matching", value=self.table["file"], where=self.where)
        return paths

    def rigs(self, common: Shot) -> tuple[RigSetup, ...]:
        """The armatures, each with its own setup or that of the shot."""
        if not self.table.keys() & {"rig", "setup"}:
            return common.rigs
        shared = {rig.setup for rig in common.rigs}
        if len(shared) > 1:
            raise Refused("SETUP_OF_RIG.many", where=self.where)
        setup = self._path(self.table, "setup") if "setup" in self.table else shared.pop()
        if not self.table.get("rig"):
            return tuple(replace(rig, setup=setup) for rig in common.rigs)
        given = self.table["rig"]
        rigs = [self._rig(item, setup) for item in (given if isinstance(given, list) else [given])]
        if (twice := repeated([rig.name for rig in rigs])) is not None:
            raise Refused("SAME_RIG", value=twice, where=self.where)
        return tuple(rigs)

    def asked(self, common: Shot) -> dict[str, Any]:
        """The range of frames, and what to plant, by the fields of a shot; what the table leaves out is as `common`."""
        plant = {key: value for key, value in self.table.items() if key in plant_options.NAMES}
        fields: dict[str, Any] = {"plant": {**common.plant, **plant_options.read(self.where, plant)}}
        if "frames" in self.table:
            fields["frames"] = of_table(self.where, "frames", self.table["frames"], frames)
        return fields

    def output(self, file: Path) -> Path:
        """The path of the file's output in the folder for outputs."""
        if "output" in self.table:
            return Path(self._filled(self.table, "output"))
        seen = (
            Path(os.path.normpath(file.relative_to(self.home))) if file.is_relative_to(self.home) else Path(file.name)
        )
        return Path(*(part for part in seen.parts if part != os.pardir))

    def _rig(self, item: Any, setup: Path | None) -> RigSetup:
        if not isinstance(item, dict):
            return RigSetup(name=self._text({"rig": item}, "rig"), setup=setup)
        toml_file.refuse_unknown(self.where, item, ("name", "setup"))
        if not item.get("name"):
            raise Refused("NO_RIG.unnamed", where=self.where)
        return RigSetup(name=self._text(item, "name"), setup=self._path(item, "setup") if "setup" in item else setup)

    def _path(self, table: Mapping[str, Any], key: str) -> Path:
        return self.home / self.mapped(self._filled(table, key))

    def _text(self, table: Mapping[str, Any], key: str) -> str:
        (text,) = toml_file.texts(self.where, key, [table[key]])
        return text

    def _filled(self, table: Mapping[str, Any], key: str) -> str:
        """The text with its environment variables filled in."""
        text = self._text(table, key)
        filled = os.path.expandvars(text)
        if left := _VARIABLE.search(filled):
            raise Refused("VARIABLE", value=left[0], where=self.where, key=key, text=text)
        return filled


def _below(folder: Path, output: Path, where: str) -> Path:
    """The path of the output; Refused if it leaves the folder, or is the folder."""
    # Without "..", which leads elsewhere behind a link.
    path = Path(os.path.abspath(folder / output))
    if not path.parent.is_relative_to(os.path.abspath(folder)):
        raise Refused("OUTSIDE", value=str(output), where=where, folder=folder)
    return path
