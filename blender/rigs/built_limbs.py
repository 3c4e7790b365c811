"""Limbs that Build into Rig has made, as limbs of a known rig: no file describes them, as they are on any rig.

Their own bones are the FK controls, their targets those of IK, and the switch is their custom property. Constraints
and drivers name all of these, and Blender keeps these names up.
"""

from collections.abc import Iterator

from ...skeleton.values import Point
from ...solver.values import Plane
from ..armatures import Chain, Rig
from ..rna_paths import bone_and_property
from ..scene import dependencies
from ..settings.properties import limb_bones
from .rig_files import KnownLimb
from .switch_property import driving_path, property_label, property_path

OPTIONS = {"softness": "Softness", "max_stretch": "Stretch", "pole_angle": "Pole Angle"}
"""By option of the chain the custom property that takes its place, beside the switch, where it was built."""


def built_limbs(rig: Rig) -> tuple[KnownLimb, ...]:
    """Those of the chains in the list, by their names; fast enough to ask often."""
    limbs = (built_limb(rig, chain) for chain in rig.two_bone_ik_chains) if rig.pose else ()
    return tuple(limb for limb in limbs if limb)


def built_limb(rig: Rig, chain: Chain) -> KnownLimb | None:
    """The limb of this chain, with the bones that its switch acts on; None where it is not built.

    A target that is an object has no name here: the chain knows it.
    """
    constraint = dependencies.built_by(rig, chain.end_bone)
    path = driving_path(rig, constraint) if constraint else ""
    if not path:
        return None
    limb = [*reversed(limb_bones(rig, chain))]
    bones = tuple(name for name in limb if dependencies.has_built(rig.pose.bones[name]))
    goals = (chain.target, chain.subtarget), (chain.pole_target, chain.pole_subtarget)
    control, pole = (bone if target == rig else "" for target, bone in goals)
    return KnownLimb(
        name=chain.name,
        switch_bone=bone_and_property(path)[0],
        switch=property_label(path),
        fk_value=0.0,
        ik_value=1.0,
        fk=bones,
        ik=bones,
        control=control,
        pole=pole,
        kept=tuple(below.name for name in limb for below in rig.data.bones[name].children if _twists(rig, below.name)),
    )


def property_paths(rig: Rig, limb: KnownLimb) -> dict[str, str]:
    """By option of the chain the RNA path of the custom property that takes its place, where it was built."""
    names = {"influence": limb.switch, **OPTIONS}
    paths = {option: property_path(rig, limb, name) for option, name in names.items()}
    return {option: path for option, path in paths.items() if path}


def _twists(rig: Rig, bone: str) -> bool:
    """Whether the bone takes its part of a built limb's twist, at its side."""
    copy = dependencies.built_by(rig, bone)
    made = rig.data.bones.get(copy.subtarget) if copy else None
    return made is not None and made.get(dependencies.BUILT) == "twist"


def is_built(rig: Rig, limb: KnownLimb) -> bool:
    """Whether it is one of these, and not of a file."""
    return limb in built_limbs(rig)


def goals(rig: Rig, limb: KnownLimb) -> Iterator[Point]:
    """Target of a built limb, and pole target where it bends towards that."""
    chain = rig.two_bone_ik_chains[limb.name]
    fields = ("target", "pole_target") if chain.plane in {Plane.AUTO, Plane.POLE} else ("target",)
    return (point for field in fields if (point := dependencies.target_of(chain, field)))
