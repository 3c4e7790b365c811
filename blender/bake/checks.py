"""What a plan is refused for before anything is solved or written.

It has too many frames, its keys would play on others, a target is out of reach, two chains pose one bone, or a chain
follows its own limb by a way that the order of an armature's chains does not show.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

import numpy as np
from bpy.types import FCurve, Object, RenderSettings

from ...skeleton.solved_group import SolvedGroup, one_by_one
from ...skeleton.values import ChainPlan, Plan, Point
from ...solver.values import Unreachable
from ..armatures import is_rig
from ..messages.numbers import unit_name
from ..messages.refused import Refused
from ..messages.translation import frame_text
from ..scene import dependencies

MOST_FRAMES = 2_000_000
"""This many frames of one chain can be baked at once: about 5 GB."""


def refuse_too_many_frames(plan: Plan) -> None:
    """Raise `Refused` where the chains would take more memory than most machines have, a few kilobytes a frame."""
    count, chains = len(plan.frames), len(plan.chains)
    most = MOST_FRAMES // chains
    if count > most:
        raise Refused("TOO_MANY_FRAMES", object=plan.rig, value=count, chains=chains, most=most)


def refuse_stretched_time(plan: Plan) -> None:
    """Raise `Refused` where keys on the frames of the plan would play on others."""
    render: RenderSettings = plan.scene.render
    if render.frame_map_old != render.frame_map_new:
        value = render.frame_map_old, render.frame_map_new
        raise Refused("TIME_STRETCHING", object=plan.rig, value=value, scene=plan.scene.name)


def refuse_unreachable(plan: Plan, solved: Iterable[SolvedGroup]) -> None:
    """Raise `Refused` for the first frame out of reach of a chain whose Unreachable is Error."""
    erring = [group for group in solved if group.plan.options.unreachable == Unreachable.ERROR]
    for group in one_by_one(plan, erring):
        out = group.out_of_reach[plan.requested, 0]
        if out.any():
            frame, chain = plan.step * int(np.argmax(out)), group.plan
            distance, inner, outer = group.distances(frame)
            named: dict[str, Any] = {"value": distance, "frame": frame_text(plan.frames[frame])}
            annulus: dict[str, Any] = {"unit": unit_name(plan.scene), "inner": inner, "outer": outer}
            raise Refused("UNREACHABLE.tail" if chain.by_tail else "UNREACHABLE.tip", chain=chain, **named, **annulus)


def refuse_shared_bones(chains: Iterable[ChainPlan]) -> None:
    """Raise `Refused` for the first two chains of an armature object that pose the same bone."""
    for refusal in shared_bone_refusals(chains).values():
        raise refusal


def shared_bone_refusals(chains: Iterable[ChainPlan]) -> dict[str, Refused]:
    """For each chain that shares a posed bone with another, by its name, the sentence that names both."""
    refusals: dict[str, Refused] = {}
    oriented = {chain: chain.oriented for chain in chains}
    counts = Counter(itertools.chain.from_iterable(oriented.values()))
    suspects = [chain for chain, names in oriented.items() if any(counts[name] > 1 for name in names)]
    for chain, other in itertools.combinations(suspects, 2):
        if shared := _shared(chain, other):
            refusal = Refused("SHARED_BONE", chain=chain, bone=shared, value=other.name)
            refusals = {chain.name: refusal, other.name: refusal} | refusals
    return refusals


def _shared(chain: ChainPlan, other: ChainPlan) -> str:
    """The first bone that one of them keys and the other keys or carries along, seen from the root; otherwise ""."""
    keyed, other_keyed = ({bone.name for bone in item.keyed} for item in (chain, other))
    both = (keyed & set(other.oriented)) | (other_keyed & set(chain.oriented))
    return next((name for name in (*chain.oriented, *other.oriented) if name in both), "")


def refuse_driven_targets(chains: Sequence[ChainPlan], links: dependencies.Links) -> None:
    """Raise `Refused` where drivers of objects make a chain's target follow bones that one of the chains moves."""
    for chain in chains:
        for point in chain.targets:
            if any(_driven(place) for place in dependencies.upstream(point, sources=links.__getitem__)):
                _refuse_driven(chain, point, chains)


def _refuse_driven(chain: ChainPlan, point: Point, chains: Iterable[ChainPlan]) -> None:
    if _is_driven_by(point, chain):
        raise dependencies.own_target_refused(chain, point)
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
    above = dependencies.upstream(point, sources=sources)
    read = (source for place in above for source in _read_by_drivers(place, keyed))
    return any(root in dependencies.upstream(source, sources=sources) for source in read)


def _driven(place: Point) -> list[FCurve]:
    """Drivers of the place's channels; none of an armature, since it takes too long to go through hundreds."""
    found = () if is_rig(place.object) else dependencies.drivers_of(place)
    return [curve for curve in found if not curve.data_path.startswith("[")]


def _read_by_drivers(place: Point, keyed: Set[Point]) -> Iterator[Point]:
    """Where drivers of the place read what a chain with the bones `keyed` changes.

    A variable that reads a single property tells nothing of a place.
    """
    for curve in _driven(place):
        for variable in curve.driver.variables:
            for target in variable.targets if variable.type in _PLACES else ():
                if not isinstance(target.id, Object):
                    continue
                read = dependencies.bone_or_whole(target.id, target.bone_target)
                is_keyed = read in keyed and target.transform_type.startswith("ROT")
                # In local space it reads channels of the bone, which no chain above that bone changes.
                if variable.type == "ROTATION_DIFF" or target.transform_space != "LOCAL_SPACE" or is_keyed:
                    yield read


_PLACES = frozenset(("TRANSFORMS", "ROTATION_DIFF", "LOC_DIFF"))
"""Kinds of variables that read where something is."""
