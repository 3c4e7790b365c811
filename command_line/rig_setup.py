"""Which armatures a shot poses, and the setup file for each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import api
from ..blender.messages.refused import Refused
from . import shot_options

_PLACEHOLDER = "{rig}"

_CLEAR = re.compile("r*|sr*|r+s|(rs)+")
"""Orders of rigs and setups on a command line that tell which go together: one setup for all, or each its own."""


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
        plant: dict[str, Any] = {}
        for name, value in setup.plant.items():
            plant |= shot_options.read_plant(f'[plant] of "{setup.plant_files[name]}"', {name: value})
        return replace(setup, plant=plant)


def from_arguments(pairs: Sequence[tuple[str | None, Path | None]]) -> tuple[RigSetup, ...]:
    """Of --rig and --setup in their order; Refused if it is not clear which go together."""
    if not _CLEAR.fullmatch("".join("s" if setup else "r" for _, setup in pairs)):
        raise Refused("ARGUMENTS.setups")
    names = [name or "" for name, setup in pairs if not setup] or [""]
    setups = [setup for _, setup in pairs if setup] or [None]
    if (twice := repeated(names)) is not None:
        raise Refused("ARGUMENTS.same_rig", value=twice)
    if len(setups) == 1:
        setups *= len(names)
    return tuple(RigSetup(name=name, setup=setup) for name, setup in zip(names, setups, strict=True))


def repeated(names: Sequence[str]) -> str | None:
    """The first of the names that is there twice, or None."""
    return next((name for number, name in enumerate(names) if name in names[:number]), None)
