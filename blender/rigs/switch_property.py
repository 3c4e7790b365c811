"""The property of a known limb that says which of its control sets shows: where it is, what it is, and setting it.

Mostly it is one of a bone or of the armature object, which drives constraints. Where IK constraints act on the FK
controls themselves, or a bone copies IK on top of FK, it may be the influence of such a constraint, or its driver's.
"""

from collections.abc import Iterator, Set
from typing import Any

import bpy
import numpy as np
from bpy.types import Constraint, FCurve, Object, PoseBone
from numpy.typing import NDArray

from ...solver.values import Array
from .. import versions
from ..armatures import Rig
from ..curves.keys import driver_at, numbers_on
from ..rna_paths import owner_and_property, set_value_at, value_at
from ..scene import dependencies
from .rig_files import KnownLimb

INFLUENCE = "influence"
"""As the switch of a limb: that of the constraint by which its `switch_bone` follows IK."""

_AT_END = 1e-3
"""A switch this close to one end shows nothing that can be seen of the other control set."""


def shown_control_set(rig: Rig, limb: KnownLimb, frame: float | None = None) -> str:
    """FK or IK where either shows alone, "" in between.

    frame : on which the property's animation counts; None for the property as it is
    """
    path = switch_path(rig, limb)
    if not path:
        return ""
    [value] = values_on(rig, path, None if frame is None else np.array([frame]))
    ends = {"FK": limb.fk_value, "IK": limb.ik_value}
    return next((control_set for control_set, at in ends.items() if is_at(value, at)), "")


def values_on(rig: Rig, path: str, frames: Array | None) -> Array:
    """(n,) the property at this RNA path on n frames, or (1,) as it is."""
    return np.array([float(value_at(rig, path))]) if frames is None else numbers_on(rig, path, frames)


def is_at(value: Any, end: float) -> Any:
    """(...) bool: whether a switch of this value, or one of each of these values, shows the control set at this end."""
    return abs(value - end) < _AT_END


def switch_path(rig: Rig, limb: KnownLimb) -> str:
    """RNA path of the limb's switch, from the armature object; "" where it has none."""
    if limb.switch != INFLUENCE:
        return property_path(rig, limb, limb.switch)
    return _influence_path(rig, ik_constraint(rig, limb.switch_bone, limb.followed))


def toe_path(rig: Rig, limb: KnownLimb) -> str:
    """RNA path of the switch for the foot's own IK; "" if there is none."""
    return _influence_path(rig, ik_constraint(rig, limb.fk[2], limb.toe_ik)) if limb.toe_ik else ""


def _influence_path(rig: Rig, constraint: Constraint | None) -> str:
    """RNA path of the constraint's influence, or of the property that drives it; "" where something else does."""
    if constraint is None:
        return ""
    path = driving_path(rig, constraint)
    if path is None:
        return f"{constraint.path_from_id()}.{INFLUENCE}"
    value, driver = number_at(rig, path), _driver(rig, constraint).driver
    # A driver may invert the property, or take a part of it. Until it is evaluated, the influence is that of before.
    passes_on = [driver.expression] == [variable.name for variable in driver.variables]
    return path if value is not None and (passes_on or abs(value - constraint.influence) < _AT_END) else ""


def property_path(rig: Rig, limb: KnownLimb, name: str) -> str:
    """RNA path of a property beside the limb's switch; "" where there is none that is a number.

    Up to 4.5, a property that an add-on has registered can be read like a custom one, but a key of that has no effect.
    """
    owner: Any = property_owner(rig, limb)
    registered = owner and owner.bl_rna.properties.get(name)
    value = owner and (getattr(owner, name) if registered else owner.get(name))
    if not isinstance(value, bool | int | float):
        return ""
    last = name if registered else f'["{bpy.utils.escape_identifier(name)}"]'
    return f"{owner.path_from_id()}{'.' if registered else ''}{last}" if limb.switch_bone else last


def property_owner(rig: Rig, limb: KnownLimb) -> Object | PoseBone | None:
    """What has the property that says which control set of the limb shows."""
    return rig.pose.bones.get(limb.switch_bone) if limb.switch_bone else rig


def number_at(rig: Rig, path: str) -> float | None:
    """The property at this RNA path; None where it is no number, or not there."""
    try:
        value = value_at(rig, path)
    except (KeyError, ValueError):
        return None
    return float(value) if isinstance(value, bool | int | float) else None


def property_label(path: str) -> str:
    """The name of the property at this RNA path, as users read it."""
    name = owner_and_property(path)[1]
    return bpy.utils.unescape_identifier(name[2:-2]) if name.startswith("[") else name


def ik_constraint(rig: Rig, name: str, followed: str) -> Constraint | None:
    """The constraint by which the bone of this name follows another one, by IK or as its copy; None where none acts."""
    bone: PoseBone | None = rig.pose.bones.get(name)
    for constraint in bone.constraints if bone else ():
        places = [point.bone for point in dependencies.targets(constraint) if point.object == rig]
        if constraint.type in ("IK", "COPY_TRANSFORMS") and not constraint.mute and followed and followed in places:
            return constraint
    return None


def driving_path(rig: Rig, constraint: Constraint) -> str | None:
    """RNA path of the rig's property that drives the constraint's influence; "" for anything else, None for nothing."""
    driver = _driver(rig, constraint)
    return next(_properties(rig, driver), "") if driver else None


def _driver(rig: Rig, constraint: Constraint) -> Any:
    return driver_at(rig, f"{constraint.path_from_id()}.{INFLUENCE}")


def drivers_reading(rig: Rig, paths: Set[str]) -> Iterator[FCurve]:
    """The drivers of the rig that read any of its properties at these RNA paths."""
    return (driver for driver in versions.drivers(rig) if not paths.isdisjoint(_properties(rig, driver)))


def _properties(rig: Rig, driver: FCurve) -> Iterator[str]:
    for variable in driver.driver.variables:
        target = variable.targets[0]
        if variable.type == "SINGLE_PROP" and target.id == rig:
            yield target.data_path.replace("['", '["').replace("']", '"]')


def turn(rig: Rig, path: str, value: float) -> None:
    """Set the property of the rig at this path; what an add-on does when it changes is done."""
    kind = type(value_at(rig, path))
    set_value_at(rig, path, kind(value))
    rig.update_tag()


def pole_on(rig: Rig, limb: KnownLimb, frames: Array) -> NDArray[np.bool_]:
    """(n,) True on frames on which IK of the limb bends towards its pole control."""
    path = property_path(rig, limb, limb.pole_switch) if limb.pole and limb.pole_switch else ""
    return numbers_on(rig, path, frames) > 0.5 if path else np.full(len(frames), bool(limb.pole))
