"""From the solved chain to the own pose of each bone: the rotation, and where it stretches the scale, to be keyed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from bpy.types import PoseBone

from ....solver import rotation
from ....solver.triad import product
from ....solver.values import Array, Solution
from ..bones import inherit, transform
from ..plan import ChainPlan, Point
from ..samples import Samples
from .space import ChainSpace, tip_parent


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OwnPose:
    """One bone's own rotation (n, 3, 3), and its own scale (n, 3) where the chain stretches."""

    bone: PoseBone
    rotation: Array
    scale: Array | None = None


def own_poses(here: ChainSpace, solution: Solution, samples: Samples) -> list[OwnPose]:
    """The own pose of each bone that is keyed: root and end bone, and the tip bone where it turns with the target."""
    plan = here.plan
    root = OwnPose(bone=plan.root, rotation=solution.rotations[..., 0, :, :])
    if plan.stretches:
        root = replace(root, scale=transform.scale(here.basis[0]) * transform.along_bone(solution.stretch))
    end = _rigid_end(here, solution) if here.stage.rigid else _end_pose(here, root, solution)
    if not plan.use_rotation:
        return [root, end]
    carrier = tip_parent(plan, poses(here, [root, end])[plan.end.name], samples)
    return [root, end, _tip_pose(plan, carrier, samples)]


def poses(here: ChainSpace, own: list[OwnPose]) -> dict[str, Array]:
    """(n, 4, 4) in armature space, the pose of each of the chain's bones by name, with these own poses."""
    first, *between, last = here.basis
    found = here.stage.posed((applied(first, own[0]), *between, applied(last, own[1])))
    return dict(zip(here.plan.bones, map(here.stage.in_armature, found), strict=True))


def _rigid_end(here: ChainSpace, solution: Solution) -> OwnPose:
    """The end bone's own pose is what it turns more than the root bone, seen from where it is at rest."""
    carrier, turned = np.moveaxis(product(solution.rotations, here.end[..., None, :, :]), -3, 0)
    return OwnPose(bone=here.plan.end, rotation=product(np.swapaxes(carrier, -1, -2), turned))


def _end_pose(here: ChainSpace, root: OwnPose, solution: Solution) -> OwnPose:
    """The end bone's own pose, by Blender's rules of inheritance."""
    bone, basis = here.plan.end, here.basis[-1]
    parent = here.stage.posed((applied(here.basis[0], root), *here.basis[1:-1]))[-1]
    wanted = product(here.stage.from_space[..., :3, :3], product(solution.rotations[..., 1, :, :], here.end))
    turn = inherit.rotation(bone.bone, parent, wanted)
    if not here.plan.stretches:
        return OwnPose(bone=bone, rotation=turn)
    # What the bone inherits of the root bone's stretch it must not add again.
    unstretched = inherit.pose(bone.bone, parent, transform.turned(transform.moved_only(basis), turn))
    inherited = transform.scale(unstretched)[..., 1]
    missing = solution.stretch * np.linalg.norm(wanted[..., 1], axis=-1) / np.where(inherited > 0.0, inherited, 1.0)
    return OwnPose(bone=bone, rotation=turn, scale=transform.scale(basis) * transform.along_bone(missing))


def _tip_pose(plan: ChainPlan, parent: Array, samples: Samples) -> OwnPose:
    """The tip bone's, turned as the target is, where its parent's pose is `parent` (n, 4, 4) in armature space."""
    bone = plan.rig.pose.bones[plan.tip_bone]
    from_world = transform.inverse(samples.to_world[plan.rig])[..., :3, :3]
    wanted = transform.orientation(product(from_world, samples.world(plan.target)[..., :3, :3]))
    turn = inherit.rotation(bone.bone, parent, wanted)
    if plan.rotation_influence < 1.0:
        own = transform.orientation(samples.basis[Point(plan.rig, plan.tip_bone)][..., :3, :3])
        turn = rotation.blend(np.broadcast_to(own, turn.shape), turn, plan.rotation_influence)
    return OwnPose(bone=bone, rotation=turn)


def applied(basis: Array, own: OwnPose) -> Array:
    """(n, 4, 4) own channels with this rotation, and this scale if there is one, in place of theirs."""
    scaled = basis if own.scale is None else transform.scaled(basis, own.scale)
    return transform.turned(scaled, own.rotation)
