"""A list of shots, for one machine or a farm: a manifest in TOML, or FILEs of the command line.

    [[shot]]
    file = "seq1/sh010.blend"
    name = "intro"
    setup = "hero.toml"
    rig = "Hero"
    frames = "1:120"
    output = "sh010_baked.blend"
    formats = ["blend", "fbx"]

Only `file` is needed; [defaults] and then the command line give what a shot leaves out. A pattern as `file` stands for
all files that fit, and one as `import_take` for all animations of a file: each is a shot. `rig` may be a list, also of
tables with `name` and `setup`: [[shot.rig]]. $VARIABLES of the environment in paths are filled in. Paths are relative
to the manifest, except for `output`, which is relative to the folder for outputs. By default an output has the path of
its file in that folder, and a file outside of the manifest's folder that path without "..". No output leaves it. By
default a shot has the path of its file without suffix as its name, or the last part of that if no other shot has it.
"""

import json
import os
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any

from ..blender.files import atomic_write, toml_file
from ..blender.messages.refused import Refused
from . import patterns, record, shot_names, shot_options
from .formats import FORMATS
from .patterns import Listing, PathMapping
from .rows import Rows
from .shot import RigSetup, Shot, repeated
from .text_values import of_table

_HOOKS = ("python_before", "python_after")
_SCRIPTS = (*_HOOKS, "enable_autoexec")
"""What runs Python: a manifest may come from elsewhere, so that the command line has to allow it."""

_TABLES = ("plant", "switch")
_SHARED = ("setup", "rig", "frames", "formats", *shot_options.NAMES, *_HOOKS, *shot_options.PLANT_NAMES, *_TABLES)
"""What shots and [defaults] may have."""

_KEYS = ("file", "name", *_SHARED, "output")


class Shots:
    """The shots of a list by their numbers, from 1 on; until one is asked for, only its file and name are read."""

    def __init__(self, rows: Rows, listing: Listing, arguments: Namespace, common: Shot) -> None:
        """`common` gives what shots leave out, and the arguments say which are chosen, and have folders to write to."""
        self._rows, self._listing, self._arguments, self._common = rows, listing, arguments, common
        of_defaults = f"[defaults] of {listing.source}"
        toml_file.refuse_unknown(of_defaults, rows.defaults, _SHARED)
        self._defaults = shot_options.gathered(of_defaults, rows.defaults)
        take = str(self._defaults.get("import_take", common.import_take))
        self._places, self._files, self._takes = patterns.files(rows, listing, arguments.output_dir, take)
        self._endings = shot_names.endings(self._takes)
        texts = [rows.files[place] for place in self._places]
        self._bases = shot_names.outputs(self._files, texts, self._endings, listing)
        self._names = shot_names.names([rows.names[place] for place in self._places], self._files, self._endings)
        self._counts = Counter(self._names)
        self._numbers = {name: number for number, name in enumerate(self._names, 1)}

    def chosen(self) -> dict[int, Shot]:
        """Those that the arguments choose. Refused if one makes no sense; a dry run goes on, and tells each fault."""
        places: dict[str, int] = {}
        chosen: dict[int, Shot] = {}
        for number in shot_names.chosen(self._arguments.shot, len(self._files), self._numbers):
            try:
                shot = self.shot(number)
                if shot.report and (other := places.setdefault(_folded(shot.report), number)) != number:
                    raise self._same_output(shot, other)
            except Refused as fault:
                if not self._arguments.dry_run:
                    raise
                file, take = Path(self._files[number - 1]), self._takes[number - 1]
                shot = replace(self._named(number), file=file, import_take=take, fault=fault)
            chosen[number] = shot
        return chosen

    def shot(self, number: int) -> Shot:
        """The shot of this number; Refused if it makes no sense."""
        at, where = number - 1, self._where(number)
        table = shot_options.gathered(where, self._rows.read(self._places[at]))
        entry = _Entry(where, _filled_in(table, self._defaults), self._listing)
        if "name" in table:
            shot_names.refuse_name(self._names[at], self._counts[self._names[at]])
        base, ending = self._bases[at], self._endings[at]
        named = self._named(number)
        return entry.shot(self._files[at], self._takes[at], named, self._arguments, base=base, ending=ending)

    def refuse_other(self, shot: Shot, report: Mapping[str, Any]) -> None:
        """Raise `Refused` if the report that lies in the place of the shot's is that of another shot of the list.

        The rows of a list may have moved since, and names may have changed: what counts is where the other writes now.
        """
        number, name = report.get("shot"), str(report.get("name"))
        is_there = isinstance(number, int) and 0 < number <= len(self._names)
        if not is_there or self._names[number - 1] != name:
            number = self._numbers.get(name, number if is_there else shot.number)
        if number != shot.number and self._place(number) == _folded(shot.report):
            raise self._same_output(shot, number)

    def _place(self, number: int) -> str:
        with suppress(Refused):
            return _folded(self.shot(number).report)
        return ""

    def _where(self, number: int) -> str:
        return f"Shot {number} of {self._listing.source}"

    def _named(self, number: int) -> Shot:
        return replace(self._common, number=number, name=self._names[number - 1])

    def _same_output(self, shot: Shot, other: int) -> Refused:
        assert shot.number
        place, where = str(next(iter(shot.outputs), shot.report)), self._where(shot.number)
        file, other_file = (f"{self._files[at - 1]} {self._takes[at - 1]}".rstrip() for at in (shot.number, other))
        named: dict[str, Any] = {"value": place, "where": where, "file": file, "other": other, "other_file": other_file}
        return Refused("SAME_OUTPUT.row" if self._arguments.manifest else "SAME_OUTPUT.file", **named)


