"""What to do in one shot: with which armatures, each with its setup file, and how."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from .. import api
from ..blender.files import atomic_write
from ..blender.messages.refused import Refused
from ..blender.options import Word
from ..blender.rigs import rig_files
from ..blender.settings.key_settings import DEFAULTS, Keys, Measure, Sampling
from ..blender.switch.switch_plan import ControlSet
from ..blender.takes.take import Up
from . import shot_options

Progress = Callable[[float], None]
Setups = Sequence[api.Setup | Refused | None]


_PLACEHOLDER = "{rig}"

_CLEAR = re.compile("r*|sr*|r+s|(rs)+")
"""Orders of rigs and setups on a command line that tell which go together: one setup for all, or each its own."""


class ReportDetail(Word):
    """How much a report on the disk tells: all with a value for each frame, or single numbers."""

    FULL = "FULL"
    SUMMARY = "SUMMARY"


_WITHOUT_EFFECT = {"number", "name", "is_open", "outputs", "formats", "report", "report_detail", "log"} | {
    *("strict", "keep_going", "dry_run", "force", "fault"),
}
"""Fields of a shot that change nothing in its result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RigSetup:
    """An armature object by its name, and its setup file.

    name : "" for all armatures that have chains, or with a setup the only one
    setup : {rig} in it stands for the name; None to take the chains that the armature has
    """

    name: str = ""
    setup: Path | None = None

    @property
    def file(self) -> Path | None:
        """The setup file, or None; Refused if it is called by an armature's name and none is given."""
        if self.setup is None or _PLACEHOLDER not in str(self.setup):
            return self.setup
        if not self.name:
            raise Refused("SETUP_OF_RIG.unnamed", value=str(self.setup))
        return Path(str(self.setup).replace(_PLACEHOLDER, self.name))

    def load(self) -> api.Setup | None:
        """The contents of the setup file, or None."""
        if not self.file:
            return None
        setup = api.load_setup(self.file)
        return replace(setup, plant=shot_options.read_plant(f'[plant] of "{setup.path}"', setup.plant))


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
    keep_going : armatures that are refused do not keep the others from being baked
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
        """Everything that decides the result, as JSON; files and scripts are given by the hashes of their contents.

        What the file links is known only once it is open, and so no part of it.

        setups : the contents of the setup file of each armature, or why it cannot be read
        """
        fields = {key: value for key, value in asdict(self).items() if key not in _WITHOUT_EFFECT}
        fields |= {key: fields[key] and digest(fields[key]) for key in ("file", "python_before", "python_after")}
        rigs = [{"name": rig.name, **_contents(setup)} for rig, setup in zip(self.rigs, setups, strict=True)]
        known = digests(str(path) for path, _ in rig_files.user_files())
        known = {Path(path).name: value for path, value in known.items()}  # each machine has a user folder of its own
        return json.loads(json.dumps(fields | {"rigs": rigs, "rig_files": known}))


def _contents(setup: api.Setup | Refused | None) -> dict[str, Any]:
    """What of a setup file decides the result, or why it cannot be read."""
    if isinstance(setup, api.Setup):
        return {"chains": setup.chains, "plant": setup.plant}
    return {"chains": setup and str(setup)}


def imported(options: object) -> dict[str, Any]:
    """How to import a take, as `Import` takes it, from a shot or the arguments of a command."""
    return {name.removeprefix("import_"): getattr(options, name) for name in shot_options.IMPORT}


def digest(path: Path) -> str:
    """The SHA-256 of the file's contents; Refused if it cannot be read."""
    with atomic_write.opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digests(paths: Iterable[str]) -> dict[str, str]:
    """The SHA-256 of each file's contents; "" of one that cannot be read."""
    found = dict.fromkeys(paths, "")
    for path in found:
        with suppress(Refused, OSError):
            found[path] = _digest_once(path, os.stat(path).st_mtime_ns)
    return found


@lru_cache(maxsize=1024)
def _digest_once(path: str, _changed: int) -> str:
    """`digest` of a file that all shots of a season may link: one run reads it once, and again if it has changed."""
    return digest(Path(path))


def from_arguments(given: Sequence[str | Path]) -> tuple[RigSetup, ...]:
    """The armatures that --rig names, each with the file of --setup; Refused if it is not clear which go together.

    given : names and files, in the order of the arguments
    """
    if not _CLEAR.fullmatch("".join("s" if isinstance(item, Path) else "r" for item in given)):
        raise Refused("ARGUMENTS.setups")
    names = [item for item in given if isinstance(item, str)] or [""]
    setups = [item for item in given if isinstance(item, Path)] or [None]
    if (twice := repeated(names)) is not None:
        raise Refused("ARGUMENTS.same_rig", value=twice)
    if len(setups) == 1:
        setups *= len(names)
    return tuple(RigSetup(name=name, setup=setup) for name, setup in zip(names, setups, strict=True))


def repeated(names: Sequence[str]) -> str | None:
    """The first of the names that is there twice, or None."""
    return next((name for number, name in enumerate(names) if name in names[:number]), None)
