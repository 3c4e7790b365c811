"""Bend limits from what a rigger has set already: the IK limits of the end bone about its hinge."""

from __future__ import annotations

import numpy as np
from bpy.types import Object, PropertyGroup

from ..solver import reference
from ..solver.values import Array, Chain, HingeAxis
from .errors import Refused
from .pipeline.bones import inherit
from .pipeline.read.chain import chain_bones
from .pipeline.solve.space import AXES


def taken(rig: Object, chain: PropertyGroup) -> tuple[float, float]:
    """The bend limits, least and greatest in radians, that the IK limits of the chain's end bone make.

    raises : Refused where the end bone has no IK limit about the axis that the chain bends about
    """
    bones = chain_bones(rig, chain.end_bone, chain.root_bone, chain.name)
    rest, axis = _rest(rig, bones, HingeAxis(chain.hinge_axis))
    name = "x" if abs(axis[0]) >= abs(axis[2]) else "z"
    end = rig.pose.bones[bones[-1]]
    if not getattr(end, f"use_ik_limit_{name}"):
        raise Refused(
            'Bone "{bone}" of "{object}" has no IK limit about {axis}, about which chain "{chain}" bends: '
            "set one in Bone Properties, Inverse Kinematics",
            kind="NO_IK_LIMIT",
            object=rig.name,
            bone=end.name,
            axis=name.upper(),
            chain=chain.name,
        )
    # IK limits count from the rest pose, bend limits from straight.
    sign = 1.0 if axis["xz".index(name) * 2] >= 0.0 else -1.0
    low, high = sorted(rest + sign * getattr(end, f"ik_{bound}_{name}") for bound in ("min", "max"))
    return low, high


def _rest(rig: Object, bones: tuple[str, ...], hinge_axis: HingeAxis) -> tuple[float, Array]:
    """The hinge angle of the rest pose, and the hinge axis (3,) in the end bone's space."""
    root, end = (rig.data.bones[name] for name in (bones[0], bones[-1]))
    end_to_root = np.linalg.inv(inherit.rest(root)) @ inherit.rest(end)
    tip = end_to_root @ (0.0, end.length, 0.0, 1.0)
    chain = Chain(
        joints=np.stack((np.zeros(3), end_to_root[:3, 3], tip[:3]))[None],
        hinge_axis=(end_to_root[:3, :3] @ AXES[hinge_axis])[None],
        use_hinge_axis=hinge_axis != HingeAxis.AUTO,
    )
    pose = reference.rest(chain)
    return float(pose.hinge_angle[0]), end_to_root[:3, :3].T @ pose.hinges[0, 1]
