"""The report of a shot on the disk, from which a later run sees whether the same was done before.

It is put in its place just before the output, whose hash it holds. If the process is killed between the two, that hash
is not the hash of what lies there, and the shot counts as not done.
"""

import json
from pathlib import Path
from typing import Any

from .. import api
from ..blender.extension import VERSION
from ..blender.files import atomic_write
from ..blender.messages.refused import Refused
from .shot import Shot, digest

SUFFIX = ".two_bone_ik.json"
"""Of the report beside an output, where another program may have a NAME.json of its own."""

SCHEMA = 1
"""Number of the format; another number means that programs have to read it in another way."""

_LARGEST = 1 << 30
"""Bytes of a report that is read again: ten limbs over half a million frames."""


def earlier(shot: Shot) -> dict[str, Any]:
    """The report of an earlier run; empty if there is none.

    raises : Refused if the file is another program's and would be overwritten
    """
    if not (shot.report and shot.report.exists()):
        return {}
    try:
        found = json.loads(atomic_write.text(shot.report, _LARGEST))
    except (ValueError, RecursionError):
        return {}  # no JSON, thus of no use to another program either
    if not (isinstance(found, dict) and "request" in found):
        raise Refused("OVERWRITE.other", value=str(shot.report))
    return found


def done_before(shot: Shot, found: dict[str, Any], request: dict[str, Any]) -> list[api.Report] | None:
    """The reports of an earlier run, if this version did the same and its output lies there as written; else None."""
    if shot.force or found.get("request") != request or found.get("damage"):
        return None
    if (found.get("schema"), found.get("version")) != (SCHEMA, VERSION):
        return None
    if shot.output and not (shot.output.is_file() and digest(shot.output) == found.get("output")):
        return None
    try:
        return [api.Report.from_dict(report) for report in found["reports"]]
    except (AttributeError, KeyError, TypeError, ValueError):
        return None  # refused then


def write(
    shot: Shot, request: dict[str, Any], found: list[api.Report] | Refused, damage: str = "", output: Path | None = None
) -> None:
    """Write the report of a shot if one is asked for; `output` is what will be renamed to the shot's output."""
    if not shot.report:
        return
    content: dict[str, Any] = {"schema": SCHEMA, "version": VERSION, "request": request, "damage": damage}
    if isinstance(found, Refused):
        fields = {name: str(getattr(found, name)) for name in ("kind", "object", "bone", "value")}
        content["error"] = {"message": str(found), **fields}
    else:
        content["reports"] = [report.as_dict() for report in found]
        content["output"] = digest(output) if output else ""
    with atomic_write.atomic_write(shot.report, force=shot.force) as beside:
        beside.write_text(json.dumps(content, allow_nan=False), "utf-8")
