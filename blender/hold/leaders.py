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
    """By its root bone each chain of the scene's armatures that is not muted and can be solved."""
    return {dependencies.root_of(chain): chain for rig in local_armatures(scene) for chain in _limbs_of(rig)}


def _limbs_of(rig: Rig) -> Iterable[ChainPlan]:
    for chain in rig.two_bone_ik_chains:
        if chain.target and not chain.mute and rig.pose:
            try:
                yield chain_plan(rig, chain)
            except Refused:
                continue  # it poses nothing


def in_order(asked: Mapping[Point, Collection[Hold]], known: Mapping[Point, ChainPlan]) -> list[ChainPlan]:
    """The chains, and all that they wait for, each after those that move what it follows or is held to.

    asked : by root bone of a chain what its target is to be held to
    raises : Refused where something hangs on itself
    """
    sources = cache(lambda place: tuple(dependencies.sources_of(place)))

    def spaces(root: Point) -> list[Point]:
        held = list(asked.get(root, ()))
        wanted = held or [hold for found in asked.values() for hold in found]
        others = [hold for _, hold, _ in holds.shown(known[root].target) if any(map(hold.overlaps, wanted))]
        return [hold.space for hold in (*held, *others) if hold.space]

    graph: dict[Point, list[Point]] = {}
    waiting = list(asked)
    while waiting:
        root = waiting.pop()
        if root in graph:
            continue
        for space in spaces(root):
            places = dependencies.upstream(space, sources=sources)
            if known[root].target in places:
                named = {"value": point_text(known[root].target), "space": point_text(space)}
                raise Refused("HOLD_CIRCLE.target", chain=known[root], **named)
            if root in places:
                raise Refused("HOLD_CIRCLE.own", chain=known[root], bone=root.bone, value=point_text(space))
        places = dependencies.upstream(*dependencies.places_of(known[root]), *spaces(root), sources=sources)
        graph[root] = [place for place in places if place in known and place != root]
        waiting += graph[root]
    try:
        return [known[root] for root in TopologicalSorter(graph).static_order()]
    except CycleError as error:
        circle = [known[root] for root in reversed(error.args[1])]
        names = " → ".join(f"{chain.name} ({chain.root.name})" for chain in circle)
        raise Refused("HOLD_CIRCLE.others", chain=circle[0], bone=circle[0].root.name, value=names) from None
