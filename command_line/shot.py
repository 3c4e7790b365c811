"""One shot: what to do, whether that was done before, and the report of the result."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .. import api
from ..blender.files import atomic_write
from ..blender.key_settings import DEFAULTS, Keys, Measure
from ..blender.messages.refused import Refused
from .rig_setup import RigSetup

Progress = Callable[[float], None]
REPORT_SUFFIX = ".two_bone_ik.json"
"""Of the report beside an output, where another program may have a NAME.json of its own."""

_NOT_ASKED = {"is_open", "output", "report", "force"}
"""Fields of a shot that change nothing in its result."""

LARGEST_REPORT = 1 << 30
"""Bytes of a report that is read again: ten limbs over half a million frames."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """What to do.

    command : bake, check or snap
    file : the .blend file; if `is_open`, the file that is already open
    rigs : the armatures and their setups
    output, report : paths to write, or None
    force : files without write permission are replaced
    """

    command: str
    file: Path
    is_open: bool = False
    enable_autoexec: bool = False
    rigs: tuple[RigSetup, ...] = (RigSetup(),)
    frames: tuple[float, float, float] | None = None
    keys: Keys = DEFAULTS.keys
    tolerance: float = DEFAULTS.tolerance
    measure: Measure = DEFAULTS.measure
    output: Path | None = None
    report: Path | None = None
    force: bool = False

    def request(self, setups: Sequence[api.Setup | None]) -> dict[str, Any]:
        """Everything that decides the result, as JSON; the file is given by the hash of its contents.

        setups : the contents of the setup file of each armature
        """
        asked = {key: value for key, value in asdict(self).items() if key not in _NOT_ASKED}
        chains = [setup and list(map(dict, setup.chains)) for setup in setups]
        rigs = [{"name": rig.name, "chains": found} for rig, found in zip(self.rigs, chains, strict=True)]
        return json.loads(json.dumps(asked | {"file": _digest(self.file), "rigs": rigs}))


def recorded(shot: Shot) -> dict[str, Any]:
    """The contents of an earlier run's report, if the report and its output exist; else nothing.

    raises : Refused if the file is another program's and would be overwritten
    """
    if not (shot.report and shot.report.exists()):
        return {}
    try:
        record = json.loads(atomic_write.text(shot.report, LARGEST_REPORT))
    except (ValueError, RecursionError):
        return {}  # no JSON, thus of no use to another program either
    if not (isinstance(record, dict) and "request" in record):
        raise Refused("OVERWRITE.other", value=str(shot.report))
    return record if shot.output is None or shot.output.exists() else {}


def done_before(earlier: dict[str, Any], request: dict[str, Any]) -> list[api.Report] | None:
    """The reports of an earlier run if its request was the same and its file not damaged; else None."""
    if earlier.get("request") != request or earlier.get("damage"):
        return None
    try:
        return [api.Report.from_dict(report) for report in earlier["reports"]]
    except (AttributeError, KeyError, TypeError, ValueError):
        return None  # refused then, or written by another version


def record(shot: Shot, request: dict[str, Any], found: list[api.Report] | Refused, damage: str = "") -> None:
    """Write the report of a shot if one is asked for."""
    if not shot.report:
        return
    content: dict[str, Any] = {"request": request, "damage": damage}
    if isinstance(found, Refused):
        fields = {name: str(getattr(found, name)) for name in ("kind", "object", "bone", "value")}
        content["error"] = {"message": str(found), **fields}
    else:
        content["reports"] = [report.as_dict() for report in found]
    with atomic_write.atomic_write(shot.report, force=shot.force) as beside:
        beside.write_text(json.dumps(content, allow_nan=False), "utf-8")


def _digest(path: Path) -> str:
    with atomic_write.opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
