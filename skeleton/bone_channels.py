"""From solved chains to channels: the basis of each bone that is keyed, as values in the bone's rotation mode.

The values go on from the keys before without a jump. Scale is keyed if the chain stretches.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..solver import rotation
from ..solver.hock import TURNS_WITH
from ..solver.numbers import differs
from ..solver.values import Array, Integers, Mask, Solution, Unreachable
from ..solver.vectors import dot, norm, product
from . import inherit, transform, twist
from .batches import batches
from .chain_group import ChainGroup, basis_below, tip_parent_pose
from .rotation_mode import rotation_name, rotation_values
from .solved_group import SolvedGroup
from .transform import Basis, stacked
from .values import Bone, ChainPlan, Channel, Plan, Point, Samples


def bone_bases(solved: SolvedGroup) -> list[Basis]:
    """The bases of the bones that are keyed, in the order of the plan."""
    bases = limb_bases(solved)
    if solved.plan.twists:
        bases = twist.spread(solved, bases)
    return _where_influenced(solved, bases)


def bases_by_bone(solved: SolvedGroup) -> dict[Bone, Basis]:
    """By bone of each chain the basis that is keyed, without the axis of the chains."""
    bases = bone_bases(solved)
    return {
        bone: basis.column(row)
        for row, plan in enumerate(solved.plans)
        for bone, basis in zip(plan.keyed, bases, strict=True)
    }


def shown_bases(solved: SolvedGroup) -> dict[Bone, Basis]:
    """By bone of the first chain the bases on which joints depend: all that are keyed but twist bones at the side."""
    if any(part.in_line for part in solved.plan.twists):
        bases = bone_bases(solved)
    else:
        bases = _where_influenced(solved, limb_bases(solved))
    return dict(zip(solved.plan.keyed, bases, strict=False))


def limb_bases(solved: SolvedGroup) -> list[Basis]:
    """Bases before twists are spread: of root, end and third bones, and of tip bones that turn as their targets do."""
    group, solution, plan = solved.group, solved.solution, solved.plan
    root = group.basis[0].with_rotation(solution.rotations[..., 0, :, :])
    if plan.scaled:
        root = root.stretched(_along_axis(group, 0, solution.stretch[..., 0]))
    end = _rigid_end_basis(group, solution) if group.kinematics.rigid else _end_basis(group, root, solution)
    bases, third = [root, end], None
    if not (plan.use_rotation or group.third):
        return bases
    end_pose = group.kinematics.poses((root, *group.basis[1:-1], end))[-1]
    if group.third:
        third = _third_basis(group, end_pose, solution)
        bases.append(third)
    if plan.use_rotation:
        parent = group.kinematics.in_armature(end_pose)
        parent = tip_parent_pose(group.plans, parent, solved.samples, {plan.third[0]: third} if third else {})
        bases.append(_tip_basis(group, parent, solved.samples))
    return bases


def _where_influenced(solved: SolvedGroup, bases: list[Basis]) -> list[Basis]:
    """The solved bases of the first bones that are keyed; on frames without influence, to the bit those of the bones'
    own pose.
    """
    group = solved.group
    influence = group.number("influence")
    if not differs(influence, 1.0):
        return bases
    rests = np.equal(influence, 0.0)
    bones = zip(*(plan.keyed[: len(bases)] for plan in solved.plans), strict=True)
    points = ([Point(plan.rig, bone.name) for plan, bone in zip(solved.plans, column, strict=True)] for column in bones)
    own = [Basis.side_by_side(solved.samples.basis[point] for point in column) for column in points]
    return [
        replace(
            one,
            rotation=np.where(rests[..., None, None], other.rotation, one.rotation),
            scale=np.where(rests[..., None], other.scale, one.scale),
        )
        for one, other in zip(bases, own, strict=True)
    ]


def _rigid_end_basis(group: ChainGroup, solution: Solution) -> Basis:
    """The end bone's, with its rotation relative to the root bone's, seen from the end bone's rest orientation."""
    orientations = product(solution.rotations[..., :2, :, :], group.rests[0][..., None, :, :])
    turn = product(np.swapaxes(orientations[..., 0, :, :], -1, -2), orientations[..., 1, :, :])
    return group.basis[-1].with_rotation(turn)


