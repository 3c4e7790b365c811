"""Chains side by side in chain space, and once they are solved.

In chain space the root joint is the origin, and the axes are the root bone's, at rest on its parent. There the
solver's rotation of the root bone is the rotation of its basis, and no scale or shear of the parent and the armature
object matters: lengths and handedness are read in this one space.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from operator import attrgetter
from typing import Any

import numpy as np

from ..solver import PreparedChain, hock, prepare, solve
from ..solver.values import VARYING, Array, Chain, Goals, HingeAxis, Mask, Number, Options, Solution
from ..solver.vectors import product
from . import inherit, transform, twist_bones
from .batches import batches
from .inherit import ThirdBones
from .rounding import rounding
from .transform import NOT_OVER_FRAMES, Basis, affine_product, each_array, stacked
from .values import AXES, OF_BONES, Bone, ChainPlan, Point, Samples


@dataclass(frozen=True, eq=False, kw_only=True)
class ChainGroup:
    """Chains of one kind, side by side on an axis behind `n`, which is 1 for what never moves.

    plans : (c,)
    chain : joints at rest and hinge axis, as the solver takes them; of legs with a hock those of their triangle
    third : the third bones of legs with a hock
    basis : of the chains' bones, root bones first
    kinematics : how the bones get their poses
    to_world, from_world : (n, c, 4, 4)
    flat : (n, c)                    True where `to_world` squeezes the limb, so that not all of it shows in the world
    joints : (n, c, 3, 3)            root, mid and tip at rest, in chain space; (n, c, 4, 3) with a hock
    rests : (n, c, 3, 3) each        the rest orientations there of the end bones, and of third bones
    line : (n, c, 3)                 where twist bones in line carry the end bone: from root joint to the first of
                                     them, in the root bone's space
    gathered : (n, c, k)             and the radians by which root bone and bones in line turn more in `basis`
    grown : (n, c, 2 or 3, 2, 3)     with a pole pin, in chain space at rest: the way from a bone's joint to the
                                     next, and what it gains for each factor on the bone's y axis
    lengthened : (n, c, 2 or 3)      of chains that stretch: how many times as long as in `basis` root, end and third
                                     bones are posed, as the last bake left them
    numbers : (n, c) by name, those that are not one number for all chains and frames
    """

    plans: tuple[ChainPlan, ...] = field(metadata=NOT_OVER_FRAMES)
    chain: Chain
    basis: tuple[Basis, ...]
    kinematics: inherit.ChainKinematics
    to_world: Array
    from_world: Array
    flat: Mask
    joints: Array
    rests: tuple[Array, ...]
    numbers: Mapping[str, Array]
    line: Array | None = None
    gathered: Array | None = None
    grown: Array | None = None
    lengthened: Array | None = None
    third: ThirdBones | None = None

    @property
    def plan(self) -> ChainPlan:
        """The plan of the first chain; all make the same choices, and `options` has their numbers."""
        return self.plans[0]

    @property
    def options(self) -> Options:
        """The options of all the chains."""
        return self._options(self.numbers)

    def options_of(self, row: int) -> Options:
        """The options of one of the chains, without their axis."""
        return self._options({name: values[:, row] for name, values in self.numbers.items()})

    def number(self, name: str) -> Number:
        """One of the chains' numbers."""
        return self.numbers.get(name, self.plan.number(name))

    def _options(self, numbers: Mapping[str, Array]) -> Options:
        varying: dict[str, Any] = {name: numbers[name] for name in VARYING if name in numbers}
        return replace(self.plan.options, **varying) if varying else self.plan.options

    @cached_property
    def prepared(self) -> PreparedChain:
        """The chains prepared for the solver, once for many goals."""
        return prepare(self.chain)

    @cached_property
    def prepared_leg(self) -> hock.Leg:
        """The legs prepared as well, if the limbs have a hock."""
        assert self.plan.hock
        axis, angle = self.chain.hinge_axis, self.number("hock_angle")
        use_axis = self.chain.use_hinge_axis
        return hock.leg(self.joints, axis, self.plan.hock, angle, use_hinge_axis=use_axis)

    def solve(self, goals: Goals, prepared: PreparedChain | None = None) -> Solution:
        """The chains solved; of legs with a hock with the rotations of all three bones, and the hock among the joints.

        goals : the pose (n, c, 3, 3, 3) of legs has their third bones, too
        prepared : instead of those of the group
        """
        prepared = prepared or self.prepared
        if not self.third:
            return solve(prepared, goals, self.options)
        leg = replace(self.prepared_leg, triangle=replace(prepared, from_bones=None))
        if prepared.from_bones is not None:
            leg = replace(leg, to_sides=np.swapaxes(prepared.from_bones, -1, -2))
        solved = hock.solve(leg, replace(goals, pose=None), self.options, goals.pose)
        return replace(solved.triangle, rotations=solved.rotations, joints=solved.joints)

    def sides(self, links: Array) -> Array:
        """(..., 2, 3) what turns with root and end bone, of links from joint to joint, which are three with a hock."""
        return hock.sides(links, self.plan.hock) if self.plan.hock else links

    @cached_property
    def rounding(self) -> Array:
        """(n, c) how far off a target may be because coordinates are rounded."""
        return rounding(self.to_world, self.from_world)

    @cached_property
    def input_pose(self) -> Array:
        """(n, c, 2, 3, 3) rotations from rest of root and end bones, as they are posed before the solve; of legs with a
        hock (n, c, 3, 3, 3) with their third bones.
        """
        posed = self.posed
        poses = [self.kinematics.poses(posed)[-1]]
        if self.third:
            poses.append(self.third.pose(poses[0], posed[-1]))
        return stacked((posed[0].rotation, *map(self._from_rest, poses, self.rests))).swapaxes(1, 2)

    @property
    def posed(self) -> tuple[Basis, ...]:
        """The bases before the solve: of the chains' bones, root bones first, and of third bones after them."""
        thirds = (self.third.basis,) if self.third else ()
        return _as_long((*self.basis, *thirds), self.lengthened, len(self.basis) - 1)

    def posed_by(self, bases: Mapping[Bone, Basis]) -> list[Array]:
        """(n, c, 4, 4) in the pose space, the chains' bones with these bases by bone of the first, or with `basis`."""
        chain = zip(self.plan.bones, self.basis, strict=True)
        return self.kinematics.poses(tuple(bases.get(bone, basis) for bone, basis in chain))

    def carried(self, samples: Samples) -> "ChainGroup | None":
        """The group after nothing but parents and armature objects of its rigid chains has moved.

        returns : None where these no longer let the chains be rigid
        """
        below = zip(*(plan.below if plan.by_tail else plan.bearing for plan in self.plans), strict=True)
        parent, location, rigid = _parent(self.plans, samples), self.basis[0].location, self.kinematics.rigid
        kinematics = inherit.chain_kinematics(self.kinematics.bones, below, parent, location, unscaled=rigid)
        if not kinematics.rigid:
            return None
        group = replace(self, kinematics=kinematics, **_worlds(self.plans, kinematics, samples))
        for name in _IN_CHAIN_SPACE:
            if name in vars(self):
                # `cached_property` keeps a value that it has computed in `vars`, and takes the one that it finds there.
                vars(group)[name] = vars(self)[name]
        return group

    def _from_rest(self, pose: Array, rest: Array) -> Array:
        """(n, c, 3, 3) how bones of this `pose` in the pose space are turned from their orientation at rest."""
        if not self.kinematics.rigid:
            pose = product(transform.nearest_inverse(self.kinematics.to_armature)[0], pose)
        return product(transform.orientation(pose[..., :3, :3]), np.swapaxes(rest, -1, -2))

    def only(self, columns: Sequence[int]) -> "ChainGroup":
        """Some of the chains."""

        def of_columns(side_by_side: inherit.Bones) -> inherit.Bones:
            return tuple(side_by_side[column] for column in columns)

        group, rows = each_array(transform.on_columns(columns), self), self.kinematics.bones
        third = group.third and replace(group.third, bones=tuple(map(of_columns, group.third.bones)))
        kinematics = replace(group.kinematics, bones=tuple(map(of_columns, rows)))
        return replace(group, plans=tuple(self.plans[column] for column in columns), kinematics=kinematics, third=third)


