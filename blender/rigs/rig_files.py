"""Known rigs as TOML files, one for each kind of rig: ours beside this module, users' own in the preferences folder.

    [[limb]]
    name = "Arm.?"
    switch_bone = "upper_arm_parent.?"
    switch = "IK_FK"
    fk = ["upper_arm_fk.?", "forearm_fk.?", "hand_fk.?"]
    ik = ["upper_arm_ik.?", "MCH-forearm_ik.?", "MCH-upper_arm_ik_target.?"]

The keys are the fields of `KnownLimb`. In names * stands for any text and ? for one character, the same in all names of
a limb. A kind whose limbs come in several builds has a table for each, the fullest first.
"""

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import bpy

from ..files import toml_file
from ..messages.refused import Refused
from ..messages.translation import translated
from .wildcards import wildcards_in

_TOO_LARGE = 2**31
"""No property of whole numbers holds it."""
_FEWEST = 3
"""Root bone, end bone, and hand or foot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownLimb:
    """A limb with FK controls and controls that IK moves; all bones by name.

    name : as Detect Limbs calls it, such as "Arm.L"
    switch : property of `switch_bone`, or without one of the armature object; it says which of the control sets shows.
        "influence" is that of the constraint by which `switch_bone` follows IK, or what drives that: where IK acts on
        the FK controls, or where the property's name differs from rig to rig
    fk_value, ik_value : what the switch is where FK shows, and where IK shows
    fk : FK controls, from the root bone to hand or foot, or to the toes
    ik : bones of the IK control set, in the same order: the third is what is followed; a fourth is a control
    shown : bones that show whichever control set does; left out where the control sets show themselves
    control : IK control that the third bone of `ik` hangs on; without one IK cannot be keyed
    pole : pole control; with `pole_switch` only where that property, beside `switch`, is on
    stretch_switch : property beside `switch` that has to be 1 where IK is to reach farther than the limb is long
    swivel : IK control of the limb itself; turning it about its own y axis swivels the limb
    toe_ik : what the third of `fk` is aimed at by an IK constraint of its own, which is on where IK shows the limb
    toe_target : of a hind leg, what its toe follows where IK shows: a chain with a hock reaches for it
    toe_control : IK control that `toe_target` hangs on; without one it cannot be keyed
    zero : controls between `control` and what is followed, which IK keys leave at rest
    kept : controls of both control sets, which the switch moves
    """

    name: str
    switch: str
    fk: tuple[str, ...]
    ik: tuple[str, ...]
    switch_bone: str = ""
    fk_value: float = 1.0
    ik_value: float = 0.0
    shown: tuple[str, ...] = ()
    control: str = ""
    pole: str = ""
    pole_switch: str = ""
    stretch_switch: str = ""
    swivel: str = ""
    toe_ik: str = ""
    toe_target: str = ""
    toe_control: str = ""
    zero: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    @property
    def followed(self) -> str:
        """What a chain on the FK controls follows: what IK reaches for, or the control if that is one of them."""
        return self.ik[2] if {*self.ik[2:3]} - {*self.fk} else self.control

    def control_of(self, followed: str) -> str:
        """The IK control that takes the keys of what a chain follows; "" if there is no such control."""
        return self.toe_control if followed == self.toe_target else self.control

    @property
    def showing_ik(self) -> tuple[str, ...]:
        """The bones that show the limb where IK does, in the order of those of FK."""
        return self.shown or self.ik

    @property
    def bones(self) -> tuple[str, ...]:
        """All bones that have to be there, each once."""
        single = (self.switch_bone, self.control, self.pole, self.swivel)
        return tuple(dict.fromkeys(filter(None, (*self.fk, *self.ik, *self.shown, *single, *self.kept))))

    @property
    def ik_controls(self) -> tuple[str, ...]:
        """Controls by which IK moves the limb."""
        return tuple(filter(None, (self.control, self.pole, self.swivel, self.toe_ik, *self.zero, *self.ik[3:])))

    @property
    def named(self) -> tuple[str, ...]:
        """All bones that are named, also those that some builds of the limb do not have."""
        return (*self.bones, *filter(None, (self.toe_ik, self.toe_target, self.toe_control, *self.zero)))


@cache
def user_folder() -> Path | None:
    """Where users keep files of their own, whether it exists or not; None where this does not run as an extension."""
    try:
        return Path(bpy.utils.extension_path_user(__package__.partition(".blender")[0], path="rigs"))
    except ValueError:
        return None


def layouts() -> tuple[tuple[str, KnownLimb], ...]:
    """Each limb of all files with the file's name; those of users come first. A faulty file is left out."""
    return _read(user_files())[0]