def _end_basis(group: ChainGroup, root: Basis, solution: Solution) -> Basis:
    """The end bone's basis, by Blender's rules of inheritance."""
    parent = group.kinematics.poses((root, *group.basis[1:-1]))[-1]
    turned = product(solution.rotations[..., 1, :, :], group.rests[0])
    stretch = _along_axis(group, 1, solution.stretch[..., 1])
    return _turned_basis(group, group.kinematics.bones[-1], group.basis[-1], parent, turned, stretch)


def _third_basis(group: ChainGroup, end_pose: Array, solution: Solution) -> Basis:
    """The third bone's of legs with a hock, on these poses (n, c, 4, 4) of the end bones."""
    assert group.third
    assert group.plan.hock
    stretch = _along_axis(group, 2, solution.stretch[..., TURNS_WITH[group.plan.hock]])
    turned = product(solution.rotations[..., 2, :, :], group.rests[1])
    third = group.third
    return _turned_basis(group, third.bones[-1], third.basis, third.parent_pose(end_pose), turned, stretch)


_MOVED = 1e-2
"""Part of the way to the next joint: a factor of 2 that gains less than this does not move the joint."""


def _along_axis(group: ChainGroup, bone: int, stretch: Array) -> Array:
    """(n, c) the factor on the bone's y axis with which the next joint is `stretch` (n, c) times as far away.

    Limbs without a pole pin stretch their bones by that, wherever the next joint lies. Those whose next joint lies at
    a right angle to the axis, where no factor moves it, keep their length. No factor is above twice Maximum Stretch, or
    below half of 1 / Maximum Stretch.
    """
    if group.grown is None:
        return stretch
    way, gain = np.moveaxis(group.grown[..., bone, :, :], -2, 0)
    most = np.asarray(group.number("max_stretch"))
    moves, nearest, farthest = _moves(way, gain, most)
    # The length of way + (factor - 1) * gain is to be that of stretch * way.
    gain_sq, size_sq = np.where(moves, dot(gain, gain), 1.0), dot(way, way)
    root = (np.square(stretch) - 1.0) * size_sq / gain_sq + (1.0 - nearest) ** 2
    factor = nearest + np.copysign(np.sqrt(np.maximum(root, 0.0)), farthest - nearest)
    return np.where(moves, np.clip(factor, 0.5 / most, 2.0 * most), 1.0)


def stretch_limits(group: ChainGroup) -> Array | None:
    """`Goals.stretch_limits` (n, c, 2, 2) of chains with a pole pin; None for all others.

    A joint beside its bone's axis comes as near and goes as far as the factors that `_along_axis` takes move it. The
    third bone of a leg has the stretch of its end bone.
    """
    if group.grown is None:
        return None
    way, gain = np.moveaxis(group.grown, -2, 0)
    most = np.asarray(group.number("max_stretch"))[..., None]
    moves, nearest, farthest = _moves(way, gain, most)
    ends = np.clip(nearest, 0.5 / most, 2.0 * most), farthest
    near, far = (np.where(moves, np.clip(_apart(way, gain, factor), 1.0 / most, most), 1.0) for factor in ends)
    return np.stack((np.maximum.reduceat(near, (0, 1), axis=-1), np.minimum.reduceat(far, (0, 1), axis=-1)), axis=-1)


def _moves(way: Array, gain: Array, most: Array) -> tuple[Mask, Array, Array]:
    """(...) whether a factor moves the next joint, that which brings it nearest, and the one in the limits farthest."""
    gain_sq = dot(gain, gain)
    nearest = 1.0 - dot(way, gain) / np.where(gain_sq > 0.0, gain_sq, 1.0)
    farthest = np.where(nearest > 0.25 / most + most, 0.5 / most, 2.0 * most)
    return gain_sq > _MOVED**2 * dot(way, way), nearest, farthest


