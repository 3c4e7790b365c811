"""How a chain will differ from the IK constraint that it replaces, one sentence for each difference.

Each case was tried. Without a sentence, joints and rolls are the same, except for the error of the constraint's
iteration.
"""

from collections.abc import Iterator
from typing import cast

import numpy as np
from bpy.types import KinematicConstraint, PoseBone

from ...solver.values import Array
from .. import versions
from ..armatures import Rig
from ..messages.translation import translated
from ..scene import dependencies
from .pre_constraint_pose import pre_constraint_pose

_BESIDE = 1e-3
"""Part of the bend about one of the bone's axes; less is left of float32 where the limb bends about another."""


def differences(
    constraint: KinematicConstraint, root: PoseBone, end: PoseBone, third: PoseBone | None = None
) -> Iterator[str]:
    """Sentences for the constraint that moves these bones, as it is now in the scene."""
    pose, bones = pre_constraint_pose(root, end), [bone for bone in (root, end, third) if bone]
    for bone in bones:
        if bone.matrix.is_negative:
            yield translated("takeover.negative_scale", bone=bone.name)
    yield from _of_task(constraint)
    yield from _of_joint(root, np.ones(3))
    yield from _of_joint(end, np.ones(3) if pose.is_straight or constraint.pole_target is None else pose.hinge[0])
    for bone in bones:
        if constraint.use_stretch and bone.ik_stretch > 0.0:
            yield translated("takeover.stretch", bone=bone.name)
    if pose.is_straight:
        yield translated("takeover.straight", root=root.name, end=end.name)
    yield from _of_others(constraint, {bone.name for bone in bones})


def _of_task(constraint: KinematicConstraint) -> Iterator[str]:
    if cast(Rig, constraint.id_data).pose.ik_solver == "ITASC":
        yield translated("takeover.itasc")
    if not constraint.use_location:
        yield translated("takeover.position_off")
    if constraint.use_rotation:
        yield translated("takeover.rotation")
    if constraint.pole_target is None:
        yield translated("takeover.no_pole")
        animated = versions.ever_animated_paths(constraint.id_data)
        if constraint.influence < 1.0 or f"{constraint.path_from_id()}.influence" in animated:
            yield translated("takeover.influence")


def _of_joint(bone: PoseBone, hinge: Array) -> Iterator[str]:
    """Sentences for the IK settings of a bone, which turns about the axes (3,) in its own space."""
    for name, part in zip("xyz", np.abs(hinge), strict=True):
        if part <= _BESIDE:
            continue
        named = {"axis": name.upper(), "bone": bone.name}
        if getattr(bone, f"lock_ik_{name}"):
            yield translated("takeover.lock", **named)
        elif getattr(bone, f"use_ik_limit_{name}"):
            yield translated("takeover.limit", **named)
        if getattr(bone, f"ik_stiffness_{name}") > 0.0:
            yield translated("takeover.stiffness", **named)


def _of_others(constraint: KinematicConstraint, bones: set[str]) -> Iterator[str]:
    for owner, other in dependencies.constrained(cast(Rig, constraint.id_data)):
        if other != constraint and not other.mute and bones & dependencies.moved_by(owner, other):
            yield translated("takeover.other", name=other.name, bone=owner.name)
