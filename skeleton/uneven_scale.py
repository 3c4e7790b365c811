"""Bones that change their length as they turn: under uneven scale, chains are solved again with the lengths they got.

How long a sheared bone is depends on the pose, and the pose on how long the bone is. So the links that a rigid chain
would have to have at rest to look the same are sought as a fixed point. The solver is given their lengths alone, along
the links of the reference pose, and each bone first takes the shortest turn there: which way a link lies at rest then
never decides the plane, in which there might be no fixed point.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..solver import rotation, solve
from ..solver.fixed_point import fixed_point
from ..solver.triad import product
from ..solver.values import Array, Goals, Reference, Status, Unreachable
from ..solver.vectors import norm, unit
from . import chain_group, transform
from .basis import Basis
from .bone_basis import bone_bases, with_bone_basis
from .chain_group import ChainGroup
from .samples import Samples
from .solved_group import SolvedGroup

_CLOSE = 1e-7
"""Part of the chain's length: poses that are not one product of matrices come from Blender in float32."""

_FITS = 1e-4
"""Part of the chain's length: joints farther off than this are told of."""


def solve_group(here: ChainGroup, goals: Goals, samples: Samples) -> SolvedGroup:
    """The chains with the joints that fit their solved pose, and their solution with the joints where it takes them."""
    if here.kinematics.rigid:
        return SolvedGroup(
            here=here, goals=goals, solution=solve(here.prepared, goals, here.plan.options), samples=samples
        )
    reference = _reference(here, goals, samples)
    reaching = _without_hold(here)

    def fitting(links: Array) -> Array:
        result = _solved(reaching, reference, _pairs(links), goals, samples)
        turned = _posed_links(here, _bases(result), samples) / result.solution.stretch[..., None, None]
        return _flat(_turned_back(result.solution.rotations, turned))

    links = _pairs(fixed_point(fitting, _flat(reference), _CLOSE))
    return _where_posed(_solved(here, reference, links, goals, samples), _pairs(fitting(_flat(links))) - links)


def _solved(here: ChainGroup, reference: Array, links: Array, goals: Goals, samples: Samples) -> SolvedGroup:
    """The chains whose links at rest are `links`, told of by those of `reference` (n, c, 2, 3)."""
    joints = _joints(unit(reference) * norm(links)[..., None])
    here = replace(here, chain=replace(here.chain, joints=joints))
    solution = solve(here.prepared, goals, here.plan.options)
    rotations = product(solution.rotations, rotation.shortest(unit(links), unit(reference)))
    return SolvedGroup(here=here, goals=goals, solution=replace(solution, rotations=rotations), samples=samples)


def _where_posed(solved: SolvedGroup, off: Array) -> SolvedGroup:
    """The solution with the joints where it takes them: on frames that hold another's pose, or where no pose fits.

    off : (n, c, 2, 3)     by how much the links that it was solved with are not those that it gets
    """
    solution, size = solved.solution, norm(np.diff(solved.here.chain.joints, axis=-2)).sum(axis=-1)
    joints = _joints(_posed_links(solved.here, _bases(solved), solved.samples))
    unfit = (norm(off).sum(axis=-1) > _FITS * size) & (solution.status == Status.REACHED)
    solution = replace(solution, joints=joints)
    short = np.where(norm(joints[..., 2, :]) < norm(solution.target), Status.TOO_FAR, Status.TOO_CLOSE)
    status = np.where(unfit, short, solution.status).astype(np.uint8)
    shortfall = np.where(unfit, norm(solution.miss), solution.shortfall)
    return replace(solved, solution=replace(solution, status=status, shortfall=shortfall))


def _without_hold(here: ChainGroup) -> ChainGroup:
    """The same chains, on each frame by itself: a held pose does not tell whether the target is within reach."""
    options = here.plan.options
    if options.unreachable != Unreachable.HOLD:
        return here
    options = replace(options, unreachable=Unreachable.CLAMP)
    return replace(here, plans=tuple(replace(plan, options=options) for plan in here.plans))


def _reference(here: ChainGroup, goals: Goals, samples: Samples) -> Array:
    """(n, c, 2, 3) the links at rest that the pose shows from which orientations are carried."""
    if here.plan.options.reference == Reference.POSE and goals.pose is not None:
        return _turned_back(goals.pose, _posed_links(here, here.basis, samples))
    return np.diff(here.chain.joints, axis=-2)


def _bases(solved: SolvedGroup) -> tuple[Basis, ...]:
    """Own channels of the chains' bones, root bones first, once they are posed."""
    root, end, *_ = bone_bases(solved)
    first, *between, last = solved.here.basis
    return (with_bone_basis(first, root), *between, with_bone_basis(last, end))


def _posed_links(here: ChainGroup, basis: tuple[Basis, ...], samples: Samples) -> Array:
    """(n, c, 2, 3) root to mid and mid to tip in chain space, with these own channels of the bones."""
    pose = here.kinematics.posed(basis)[-1]
    tips = chain_group.tip(here.plans, pose, samples)
    from_stage = transform.inverse(here.kinematics.from_space)
    mid, tip = (transform.transform_points(from_stage, point) for point in (pose[..., :3, 3], tips))
    return np.stack(np.broadcast_arrays(mid, tip - mid), axis=-2)


def _turned_back(rotations: Array, links: Array) -> Array:
    """(n, c, 2, 3) the links before each was turned by (n, c, 2, 3, 3)."""
    return np.einsum("...ji,...j->...i", rotations, links)


def _joints(links: Array) -> Array:
    return np.cumsum(np.insert(links, 0, 0.0, axis=-2), axis=-2)


def _flat(links: Array) -> Array:
    return links.reshape(*links.shape[:-2], 6)


def _pairs(links: Array) -> Array:
    return links.reshape(*links.shape[:-1], 2, 3)
