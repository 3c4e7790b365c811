"""The pose before an IK constraint acts: the pose of the bones' own channels, from which the constraint starts.

Before it bends the limb, the constraint turns the whole limb so that X cos a + Z sin a of the root bone, with the
constraint's pole angle a, points towards the pole. The mid joint then lies beside the direction to the pole, by an
angle about the line from root to target: that is the pole angle of the chain. It does not depend on where the limb
points.
"""

from dataclasses import dataclass
from typing import cast

import numpy as np
from bpy.types import PoseBone

from ...skeleton import inherit, transform
from ...solver.values import Array, Number
from ...solver.vectors import angle_about, cross, norm, rejection, unit
from ..armatures import Rig
from ..scene.bone import read_bone


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PreConstraintPose:
    """Orientations of both bones (n, 3, 3), and vectors from root to mid and to tip (n, 3), in armature space."""

    root: Array
    end: Array
    mid: Array
    tip: Array

    @property
    def hinge(self) -> Array:
        """(n, 3) in the end bone's space: the axis about which the limb is bent, times the sine of the angle."""
        axis = cross(unit(self.mid), unit(self.tip - self.mid))
        return np.einsum("nji,nj->ni", self.end, axis)

    @property
    def is_straight(self) -> bool:
        """True if the first pose is so straight that the constraint would not bend it, or only after many steps."""
        return bool(norm(self.hinge)[0] < 1e-3)

    def pole_angle(self, angle: Number) -> Array:
        """(n,) the chain's pole angle for this pole angle of the constraint, radians from -pi to pi."""
        line = unit(self.tip)
        up = np.cos(angle)[..., None] * self.root[..., 0] + np.sin(angle)[..., None] * self.root[..., 2]
        return angle_about(line, rejection(up, line), rejection(self.mid, line))


def pre_constraint_pose(root: PoseBone, end: PoseBone, basis: Array | None = None) -> PreConstraintPose:
    """The present pose before the constraint of two bones, or that for channels (n, 4, 4) of the end bone."""
    parent = None if root.parent is None else np.array(root.parent.matrix, dtype=np.float64)[None, None]
    bones = [(read_bone(cast(Rig, bone.id_data), bone.name),) for bone in (root, end)]
    upper = inherit.pose(bones[0], parent, np.array(root.matrix_basis, dtype=np.float64)[None, None])
    own = np.array(end.matrix_basis, dtype=np.float64)[None] if basis is None else basis
    lower = inherit.pose(bones[1], upper, own[:, None])[:, 0]
    upper = upper[:, 0]
    head = upper[..., :3, 3]
    return PreConstraintPose(
        root=transform.orientation(upper[..., :3, :3]),
        end=transform.orientation(lower[..., :3, :3]),
        mid=lower[..., :3, 3] - head,
        tip=transform.transform_points(lower, np.array((0.0, end.bone.length, 0.0))) - head,
    )
