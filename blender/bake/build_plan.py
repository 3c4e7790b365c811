"""Armature, properties and range into a Plan, frozen before anything is touched."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import ceil, isfinite
from numbers import Real
from typing import Any

import numpy as np
from bpy.types import Scene

from ...skeleton.values import MERGE, Bone, ChainPlan, Plan, Point
from ...solver.values import Array
from ..armatures import Rig
from ..messages.frame_and_point import frame_text, point_text
from ..messages.refused import Refused
from ..scene import dependencies
from ..scene.armature import refuse_unposable
from ..scene.bone import read_bone
from ..settings.key_settings import Keys
from . import circles
from .animated_options import with_animated
from .chain import chain_plan
from .chosen_chains import chains_taking_part, scene_of
from .keys_of_limbs import bone_keys, option_keys, target_keys

Frames = tuple[float, float] | tuple[float, float, float] | range
"""First frame, last frame and step; or a range, which ends before its stop as ever in Python."""

Ranks = tuple[tuple[ChainPlan, ...], ...]

BETWEEN = 0.25
"""Frames: no farther apart are those on which reduced keys have to hold."""

LAST_FRAME = 1_048_574
"""Blender has no frame after it, and none before its negative."""


def build_plan(
    rig: Rig,
    names: Sequence[str] | None,
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
    found = chains_taking_part(rig, names)
    if not found.chains:
        found = chains_taking_part(rig, found.left_out)  # it is refused by the name of the first
    chains = with_animated(rig, [chain_plan(rig, chain, stand_in) for chain in found.chains])
    links = dependencies.links(chains)
    circles.refuse_driven(chains, links)
    solved = steps(start, end, step)
    if keys in (Keys.TARGET_KEYS, Keys.SOURCE):
        chains = [replace(chain, key_frames=_key_frames(chain, keys, start, end)) for chain in chains]
        solved = np.unique(np.concatenate([solved, *(chain.key_frames for chain in chains)]))
    parts = ceil(step / BETWEEN - 1e-6) if keys == Keys.REDUCED else 1
    between = solved[:, None] + step / parts * np.arange(parts)
    solved = between.ravel()[: len(solved) * parts - parts + 1]
    return Plan(
        rig=rig,
        name=rig.name,
        scene=scene,
        ranks=with_dependents(dependencies.ranks(chains, links)),
        frames=solved,
        frame_rate=scene.render.fps / scene.render.fps_base,
        step=parts,
        left_out=found.left_out,
        lacking=found.lacking,
    )


def limb_plan(rig: Rig, chains: Sequence[ChainPlan], frames: Frames, scene: Scene | None) -> Plan:
    """The plan for limbs, each after those that carry it, over `frames`; they need no targets.

    raises : Refused where there are no such frames
    """
    scene = scene_of(rig, scene)
    return Plan(
        rig=rig,
        name=rig.name,
        scene=scene,
        ranks=with_dependents(dependencies.ranks_by_parents(chains)),
        frames=steps(*frame_range(rig, frames, scene)),
        frame_rate=scene.render.fps / scene.render.fps_base,
    )


def current_plan(rig: Rig, names: Sequence[str] | None, scene: Scene | None, *, stand_in: Point | None = None) -> Plan:
    """The plan for the current frame alone; `stand_in` is taken for targets that chains do not have yet."""
    return at_current_frame(build_plan(rig, names, None, scene, stand_in=stand_in))


def at_current_frame(plan: Plan) -> Plan:
    """The plan for the current frame alone."""
    return replace(plan, frames=np.array([plan.scene.frame_current_final], dtype=np.float64))


def frame_range(rig: Rig, frames: Frames | None, scene: Scene) -> tuple[float, float, float]:
    """First frame, last frame and step that are asked for (None: the scene's range); Refused where there is none."""
    if frames is None:
        if scene.use_preview_range:
            return scene.frame_preview_start, scene.frame_preview_end, 1.0
        return scene.frame_start, scene.frame_end, 1.0
    start, end, step = _given_range(rig, frames)
    if not (isfinite(start) and isfinite(end) and end >= start):
        raise Refused("EMPTY_RANGE", object=rig, value=(start, end), **_in_words(start, end))
    if max(-start, end) > LAST_FRAME:
        raise Refused("FRAME_LIMIT", object=rig, value=(start, end), last=LAST_FRAME, **_in_words(start, end))
    # Blender merges keys that are closer than a hundredth of a frame, and holds frames in single precision.
    least = max(MERGE, float(np.spacing(np.float32(max(-start, end)))))
    if not (isfinite(step) and step >= least):
        raise Refused("FRAME_STEP", object=rig, value=step, least=least)
    return start, end, step


def _in_words(start: float, end: float) -> dict[str, Any]:
    return {"start": frame_text(start), "end": frame_text(end)}


def _given_range(rig: Rig, frames: Any) -> tuple[float, float, float]:
    """Two or three numbers, of which the third is the step, or a range; as floats: NumPy negates no unsigned ones."""
    if isinstance(frames, range):
        frames = frames.start, frames.stop - 1, frames.step
    given = tuple(frames) if isinstance(frames, Sequence | np.ndarray) else ()
    if len(given) not in (2, 3) or not all(isinstance(number, Real) for number in given):
        raise Refused("NOT_FRAMES", object=rig, value=frames)
    start, end, step = map(float, given if len(given) == 3 else (*given, 1.0))
    return start, end, step


def steps(start: float, end: float, step: float) -> Array:
    """(n,) the frames from `start` to `end`, or to the last that is a step."""
    return start + step * np.arange(int((end - start) / step + 1e-6) + 1, dtype=np.float64)


def _key_frames(chain: ChainPlan, keys: Keys, start: float, end: float) -> Array:
    of_bones = keys == Keys.SOURCE
    frames = (bone_keys if of_bones else target_keys)(chain, start, end)
    if not len(frames):
        value = point_text(chain.target)
        raise Refused(
            "NO_BONE_KEYS" if of_bones else "NO_TARGET_KEYS", chain=chain, value=value, **_in_words(start, end)
        )
    return np.unique(np.concatenate((frames, np.round(option_keys(chain, start, end), 2))))


def with_dependents(ranks: Ranks, also: Sequence[Point] = ()) -> Ranks:
    """The same chains, each with what it moves of all that `also`, and targets and parents of the chains, hang on."""
    # The last rank moves nothing that others wait for.
    moving, last = ranks[:-1], ranks[-1:]
    if not moving:
        return ranks
    chains = [chain for rank in ranks for chain in rank]
    points = [*also, *(point for chain in chains for point in (chain.target, chain.pole, chain.parent) if point)]
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
