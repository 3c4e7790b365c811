"""The shots that rows stand for: patterns of files, and of animations in a file, stand for all that fit."""

import glob
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from ..blender.messages.refused import Refused
from ..blender.takes.animations import names
from .rows import Rows

PathMapping = Callable[[str], Path]

_MOST_ENTRIES = 100_000
"""Files and folders that are looked at for a pattern: more are those of a whole disk, and take minutes."""

_VARIABLE = re.compile(r"\$(?:\w+|\{[^}]*\})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What lists shots.

    source : what it is called in messages
    home : the folder that paths are relative to
    mapped : maps a path to this machine
    allows_scripts : shots may say which Python runs in their files
    """

    source: str
    home: Path
    mapped: PathMapping
    allows_scripts: bool = False

    def path(self, text: str, where: str, key: str) -> Path:
        """The path at its place on this machine."""
        return self.home / self.mapped(filled(text, where, key))

    def file(self, name: str, text: str, where: str) -> Path:
        """A file by its name, as written in `text` or as the pattern there has found it; Refused if it found none."""
        path = self.path(text, where, "file") if name == text else self.home / name
        if name == text and glob.has_magic(text) and not path.exists():
            raise Refused("NO_FILE.matching", value=text, where=self.source)
        return path


def files(
    rows: Rows, listing: Listing, folder: Path | None, take: str
) -> tuple[Sequence[int], Sequence[str], Sequence[str]]:
    """For each shot the place of its row, its file as it is written or as a pattern finds it, and its animation or "".

    take : the animation, or a pattern, where a row has none
    """
    patterns = [own or take for own in rows.takes]
    if not glob.has_magic("\n".join((*rows.files, *patterns))):
        return range(len(rows.files)), rows.files, [""] * len(rows.files)
    found = [
        (place, file, animation)
        for place, (text, pattern) in enumerate(zip(rows.files, patterns, strict=True))
        for file in _fitting(text, listing, folder)
        for animation in _fitting_animations(file, text, pattern, listing)
    ]
    places, files, takes = zip(*found, strict=True)
    return places, files, takes


def _fitting(pattern: str, listing: Listing, folder: Path | None) -> Iterator[str]:
    """All files that fit the pattern, but for those in the folder of outputs; text that finds none as it is."""
    if not glob.has_magic(pattern):
        yield pattern
        return
    text = str(listing.mapped(os.path.expandvars(pattern)))
    if "\0" in text or os.path.exists(listing.home / text):
        yield pattern
        return
    outputs = os.path.abspath(folder) if folder else None
    # The folder of the manifest may have brackets in its name.
    whole = str(Path(glob.escape(str(listing.home))) / text)
    _refuse_too_wide(whole, pattern, listing)
    names = [name for name in sorted(glob.glob(whole, recursive=True)) if not os.path.isdir(name)]
    paths = [Path(name) for name in names if not (outputs and Path(os.path.abspath(name)).is_relative_to(outputs))]
    for path in paths:
        yield str(path.relative_to(listing.home) if path.is_relative_to(listing.home) else path)
    if not paths:
        yield pattern


def _fitting_animations(file: str, text: str, pattern: str, listing: Listing) -> Sequence[str]:
    """All animations of the file that fit the pattern; [""] where none does, and where it is no pattern."""
    if not glob.has_magic(pattern):
        return [""]
    where = f'"{text}" in {listing.source}'
    found = names(listing.file(file, text, where))
    return [name for name in found if name == pattern or fnmatchcase(name, pattern)] or [""]


def _refuse_too_wide(whole: str, pattern: str, listing: Listing) -> None:
    """Raise `Refused` if more than `_MOST_ENTRIES` lie in the folders that the first ** of a pattern goes through."""
    parts = Path(whole).parts
    if "**" not in parts:
        return
    entries = glob.iglob(os.path.join(*parts[: parts.index("**") + 1]), recursive=True)
    if sum(1 for _ in islice(entries, _MOST_ENTRIES + 1)) > _MOST_ENTRIES:
        raise Refused("PATTERN_TOO_WIDE", value=pattern, where=listing.source, count=_MOST_ENTRIES)


def filled(text: str, where: str, key: str) -> str:
    """The text with its environment variables filled in."""
    expanded = os.path.expandvars(text)
    if left := _VARIABLE.search(expanded):
        raise Refused("VARIABLE", value=left[0], where=where, key=key, text=text)
    return expanded
