"""The report of a shot on the disk, from which a later run sees whether the same was done before.

It is put in its place just before the outputs, whose hashes it holds. If the process is killed in between, one of these
is not the hash of what lies there, and the shot counts as not done.
"""

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from .. import api
from ..blender import versions
from ..blender.extension import VERSION
from ..blender.files import atomic_write
from ..blender.messages.refused import Refused
from .outcome import DONE
from .shot import ReportDetail, Shot, digest, digests

SUFFIX = ".two_bone_ik.json"
"""Ends the name of the report beside an output, where another program may have a NAME.json of its own."""

LOG_SUFFIX = ".two_bone_ik.log"

SCHEMA = 1
"""Number of the format; another number means that programs have to read it in another way."""

VERSIONS = {"two_bone_ik": VERSION, "blender": versions.BLENDER}

_LARGEST = 1 << 30
"""Bytes of a report that is read again: ten limbs over half a million frames."""


RefuseOther = Callable[[Shot, Mapping[str, Any]], None]
"""Raises `Refused` if a report, in the place of the shot's, is that of another shot of the list."""


def earlier(shot: Shot, refuse_other: RefuseOther | None = None) -> dict[str, Any]:
    """The report of an earlier run; empty if there is none.

    refuse_other : is asked about a report of another number or name
    raises : Refused if the file is no report, or that of another shot, and would be overwritten
    """
    if not (shot.report and os.path.exists(shot.report) and shot.report.stat().st_size):
        return {}
    try:
        content = json.loads(atomic_write.text(shot.report, _LARGEST))
    except (ValueError, RecursionError):
        if shot.is_resumed:
            return {}  # beside an output it has a name of ours, and is a report that was damaged
        content = None
    if isinstance(content, dict) and content.keys() >= {"schema", "state", "versions", "request"}:
        is_same = (content.get("shot"), content.get("name")) == (shot.number, shot.name)
        if shot.is_resumed and refuse_other and not is_same:
            refuse_other(shot, content)
        return content
    raise Refused("OVERWRITE.other", value=str(shot.report))


def done_before(shot: Shot, before: dict[str, Any], request: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The summaries of an earlier run, if this version did the same and its output lies there as written, or None.

    raises : AttributeError, KeyError, TypeError or ValueError if `before` is not as `write` leaves it
    """
    if shot.force or not before or before["request"] != request or before["damage"] or before["refusals"]:
        return None
    if before["state"] != DONE or (before["schema"], before["versions"]["two_bone_ik"]) != (SCHEMA, VERSION):
        return None
    if [os.path.isfile(output) and digest(output) for output in shot.outputs] != before["sha256"]:
        return None
    if digests(before["libraries"]) != before["libraries"]:
        return None
    if shot.report_detail == ReportDetail.SUMMARY:
        return before["summary"]
    return [api.Report.from_dict(report).summary() for report in before["reports"]]


def write(
    shot: Shot, about: Mapping[str, Any], reports: list[api.Report], refusals: list[Refused], outputs: list[Path]
) -> None:
    """Write the report of a shot that was carried out.

    about : its fields `request`, `libraries`, `damage`, `started` and `seconds`
    outputs : what will be renamed to the shot's outputs
    """
    content = {
        **about,
        "state": DONE,
        "sha256": [digest(output) for output in outputs],
        "refusals": [_error(refused) for refused in refusals],
        "summary": [report.summary() for report in reports],
    }
    if shot.report_detail == ReportDetail.FULL:
        content["reports"] = [report.as_dict() for report in reports]
    _write(shot, content)


def write_failure(
    shot: Shot, about: Mapping[str, Any], error: Refused | str, refuse_other: RefuseOther | None = None
) -> None:
    """Write the report of a shot that failed, in place of an older one, unless the place is another's.

    about : its fields `state`, `request`, `started` and `seconds`
    error : the refusal, or a sentence that says how Blender ended
    """
    with suppress(Refused):  # it may be the report that cannot be written
        earlier(shot, refuse_other)
        _write(shot, {**about, "error": _error(error)})


def _error(error: Refused | str) -> dict[str, str]:
    named = {name: str(getattr(error, name, "")) for name in ("kind", "object", "bone", "value")}
    return {"message": str(error), **named}


def _write(shot: Shot, content: dict[str, Any]) -> None:
    if not shot.report:
        return
    named = {"shot": shot.number, "name": shot.name, "file": str(shot.file), "outputs": [*map(str, shot.outputs)]}
    text = json.dumps({"schema": SCHEMA, "versions": VERSIONS, **named, **content}, allow_nan=False)
    atomic_write.write_text(shot.report, text, force=shot.force)
