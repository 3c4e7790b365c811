"""Names of chains or limbs, as callers give them."""

from collections.abc import Collection
from typing import Any

from ..armatures import Rig
from ..messages.refused import Refused


def given_names(rig: Rig, names: Any) -> list[str]:
    """These names, each once, or this one name; Refused for anything else, and where there is none."""
    if isinstance(names, str):
        return [names]
    for name in names if isinstance(names, Collection) else [names]:
        if not isinstance(name, str):
            raise Refused("NOT_A_NAME", object=rig, value=name)
    unique = list(dict.fromkeys(names))
    if not unique:
        raise Refused("NO_NAMES", object=rig)
    return unique