def faults() -> tuple[Refused, ...]:
    """The first fault of each of the users' files that are left out."""
    return _read(user_files())[1]


def notes() -> list[str]:
    """Sentences about files of users that are left out."""
    return [translated("alert.rig_file", reason=fault) for fault in faults()]


def user_files() -> tuple[tuple[Path, int], ...]:
    """Files of users' own, each with the time of its last change."""
    folder = user_folder()
    # Panels ask on each redraw, and listing a folder takes long. A file that comes or goes changes the folder.
    paths = _listed(folder, _changed(folder)) if folder else ()
    return tuple((path, _changed(path)) for path in paths)


def _changed(path: Path) -> int:
    """When, in nanoseconds; 0 where there is nothing."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=1)
def _listed(folder: Path, _changed: int) -> tuple[Path, ...]:
    return tuple(sorted(folder.glob("*.toml")))


@lru_cache(maxsize=1)
def _read(users: tuple[tuple[Path, int], ...]) -> tuple[tuple[tuple[str, KnownLimb], ...], tuple[Refused, ...]]:
    limbs: list[tuple[str, KnownLimb]] = []
    faulty: list[Refused] = []
    for path in (*(path for path, _ in users), *sorted(Path(__file__).parent.glob("*.toml"))):
        try:
            tables, _ = toml_file.tables(path, "limb")
            limbs += [
                (path.stem, _limb(translated("part.limb_of_file", number=number, path=path), table))
                for number, table in enumerate(tables, 1)
            ]
        except Refused as fault:
            faulty.append(fault.with_traceback(None))
    return tuple(limbs), tuple(faulty)


def _limb(where: str, table: Mapping[str, Any]) -> KnownLimb:
    toml_file.refuse_unknown(where, table, [field.name for field in fields(KnownLimb)])
    for field in fields(KnownLimb):
        if field.name in table:
            _refuse_value(where, field, table[field.name])
        elif field.default is MISSING:
            raise Refused("NO_KEY", value=field.name, where=where)
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    limb = KnownLimb(**values)
    for key in ("fk", "ik", "shown"):
        names = table.get(key, limb.fk)
        if len(names) != len(limb.fk) or len(names) < _FEWEST:
            raise Refused("BONE_COUNT", where=where, key=key, value=len(names), least=_FEWEST)
    if limb.fk_value == limb.ik_value:
        raise Refused("SAME_VALUES", where=where, value=limb.fk_value)
    _refuse_wildcards(where, limb)
    return limb


def _refuse_value(where: str, field: Field[Any], value: Any) -> None:
    if field.type is float:
        fits = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _TOO_LARGE
        expected = translated("part.number")
    elif field.type is not str:
        fits = isinstance(value, list) and all(isinstance(name, str) and name for name in value)
        expected = translated("part.names")
    else:
        fits, expected = isinstance(value, str) and bool(value), translated("part.text")
    if not fits:
        raise Refused("WRONG_TYPE.field", value=value, wanted=expected, where=where, key=field.name)


def _refuse_wildcards(where: str, limb: KnownLimb) -> None:
    """Names have the wildcards of the limb's own name, or none: otherwise it is not clear what they stand for."""
    wildcards = wildcards_in(limb.name)
    for name in (*limb.named, limb.switch, limb.pole_switch, limb.stretch_switch):
        if wildcards_in(name) not in ("", wildcards):
            raise Refused("OTHER_WILDCARDS", value=name, where=where, name=limb.name)
