"""Bend limits from the IK limits that a rigger has set on the end bone."""

from ...solver import reference
from ..armatures import Rig
from ..bake.chain import chain_bones, rest_chain
from ..messages.refused import Refused
from ..settings.properties import TwoBoneIKChain


def bend_limits_from_ik(rig: Rig, chain: TwoBoneIKChain) -> tuple[float, float]:
    """The least and the greatest hinge angle, in radians, that the IK limits of the end bone allow.

    raises : Refused if the end bone has no IK limit about the axis that the chain bends about
    """
    bones = chain_bones(rig, chain.end_bone, chain.root_bone, chain.name)
    at_rest, end_to_root = rest_chain(rig, chain)
    pose = reference.rest(at_rest)
    rest, axis = float(pose.hinge_angle), pose.hinges[1] @ end_to_root
    name = "x" if abs(axis[0]) >= abs(axis[2]) else "z"
    end = rig.pose.bones[bones[-1]]
    if not getattr(end, f"use_ik_limit_{name}"):
        raise Refused("NO_IK_LIMIT", chain=chain, bone=end.name, axis=name.upper())
    # IK limits count from the rest pose, bend limits from straight.
    sign = 1.0 if axis["xz".index(name) * 2] >= 0.0 else -1.0
    low, high = sorted(rest + sign * getattr(end, f"ik_{bound}_{name}") for bound in ("min", "max"))
    return low, high
