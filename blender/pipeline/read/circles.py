"""Chains that follow their own limb by a way that the order of an armature's chains does not show."""

from collections.abc import Iterable, Iterator, Set
from functools import partial

from bpy.types import Object

from ....skeleton.values import ChainPlan, Point
from ... import versions
from ...armatures import is_rig
from ...messages.refused import Refused
from ...messages.report import point_text
from ...rna_paths import bone_and_property
from . import dependencies


def refuse_driven_by_itself(chains: Iterable[ChainPlan]) -> None:
    """Raise `Refused` where the driver of an object makes a chain's target follow where the chain's own bones are."""
    for chain in chains:
        sources = partial(_sources, {Point(chain.rig, bone.name) for bone in chain.keyed})
        for point in filter(None, (chain.target, chain.pole)):
            if dependencies.root_of(chain) in dependencies.upstream(point, sources=sources):
                raise Refused(
                    "TARGET_FOLLOWS.target" if point is chain.target else "TARGET_FOLLOWS.pole",
                    chain=chain,
                    bone=chain.root.name,
                    value=point_text(point),
                )


def _sources(keyed: Set[Point], place: Point) -> Iterator[Point]:
    yield from dependencies.sources_of(place)
    if not is_rig(place.object):  # to go through hundreds of drivers takes too long
        yield from _read_by_drivers(place.object, keyed)


def _read_by_drivers(item: Object, keyed: Set[Point]) -> Iterator[Point]:
    """Bones of which drivers of the object's own channels read what a chain changes that keys the bones `keyed`.

    A variable that reads a single property tells nothing of a place.
    """
    for curve in versions.drivers(item):
        if bone_and_property(curve.data_path)[0] or curve.data_path.startswith("["):
            continue
        for variable in curve.driver.variables:
            for target in variable.targets if variable.type in _PLACES else ():
                read, bone = target.id, target.bone_target
                if isinstance(read, Object) and is_rig(read) and bone in read.data.bones:
                    is_keyed = Point(read, bone) in keyed and target.transform_type.startswith("ROT")
                    # In local space it reads channels of the bone, which no chain above that bone changes.
                    if variable.type == "ROTATION_DIFF" or target.transform_space != "LOCAL_SPACE" or is_keyed:
                        yield Point(read, bone)


_PLACES = frozenset(("TRANSFORMS", "ROTATION_DIFF", "LOC_DIFF"))
"""Kinds of variables that read where something is."""


def in_circles(chains: Iterable[ChainPlan]) -> list[ChainPlan]:
    """Those of several armatures that follow their own limb, through limbs of others that follow them."""
    chains = list(chains)
    sources = dependencies.links(chains, driven=True).__getitem__
    needs = [dependencies.upstream(*dependencies.places_of(chain), sources=sources) for chain in chains]
    follows = {
        number: [other for other, chain in enumerate(chains) if dependencies.root_of(chain) in needs[number]]
        for number in range(len(chains))
    }
    found = []
    for number, chain in enumerate(chains):
        reached, waiting = set[int](), list(follows[number])
        while waiting:
            if (other := waiting.pop()) not in reached:
                reached.add(other)
                waiting += follows[other]
        if number in reached:
            found.append(chain)
    return found