def _filled_in(table: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """The table of a row filled in from [defaults], with the tables that both have."""
    if os.path.splitext(str(table.get("output", "")))[1].lower() in FORMATS:  # it says the format
        defaults = {key: value for key, value in defaults.items() if key != "formats"}
    both = [key for key in defaults.keys() & table.keys() if isinstance(defaults[key], dict)]
    inner = {key: defaults[key] | table[key] for key in both if isinstance(table[key], dict)}
    return defaults | table | inner


@dataclass(frozen=True, slots=True)
class _Entry:
    """A shot of the list.

    where : for messages
    """

    where: str
    table: Mapping[str, Any]
    listing: Listing

    def __post_init__(self) -> None:
        toml_file.refuse_unknown(self.where, self.table, _KEYS)
        if "name" in self.table:
            self._text(self.table, "name")
        if "file" not in self.table or not self._text(self.table, "file"):
            raise Refused("NO_FILE.in_shot", where=self.where)

    def shot(self, file: str, take: str, common: Shot, arguments: Namespace, *, base: str, ending: str) -> Shot:
        """The shot, which writes into the folders that the arguments give.

        take : the animation that was found by a pattern, otherwise ""; `ending` is what names have for it
        base : the path of its outputs there without their suffix, if its row names none
        """
        options = self._options(common) | ({"import_take": take} if take else {})
        path = self.listing.file(file, self.table["file"], self.where)
        shot = replace(common, file=path, is_open=False, rigs=self._rigs(common), **options)
        own, written = self._outputs(common)
        base = own + ending if own else base
        if arguments.log_dir:
            shot = replace(shot, log=_below(arguments.log_dir, base, record.LOG_SUFFIX, self))
        if arguments.output_dir:
            report = _below(arguments.output_dir, base, record.SUFFIX, self)
            outputs = [_below(arguments.output_dir, base, suffix, self) for suffix in written]
            shot = replace(shot, outputs=() if shot.command == "check" else tuple(outputs), report=report)
        return shot

    def _outputs(self, common: Shot) -> tuple[str, Sequence[str]]:
        """The path that the row names for outputs in their folder, without suffix, "" for none; and their suffixes."""
        says_formats = "formats" in self.table
        suffixes: Sequence[str] = common.formats
        if says_formats:
            texts = toml_file.texts(self.where, "formats", self.table["formats"])
            suffixes = of_table(self.where, "formats", ",".join(texts))
        if "output" not in self.table:
            return "", suffixes
        output = patterns.filled(self._text(self.table, "output"), self.where, "output")
        base, suffix = os.path.splitext(output)
        if suffix.lower() in FORMATS:
            return base, suffixes if says_formats else (suffix,)
        if not says_formats:
            _below(Path(), output, "", self)
            raise Refused("OUTPUT_FORMAT", value=output, known=", ".join(FORMATS))
        return output, suffixes

    def _rigs(self, common: Shot) -> tuple[RigSetup, ...]:
        """The armatures, each with its own setup or that of the shot."""
        if not self.table.keys() & {"rig", "setup"}:
            return common.rigs
        shared = {rig.setup for rig in common.rigs}
        if len(shared) > 1:
            raise Refused("SETUP_OF_RIG.many", where=self.where)
        setup = self._path(self.table, "setup") if "setup" in self.table else shared.pop()
        if not self.table.get("rig"):
            return tuple(replace(rig, setup=setup) for rig in common.rigs)
        names = self.table["rig"]
        rigs = [self._rig(item, setup) for item in (names if isinstance(names, list) else [names])]
        if (twice := repeated([rig.name for rig in rigs])) is not None:
            raise Refused("SAME_RIG", value=twice, where=self.where)
        return tuple(rigs)

    def _options(self, common: Shot) -> dict[str, Any]:
        """The options by the fields of a shot, as far as the table has them; `common` gives other options of Plant."""
        scripts = [name for name in _SCRIPTS if self.table.get(name)]
        if scripts and not self.listing.allows_scripts:
            raise Refused("SCRIPTS_NOT_ALLOWED", where=self.where, value=", ".join(scripts))
        plant, switch = (toml_file.table(self.where, name, self.table, of_shot=True) for name in _TABLES)
        fields = shot_options.read(self.where, self.table) | shot_options.read_switch(self.where, switch)
        fields["plant"] = {**common.plant, **shot_options.read_plant(self.where, plant)}
        fields |= {name: self._path(self.table, name) for name in _HOOKS if name in self.table}
        if "frames" in self.table:
            fields["frames"] = of_table(self.where, "frames", self.table["frames"])
            start, end, _ = fields["frames"]
            if end < start:
                raise Refused("EMPTY_FRAMES", where=self.where, value=self.table["frames"])
        return fields

    def _rig(self, item: Any, setup: Path | None) -> RigSetup:
        if not isinstance(item, dict):
            return RigSetup(name=self._text({"rig": item}, "rig"), setup=setup)
        toml_file.refuse_unknown(self.where, item, ("name", "setup"))
        if not item.get("name"):
            raise Refused("NO_RIG.unnamed", where=self.where)
        return RigSetup(name=self._text(item, "name"), setup=self._path(item, "setup") if "setup" in item else setup)

    def _path(self, table: Mapping[str, Any], key: str) -> Path:
        return self.listing.path(self._text(table, key), self.where, key)

    def _text(self, table: Mapping[str, Any], key: str) -> str:
        (text,) = toml_file.texts(self.where, key, [table[key]])
        return text


def _folded(path: Path | None) -> str:
    """The path for a comparison: some file systems take names that differ in case alone as the same."""
    return str(path).casefold()


def _below(folder: Path, base: str, suffix: str, entry: _Entry) -> Path:
    """The path of a file in the folder; Refused if it leaves the folder, or is the folder."""
    # Without "..", which leads elsewhere behind a link.
    path = Path(os.path.abspath(folder / base))
    if not path.parent.is_relative_to(os.path.abspath(folder)):
        raise Refused("OUTSIDE", value=entry.table.get("output", base), where=entry.where, folder=folder)
    return path.with_name(path.name + suffix)


_KINDS: dict[str, type[PurePath]] = {"POSIX": PurePosixPath, "WINDOWS": PureWindowsPath}


def mapping(path: Path | None) -> PathMapping:
    """A function that maps paths by the rules in this JSON file; without a file it returns them unchanged."""
    if path is None:
        return Path
    try:
        content = json.loads(atomic_write.text(path))
        rules = [
            (_KINDS[rule["source_path_format"]](rule["source_path"]), Path(rule["destination_path"]))
            for rule in content.get("path_mapping_rules", [])
        ]
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        raise Refused("NO_RULES", value=str(path)) from None

    def mapped(text: str) -> Path:
        for source, destination in rules:
            path = type(source)(text)
            if path.is_relative_to(source):
                return destination.joinpath(*path.relative_to(source).parts)
        return Path(text)

    return mapped
