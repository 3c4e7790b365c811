"""One chain of the armature's list into its plan: bones, goals and options, or the reason why not.

Keyed options that are animated have to be sampled on every frame. The rest pose of a chain bends to a side, if it
bends enough to tell one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from itertools import pairwise
from math import atan2, degrees, pi
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Bone, PoseBone, PropertyGroup
from mathutils import Vector

from ...skeleton import transform
from ...skeleton.inherit import SHEARING
from ...skeleton.values import AXES, ChainPlan, Point
from ...solver import hock, reference_pose
from ...solver.values import Array, Bend, Chain, HingeAxis, Hock, Options, Plane, ReachWith, Reference, Unreachable
from ...solver.vectors import IN_LINE, unit
from .. import versions
from ..armatures import Rig
from ..messages.refused import Refused
from ..messages.translation import nearest_name, translated
from ..scene import dependencies
from ..scene.bone import read_bone, rest
from ..settings import keyed_options
from ..settings.properties import TwoBoneIKChain, chain_fields
from . import twist_bones

TOLERANCE = 1e-6
"""Part of the chain's length below which a miss counts as reached: what is left of float32 matrices."""

SLIGHT = reference_pose.SLIGHT
"""Radians: a rest pose that bends less does not tell its side."""

_DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Options)}


def chain_plan(rig: Rig, chain: TwoBoneIKChain, stand_in: Point | None = None) -> ChainPlan:
    """The chain's plan.

    stand_in : taken for a target or pole target that the chain does not have yet
    """
    bones = chain_bones(rig, chain.end_bone, chain.root_bone, chain.name)
    target = _point(chain, "target") or stand_in
    if target is None:
        raise Refused("NO_TARGET", chain=chain)
    pole = _point(chain, "pole_target") or stand_in
    if pole is None and chain.plane == Plane.POLE:
        raise Refused("NO_POLE", chain=chain)
    if chain.use_rotation and not chain.tip_bone:
        raise Refused("NO_TIP_BONE", chain=chain)
    parent = rig.data.bones[bones[0]].parent
    below = bones_below(rig, chain, bones[-1])
    # An unlisted chain has no bone's options.
    numbers = keyed_options.values(chain) if isinstance(chain, PropertyGroup) else vars(chain)
    plan = ChainPlan(
        name=chain.name,
        rig=rig,
        bones=tuple(read_bone(rig, name) for name in bones),
        below=tuple(read_bone(rig, name) for name in below),
        parent=Point(rig, parent.name) if parent else None,
        target=target,
        pole=pole,
        hinge_axis=chain.hinge_axis,
        options=_options(rig, chain, numbers),
        use_rotation=chain.use_rotation,
        rotation_influence=numbers["rotation_influence"],
        hock=Hock(chain.hock) if chain.hock_bone else None,
        hock_bone=chain.hock_bone,
        hock_angle=numbers["hock_angle"],
        reach_with=ReachWith(chain.reach_with),
    )
    if chain.use_twist:
        plan = replace(plan, twists=twist_bones.read(plan))
    return _consistent(plan)


def _consistent(chain: ChainPlan) -> ChainPlan:
    """The plan; Refused where its bones cannot be scaled as they are to be, it is pinned and follows no pole, or its
    tail is to arrive and not all of the target's rotation tells where the joint is then.
    """
    rig: Rig = chain.rig
    if chain.reach_with == ReachWith.TAIL and not chain.tip_bone:
        raise Refused("TAIL_WITHOUT_BONE", chain=chain)
    if chain.reach_with == ReachWith.TAIL and (not chain.use_rotation or chain.may_fall_short("rotation_influence")):
        raise Refused("TAIL_WITHOUT_ROTATION", chain=chain)
    if chain.pole_pins and not (chain.pole and chain.options.plane in {Plane.AUTO, Plane.POLE}):
        raise Refused("PIN_WITHOUT_POLE", chain=chain)
    if chain.pole_pins and chain.hock == Hock.PARALLEL:
        raise Refused("PIN_OF_PARALLEL", chain=chain)
    if chain.scaled:
        names = [bone.name for bone in chain.bones]
        carried = [part.bone.name for part in chain.twists if not (part.upper and part.in_line)]
        turned = [*(bone.name for bone in chain.limb[2:]), *carried]
        for name in sheared_bones(rig, names, turned):
            is_turned = name in (chain.end.name, *turned)
            raise Refused("SHEAR.turned" if is_turned else "SHEAR.between", object=rig, bone=name)
    return chain


