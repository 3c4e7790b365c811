"""Limbs that are not planted, and keep their place while the hips move."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bpy.types import FCurve

from ....skeleton.feet import Foot, Hips
from ...armatures import Rig
from ...chains.detect.find_limbs import Kind, limbs
from ...messages.refused import Refused
from ...messages.translation import translated
from ..checks.feet import refuse_constrained
from ..checks.keys import refuse_unplayable
from .feet import feet_of


def with_kept(
    rig: Rig, planted: Sequence[Foot], hips: Hips, curves: Iterable[FCurve]
) -> tuple[tuple[Foot, ...], Hips | None, str]:
    """The feet with all other legs that the hips carry, and the hips; None, and the reason, if one cannot be kept.

    curves : of what was captured
    """
    taken = {bone for foot in planted for bone in foot.chain.oriented}
    legs = feet_of(rig, None, {Kind.LEGS}, 0.0) if limbs(rig, {Kind.LEGS}) else ()
    kept = [
        replace(foot, is_planted=False)
        for foot in legs
        if taken.isdisjoint(foot.chain.oriented) and _carries(rig, hips, foot)
    ]
    for foot in kept:
        try:
            refuse_constrained([foot])
            refuse_unplayable(rig, {bone.rotation_path for bone in foot.chain.keyed}, curves)
        except Refused as refused:
            return tuple(planted), None, translated("part.hips_drag", limb=foot.chain.name, reason=refused)
    carried = frozenset(foot.chain.name for foot in kept)
    return (*planted, *kept), replace(hips, carries=hips.carries | carried), ""


def _carries(rig: Rig, hips: Hips, foot: Foot) -> bool:
    return hips.bone.name in (bone.name for bone in rig.data.bones[foot.chain.root.name].parent_recursive)