def _apart(way: Array, gain: Array, factor: Array) -> Array:
    """(...) how many times as far away the next joint is with this factor on the bone's y axis."""
    size, grown = norm(way), norm(way + (factor - 1.0)[..., None] * gain)
    return np.where(size > 0.0, grown / np.where(size > 0.0, size, 1.0), 1.0)


def posed_stretch(group: ChainGroup) -> Array:
    """(n, c, 2) the stretch of a solution that gives root and end bones the lengths that they have before the solve."""
    if group.lengthened is None:
        return np.ones(2)
    end = group.kinematics.poses(group.posed[: len(group.basis)])[-1]
    turned = product(group.input_pose[..., 1, :, :], group.rests[0])
    own = norm(product(group.kinematics.from_space[..., :3, :3], turned)[..., 1])
    inherited = transform.lengths(end[..., :3, :3])[..., 1] / own
    factors = group.lengthened[..., 0], np.where(inherited > 0.0, inherited, 1.0)
    return np.stack(np.broadcast_arrays(*(_next_joint(group, *each) for each in enumerate(factors))), axis=-1)


def _next_joint(group: ChainGroup, bone: int, factor: Array) -> Array:
    """(n, c) how many times as far away the next joint is with this factor: `_along_axis` the other way."""
    if group.grown is None:
        return factor
    way, gain = np.moveaxis(group.grown[..., bone, :, :], -2, 0)
    return _apart(way, gain, factor)


def _turned_basis(
    group: ChainGroup, bones: inherit.Bones, basis: Basis, parent: Array, turned: Array, stretch: Array
) -> Basis:
    """The bones' basis that turns them to `turned` (n, c, 3, 3) in chain space, as long as at rest times `stretch`.

    parent : (n, c, 4, 4) the poses of their parents in the pose space
    """
    orientation = product(group.kinematics.from_space[..., :3, :3], turned)
    turn = inherit.rotation(bones, parent, basis.scale, orientation)
    if not group.plan.scaled:
        return basis.with_rotation(turn)
    # What the bone inherits of the root bone's stretch it must not add again.
    unstretched = inherit.pose(bones, parent, transform.compose(turn, basis.location))
    inherited = transform.lengths(unstretched[..., :3, :3])[..., 1]
    length = stretch * norm(orientation[..., 1])
    missing = length / np.where(inherited > 0.0, inherited, 1.0)
    return basis.with_rotation(turn).stretched(missing)


def _tip_basis(group: ChainGroup, parent: Array, samples: Samples) -> Basis:
    """The tip bones', oriented as the targets are, on these poses (n, c, 4, 4) of their parents in armature space."""
    influence = group.number("influence") * group.number("rotation_influence")
    turned = turned_tips(group, parent, samples)
    if np.any(np.less(influence, 1.0)):
        turn = rotation.blend(basis_below(group.plans, -1, samples).rotation, turned.rotation, influence)
        return turned.with_rotation(turn)
    return turned


def turned_tips(group: ChainGroup, parent: Array, samples: Samples) -> Basis:
    """The bases of tip bones that turn wholly as their targets do, without a part of their own orientation."""
    plans = group.plans
    from_world = transform.inverse(stacked(samples.to_world[plan.rig] for plan in plans)[..., :3, :3])
    targets = product(from_world, stacked(samples.world(plan.target)[..., :3, :3] for plan in plans))
    tips = tuple(plan.below[-1] for plan in plans)
    return inherit.turned_back(tips, parent, basis_below(plans, -1, samples), targets)


