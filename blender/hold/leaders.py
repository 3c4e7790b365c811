"""The limbs that move what a target is to be held to, such as the other hand, which carries the prop."""

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter

from bpy.types import Scene

from ...skeleton.hold import Hold
from ...skeleton.values import ChainPlan, Point
from ..armatures import Rig, local_armatures
from ..bake.chain import chain_plan
from ..messages.refused import Refused
from ..messages.translation import point_text
from ..scene import dependencies
from . import holds


def limbs(scene: Scene) -> dict[Point, ChainPlan]:
    """By root bone, the chains of the scene's armatures that are not muted and can be solved."""
    return {dependencies.root_of(chain): chain for rig in local_armatures(scene) for chain in _limbs_of(rig)}


def _limbs_of(rig: Rig) -> Iterable[ChainPlan]:
    for chain in rig.two_bone_ik_chains:
        if chain.target and not chain.mute and rig.pose:
            try:
                yield chain_plan(rig, chain)
            except Refused:
                continue  # it poses nothing


def in_order(new_holds: Mapping[Point, Collection[Hold]], chains: Mapping[Point, ChainPlan]) -> list[ChainPlan]:
    """The chains, and all that they wait for, each after those that move what it follows or is held to.

    new_holds : by root bone of a chain what its target is to be held to
    raises : Refused where something hangs on itself
    """
    sources = cache(lambda place: tuple(dependencies.sources_of(place)))

    def spaces(root: Point) -> list[Point]:
        own = list(new_holds.get(root, ()))
        ranges = own or [hold for group in new_holds.values() for hold in group]
        others = [hold for _, hold, _ in holds.shown(chains[root].target) if any(map(hold.overlaps, ranges))]
        return [hold.space for hold in (*own, *others) if hold.space]

    graph: dict[Point, list[Point]] = {}
    waiting = list(new_holds)
    while waiting:
        root = waiting.pop()
        if root in graph:
            continue
        for space in spaces(root):
            places = dependencies.upstream(space, sources=sources)
            if chains[root].target in places:
                named = {"value": point_text(chains[root].target), "space": point_text(space)}
                raise Refused("HOLD_CIRCLE.target", chain=chains[root], **named)
            if root in places:
                raise Refused("HOLD_CIRCLE.own", chain=chains[root], bone=root.bone, value=point_text(space))
        places = dependencies.upstream(*dependencies.places_of(chains[root]), *spaces(root), sources=sources)
        graph[root] = [place for place in places if place in chains and place != root]
        waiting += graph[root]
    try:
        return [chains[root] for root in TopologicalSorter(graph).static_order()]
    except CycleError as error:
        circle = [chains[root] for root in reversed(error.args[1])]
        names = " → ".join(f"{chain.name} ({chain.root.name})" for chain in circle)
        raise Refused("HOLD_CIRCLE.others", chain=circle[0], bone=circle[0].root.name, value=names) from None
