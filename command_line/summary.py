"""A file with a line of JSON for each shot that has ended, which other programs may follow while a run goes on."""

import json
from contextlib import suppress
from io import FileIO
from os import SEEK_END
from pathlib import Path

from ..blender.files import atomic_write, file_lock
from ..blender.messages.refused import Refused
from . import record
from .outcome import Outcome
from .shot import Shot

_BEGIN = b'{"schema": '
"""With this begins each line."""


class Summary:
    """Adds lines to the file; does nothing without a file.

    fault : why a line could not be written, as when a disk is full; the shots go on
    raises : Refused if the file cannot be written, or is another program's
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.fault: Refused | None = None
        if path:
            atomic_write.refuse_unwritable(path)
            _refuse_foreign(path)

    def add(self, shot: Shot, ended: Outcome) -> None:
        """Add a line for a shot that has ended."""
        if self._path:
            line = {**record.named(shot), "report": shot.report and str(shot.report), **ended.as_dict()}
            try:
                _append(self._path, json.dumps(line, allow_nan=False))
            except OSError as error:
                self.fault = Refused("UNWRITABLE", value=str(self._path), reason=error.strerror)


def _append(path: Path, line: str) -> None:
    """Add the line in one piece, so that several runs can share the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+", buffering=0) as file:
        if _is_cut_off(file):
            with file_lock.locked(path):
                _complete(file)
        file.write(f"{line}\n".encode())


def _is_cut_off(file: FileIO) -> bool:
    """Whether the last line has no end: after a full disk, it may be half of one."""
    return bool(file.seek(0, SEEK_END)) and (file.seek(-1, SEEK_END), file.read(1))[1] != b"\n"


def _complete(file: FileIO) -> None:
    """Remove the half of a line at the end, or give a whole one its end."""
    if _is_cut_off(file):  # another run may have been first
        file.seek(0)
        *lines, last = file.readall().split(b"\n")
        if _is_ours(last):
            file.write(b"\n")
        else:
            file.truncate(sum(map(len, lines)) + len(lines))


def _is_ours(line: bytes) -> bool:
    with suppress(ValueError, RecursionError):
        content = json.loads(line)
        return isinstance(content, dict) and content.keys() >= {"schema", "state", "versions"}
    return False


def _refuse_foreign(path: Path) -> None:
    first = atomic_write.first_line(path)
    is_begun = first.startswith(_BEGIN) and not first.endswith(b"\n")
    if not (is_begun or _BEGIN.startswith(first) or _is_ours(first)):
        raise Refused("OVERWRITE.other", value=str(path))