def channels(
    plan: Plan, solved: Iterable[SolvedGroup], rows: Mapping[str, Integers], before: Mapping[str, Array]
) -> dict[str, list[Channel]]:
    """By chain a channel for each bone's rotation, and scale if it stretches, on these `rows` of the frames.

    before : by RNA path (3 or 4,), the value of each bone's rotation from which its keys go on without a jump
    """
    found: dict[str, list[Channel]] = {}
    for group in solved:  # one after the other: the bases of all of them would take much memory
        found |= _group_channels(plan, group, rows, before)
    return {chain.name: found[chain.name] for chain in plan.chains if chain.name in found}


def _group_channels(
    plan: Plan, group: SolvedGroup, rows: Mapping[str, Integers], before: Mapping[str, Array]
) -> dict[str, list[Channel]]:
    bases = bases_by_bone(group)
    rotations = _rotation_values(bases.items(), before, len(plan.frames))
    return {chain.name: [*_channels(plan, chain, bases, rotations, rows[chain.name])] for chain in group.plans}


def pose_values(solved: SolvedGroup, before: Mapping[Bone, Sequence[float]]) -> Iterator[tuple[Bone, str, list[float]]]:
    """Yields, for chains solved on one frame, a bone, the name of a property that poses it, and its values.

    before : as for `channels`; bones that are not in it are left out
    """
    bases, skips = bone_bases(solved), solved.plan.options.unreachable == Unreachable.SKIP
    left_out = solved.out_of_reach[0].tolist() if skips else [False] * len(solved.plans)
    # Columns of bones side by side, one below the other.
    bones = [bone for column in zip(*(plan.keyed for plan in solved.plans), strict=True) for bone in column]
    rotations = np.concatenate([basis.rotation for basis in bases], axis=1)
    posed = [row for row, bone in enumerate(bones) if bone in before and not left_out[row % len(left_out)]]
    for part in batches(posed, lambda row: bones[row].rotation_mode, rows=1):
        mode, start = bones[part[0]].rotation_mode, np.array([before[bones[row]] for row in part])
        by_row = rotation_values(rotations[:, part], mode, start)[0].tolist()
        yield from ((bones[row], rotation_name(mode), values) for row, values in zip(part, by_row, strict=True))
    if solved.plan.scaled:
        scales = np.concatenate([basis.scale for basis in bases[: len(solved.plan.scaled)]], axis=1)[0].tolist()
        yield from ((bones[row], "scale", scales[row]) for row in posed if row < len(scales))


def keyed_rows(plan: Plan, solved: Iterable[SolvedGroup]) -> dict[str, Integers]:
    """By chain (m,) which of the plan's frames get keys."""
    found = {}
    for group in solved:
        for chain, out in zip(group.plans, group.out_of_reach.T, strict=True):
            rows = plan.rows_to_key(chain)
            found[chain.name] = rows[~out[rows]] if chain.options.unreachable == Unreachable.SKIP else rows
    return found


def _rotation_values(keyed: Iterable[tuple[Bone, Basis]], before: Mapping[str, Array], count: int) -> dict[Bone, Array]:
    """(n, 3 or 4) the bones' rotations over `count` frames, as values of their rotation modes."""
    values: dict[Bone, Array] = {}
    for part in batches(keyed, lambda each: each[0].rotation_mode, rows=count):
        rotations = stacked(basis.rotation for _, basis in part)
        start = np.array([before[bone.rotation_path] for bone, _ in part])
        by_bone = rotation_values(rotations, part[0][0].rotation_mode, start).swapaxes(0, 1)
        values |= zip((bone for bone, _ in part), by_bone, strict=True)
    return values


def _channels(
    plan: Plan, chain: ChainPlan, bases: Mapping[Bone, Basis], rotations: Mapping[Bone, Array], rows: Integers
) -> Iterator[Channel]:
    # To pick all rows would copy the values of each bone.
    picked = slice(None) if len(rows) == len(plan.frames) else rows
    frames = plan.frames[picked]
    for bone in chain.keyed:
        values = {bone.rotation_path: rotations[bone]}
        if bone in chain.scaled:
            values[bone.scale_path] = bases[bone].scale
        for path, value in values.items():
            yield Channel(path=path, group=bone.name, frames=frames, values=value[picked])