_IN_CHAIN_SPACE = ("prepared", "prepared_leg", "input_pose")
"""The cached properties that for rigid chains are the same wherever their parents are."""


def chain_groups(plans: Iterable[ChainPlan], samples: Samples, count: int) -> Iterator[ChainGroup]:
    """The chains in groups that can be solved in one call each, as they were sampled over `count` frames."""
    for part in batches(plans, _kind, rows=count):
        group = _side_by_side(part, samples)
        # One chain that is not rigid makes the whole group so, which is slow and less exact.
        yield from [group] if group.kinematics.rigid else (_side_by_side([plan], samples) for plan in part)


def goals(group: ChainGroup, samples: Samples, count: int, seconds: Array | None = None) -> Goals:
    """Targets and poles on `count` frames in chain space, and the input pose if the solution depends on it.

    seconds : (count,)     the time of each frame; chains that smooth their pole ask for it
    """
    target = _locations([plan.target for plan in group.plans], group.from_world, samples)
    if len(target) != count:
        target = np.broadcast_to(target, (count, *target.shape[1:]))
    poles = [plan.pole for plan in group.plans if plan.pole]
    rough = group.plan.options.pole_smoothing == 0.0
    return Goals(
        target=target,
        pole=_locations(poles, group.from_world, samples) if poles else None,
        pose=group.input_pose if group.plan.uses_pose else None,
        seconds=None if rough or seconds is None else np.broadcast_to(seconds[:, None], target.shape[:2]),
        rounding=group.rounding,
    )


