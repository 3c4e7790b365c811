"""One shot: what is asked for, whether that was done before, and the report of what came out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .. import api
from ..blender.files import atomic_write
from ..blender.messages.refused import Refused

Progress = Callable[[float], None]
LARGEST_REPORT = 1 << 30
"""Bytes of a report that is read again: ten limbs over half a million frames."""


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
    measure: str = "AUTO"
    output: Path | None = None
    report: Path | None = None

    def request(self) -> dict[str, Any]:
        """All that decides on the result, as JSON has it; of files their contents, by hash."""
        asked = {key: value for key, value in asdict(self).items() if key not in {"is_open", "output", "report"}}
        asked |= {key: asked[key] and _digest(asked[key]) for key in ("file", "setup")}
        return json.loads(json.dumps(asked))


def recorded(shot: Shot) -> dict[str, Any]:
    """What the report of an earlier run holds, where that and its output are there; else nothing.

    raises : Refused where the report is another program's, and would be overwritten
    """
    if not (shot.report and shot.report.exists()):
        return {}
    try:
        record = json.loads(atomic_write.text(shot.report, LARGEST_REPORT))
    except (ValueError, RecursionError):
        return {}  # no JSON, thus of no use to another program either
    if not (isinstance(record, dict) and "request" in record):
        raise Refused("OVERWRITE", value=str(shot.report)).saying(
            '"{value}" is no report of Two-Bone IK and would be overwritten: move it'
        )
    return record if shot.output is None or shot.output.exists() else {}


def done_before(earlier: dict[str, Any], request: dict[str, Any]) -> list[api.Report] | None:
    """What an earlier run found, where it did just this with a file that was not damaged; else None."""
    if earlier.get("request") != request or earlier.get("damage"):
        return None
    try:
        return [api.Report.from_dict(report) for report in earlier["reports"]]
    except (AttributeError, KeyError, TypeError, ValueError):
        return None  # refused then, or written by another version


def record(path: Path, request: dict[str, Any], found: list[api.Report] | Refused, damage: str = "") -> None:
    """Write the report of a shot."""
    content: dict[str, Any] = {"request": request, "damage": damage}
    if isinstance(found, Refused):
        content["error"] = {"message": str(found), **{key: str(value) for key, value in vars(found).items()}}
    else:
        content["reports"] = [report.as_dict() for report in found]
    with atomic_write.atomic_write(path) as beside:
        beside.write_text(json.dumps(content, allow_nan=False), "utf-8")


def _digest(path: Path) -> str:
    with atomic_write.opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
