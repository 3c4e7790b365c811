"""What shows of the twist of solved limbs: for the report, and to be compared with what Blender evaluates."""

import numpy as np
from numpy.typing import NDArray

from ..solver.values import Array
from . import transform, twist
from .bone_channels import bone_bases, limb_bases
from .reduced_keys import SIDE
from .solved_group import SolvedGroup
from .transform import stacked


def undecided_twist(solved: SolvedGroup) -> NDArray[np.bool_]:
    """(n, c) True on frames on which a joint swings so far that its twist was taken from the frames around."""
    found = twist.measured(solved, limb_bases(solved)).values()
    none = np.zeros(solved.solution.status.shape, dtype=np.bool_)
    return np.logical_or.reduce([none, *(~half.decided for half in found)])


def twist_points(solved: SolvedGroup, rows: NDArray[np.intp]) -> Array:
    """(m, c, k, 3) in the world, beside the tails of the twist bones: how they turn, on these rows of the frames."""
    plans, at = solved.plans, transform.on_rows(rows)
    posed = twist.poses(solved, bone_bases(solved))[len(solved.plan.limb) :]
    beside = np.array([[part.bone.length * np.array((SIDE, 1.0, 0.0)) for part in plan.twists] for plan in plans])
    points = transform.transform_points(np.stack([at(pose) for pose in posed], axis=2), beside)
    to_world = at(stacked(solved.samples.to_world[plan.rig] for plan in plans))
    return np.broadcast_to(transform.transform_points(to_world[:, :, None], points), (len(rows), *points.shape[1:]))
