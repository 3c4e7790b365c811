"""In which order chains that move each other are solved: in ranks, each of which can be solved together."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from ...skeleton.values import ChainPlan
from ..messages.refused import Refused
from .dependencies import Links, hangs, own_target_refused, places_of, root_of, upstream, with_parents


def ranked(chains: Sequence[ChainPlan], links: Links) -> tuple[tuple[ChainPlan, ...], ...]:
    """The chains in ranks, each after those that move its parent, its target or its pole.

    raises : Refused where a chain would move its own target, or where chains wait for each other
    """
    sources = links.__getitem__
    needs = {chain.name: upstream(*places_of(chain), sources=sources) for chain in chains}
    roots = {chain.name: root_of(chain) for chain in chains}
    for chain in chains:
        if roots[chain.name] in needs[chain.name]:
            _refuse_own_target(chain)
    graph = {
        name: [other for other, root in roots.items() if root in upstream_of and other != name]
        for name, upstream_of in needs.items()
    }
    try:
        found = _ranks(chains, graph)
    except CycleError as error:
        raise Refused("CHAIN_CYCLE", object=chains[0].rig, value=" → ".join(reversed(error.args[1]))) from None
    for chain, other in itertools.permutations(chains, 2):
        if other.name in graph[chain.name]:
            _refuse_tied(chain, other)
    return found


def ranked_by_parents(chains: Sequence[ChainPlan]) -> tuple[tuple[ChainPlan, ...], ...]:
    """The chains in ranks, each after those whose bones carry it."""
    above = {chain.name: {place.bone for place in with_parents(root_of(chain))[1:]} for chain in chains}
    graph = {
        name: [other.name for other in chains if not bones.isdisjoint(bone.name for bone in other.keyed)]
        for name, bones in above.items()
    }
    return _ranks(chains, graph)


def _ranks(chains: Iterable[ChainPlan], graph: Mapping[str, Iterable[str]]) -> tuple[tuple[ChainPlan, ...], ...]:
    """The chains, each after those that the graph names for it; CycleError where there is no such order."""
    by_name, sorter, ranked = {chain.name: chain for chain in chains}, TopologicalSorter(graph), []
    sorter.prepare()
    while sorter.is_active():
        names = sorter.get_ready()
        sorter.done(*names)
        ranked.append(tuple(by_name[name] for name in names))
    return tuple(ranked)


def _refuse_own_target(chain: ChainPlan) -> None:
    for point in chain.targets:
        if root_of(chain) in upstream(point):
            raise own_target_refused(chain, point)


def _refuse_tied(chain: ChainPlan, other: ChainPlan) -> None:
    for point in places_of(chain):
        if root_of(other) in upstream(point) and not hangs(point, other):
            raise Refused("FOLLOWS_BY_CONSTRAINT", chain=chain, value=other.name)
