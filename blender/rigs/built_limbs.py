"""Limbs that Build into Rig has made, as limbs of a known rig: no file describes them, as they are on any rig.

Their own bones are the FK controls, their targets those of IK, and the switch is their custom property. Constraints
and drivers name all of these, and Blender keeps these names up.
"""

from collections.abc import Iterable, Iterator

from ...skeleton.values import Point
from ...solver.values import Plane
from ..armatures import Chain, Rig
from ..options import rows
from ..rna_paths import bone_and_property
from ..scene import dependencies
from ..settings.properties import limb_bones
from .rig_files import KnownLimb
from .switch_property import driving_path, property_label, property_path

OPTIONS = {option: row["name"] for option, row in rows("built").items() if option != "influence"}
"""By option of the chain the custom property that takes its place, beside the switch, where it was built."""


def built_limbs(rig: Rig) -> tuple[KnownLimb, ...]:
    """The built limbs of the chains in the list, by their names; fast enough to ask often."""
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
        kept=tuple(twists_beside(rig, limb)),
    )


def property_paths(rig: Rig, limb: KnownLimb) -> dict[str, str]:
    """By option of the chain the RNA path of the custom property that takes its place, where it was built."""
    names = {"influence": limb.switch, **OPTIONS}
    paths = {option: property_path(rig, limb, name) for option, name in names.items()}
    return {option: path for option, path in paths.items() if path}


def twists_beside(rig: Rig, limb: Iterable[str]) -> Iterator[str]:
    """The bones at the sides of those of a built limb that take their parts of its twist."""
    bones = rig.data.bones
    for name in (child.name for bone in limb for child in bones[bone].children):
        copy = dependencies.built_by(rig, name)
        if copy and copy.subtarget in bones and bones[copy.subtarget].get(dependencies.BUILT) == "twist":
            yield name


def is_built(rig: Rig, limb: KnownLimb) -> bool:
    """Whether it is one of these, and not of a file."""
    return limb in built_limbs(rig)


def goals(rig: Rig, limb: KnownLimb) -> Iterator[Point]:
    """Target of a built limb, and pole target where it bends towards that."""
    chain = rig.two_bone_ik_chains[limb.name]
    fields = ("target", "pole_target") if chain.plane in {Plane.AUTO, Plane.POLE} else ("target",)
    return (point for field in fields if (point := dependencies.target_of(chain, field)))