def lacking_bone(rig: Rig, chain: TwoBoneIKChain) -> str | None:
    """The name of a bone that chain or targets need and that is not there, "" if it has none; None if all are there."""
    try:
        bones = chain_bones(rig, chain.end_bone, chain.root_bone, chain.name)
        bones_below(rig, chain, bones[-1])
        _point(chain, "target")
        _point(chain, "pole_target")
    except Refused as refused:
        lacks = {"NO_BONE": refused.bone, "NO_PARENT": "", "NO_SUBTARGET": str(refused.value)}
        return lacks.get(refused.kind)
    return None


def unlisted_chain(**fields: Any) -> Any:
    """What `chain_plan` takes for a limb without a chain in the list: these fields, and the defaults of all others."""
    defaults = {name: getattr(field, "default", None) for name, field in chain_fields().items()}
    return SimpleNamespace(**defaults | fields)


def chain_bones(rig: Rig, end_bone: str, root_bone: str, chain: str = "") -> tuple[str, ...]:
    """Names from the root bone ("": the end bone's parent) to the end bone; Refused where these make no chain.

    chain : its name, to be named where it is refused; "" where it has none yet
    """
    end = _bone("part.end_bone", rig, end_bone, chain)
    if end.parent is None:
        raise Refused("NO_PARENT", object=rig, bone=end_bone)
    if not root_bone:
        return (end.parent.name, end.name)
    above = [bone.name for bone in end.parent_recursive]
    _bone("part.root_bone", rig, root_bone, chain, above)
    if root_bone not in above:
        raise Refused("NOT_A_CHAIN", object=rig, bone=root_bone, end=end_bone, nearest=nearest_name(root_bone, above))
    return (*reversed(above[: above.index(root_bone) + 1]), end.name)


def twists_found(rig: Rig, chain: TwoBoneIKChain) -> twist_bones.FoundBones:
    """The bones over which the chain spreads its twist, where it does; Refused where its bones make no chain."""
    bones = chain_bones(rig, chain.end_bone, chain.root_bone, chain.name)
    below = bones_below(rig, chain, bones[-1])
    twisting = below[: below.index(chain.hock_bone) + 1] if chain.hock_bone else below
    return twist_bones.found(rig, bones, twisting, hock=bool(chain.hock_bone))


def scales(rig: Rig, chain: TwoBoneIKChain) -> bool:
    """True if the chain stretches its bones, or pins its mid joint to the pole on some frame."""
    path = keyed_options.path(rig.pose.bones[chain.end_bone].path_from_id(), "pole_pin")
    pins = chain.pole_pin > 0.0 or path in versions.ever_animated_paths(rig)
    return pins or chain.unreachable == Unreachable.STRETCH


def sheared_bones(rig: Rig, bones: Sequence[str], turned: Iterable[str]) -> list[str]:
    """The bones of a chain that would be sheared by the stretch of the one above them, or would not pass it on.

    turned : names of the bones below the end bone that are turned and of twist bones at the side, which may be ""
    """

    def inherits(name: str) -> str:
        return rig.data.bones[name].inherit_scale

    between = [name for name in bones[1:-1] if inherits(name) != "ALIGNED"]
    carried = filter(None, (bones[-1], *turned))
    return [*between, *(name for name in carried if inherits(name) in SHEARING)]


def bones_below(rig: Rig, chain: TwoBoneIKChain, end: str) -> tuple[str, ...]:
    """Names from the end bone's child to the tip bone, or to the hock bone of a chain without one.

    raises : Refused where the tip bone is not below the end bone, or the hock bone not between them
    """
    names: tuple[str, ...] = ()
    if chain.hock_bone:
        hock_bone = _bone("part.hock_bone", rig, chain.hock_bone, chain.name)
        names = _names_below("HOCK_NOT_BELOW", rig, end, hock_bone)
    if chain.tip_bone:
        tip = _bone("part.tip_bone", rig, chain.tip_bone, chain.name)
        names = _names_below("NOT_A_CHILD", rig, end, tip)
        if chain.hock_bone and chain.hock_bone not in names[:-1]:
            raise Refused("HOCK_NOT_ABOVE", object=rig, bone=chain.hock_bone, tip=tip.name)
    return names


