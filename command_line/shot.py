"""What to do in one shot."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .. import api
from ..blender.files import atomic_write
from ..blender.messages.refused import Refused
from ..blender.options import Word
from ..blender.settings.key_settings import DEFAULTS, Keys, Measure, Sampling
from ..blender.switch.switch_plan import ControlSet
from ..blender.takes.take import Up
from .rig_setup import RigSetup
from .shot_options import IMPORT

Progress = Callable[[float], None]
Setups = Sequence[api.Setup | Refused | None]


class ReportDetail(Word):
    """How much a report on the disk tells: all with a value for each frame, or single numbers."""

    FULL = "FULL"
    SUMMARY = "SUMMARY"


_WITHOUT_EFFECT = {"number", "name", "is_open", "outputs", "formats", "report", "report_detail", "log"} | {
    *("strict", "keep_going", "dry_run", "force", "fault"),
}
"""Fields of a shot that change nothing in its result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """What to do.

    command : bake, check, snap, plant, switch or build
    number, name : in the list of shots, from 1 on; None and "" of a single one
    file : the .blend file or take; if `is_open`, the file that is already open
    import_fps, import_scale, import_up, import_height, import_take : of a take, see `Import`
    rigs : the armatures and their setups
    plant : the options of Plant that are given
    actions : a pattern of the names of those actions that are worked on; None for what plays
    to, switched : the controls that limbs of these names show after `switch`; None for all limbs
    outputs : the files to write, in the formats of their suffixes
    formats : suffixes of the outputs of a shot of a list that names no formats itself
    report : the file to write, or None
    log : where what Blender prints goes, if it is one of a pool
    report_detail : FULL with a value for each frame, or SUMMARY
    python_before, python_after : scripts that run in the open file, before the bake and before it is saved
    keep_going : armatures that are refused do not keep the others from being baked, nor chains that shear a bone
    strict : a target that is missed by more than this is a failure, for 0 any that is not reached; and a file that
        Blender finds damaged is refused
    dry_run : nothing is written
    fault : of a dry run, why the row of the shot makes no sense
    force : what was done before is done again, and files without write permission are replaced
    """

    command: str
    number: int | None = None
    name: str = ""
    file: Path
    is_open: bool = False
    enable_autoexec: bool = False
    import_fps: float | None = None
    import_scale: float = 1.0
    import_up: Up | None = None
    import_height: float | None = None
    import_take: str = ""
    rigs: tuple[RigSetup, ...] = (RigSetup(),)
    frames: tuple[float, float, float] | None = None
    keys: Keys = DEFAULTS.keys
    tolerance: float = DEFAULTS.tolerance
    interpolation: str = DEFAULTS.interpolation
    new_action: bool = DEFAULTS.new_action
    actions: str | None = None
    sampling: Sampling = DEFAULTS.sampling
    measure: Measure = DEFAULTS.measure
    plant: Mapping[str, Any] = field(default_factory=dict)
    to: ControlSet | None = None
    switched: Sequence[str] | None = None
    outputs: tuple[Path, ...] = ()
    formats: tuple[str, ...] = ()
    report: Path | None = None
    log: Path | None = None
    python_before: Path | None = None
    python_after: Path | None = None
    keep_going: bool = False
    report_detail: ReportDetail = ReportDetail.FULL
    strict: float | None = None
    dry_run: bool = False
    fault: Refused | None = None
    force: bool = False

    @property
    def is_resumed(self) -> bool:
        """True if the shot is skipped where it was done before: one of a list."""
        return self.number is not None

    def request(self, setups: Setups) -> dict[str, Any]:
        """Everything that decides the result, as JSON; file and scripts are given by the hash of their contents.

        setups : the contents of the setup file of each armature, or why it cannot be read
        """
        fields = {key: value for key, value in asdict(self).items() if key not in _WITHOUT_EFFECT}
        contents = [
            {"chains": list(map(dict, item.chains)), "plant": dict(item.plant)}
            if isinstance(item, api.Setup)
            else {"chains": item and str(item)}
            for item in setups
        ]
        rigs = [{"name": rig.name, **content} for rig, content in zip(self.rigs, contents, strict=True)]
        fields |= {key: fields[key] and digest(fields[key]) for key in ("file", "python_before", "python_after")}
        return json.loads(json.dumps(fields | {"rigs": rigs}))


def imported(options: object) -> dict[str, Any]:
    """How to import a take, as `Import` takes it, from a shot or the arguments of a command."""
    return {name.removeprefix("import_"): getattr(options, name) for name in IMPORT}


def digest(path: Path) -> str:
    """The SHA-256 of the file's contents; Refused if it cannot be read."""
    with atomic_write.opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
