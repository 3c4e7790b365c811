"""What hangs on chains by parents alone: the objects and bones that they move before later chains are solved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ....skeleton.values import Bone, ChainPlan, Point
from . import dependencies
from .bone import read_bone

Ranks = tuple[tuple[ChainPlan, ...], ...]


def with_dependents(ranks: Ranks) -> Ranks:
    """The same chains, each with what it moves of all that the targets and parents of the chains hang on."""
    # The last rank moves nothing that others wait for.
    moving, last = ranks[:-1], ranks[-1:]
    if not moving:
        return ranks
    chains = [chain for rank in ranks for chain in rank]
    points = [point for chain in chains for point in (chain.target, chain.pole, chain.parent) if point]
    nearest = [
        Point(chain.rig, names[0])
        for rank in moving
        for chain in rank
        for point in points
        if (names := _names_up_to(point, chain))
    ]
    rig = chains[0].rig
    things = {Point(point.object) for point in points} | {
        point for point in (*points, *nearest) if point.bone and point.object == rig
    }
    moved = (tuple(replace(chain, dependents=_dependents(chain, things)) for chain in rank) for rank in moving)
    return *moved, *last


def _dependents(chain: ChainPlan, things: Iterable[Point]) -> Mapping[Point, tuple[Bone, ...]]:
    bones = {bone.name: bone for bone in chain.bones}
    by_thing = {thing: _names_up_to(thing, chain) for thing in things}
    return {
        thing: tuple(bones.get(name) or read_bone(chain.rig, name) for name in names)
        for thing, names in by_thing.items()
        if names
    }


def _names_up_to(point: Point, chain: ChainPlan) -> list[str]:
    """Names of bones from the nearest that carries the point up to one of the chain's; empty if none of these does."""
    points = dependencies.with_parents(point)
    names = [place.bone for place in points if place.object == chain.rig and place.bone]
    of_chain = {bone.name for bone in chain.bones}
    return next((names[: index + 1] for index, name in enumerate(names) if name in of_chain), [])