_fixed = attrgetter(*(option.name for option in fields(Options) if option.name not in VARYING))
"""The options that are the same for all frames, and for all chains that are solved side by side."""


def _kind(plan: ChainPlan) -> Hashable:
    """What chains have to share to be solved side by side."""
    choices = (
        plan.hinge_axis != HingeAxis.AUTO,
        plan.use_rotation,
        plan.by_tail,
        plan.uses_pose,
        plan.pole is None,
        plan.pole_pins,
    )
    third = plan.bearing.index(plan.third[0]) if plan.hock else None
    bones = (*plan.bones, *plan.below)
    rules = (bone.rules for bone in bones)
    twists = ((part.upper, part.in_line and bones.index(part.bone), part.bone.rules) for part in plan.twists)
    return *_fixed(plan.options), *choices, plan.hock, third, len(plan.bones), *rules, *twists


def _number(plan: ChainPlan, name: str, samples: Samples) -> Array:
    """(n,) or (1,)"""
    animated = name in plan.animated
    return samples.numbers[Point(plan.rig, plan.end.name)][name] if animated else np.array([plan.number(name)])


def _numbers(plans: Sequence[ChainPlan], samples: Samples) -> Iterator[tuple[str, Array]]:
    """By name (n, c) the chains' numbers, if they are not all the same."""
    for name in (*VARYING, *OF_BONES):
        same = plans[0].number(name)
        if all(name not in plan.animated and plan.number(name) == same for plan in plans):
            continue  # of most: no arrays are needed to see that
        values = [_number(plan, name, samples) for plan in plans]
        if any(len(value) > 1 or value[0] != same for value in values):
            yield name, stacked(values)


