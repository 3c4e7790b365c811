"""Contacts for programs that do not know our property: the scale of bones that are there while a file is written.

Of Blender's exporters, only that of USD keeps keys of custom properties, and only if the object itself moves.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import bpy
from bpy.types import FCurve

from ..armatures import Rig
from ..plant import contact_keys, contact_runs
from ..targets.edit_bones import in_edit_mode

_STANDS = "c == 1 or c == 3", "c > 1"
"""Whether ball and heel stand, as expressions of c, the value of the keys: one for each axis of the scale."""

_LENGTH = 0.1
"""How long a bone of a row of contacts is, in lengths of the bone that it hangs on."""


@contextmanager
def contact_bones(rigs: Iterable[Rig]) -> Iterator[None]:
    """While it is open, a bone for each row of contacts of these armatures: twice as wide where its limb stands."""
    with ExitStack() as taken_away:
        for rig in rigs:
            if rows := contact_runs.rows(rig):
                _add(rig, rows, taken_away)
        yield


def _add(rig: Rig, rows: dict[str, FCurve], taken_away: ExitStack) -> None:
    """Add them to a copy of the armature, which others may share, or a library have, until `taken_away` is closed."""
    data, limbs = rig.data, contact_runs.limb_names(rig, rows)
    names = {bone: f"contact_{limbs.get(bone, bone)}" for bone in rows}
    rig.data = copy = data.copy()
    taken_away.callback(bpy.data.armatures.remove, copy)
    taken_away.callback(setattr, rig, "data", data)
    with in_edit_mode(rig) as bones:
        for bone, name in names.items():
            above, added = bones[bone], bones.get(name) or bones.new(name)
            added.head, added.tail = above.tail, above.tail + _LENGTH * above.vector
            added.parent, added.use_deform, names[bone] = above, False, added.name
    for bone, name in names.items():
        path = f"{rig.pose.bones[name].path_from_id()}.scale"
        taken_away.callback(rig.driver_remove, path)
        _drive(rig, path, rows[bone])


def _drive(rig: Rig, path: str, row: FCurve) -> None:
    first, last = contact_keys.Row.of(row).span
    for axis, stands in enumerate(_STANDS):
        added: Any = rig.driver_add(path, axis)
        variable = added.driver.variables.new()
        variable.name, variable.targets[0].id, variable.targets[0].data_path = "c", rig, row.data_path
        # Beyond the keys nothing stands.
        added.driver.expression = f"2 if {first:.9g} <= frame <= {last:.9g} and ({stands}) else 1"
