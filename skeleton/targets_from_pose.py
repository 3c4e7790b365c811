"""The way back: where target and pole target have to be for the chains to be posed as they show.

What shows is the evaluated pose, with constraints and all. Its joints are read in chain space, the solver finds target
and pole, and the chain is solved for them with its own options: so it is known how far they keep the pose.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ..blender.messages.report import when
from ..blender.messages.translation import translated
from ..solver import Solution, bend, diagnostics, reach, reference, targets
from ..solver.triad import product
from ..solver.values import Array, Chain, Unreachable
from ..solver.vectors import norm
from . import transform, uneven_scale
from .chain_group import ChainGroup, chain_groups, goals, tail
from .plan import ChainPlan, Plan, Point
from .samples import Samples
from .solved_group import SolvedGroup

_KEPT = 1e-4
"""Part of the chain's length, and radians: less than this nobody sees."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TargetsFromPose:
    """One chain with the goals that keep its pose, and what it makes of them.

    solved : the chain, beside no other
    target, pole : (n, 3)             in the world; the pole is there for chains without one as well
    orientation : (n, 3, 3)           in the world, of the tip bone, or the end bone where there is none
    moved : (n,)                      how far a joint is off the pose, world units
    rolled : (n,)                     the angle by which a bone is off, radians
    size : float                      the chain's length, world units
    """

    solved: SolvedGroup
    target: Array
    pole: Array
    orientation: Array
    moved: Array
    rolled: Array
    size: float


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Shown:
    """The pose in chain space: rotations (n, 2, 3, 3), and the joints at rest which they carry to where they show."""

    rotations: Array
    chain: Chain
    mid: Array
    tip: Array


def targets_from_pose(plan: Plan, samples: Samples) -> list[TargetsFromPose]:
    """All chains of the plan, each as it shows."""
    return [_aimed(chain, samples, len(plan.frames)) for chain in plan.chains]


def notes(plan: Plan, aimed: Iterable[TargetsFromPose]) -> list[str]:
    """Sentences about the chains that do not keep their pose when they are solved for these goals."""
    found = []
    for one in aimed:
        name = one.solved.plan.name
        moved, rolled = one.moved > _KEPT * one.size, one.rolled > _KEPT
        if moved.any():
            off = translated(
                'Chain "{chain}" does not keep its pose {when}: with its options joints move by up to {moved:.4g}'
                if one.solved.plan.pole
                else 'Chain "{chain}" does not keep its pose {when}: '
                "without a pole target joints move by up to {moved:.4g}",
                chain=name,
                when=when(plan.frames, moved),
                moved=one.moved.max(),
            )
            found.append(off)
        elif rolled.any():
            off = translated(
                'Chain "{chain}" keeps its joints, but bones turn by up to {rolled:.3g} degrees {when}: '
                "Reference Current Pose keeps the roll that is keyed",
                chain=name,
                rolled=np.degrees(one.rolled.max()),
                when=when(plan.frames, rolled),
            )
            found.append(off)
    return found


def _aimed(plan: ChainPlan, samples: Samples, count: int) -> TargetsFromPose:
    [group] = chain_groups([plan], samples, count)
    here, to_world = group.one(0), group.to_world[:, 0]
    shown = _shown(here, samples, count)
    target, pole, solved = _kept(group, shown, samples, _resolution(to_world, shown))
    solution = solved.one(0).solution
    off = solution.joints[..., 1:, :] - np.stack((shown.mid, shown.tip), axis=-2)
    links = np.stack((shown.mid, shown.tip - shown.mid), axis=-2)
    linear = to_world[..., None, :3, :3]
    return TargetsFromPose(
        solved=solved,
        target=transform.transform_points(to_world, target),
        pole=transform.transform_points(to_world, pole),
        orientation=_orientation(plan, samples),
        moved=norm(transform.transform_vectors(linear, off)).max(axis=-1),
        rolled=diagnostics.root_turn(solution.rotations, shown.rotations).max(axis=-1),
        size=float(norm(transform.transform_vectors(linear, links)).sum(axis=-1).max()),
    )