def _side_by_side(plans: Sequence[ChainPlan], samples: Samples) -> ChainGroup:
    first, count = plans[0], len(plans[0].bones)
    bones = tuple(zip(*((*plan.bones, *plan.bearing) for plan in plans), strict=True))
    bases = _sampled_bases(plans, bones, samples)
    # What a tip bone inherits counts as well where its tail has to arrive.
    reaching = [tuple(plan.below[-1] for plan in plans)] if first.by_tail else []
    parent, unscaled = _parent(plans, samples), not first.scaled and not any(basis.is_scaled for basis in bases)
    under = (*bones[count:], *reaching)
    kinematics = inherit.chain_kinematics(bones[:count], under, parent, bases[0].location, unscaled=unscaled)
    bases, below = bases[:count], bases[count:]
    lengthened = _lengthened(plans, samples) if first.scaled else None
    line = gathered = None
    if any(part.in_line and part.upper for part in first.twists):
        found, line, gathered = twist_bones.gathered(first, _as_long(bases, lengthened, len(bases) - 1), kinematics)
        bases = tuple(basis.with_rotation(other.rotation) for basis, other in zip(bases, found, strict=True))
    rest = kinematics.poses((bases[0].without_rotation, *bases[1:-1], bases[-1].without_rotation))[-1]
    third, poses = None, [rest]
    if first.hock:
        row = first.bearing.index(first.third[0])
        third = ThirdBones(bones=bones[count : count + row + 1], basis=below[row], between=below[:row])
        poses.append(third.pose(rest, third.basis.without_rotation))
    tips = tip(plans, rest, samples, {first.third[0]: third.basis.without_rotation} if third else {})
    if not kinematics.rigid:
        to_space, _ = transform.nearest_inverse(kinematics.to_armature)
        poses, tips = [product(to_space, pose) for pose in poses], transform.transform_points(to_space, tips)
    places = (*(pose[..., :3, 3] for pose in poses), tips)
    joints = np.zeros((*np.broadcast(*places).shape[:-1], len(places) + 1, 3), order="F")
    for row, place in enumerate(places, 1):
        joints[..., row, :] = place
    rests = tuple(transform.orientation(pose[..., :3, :3]) for pose in poses)
    hinge_axis = transform.transform_vectors(rests[0], np.array([AXES[HingeAxis(plan.hinge_axis)] for plan in plans]))
    group = ChainGroup(
        plans=tuple(plans),
        chain=Chain(joints=joints, hinge_axis=hinge_axis, use_hinge_axis=first.hinge_axis != HingeAxis.AUTO),
        basis=bases,
        kinematics=kinematics,
        joints=joints,
        rests=rests,
        numbers=dict(_numbers(plans, samples)),
        line=line,
        gathered=gathered,
        lengthened=lengthened,
        third=third,
        **_worlds(plans, kinematics, samples),
    )
    return replace(group, chain=group.prepared_leg.triangle.chain) if third else group


def _parent(plans: Iterable[ChainPlan], samples: Samples) -> Array | None:
    """(n, c, 4, 4) the poses of the root bones' parents, in armature space; None if they have none."""
    parents = [samples.pose[plan.parent] for plan in plans if plan.parent]
    return stacked(parents) if parents else None


def _worlds(plans: Iterable[ChainPlan], kinematics: inherit.ChainKinematics, samples: Samples) -> dict[str, Any]:
    """`to_world`, `from_world` and `flat` of a group."""
    to_world = affine_product(stacked(samples.to_world[plan.rig] for plan in plans), kinematics.to_armature)
    from_world, flat = transform.nearest_inverse(to_world)
    return {"to_world": to_world, "from_world": from_world, "flat": flat}


def _sampled_basis(plan: ChainPlan, bone: Bone, samples: Samples) -> Basis:
    """The basis of a bone of the chain; if the chain stretches, without the length that the last bake gave it."""
    basis = samples.basis[Point(plan.rig, bone.name)]
    if bone not in plan.scaled:
        return basis
    unstretched = basis.scale.copy()
    unstretched[..., 1] = np.copysign(1.0, unstretched[..., 1])
    # Without influence it keeps what it has.
    rests = _number(plan, "influence", samples) == 0.0
    return replace(basis, scale=np.where(rests[:, None], basis.scale, unstretched))


