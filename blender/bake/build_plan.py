"""Armature, properties and range into a Plan, frozen before anything is touched."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from math import ceil, isfinite
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Scene

from ...skeleton.twist_bones import turned_by_values
from ...skeleton.values import MERGE, Bone, ChainPlan, Plan, Point
from ...solver.values import Array
from ..armatures import Chain, Rig
from ..curves.keys import twists_before
from ..messages.refused import Refused
from ..messages.translation import frame_text, known_words, point_text
from ..scene import dependencies
from ..scene.bone import read_bone
from ..scene.checks import given_names, refuse_unposable
from ..scene.ranks import ranked, ranked_by_parents
from ..settings.key_settings import Keys
from . import checks
from .chain import chain_plan, lacking_bone, with_animated
from .keys_of_limbs import bone_keys, option_keys, target_keys
from .report import left_out_alerts

Frames = tuple[float, float] | tuple[float, float, float] | range
"""First frame, last frame and step; or a range, which ends before its stop, as always in Python."""

Names = Sequence[str] | None
"""Names of chains; None for all that are not muted."""

Ranks = tuple[tuple[ChainPlan, ...], ...]

BETWEEN = 0.25
"""Frames: reduced keys have to hold at least this often."""

LAST_FRAME = 1_048_574
"""The last frame that Blender has; its negative is the first."""


def build_plan(
    rig: Rig,
    names: Names,
    frames: Frames | None,
    scene: Scene | None,
    keys: Keys = Keys.EVERY_FRAME,
    *,
    stand_in: Point | None = None,
) -> Plan:
    """The plan for chains `names` over `frames` (None: the scene's range).

    names : None for all that are not muted, have a target and lack no bone
    stand_in : taken for a target or pole target that a chain does not have yet
    raises : Refused, with what is wrong and what to do
    """
    refuse_unposable(rig)
    scene = scene_of(rig, scene)
    start, end, step = frame_range(rig, frames, scene)
    taking_part = chains_taking_part(rig, names)
    if not taking_part.chains:
        taking_part = chains_taking_part(rig, taking_part.left_out)  # it is refused by the name of the first
    chains = with_animated(rig, [chain_plan(rig, chain, stand_in) for chain in taking_part.chains])
    links = dependencies.links(chains)
    checks.refuse_driven_targets(chains, links)
    solved = steps(start, end, step)
    if keys in (Keys.TARGET_KEYS, Keys.SOURCE):
        chains = [replace(chain, key_frames=_key_frames(chain, keys, start, end)) for chain in chains]
        solved = np.unique(np.concatenate([solved, *(chain.key_frames for chain in chains)]))
    parts = ceil(step / BETWEEN - 1e-6) if keys == Keys.REDUCED else 1
    if parts > 1:
        solved = np.append(solved[:-1, None] + step / parts * np.arange(parts), solved[-1])
    plan = _with_turned(_plan(rig, scene, ranked(chains, links), solved))
    return replace(plan, step=parts, left_out=taking_part.left_out, lacking=taking_part.lacking)


def limb_plan(rig: Rig, chains: Sequence[ChainPlan], frames: Frames | None, scene: Scene | None) -> Plan:
    """The plan for limbs, each after those that carry it; they need no targets.

    frames : None for the scene's range
    raises : Refused where there are no such frames
    """
    scene = scene_of(rig, scene)
    return _plan(rig, scene, ranked_by_parents(chains), steps(*frame_range(rig, frames, scene)))


def _plan(rig: Rig, scene: Scene, ranks: Ranks, frames: Array) -> Plan:
    rate = scene.render.fps / scene.render.fps_base
    return Plan(rig=rig, name=rig.name, scene=scene, ranks=with_dependents(ranks), frames=frames, frame_rate=rate)


def current_plan(rig: Rig, names: Names, scene: Scene | None, *, stand_in: Point | None = None) -> Plan:
    """The plan for the current frame alone; `stand_in` is taken for targets that chains do not have yet."""
    return at_current_frame(build_plan(rig, names, None, scene, stand_in=stand_in))


def at_current_frame(plan: Plan) -> Plan:
    """The plan for the current frame alone."""
    return _with_turned(replace(plan, frames=np.array([plan.scene.frame_current_final], dtype=np.float64)))


def _with_turned(plan: Plan) -> Plan:
    """The plan, whose twists go on from what the keys before its frames show."""

    def going_on(chain: ChainPlan) -> ChainPlan:
        return replace(chain, turned=turned_by_values(chain, *twists_before(plan, chain))) if chain.twists else chain

    return replace(plan, ranks=tuple(tuple(map(going_on, rank)) for rank in plan.ranks))


def frame_range(rig: Rig, frames: Frames | None, scene: Scene) -> tuple[float, float, float]:
    """First frame, last frame and step that are asked for (None: the scene's range); Refused where there is none."""
    if frames is None:
        return scene.frame_start, scene.frame_end, 1.0
    start, end, step = _range_of(rig, frames)
    if not (isfinite(start) and isfinite(end) and end >= start):
        raise Refused("EMPTY_RANGE", object=rig, value=(start, end), **_in_words(start, end))
    if max(-start, end) > LAST_FRAME:
        raise Refused("FRAME_LIMIT", object=rig, value=(start, end), last=LAST_FRAME, **_in_words(start, end))
    # Blender merges keys that are closer than a hundredth of a frame, and stores frames in single precision.
    least = max(MERGE, float(np.spacing(np.float32(max(-start, end)))))
    if not (isfinite(step) and step >= least):
        raise Refused("FRAME_STEP", object=rig, value=step, least=least)
    return start, end, step


def _in_words(start: float, end: float) -> dict[str, Any]:
    return {"start": frame_text(start), "end": frame_text(end)}


def _range_of(rig: Rig, frames: Any) -> tuple[float, float, float]:
    """Two or three numbers, of which the third is the step, or a range; as floats: NumPy negates no unsigned ones."""
    if isinstance(frames, range):
        frames = frames.start, frames.stop - 1, frames.step
    numbers = tuple(frames) if isinstance(frames, Sequence | np.ndarray) else ()
    if len(numbers) not in (2, 3) or not all(isinstance(number, Real) for number in numbers):
        raise Refused("NOT_FRAMES", object=rig, value=frames)
    start, end, step = map(float, numbers if len(numbers) == 3 else (*numbers, 1.0))
    return start, end, step


def steps(start: float, end: float, step: float) -> Array:
    """(n,) the frames from `start` to `end`, or to the last that is a step."""
    return start + step * np.arange(int((end - start) / step + 1e-6) + 1, dtype=np.float64)


def _key_frames(chain: ChainPlan, keys: Keys, start: float, end: float) -> Array:
    of_bones = keys == Keys.SOURCE
    frames = (bone_keys if of_bones else target_keys)(chain, start, end)
    if not len(frames):
        named = {"value": point_text(chain.target), "start": frame_text(start), "end": frame_text(end)}
        raise Refused("NO_BONE_KEYS" if of_bones else "NO_TARGET_KEYS", chain=chain, **named)
    return np.union1d(frames, option_keys(chain, start, end))


def with_dependents(ranks: Ranks, also: Sequence[Point] = ()) -> Ranks:
    """Add `dependents` to each chain: which of its bones carry a target or parent of a chain, or a point in `also`."""
    # The last rank moves nothing that others wait for.
    moving, last = ranks[:-1], ranks[-1:]
    chains = [chain for rank in ranks for chain in rank]
    points = [*also, *(point for chain in chains for point in dependencies.places_of(chain))]
    nearest = [
        Point(chain.rig, names[0])
        for rank in moving
        for chain in rank
        for point in points
        if (names := _names_up_to(point, chain))
    ]
    things = {Point(point.object) for point in points} | {point for point in (*points, *nearest) if point.bone}
    moved = (tuple(replace(chain, dependents=_dependents(chain, things)) for chain in rank) for rank in moving)
    return *moved, *last


def _dependents(chain: ChainPlan, things: Iterable[Point]) -> Mapping[Point, tuple[Bone, ...]]:
    bones = {bone.name: bone for bone in chain.bones}
    # Bones of another armature that it carries move with that one.
    by_thing = {thing: _names_up_to(thing, chain) for thing in things if not thing.bone or thing.object == chain.rig}
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


class Participants(NamedTuple):
    """Which chains take part in a request, and which are left out, as they were not chosen by name.

    left_out : names of those without a target, and of those that lack a bone
    lacking : by name of the latter that bone, "" for one without a name
    """

    chains: list[Chain]
    left_out: tuple[str, ...] = ()
    lacking: Mapping[str, str] = {}

    @property
    def alerts(self) -> list[str]:
        """Sentences about those that are left out."""
        return [*left_out_alerts(self.left_out, self.lacking)]


def chosen_chains(rig: Rig, names: Names) -> list[Chain]:
    """The chains with these names, or this one name, or all that are not muted; Refused where there is none."""
    chains = list(rig.two_bone_ik_chains)
    if not chains:
        raise Refused("NO_CHAINS", object=rig)
    if names is None:
        unmuted = [chain for chain in chains if not chain.mute]
        if not unmuted:
            raise Refused("ALL_MUTED", object=rig)
        return unmuted
    by_name = {chain.name: chain for chain in chains}
    chosen = given_names(rig, names)
    for name in chosen:
        if name not in by_name:
            raise Refused("UNKNOWN_CHAIN", object=rig, value=name, known=known_words(name, by_name))
    return [by_name[name] for name in chosen]


def chains_taking_part(rig: Rig, names: Names, *, need_target: bool = True) -> Participants:
    """The `chosen_chains` that take part; if none was named, without those that have no target or lack a bone."""
    chains = chosen_chains(rig, names)
    if names is not None:
        return Participants(chains)
    bones = {chain.name: lacking_bone(rig, chain) for chain in chains}
    lacking = {name: bone for name, bone in bones.items() if bone is not None}
    left_out = tuple(chain.name for chain in chains if chain.name in lacking or (need_target and not chain.target))
    return Participants([chain for chain in chains if chain.name not in left_out], left_out, lacking)


def with_bones(rig: Rig, names: Names) -> Participants:
    """The chains that take part where they need no target; if all lack a bone, all take part and are refused for it."""
    found = chains_taking_part(rig, names, need_target=False)
    return found if found.chains else Participants(chosen_chains(rig, names))


def scene_of(rig: Rig, scene: Scene | None = None) -> Scene:
    """This scene, or the first that has the armature; Refused where none does, and for what is no scene."""
    if scene is not None:
        if not isinstance(scene, Scene):
            raise Refused("NOT_A_SCENE", value=scene)
        return scene
    scenes = rig.users_scene
    if not scenes:
        raise Refused("NO_SCENE", object=rig)
    return scenes[0]


def after_followed(rigs: Mapping[Rig, Names]) -> tuple[list[tuple[Rig, ...]], list[Refused]]:
    """The armatures in groups that can be solved at the same time, each after those whose limbs its chains follow.

    rigs : with the names of their chains, None for all that take part
    returns : the groups; and a refusal for each armature that is in none, as it follows limbs in a circle
    """
    graph: dict[Rig, list[Rig]] = {}
    for rig, names in rigs.items():
        try:
            refuse_unposable(rig)
            chains = [chain_plan(rig, chain) for chain in chains_taking_part(rig, names).chains]
        except Refused:
            chains = []  # it is refused as well when its turn comes
        graph[rig] = [other for _, other in dependencies.followed(chains, rigs.keys())]
    sorter = TopologicalSorter(graph)
    with suppress(CycleError):  # it still gives all that are in no circle and follow none
        sorter.prepare()
    groups = []
    while sorter.is_active():
        groups.append(sorter.get_ready())
        sorter.done(*groups[-1])
    left = {rig: graph[rig] for rig in graph.keys() - set(itertools.chain(*groups))}
    return groups, [Refused("ARMATURE_CYCLE", object=rig, value=_way_round(rig, left)) for rig in graph if rig in left]


def _way_round(rig: Rig, left: Mapping[Rig, Sequence[Rig]]) -> str:
    """The names of the armatures that this one follows, one after the other, until the circle closes."""
    way: list[Rig] = []
    while rig not in way:
        way.append(rig)
        rig = next(other for other in left[rig] if other in left)
    return " → ".join(item.name for item in (*way, rig))