def _names_below(sentence: str, rig: Rig, end: str, last: Bone) -> tuple[str, ...]:
    """Names of the bones from the child of the bone `end` to the last; Refused where that is not below it."""
    names = [last.name, *(bone.name for bone in last.parent_recursive)]
    if end not in names[1:]:
        nearest = nearest_name(last.name, (bone.name for bone in rig.data.bones[end].children_recursive))
        raise Refused(sentence, object=rig, bone=last.name, end=end, nearest=nearest)
    return tuple(reversed(names[: names.index(end)]))


def _bone(role: str, rig: Rig, name: str, chain: str, right: Iterable[str] = ()) -> Bone:
    """The bone of this name; Refused where there is none, with the nearest of the `right` ones, or of all."""
    bone: Bone | None = rig.data.bones.get(name) if isinstance(name, str) else None
    if bone is not None:
        return bone
    owner = translated("part.chain", name=chain) if chain else translated("part.a_chain")
    named: dict[str, Any] = {"object": rig, "owner": owner, "role": translated(role)}
    if not name:
        raise Refused("NO_BONE.unnamed", bone=name, **named)
    if not isinstance(name, str):
        raise Refused("NO_BONE.no_name", value=name, **named)
    nearest = nearest_name(name, list(right) or rig.data.bones.keys())
    raise Refused("NO_BONE.of_chain", bone=name, nearest=nearest, **named)


def _point(chain: TwoBoneIKChain, field: str) -> Point | None:
    point = dependencies.target_of(chain, field)
    if point and point.bone:
        item: Rig = point.object
        if point.bone not in item.data.bones:
            nearest = nearest_name(point.bone, item.data.bones.keys())
            raise Refused("NO_SUBTARGET", chain=chain, value=point.bone, target=item.name, nearest=nearest)
        if item.pose is None:
            raise Refused("NO_POSE.target", chain=chain, value=item.name)
    return point


def _options(rig: Rig, chain: TwoBoneIKChain, numbers: Mapping[str, Any]) -> Options:
    limits = (numbers["bend_min"], numbers["bend_max"]) if chain.use_bend_limits else (-pi, pi)
    if limits[0] > limits[1]:
        if not has_animated_limits(rig, chain.end_bone):
            low, high = map(degrees, limits)
            raise Refused("CROSSED_LIMITS.chain", chain=chain, value=limits, low=low, high=high)
        limits = (-pi, pi)  # those of each frame count
    values = {**numbers, "bend_min": limits[0], "bend_max": limits[1], "tolerance": TOLERANCE}
    return _checked(
        *(values[name] if name in values else getattr(chain, name, value) for name, value in _DEFAULTS.items())
    )


@lru_cache
def _checked(*values: Any) -> Options:
    """The options with these values, in the order of the fields: most chains make the same choices."""
    fit = zip(_DEFAULTS.items(), values, strict=True)
    return Options(**{name: type(default)(value) for (name, default), value in fit})


_TO_VIEWER = 0.9
"""Cosine: an axis this close to the line of sight points at the viewer; a drawing may lie a little askew."""


def rest_chain(rig: Rig, chain: TwoBoneIKChain) -> tuple[Chain, Array]:
    """The chain at rest as the solver takes it, in the root bone's space, and the end bone's orientation (3, 3) there.

    raises : Refused where its bones make no chain
    """
    bones, joints = joints_at_rest(rig, chain)
    root, end = (rest(rig.data.bones[name]) for name in (bones[0], bones[-1]))
    in_space = transform.transform_points(transform.inverse(root), np.array(joints))
    in_space -= in_space[0]  # far from the armature's origin that rounds
    orientation = root[:3, :3].T @ end[:3, :3]
    axis = HingeAxis(chain.hinge_axis)
    use_axis = axis != HingeAxis.AUTO
    if chain.hock_bone:
        leg = hock.leg(in_space, orientation @ AXES[axis], Hock(chain.hock), use_hinge_axis=use_axis)
        return leg.triangle.chain, orientation
    return Chain(joints=in_space, hinge_axis=orientation @ AXES[axis], use_hinge_axis=use_axis), orientation


def joints_at_rest(rig: Rig, chain: TwoBoneIKChain) -> tuple[tuple[str, ...], Sequence[Vector]]:
    """Names of the chain's bones, and root, mid, perhaps hock, and tip in armature space."""
    names = chain_bones(rig, chain.end_bone, chain.root_bone, chain.name)
    below = bones_below(rig, chain, names[-1])
    joints = [rig.data.bones[name].head_local for name in (names[0], names[-1], *filter(None, (chain.hock_bone,)))]
    last = rig.data.bones[(*names, *below)[-1]]
    return names, [*joints, last.head_local if chain.tip_bone else last.tail_local]