def _kept(group: ChainGroup, shown: _Shown, samples: Samples, resolution: Array) -> tuple[Array, Array, SolvedGroup]:
    """Target and pole (n, 3) in chain space that keep the pose best, and the chain solved for them."""
    plan, count = group.plan, len(shown.rotations)
    size = float(norm(np.diff(shown.chain.joints, axis=-2)).sum(axis=-1).max())
    steady = targets.STEADY + (float(resolution.max()) / size if size else 0.0)
    target = _ahead(group.one(0), shown, resolution)
    own = goals(group, samples, count)
    tries = []
    # A pole in front of the chain is right for one that bends away from its pole.
    for distance in (size, -size):
        pole = targets.from_pose(shown.chain, shown.rotations, distance, plan.options.pole_angle, steady).pole
        assert pole is not None
        wanted = replace(own, target=target[:, None], pole=pole[:, None] if plan.pole else None)
        tries.append((target, pole, uneven_scale.solve_group(group, wanted, samples)))
    return min(tries, key=lambda tried: _cost(tried[-1].one(0).solution, shown))


def _shown(here: ChainGroup, samples: Samples, count: int) -> _Shown:
    plan, from_armature = here.plan, transform.inverse(here.kinematics.to_armature)

    def pose(name: str) -> Array:
        return product(from_armature, samples.pose[Point(plan.rig, name)])

    root, end = pose(plan.bones[0]), pose(plan.bones[-1])
    tip = pose(plan.tip_bone)[..., :3, 3] if plan.tip_bone else transform.transform_points(end, np.array(tail(plan)))
    mid, tip = np.broadcast_arrays(end[..., :3, 3], tip)  # a tip bone may move on a limb that stands still
    turns = (
        transform.rotation(root[..., :3, :3], here.basis[0].scale),
        product(transform.orientation(end[..., :3, :3]), np.swapaxes(here.end, -1, -2)),
    )
    rotations = np.broadcast_to(np.stack(np.broadcast_arrays(*turns), axis=-3), (count, 2, 3, 3))
    links = np.stack((mid, tip - mid), axis=-2)
    upper, lower = np.moveaxis(np.einsum("...bji,...bj->...bi", rotations, links), -2, 0)
    joints = np.stack((np.zeros_like(upper), upper, upper + lower), axis=-2)
    return _Shown(rotations=rotations, chain=replace(here.chain, joints=joints), mid=mid, tip=tip)


def _ahead(here: ChainGroup, shown: _Shown, resolution: Array) -> Array:
    """(n, 3) the target: the tip, or so far ahead of it as softness takes back."""
    options = here.plan.options
    lengths = reach.equalized(norm(np.diff(here.chain.joints, axis=-2)), options.tolerance)
    own = reference.from_rotations(shown.chain, reference.rest(shown.chain), shown.rotations)
    _, outer = reach.annulus(lengths, *bend.opening(own.side, options))
    # Bones that stretch meet the target all the same.
    softness = 0.0 if options.unreachable == Unreachable.STRETCH else options.softness
    return targets.target_beyond_tip(np.broadcast_to(shown.tip, (len(shown.rotations), 3)), outer, softness, resolution)


def _resolution(to_world: Array, shown: _Shown) -> Array:
    """(n,) in chain space, what float32 leaves open of a place in the world after a product or two."""
    root, tip = to_world[..., :3, 3], transform.transform_points(to_world, shown.tip)
    world = norm(tip - root)
    coarse = 2.0 * np.spacing(np.maximum(np.abs(root), np.abs(tip)).max(axis=-1).astype(np.float32))
    return coarse * np.where(world > 0.0, norm(shown.tip) / np.where(world > 0.0, world, 1.0), 0.0)


def _cost(solution: Solution, shown: _Shown) -> float:
    """How far the solution is from the pose: above all its joints, and where these are the same, its roll."""
    size = norm(np.diff(shown.chain.joints, axis=-2)).sum(axis=-1)
    off = norm(solution.joints[..., 1, :] - shown.mid) / np.where(size > 0.0, size, 1.0)
    return float(off.sum() + 1e-6 * diagnostics.root_turn(solution.rotations, shown.rotations).sum())


def _orientation(plan: ChainPlan, samples: Samples) -> Array:
    bone = Point(plan.rig, plan.tip_bone or plan.bones[-1])
    return transform.orientation(samples.world(bone)[..., :3, :3])
