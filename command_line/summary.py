"""A file with a line of JSON for each shot that has ended, which other programs may follow while a run goes on."""

import json
import os
from contextlib import suppress
from pathlib import Path

from ..blender.files import atomic_write
from ..blender.messages.refused import Refused
from . import record
from .outcome import Outcome
from .shot import Shot


class Summary:
    """Adds lines to the file; without one it does nothing.

    fault : why a line could not be written, as when a disk is full; the shots go on
    raises : Refused if the file cannot be written from the first, or is another program's
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.fault: Refused | None = None
        if path:
            atomic_write.refuse_unwritable(path)
            _refuse_foreign(path)

    def add(self, shot: Shot, found: Outcome) -> None:
        """Add a line for a shot that has ended."""
        if self._path:
            told = {
                "schema": record.SCHEMA,
                **record.named(shot),
                "report": shot.report and str(shot.report),
                "state": found.state,
                "status": int(found.status),
                "started": found.started,
                "seconds": found.seconds,
                "frames": found.frames,
                "worst_miss": found.worst_miss,
                "reason": found.text,
                "damage": found.damage,
                "versions": record.VERSIONS,
            }
            try:
                _append(self._path, json.dumps(told, allow_nan=False))
            except OSError as error:
                self.fault = Refused("UNWRITABLE", value=str(self._path), reason=error.strerror)


def _append(path: Path, line: str) -> None:
    """Add the line in one piece, so that several runs can share the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+", buffering=0) as file:
        # After a full disk, the last line may be half of one.
        begun = bool(file.seek(0, 2)) and (file.seek(-1, 2), file.read(1))[1] != b"\n"
        file.write(f"{chr(10) * begun}{line}\n".encode())


def _refuse_foreign(path: Path) -> None:
    if not os.path.exists(path) or not path.stat().st_size:
        return
    with atomic_write.opened(path) as file, suppress(ValueError, RecursionError):
        first = json.loads(file.readline(atomic_write.LARGEST_TEXT))
        if isinstance(first, dict) and first.keys() >= {"schema", "state", "versions"}:
            return
    raise Refused("OVERWRITE.other", value=str(path))