def tells_side(rig: Rig, chain: TwoBoneIKChain) -> bool:
    """Whether the rest pose tells to which side the limb bends: a third bone may take that against the knee."""
    if not chain.hock_bone:
        return not reference_pose.is_slight(reference_pose.rest(rest_chain(rig, chain)[0]))
    joints = np.array(joints_at_rest(rig, chain)[1])
    return bool(hock.leg(joints - joints[0], (1.0, 0.0, 0.0), Hock(chain.hock)).shows_side)


def undecided(rig: Rig, chain: TwoBoneIKChain) -> float | None:
    """Radians: the bend of the rest pose where only that tells the side and it is too slight; otherwise None."""
    by_pose = chain.reference == Reference.POSE and not chain.use_bend_limits
    if chain.hinge_axis != HingeAxis.AUTO or chain.bend != Bend.REST or by_pose:
        return None
    try:
        _, joints = joints_at_rest(rig, chain)
    except Refused:
        return None
    first, second, *third = (after - before for before, after in pairwise(joints))
    if third:
        if tells_side(rig, chain):
            return None
        first, second = map(Vector, hock.sides(np.array((first, second, *third)), Hock(chain.hock)))
    first, second = first.normalized(), second.normalized()
    cosine = first.dot(second)
    angle = atan2((second - cosine * first).length, cosine)
    return angle if third or angle < SLIGHT else None


class StraightRest(NamedTuple):
    """The axis of the end bone about which a limb that is straight at rest bends, and the axis to offer instead.

    to_viewer : that of both which points at the viewer of a drawing, in Front View; "" if none does
    """

    axis: str
    other: str
    to_viewer: str


def straight_rest(rig: Rig, chain: TwoBoneIKChain) -> StraightRest | None:
    """The axes from which a chain that is straight at rest can choose; None for a chain that bends, or was decided."""
    angle = undecided(rig, chain)
    if angle is None or angle > IN_LINE:
        return None
    end = np.array(rig.matrix_world @ rig.data.bones[chain.end_bone].matrix_local)[:3, :3]
    # The viewer of Front View looks along y.
    x, _, z = -unit(end.T)[:, 1]
    other = HingeAxis.Z if z >= 0.0 else HingeAxis.NEG_Z
    to_viewer = HingeAxis.X if abs(x) > _TO_VIEWER else other if abs(z) > _TO_VIEWER else ""
    return StraightRest(HingeAxis.X, other, to_viewer)


def axis_label(axis: str) -> str:
    """The name of the axis as the field Hinge Axis shows it."""
    return chain_fields()["hinge_axis"].enum_items[axis].name


_LIMITS = frozenset(("bend_min", "bend_max"))


def with_animated(rig: Rig, chains: Sequence[ChainPlan]) -> list[ChainPlan]:
    """The chains, each with the names of its options that keys, drivers or NLA strips animate."""
    paths = {path for path in versions.ever_animated_paths(rig) if ".two_bone_ik_" in path}
    return [_consistent(_with_animated(rig, chain, paths)) if paths else chain for chain in chains]


def _with_animated(rig: Rig, chain: ChainPlan, paths: set[str]) -> ChainPlan:
    names = {name for name in keyed_options.NAMES if keyed_options.path(chain.end.path, name) in paths}
    if not chain.hock:
        names.discard("hock_angle")
    if not rig.two_bone_ik_chains[chain.name].use_bend_limits:
        names -= _LIMITS
    elif names & _LIMITS:
        names |= _LIMITS  # only both of them tell whether they cross
    twists = tuple(
        replace(part, animated=keyed_options.path(part.bone.path, "twist") in paths) for part in chain.twists
    )
    return replace(chain, animated=frozenset(names), twists=twists)


def has_animated_limits(rig: Rig, end_bone: str) -> bool:
    """True if a bend limit on this bone is animated."""
    bone, paths = rig.pose.bones[end_bone].path_from_id(), versions.ever_animated_paths(rig)
    return any(keyed_options.path(bone, name) in paths for name in _LIMITS)


def current_options(rig: Rig, chain: ChainPlan) -> list[float]:
    """The values on the end bone of those options that were not animated; they change if they are from now on."""
    bone: PoseBone | None = rig.pose.bones.get(chain.end.name)
    names = (name for name in keyed_options.NAMES if name not in chain.animated)
    return [getattr(bone, keyed_options.bone_field(name)) for name in names] if bone else []
