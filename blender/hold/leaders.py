"""The limbs that move what a target is to be held to, such as the other hand, which carries the prop."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, reduce
from graphlib import CycleError, TopologicalSorter

import numpy as np
from bpy.types import Scene

from ...skeleton import carried_along, chain_group, solve, transform
from ...skeleton.hold import Hold
from ...skeleton.rounding import near
from ...skeleton.solved_group import SolvedGroup
from ...skeleton.values import ChainPlan, Plan, Point, Samples
from ...solver.values import Array
from ...solver.vectors import norm
from ..armatures import Rig, local_armatures
from ..bake.build_plan import with_dependents
from ..bake.chain import chain_plan
from ..messages.refused import Refused
from ..messages.translation import point_text
from ..scene import dependencies
from ..scene.need import SampleNeed, pose_need
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
        followed = dependencies.places_of(chains[root])
        if root in new_holds:  # where the limb itself hangs says nothing of where its target is held
            followed = [place for place in followed if place != chains[root].parent]
        places = dependencies.upstream(*followed, *spaces(root), sources=sources)
        # What carries the target may be held as well.
        carrying = dependencies.upstream(chains[root].target, *spaces(root), sources=sources) - {chains[root].target}
        places |= {other for other in new_holds if chains[other].target in carrying}
        graph[root] = [place for place in places if place in chains and place != root]
        waiting += graph[root]
    try:
        return [chains[root] for root in TopologicalSorter(graph).static_order()]
    except CycleError as error:
        circle = [chains[root] for root in reversed(error.args[1])]
        names = " → ".join(f"{chain.name} ({chain.root.name})" for chain in circle)
        raise Refused("HOLD_CIRCLE.others", chain=circle[0], bone=circle[0].root.name, value=names) from None


def of_chain(
    chain: ChainPlan, for_hold: Hold, chains: Mapping[Point, ChainPlan], also: Sequence[Point]
) -> list[ChainPlan]:
    """The chains that move what this one follows or is held to, in order, with what each of them moves."""
    order = in_order({dependencies.root_of(chain): [for_hold]}, chains)
    *leading, _ = (limb for rank in with_dependents(tuple((limb,) for limb in order), also) for limb in rank)
    return leading


def posed(
    chain: ChainPlan, leading: Iterable[ChainPlan], samples: Samples, frames: Array, points: Sequence[Point]
) -> Samples:
    """The samples with what the leading chains move, once they are solved, over these frames (n,).

    raises : Refused if a constraint ties one of the points to a limb that Blender shows elsewhere than it was solved
    """
    for limb in leading:
        [group] = chain_group.chain_groups([limb], samples, len(frames))
        solved = solve.solve_group(group, samples, len(frames))
        _refuse_tied(chain, limb, solved, samples, frames, points)
        samples = carried_along.move_dependents(samples, solved)
    return samples


def need(plan: Plan, chains: Iterable[ChainPlan], places: Collection[Point], also: Iterable[Point]) -> SampleNeed:
    """What has to be sampled of all chains, which may be those of several armatures, of their targets and spaces."""
    by_rig: dict[Rig, list[ChainPlan]] = {}
    for chain in chains:
        by_rig.setdefault(chain.rig, []).append(chain)
    needs = [pose_need(replace(plan, rig=rig, ranks=(tuple(of_rig),)), places) for rig, of_rig in by_rig.items()]
    return reduce(SampleNeed.__or__, needs, SampleNeed.at(also))


def _refuse_tied(
    chain: ChainPlan, leader: ChainPlan, solved: SolvedGroup, samples: Samples, frames: Array, points: Iterable[Point]
) -> None:
    """Refuse where a constraint ties a followed point to a limb that Blender shows elsewhere than it was solved.

    Between whole frames it is where its keys lead it, even after a bake.
    """
    root = dependencies.root_of(leader)
    if not any(root in dependencies.upstream(point) and not dependencies.hangs(point, leader) for point in points):
        return
    joints = transform.transform_points(solved.group.to_world, solved.solution.joints[:, 0])
    mid, tip = joints[:, 1], joints[:, -1]
    end = samples.world(Point(leader.rig, leader.end.name))
    last, place = leader.tip_place
    tip_now = transform.transform_points(samples.world(Point(leader.rig, last)), np.array(place))
    off = np.maximum(norm(mid - end[..., :3, 3]), norm(tip - tip_now))[frames % 1.0 == 0.0]
    if off.max(initial=0.0) > 10.0 * near(float(norm(tip - mid).max()), np.abs(tip_now).max()):
        raise Refused("FOLLOWS_BY_CONSTRAINT", chain=chain, value=leader.name)
