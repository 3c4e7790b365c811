"""From solved chains to the basis of each bone that is keyed: its rotation, and its scale if the chain stretches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..solver import rotation
from ..solver.values import Array, Solution
from ..solver.vectors import product
from . import inherit, transform
from .basis import Basis
from .batches import stacked
from .chain_group import ChainGroup, basis_below, tip_parent_pose
from .solved_group import SolvedGroup
from .values import ChainPlan, Samples


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BoneBasis:
    """The keyed part of a bone's basis, for each chain: rotation (n, c, 3, 3), and scale (n, c, 3) if it stretches."""

    rotation: Array
    scale: Array | None = None

    def of(self, row: int) -> BoneBasis:
        """That of one of the chains, without their axis."""
        return BoneBasis(rotation=self.rotation[:, row], scale=None if self.scale is None else self.scale[:, row])


def bone_bases(solved: SolvedGroup) -> list[BoneBasis]:
    """Of the bones that are keyed: root bones, end bones, and tip bones if they take their targets' rotation."""
    group, solution, plan = solved.group, solved.solution, solved.plan
    root = BoneBasis(rotation=solution.rotations[..., 0, :, :])
    if plan.stretches:
        root = replace(root, scale=group.basis[0].scale * transform.along_bone(solution.stretch))
    end = _rigid_end_basis(group, solution) if group.kinematics.rigid else _end_basis(group, root, solution)
    if not plan.use_rotation:
        return [root, end]
    end_pose = group.kinematics.in_armature(group.kinematics.poses(chain_bases(group, root, end))[-1])
    parent = tip_parent_pose(group.plans, end_pose, solved.samples)
    return [root, end, _tip_basis(group.plans, parent, solved.samples)]


def chain_bases(group: ChainGroup, root: BoneBasis, end: BoneBasis) -> tuple[Basis, ...]:
    """Of all bones of the chains, root bones first, with these of the root and end bones."""
    first, *between, last = group.basis
    return with_bone_basis(first, root), *between, with_bone_basis(last, end)


def with_bone_basis(basis: Basis, keyed: BoneBasis) -> Basis:
    """The basis with its rotation, and its scale if that is keyed, replaced by those of `keyed`."""
    return replace(basis, rotation=keyed.rotation, scale=basis.scale if keyed.scale is None else keyed.scale)


def _rigid_end_basis(group: ChainGroup, solution: Solution) -> BoneBasis:
    """The end bone's rotation relative to the root bone's, seen from the end bone's rest orientation."""
    orientations = product(solution.rotations, group.end[..., None, :, :])
    return BoneBasis(rotation=product(np.swapaxes(orientations[..., 0, :, :], -1, -2), orientations[..., 1, :, :]))


def _end_basis(group: ChainGroup, root: BoneBasis, solution: Solution) -> BoneBasis:
    """The end bone's basis, by Blender's rules of inheritance."""
    bones, basis = group.kinematics.bones[-1], group.basis[-1]
    parent = group.kinematics.poses((with_bone_basis(group.basis[0], root), *group.basis[1:-1]))[-1]
    to_pose_space = group.kinematics.from_space[..., :3, :3]
    orientation = product(to_pose_space, product(solution.rotations[..., 1, :, :], group.end))
    turn = inherit.rotation(bones, parent, basis.scale, orientation)
    if not group.plan.stretches:
        return BoneBasis(rotation=turn)
    # What the bone inherits of the root bone's stretch it must not add again.
    unstretched = inherit.pose(bones, parent, transform.compose(turn, basis.location))
    inherited = transform.lengths(unstretched[..., :3, :3])[..., 1]
    length = solution.stretch * np.linalg.norm(orientation[..., 1], axis=-1)
    missing = length / np.where(inherited > 0.0, inherited, 1.0)
    return BoneBasis(rotation=turn, scale=basis.scale * transform.along_bone(missing))


def _tip_basis(plans: Sequence[ChainPlan], parent: Array, samples: Samples) -> BoneBasis:
    """The tip bones', oriented as the targets are, on these poses (n, c, 4, 4) of their parents in armature space."""
    rig, influence = plans[0].rig, plans[0].rotation_influence
    from_world = transform.inverse(samples.to_world[rig])[:, None, :3, :3]
    targets = stacked(samples.world(plan.target) for plan in plans)
    orientation = transform.orientation(product(from_world, targets[..., :3, :3]))
    basis = basis_below(plans, -1, samples)
    turn = inherit.rotation(tuple(plan.below[-1] for plan in plans), parent, basis.scale, orientation)
    if influence < 1.0:
        turn = rotation.blend(np.broadcast_to(basis.rotation, turn.shape), turn, influence)
    return BoneBasis(rotation=turn)
