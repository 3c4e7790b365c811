"""From solved chains to the own pose of each bone: the rotation, and where they stretch the scale, to be keyed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..solver import rotation
from ..solver.triad import product
from ..solver.values import Array, Solution
from . import inherit, transform
from .basis import Basis
from .batches import stacked
from .chain_group import ChainGroup, below, tip_parent
from .plan import ChainPlan
from .samples import Samples
from .solved_group import SolvedGroup


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BoneBasis:
    """Own rotation of a bone of each chain (n, c, 3, 3), and its own scale (n, c, 3) where the chain stretches."""

    rotation: Array
    scale: Array | None = None

    def of(self, row: int) -> BoneBasis:
        """That of one of the chains, without their axis."""
        return BoneBasis(rotation=self.rotation[:, row], scale=None if self.scale is None else self.scale[:, row])


def bone_bases(solved: SolvedGroup) -> list[BoneBasis]:
    """Of the bones that are keyed: root and end bones, and the tip bones where they turn with their targets."""
    here, solution, plan = solved.here, solved.solution, solved.plan
    root = BoneBasis(rotation=solution.rotations[..., 0, :, :])
    if plan.stretches:
        root = replace(root, scale=here.basis[0].scale * transform.along_bone(solution.stretch))
    end = _rigid_end(here, solution) if here.kinematics.rigid else _end_pose(here, root, solution)
    if not plan.use_rotation:
        return [root, end]
    carrier = tip_parent(here.plans, posed_bones(here, [root, end])[-1], solved.samples)
    return [root, end, _tip_pose(here.plans, carrier, solved.samples)]


def posed_bones(here: ChainGroup, own: Sequence[BoneBasis]) -> list[Array]:
    """(n, c, 4, 4) in armature space, the pose of each of the chains' bones, root bones first, with these own poses."""
    first, *between, last = here.basis
    found = here.kinematics.posed((with_bone_basis(first, own[0]), *between, with_bone_basis(last, own[1])))
    return list(map(here.kinematics.in_armature, found))


def _rigid_end(here: ChainGroup, solution: Solution) -> BoneBasis:
    """The end bone's own pose is what it turns more than the root bone, seen from where it is at rest."""
    turned = product(solution.rotations, here.end[..., None, :, :])
    return BoneBasis(rotation=product(np.swapaxes(turned[..., 0, :, :], -1, -2), turned[..., 1, :, :]))


def _end_pose(here: ChainGroup, root: BoneBasis, solution: Solution) -> BoneBasis:
    """The end bone's own pose, by Blender's rules of inheritance."""
    bone, basis = here.kinematics.bones[-1], here.basis[-1]
    parent = here.kinematics.posed((with_bone_basis(here.basis[0], root), *here.basis[1:-1]))[-1]
    wanted = product(here.kinematics.from_space[..., :3, :3], product(solution.rotations[..., 1, :, :], here.end))
    turn = inherit.rotation(bone, parent, basis.scale, wanted)
    if not here.plan.stretches:
        return BoneBasis(rotation=turn)
    # What the bone inherits of the root bone's stretch it must not add again.
    unstretched = inherit.pose(bone, parent, transform.compose(turn, basis.location))
    inherited = transform.lengths(unstretched[..., :3, :3])[..., 1]
    missing = solution.stretch * np.linalg.norm(wanted[..., 1], axis=-1) / np.where(inherited > 0.0, inherited, 1.0)
    return BoneBasis(rotation=turn, scale=basis.scale * transform.along_bone(missing))


def _tip_pose(plans: Sequence[ChainPlan], parent: Array, samples: Samples) -> BoneBasis:
    """The tip bones', turned as the targets are, on this pose (n, c, 4, 4) of their parents in armature space."""
    rig, influence = plans[0].rig, plans[0].rotation_influence
    from_world = transform.inverse(samples.to_world[rig])[:, None, :3, :3]
    targets = stacked(samples.world(plan.target) for plan in plans)
    wanted = transform.orientation(product(from_world, targets[..., :3, :3]))
    own = below(plans, -1, samples)
    turn = inherit.rotation(tuple(rig.data.bones[plan.tip_bone] for plan in plans), parent, own.scale, wanted)
    if influence < 1.0:
        turn = rotation.blend(np.broadcast_to(own.rotation, turn.shape), turn, influence)
    return BoneBasis(rotation=turn)


def with_bone_basis(basis: Basis, own: BoneBasis) -> Basis:
    """Own channels with this rotation, and this scale if there is one, in place of theirs."""
    return replace(basis, rotation=own.rotation, scale=basis.scale if own.scale is None else own.scale)
