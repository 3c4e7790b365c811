"""The side to which the rest pose of a chain bends, and whether it bends enough to tell one."""

from math import atan2
from typing import NamedTuple

import numpy as np
from mathutils import Vector

from ...skeleton import transform
from ...skeleton.values import AXES
from ...solver import reference
from ...solver.values import Array, Bend, Chain, HingeAxis, Reference
from ...solver.vectors import IN_LINE, unit
from ..armatures import Rig
from ..messages.refused import Refused
from ..scene.bone import rest
from ..settings.properties import TwoBoneIKChain, chain_fields
from .chain import bones_below, chain_bones

_TO_VIEWER = 0.9
"""Cosine: an axis this close to the line of sight points at the viewer; a drawing may lie a little askew."""


def rest_chain(rig: Rig, chain: TwoBoneIKChain) -> tuple[Chain, Array]:
    """The chain at rest as the solver takes it, in the root bone's space, and the end bone's orientation (3, 3) there.

    raises : Refused where its bones make no chain
    """
    bones, joints = _at_rest(rig, chain)
    root, end = (rest(rig.data.bones[name]) for name in (bones[0], bones[-1]))
    in_space = transform.transform_points(transform.inverse(root), np.array(joints))
    in_space -= in_space[0]  # far from the armature's origin that rounds
    orientation = root[:3, :3].T @ end[:3, :3]
    axis = HingeAxis(chain.hinge_axis)
    use_axis = axis != HingeAxis.AUTO
    return Chain(joints=in_space, hinge_axis=orientation @ AXES[axis], use_hinge_axis=use_axis), orientation


def _at_rest(rig: Rig, chain: TwoBoneIKChain) -> tuple[tuple[str, ...], tuple[Vector, Vector, Vector]]:
    """Names of the chain's bones, and root, mid and tip in armature space."""
    names = chain_bones(rig, chain.end_bone, chain.root_bone, chain.name)
    below = bones_below(rig, chain, names[-1])
    end = rig.data.bones[names[-1]]
    tip = rig.data.bones[below[-1]].head_local if below else end.tail_local
    return names, (rig.data.bones[names[0]].head_local, end.head_local, tip)


def undecided(rig: Rig, chain: TwoBoneIKChain) -> float | None:
    """The bend of the rest pose in radians, where only that would tell the side and it is too slight; else None."""
    by_pose = chain.reference == Reference.POSE and not chain.use_bend_limits
    if chain.hinge_axis != HingeAxis.AUTO or chain.bend != Bend.REST or by_pose:
        return None
    try:
        _, (root, mid, tip) = _at_rest(rig, chain)
    except Refused:
        return None
    first, second = (mid - root).normalized(), (tip - mid).normalized()
    cosine = first.dot(second)
    angle = atan2((second - cosine * first).length, cosine)
    return angle if angle < reference.SLIGHT else None


class StraightRest(NamedTuple):
    """About which axis of the end bone a limb bends that is straight at rest, and the axis to offer instead.

    to_viewer : that of both which points at the viewer of a drawing, in Front View; "" if none does
    """

    axis: str
    other: str
    to_viewer: str


def straight_rest(rig: Rig, chain: TwoBoneIKChain) -> StraightRest | None:
    """Which axes a chain can choose from that is straight at rest; None for a chain that bends, or was decided."""
    angle = undecided(rig, chain)
    if angle is None or angle > IN_LINE:
        return None
    end = np.array(rig.matrix_world @ rig.data.bones[chain.end_bone].matrix_local)[:3, :3]
    # The viewer of Front View looks along y.
    x, _, z = -unit(end.T)[:, 1]
    other = HingeAxis.Z if z >= 0.0 else HingeAxis.NEG_Z
    to_viewer = HingeAxis.X if abs(x) > _TO_VIEWER else other if abs(z) > _TO_VIEWER else ""
    return StraightRest(HingeAxis.X, other, to_viewer)


def axis_label(axis: str) -> str:
    """As the field Hinge Axis shows it."""
    return chain_fields()["hinge_axis"].enum_items[axis].name