def as_sampled(group: ChainGroup, samples: Samples) -> tuple[Basis, ...]:
    """As `ChainGroup.posed`, with the bones in line turned as they were sampled."""
    bases = _sampled_bases(group.plans, zip(*(plan.bones for plan in group.plans), strict=True), samples)
    return (*_as_long(bases, group.lengthened, len(bases) - 1), *group.posed[len(bases) :])


def _sampled_bases(plans: Sequence[ChainPlan], bones: Iterable[inherit.Bones], samples: Samples) -> tuple[Basis, ...]:
    basis = partial(_sampled_basis, samples=samples)
    return tuple(Basis.side_by_side(map(basis, plans, column)) for column in bones)


def _as_long(bases: tuple[Basis, ...], lengthened: Array | None, end: int) -> tuple[Basis, ...]:
    """The bases from root bones on, those of end bones at the place `end`, as long as `ChainGroup.lengthened` says."""
    if lengthened is None:
        return bases
    factors = dict(zip((0, end, end + 1), np.moveaxis(lengthened, -1, 0), strict=False))
    return tuple(basis.stretched(factors[row]) if row in factors else basis for row, basis in enumerate(bases))


def _lengthened(plans: Sequence[ChainPlan], samples: Samples) -> Array:
    """`ChainGroup.lengthened`"""
    factors = []
    for plan in plans:
        scales = np.broadcast_arrays(*(samples.basis[Point(plan.rig, bone.name)].scale[:, 1] for bone in plan.scaled))
        factor = np.abs(np.stack(scales, axis=-1))
        # A bone that is scaled to nothing shows no direction.
        kept = (_number(plan, "influence", samples) == 0.0)[:, None] | (factor == 0.0)
        factors.append(np.where(kept, 1.0, factor))
    return stacked(factors)


def tip(plans: Sequence[ChainPlan], end: Array, samples: Samples, turned: Mapping[Bone, Basis]) -> Array:
    """(n, c, 3) the tips, in the pose space like `end` (n, c, 4, 4), the poses of the end bones.

    turned : see `tip_parent_pose`
    """
    parent = tip_parent_pose(plans, end, samples, turned)
    if not plans[0].tip_bone:
        return transform.transform_points(parent, np.array([plan.tip_place[1] for plan in plans]))
    location = transform.translation(basis_below(plans, -1, samples).location)
    bones = tuple(plan.below[-1] for plan in plans)
    return inherit.pose(bones, parent, location)[..., :3, 3]


def tip_parent_pose(plans: Sequence[ChainPlan], end: Array, samples: Samples, turned: Mapping[Bone, Basis]) -> Array:
    """(n, c, 4, 4) the poses of the bones that bear the tips, for poses `end` of the end bones.

    turned : by bone of the first chain the bases of those that are other than sampled
    """
    rows = enumerate(plans[0].bearing)
    bases = (turned.get(first) or basis_below(plans, row, samples) for row, first in rows)
    return inherit.poses(zip(*(plan.bearing for plan in plans), strict=True), end, bases)[-1]


def basis_below(plans: Iterable[ChainPlan], index: int, samples: Samples) -> Basis:
    """The bases, side by side, of the bones at `index` of those from the end bone's child to the tip bone."""
    return Basis.side_by_side(samples.basis[Point(plan.rig, plan.below[index].name)] for plan in plans)


def _locations(points: Iterable[Point], from_world: Array, samples: Samples) -> Array:
    """(n, c, 3) of a point for each chain, in the space of that chain."""
    return transform.transform_points(from_world, stacked(samples.world(point)[..., :3, 3] for point in points))
