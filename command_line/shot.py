"""One shot: what is asked for, whether that was done before, and the report of what came out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .. import api
from ..blender import files
from ..blender.errors import Refused

Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """What is asked for.

    command : bake, check or snap
    file : the .blend file; what is open already where `is_open` is set
    rigs : names of armature objects; none for those that have chains
    output, report : where to write, or None
    """

    command: str
    file: Path
    is_open: bool = False
    enable_autoexec: bool = False
    setup: Path | None = None
    rigs: tuple[str, ...] = ()
    frames: tuple[float, float, float] | None = None
    keys: str = "EVERY_FRAME"
    tolerance: float = 1e-3
    output: Path | None = None
    report: Path | None = None

    def request(self) -> dict[str, Any]:
        """All that decides on the result, as JSON has it; of files their contents, by hash."""
        asked = {key: value for key, value in asdict(self).items() if key not in {"is_open", "output", "report"}}
        asked |= {key: asked[key] and _digest(asked[key]) for key in ("file", "setup")}
        return json.loads(json.dumps(asked))


def done_before(shot: Shot, request: dict[str, Any]) -> list[api.Report] | None:
    """What the report of an earlier run found, where that did just this and its output is there; else None."""
    if not (shot.report and shot.report.exists() and (shot.output is None or shot.output.exists())):
        return None
    try:
        record = json.loads(shot.report.read_text("utf-8"))
    except ValueError:
        return None  # somebody else's file
    if record.get("request") != request or "reports" not in record:
        return None
    return [api.Report.from_dict(report) for report in record["reports"]]


def record(path: Path, request: dict[str, Any], found: list[api.Report] | Refused) -> None:
    """Write the report of a shot."""
    content: dict[str, Any] = {"request": request}
    if isinstance(found, Refused):
        content["error"] = {"message": str(found), **{key: str(value) for key, value in vars(found).items()}}
    else:
        content["reports"] = [report.as_dict() for report in found]
    with files.replaced(path) as beside:
        beside.write_text(json.dumps(content, allow_nan=False), "utf-8")


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise Refused(
            '"{value}" cannot be read: {reason}', kind="NO_FILE", value=str(path), reason=error.strerror
        ) from None
