"""Limbs that keep their place while the hips move: legs that are not planted, and what the user names."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from bpy.types import FCurve

from ...skeleton.feet.feet import Foot, Hips
from ..armatures import Rig
from ..chains.detect.find_limbs import Kind
from ..curves.key_checks import refuse_unplayable
from ..messages.refused import Refused
from ..messages.translation import translated
from ..scene.checks import given_names
from .checks import refuse_constrained
from .feet import FoundLimbs, feet_of


def with_kept(
    rig: Rig, found: FoundLimbs, planted: Sequence[Foot], hips: Hips, named: Sequence[Foot], curves: Iterable[FCurve]
) -> tuple[tuple[Foot, ...], Hips | None, str]:
    """The feet with all that keeps its place though the hips carry it, and the hips; None, and why, if they must stay.

    named : the limbs that are to do so beside the other legs
    curves : of what was captured
    raises : Refused where keys cannot keep a limb that is named
    """
    named = [foot for foot in named if _carries(rig, hips, foot)]
    ends = {foot.chain.end.name for foot in named}
    planted = tuple(replace(foot, is_kept=foot.chain.end.name in ends) for foot in planted)
    try:
        others = [foot for foot in _of_kinds(rig, found, {Kind.LEGS}) if _carries(rig, hips, foot)]
    except Refused as refused:
        return planted, None, str(refused)
    named, others = (
        [replace(foot, is_planted=False, is_kept=True) for foot in each if is_apart(foot, planted)]
        for each in (named, others)
    )
    refuse_constrained(named)
    for foot in others:
        try:
            refuse_constrained([foot])
            refuse_unplayable(rig, {bone.rotation_path for bone in foot.chain.keyed}, curves)
        except Refused as refused:
            return planted, None, translated("part.hips_drag", limb=foot.chain.name, reason=refused)
    kept = (*others, *(foot for foot in named if is_apart(foot, others)))
    carried = frozenset(foot.chain.name for foot in kept)
    # Arms go with the chest that they are on.
    held = {foot.chain.end.name for foot in kept if foot.is_hand}
    planted = tuple(replace(foot, is_kept=foot.is_kept or _is_below(rig, foot, held)) for foot in planted)
    return (*planted, *kept), replace(hips, carries=hips.carries | carried), ""


def named_limbs(rig: Rig, found: FoundLimbs, keep: Collection[str]) -> list[Foot]:
    """The limbs of these names, and all of these kinds; a kind that the rig has not is left out.

    So is a spine whose upper bone carries the arms: that bone would turn as the spine bends, and the arms with it.

    raises : Refused where no limb has such a name
    """
    words = given_names(rig, keep) if keep else []
    kinds = {Kind(word) for word in words if word in set(Kind)}
    names = [word for word in words if word not in set(Kind)]
    spine = (foot for foot in _of_kinds(rig, found, kinds & {Kind.SPINE}) if foot.chain.below)
    others = _of_kinds(rig, found, kinds - {Kind.SPINE})
    return [*(feet_of(rig, found, names, kinds, 0.0) if names else ()), *others, *spine]


def _of_kinds(rig: Rig, found: FoundLimbs, kinds: Collection[Kind]) -> tuple[Foot, ...]:
    return feet_of(rig, found, None, kinds, 0.0) if any(limb.kind in kinds for limb in found.values()) else ()


def is_apart(foot: Foot, others: Iterable[Foot]) -> bool:
    """Whether it has no bone in common with the others."""
    return all(set(foot.chain.oriented).isdisjoint(other.chain.oriented) for other in others)


def _is_below(rig: Rig, foot: Foot, names: Collection[str]) -> bool:
    return any(bone.name in names for bone in rig.data.bones[foot.chain.root.name].parent_recursive)


def _carries(rig: Rig, hips: Hips, foot: Foot) -> bool:
    """Whether the limb goes along with the hips; Refused for one that turns them."""
    if hips.bone.name in foot.chain.oriented:
        raise Refused("KEPT_HIPS", object=rig, bone=hips.bone.name, limb=foot.chain.name)
    return _is_below(rig, foot, {hips.bone.name})
