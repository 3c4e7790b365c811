"""Chains that follow their own limb, or another, by a way that the order of an armature's chains does not show."""

from collections.abc import Iterable, Iterator, Sequence, Set

from bpy.types import FCurve, Object

from ...skeleton.values import ChainPlan, Point
from .. import versions
from ..armatures import is_rig
from ..messages.frame_and_point import point_text
from ..messages.refused import Refused
from ..rna_paths import bone_and_property
from ..scene import dependencies


def refuse_driven(chains: Sequence[ChainPlan], links: dependencies.Links) -> None:
    """Raise `Refused` where drivers of objects make a chain's target follow bones that one of the chains moves."""
    for chain in chains:
        for point in filter(None, (chain.target, chain.pole)):
            if any(_driven(place) for place in dependencies.upstream(point, sources=links.__getitem__)):
                _refuse_driven(chain, point, chains)


def _refuse_driven(chain: ChainPlan, point: Point, chains: Iterable[ChainPlan]) -> None:
    if _is_driven_by(point, chain):
        raise Refused(
            "TARGET_FOLLOWS.target" if point is chain.target else "TARGET_FOLLOWS.pole",
            chain=chain,
            bone=chain.root.name,
            value=point_text(point),
        )
    for other in chains:
        if _is_driven_by(point, other):
            raise Refused("FOLLOWS_BY_DRIVER", chain=chain, value=other.name)


def _is_driven_by(point: Point, chain: ChainPlan) -> bool:
    """Whether a driver on the way from the chain to the point reads what the chain moves."""
    keyed = {Point(chain.rig, bone.name) for bone in chain.keyed}

    def sources(place: Point) -> Iterator[Point]:
        yield from dependencies.sources_of(place)
        yield from _read_by_drivers(place, keyed)

    root = dependencies.root_of(chain)
    read = (each for place in dependencies.upstream(point, sources=sources) for each in _read_by_drivers(place, keyed))
    return any(root in dependencies.upstream(each, sources=sources) for each in read)


def _driven(place: Point) -> list[FCurve]:
    """Drivers of the place's channels; none of an armature, as to go through hundreds takes too long."""
    if is_rig(place.object):
        return []
    return [
        curve
        for curve in versions.drivers(place.object)
        if not bone_and_property(curve.data_path)[0] and not curve.data_path.startswith("[")
    ]


def _read_by_drivers(place: Point, keyed: Set[Point]) -> Iterator[Point]:
    """Where drivers of the place read what a chain changes that keys the bones `keyed`.

    A variable that reads a single property tells nothing of a place.
    """
    for curve in _driven(place):
        for variable in curve.driver.variables:
            for target in variable.targets if variable.type in _PLACES else ():
                if not isinstance(target.id, Object):
                    continue
                bone = target.bone_target
                read = Point(target.id, bone if is_rig(target.id) and bone in target.id.data.bones else "")
                is_keyed = read in keyed and target.transform_type.startswith("ROT")
                # In local space it reads channels of the bone, which no chain above that bone changes.
                if variable.type == "ROTATION_DIFF" or target.transform_space != "LOCAL_SPACE" or is_keyed:
                    yield read


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
