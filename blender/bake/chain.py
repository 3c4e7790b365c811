"""One chain of the armature's list into its plan: bones, goals and options, or the reason why not."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from math import degrees, pi
from types import SimpleNamespace
from typing import Any

from bpy.types import Bone, PropertyGroup

from ...skeleton.values import ChainPlan, Point
from ...solver.values import Options, Plane, Unreachable
from ..armatures import Rig
from ..messages.refused import Refused
from ..messages.translation import nearest_name, translated
from ..scene.bone import read_bone
from ..settings import keyed_options
from ..settings.properties import TwoBoneIKChain, chain_fields
from . import animated_options

TOLERANCE = 1e-6
"""Part of the chain's length below which a miss counts as reached: what is left of float32 matrices."""

_DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Options)}


def chain_plan(rig: Rig, chain: TwoBoneIKChain, stand_in: Point | None = None) -> ChainPlan:
    """The chain's plan.

    stand_in : taken for a target or pole target that the chain does not have yet
    """
    bones = chain_bones(rig, chain.end_bone, chain.root_bone, chain.name)
    target = _point(rig, chain, "target", "subtarget") or stand_in
    if target is None:
        raise Refused("NO_TARGET", chain=chain)
    pole = _point(rig, chain, "pole_target", "pole_subtarget") or stand_in
    if pole is None and chain.plane == Plane.POLE:
        raise Refused("NO_POLE", chain=chain)
    if chain.use_rotation and not chain.tip_bone:
        raise Refused("NO_TIP_BONE", chain=chain)
    if chain.unreachable == Unreachable.STRETCH:
        for name in sheared_bones(rig, bones):
            raise Refused("SHEAR", object=rig, bone=name)
    parent = rig.data.bones[bones[0]].parent
    below = bones_below(rig, chain, bones[-1])
    # An unlisted chain has no bone's options.
    numbers = keyed_options.values(chain) if isinstance(chain, PropertyGroup) else vars(chain)
    return ChainPlan(
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
    )


def lacking_bone(rig: Rig, chain: TwoBoneIKChain) -> str | None:
    """The name of a bone that chain or targets need and that is not there, "" if it has none; None if all are there."""
    try:
        bones = chain_bones(rig, chain.end_bone, chain.root_bone, chain.name)
        bones_below(rig, chain, bones[-1])
        _point(rig, chain, "target", "subtarget")
        _point(rig, chain, "pole_target", "pole_subtarget")
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
    end = _bone(rig, end_bone, lambda: translated("part.end_bone"), chain)
    if end.parent is None:
        raise Refused("NO_PARENT", object=rig, bone=end_bone)
    if not root_bone:
        return (end.parent.name, end.name)
    above = [bone.name for bone in end.parent_recursive]
    _bone(rig, root_bone, lambda: translated("part.root_bone"), chain, above)
    if root_bone not in above:
        raise Refused("NOT_A_CHAIN", object=rig, bone=root_bone, end=end_bone, nearest=nearest_name(root_bone, above))
    return (*reversed(above[: above.index(root_bone) + 1]), end.name)


def sheared_bones(rig: Rig, bones: Sequence[str]) -> list[str]:
    """The bones of a chain that would be sheared by the stretch of the one above them."""
    return [name for name in bones[1:] if rig.data.bones[name].inherit_scale in {"FULL", "FIX_SHEAR"}]


def bones_below(rig: Rig, chain: TwoBoneIKChain, end: str) -> tuple[str, ...]:
    """Names from the end bone's child to the tip bone; Refused where the tip bone is not below the end bone."""
    if not chain.tip_bone:
        return ()
    tip = _bone(rig, chain.tip_bone, lambda: translated("part.tip_bone"), chain.name)
    above = [bone.name for bone in tip.parent_recursive]
    if end not in above:
        below = (bone.name for bone in rig.data.bones[end].children_recursive)
        raise Refused("NOT_A_CHILD", object=rig, bone=tip.name, end=end, nearest=nearest_name(tip.name, below))
    return (*reversed(above[: above.index(end)]), tip.name)


def _bone(rig: Rig, name: str, role: Callable[[], str], chain: str, right: Iterable[str] = ()) -> Bone:
    """The bone of this name; Refused where there is none, with the nearest of the `right` ones, or of all."""
    bone: Bone | None = rig.data.bones.get(name) if isinstance(name, str) else None
    if bone is not None:
        return bone
    owner = translated("part.chain", name=chain) if chain else translated("part.a_chain")
    named: dict[str, Any] = {"object": rig, "owner": owner, "role": role()}
    if not name:
        raise Refused("NO_BONE.unnamed", bone=name, **named)
    if not isinstance(name, str):
        raise Refused("NO_BONE.no_name", value=name, **named)
    nearest = nearest_name(name, list(right) or rig.data.bones.keys())
    raise Refused("NO_BONE.of_chain", bone=name, nearest=nearest, **named)


def _point(rig: Rig, chain: TwoBoneIKChain, target_field: str, bone_field: str) -> Point | None:
    target, bone = getattr(chain, target_field), getattr(chain, bone_field)
    if target is None:
        return None
    if target.type != "ARMATURE" or not bone:
        return Point(target)
    if bone not in target.data.bones:
        nearest = nearest_name(bone, target.data.bones.keys())
        raise Refused("NO_SUBTARGET", chain=chain, value=bone, target=target.name, nearest=nearest)
    if target.pose is None:
        raise Refused("NO_POSE.target", chain=chain, value=target.name)
    return Point(target, bone)


def _options(rig: Rig, chain: TwoBoneIKChain, numbers: Mapping[str, Any]) -> Options:
    limits = (numbers["bend_min"], numbers["bend_max"]) if chain.use_bend_limits else (-pi, pi)
    if limits[0] > limits[1]:
        if not animated_options.has_animated_limits(rig, chain.end_bone):
            low, high = map(degrees, limits)
            raise Refused("CROSSED_LIMITS.chain", chain=chain, value=limits, low=low, high=high)
        limits = (-pi, pi)  # those of each frame count
    given = {**numbers, "bend_min": limits[0], "bend_max": limits[1], "tolerance": TOLERANCE}
    return _checked(
        *(given[name] if name in given else getattr(chain, name, value) for name, value in _DEFAULTS.items())
    )


@lru_cache
def _checked(*values: Any) -> Options:
    """The options with these values, in the order of the fields: most chains make the same choices."""
    fit = zip(_DEFAULTS.items(), values, strict=True)
    return Options(**{name: type(default)(value) for (name, default), value in fit})
