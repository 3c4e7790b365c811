"""Armature, properties and range into a Plan. What cannot be baked is refused here, before anything is touched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from math import ceil, isfinite

import numpy as np
from bpy.types import Constraint, Object, PropertyGroup, Scene

from ....solver.values import Array
from ...errors import Refused
from ...report import frame_text
from ...words import sentence
from ..channel import MERGE, Keys
from ..plan import ChainPlan, Plan, Point
from . import follow, rest_side
from .chain import chain_plan
from .target_keys import target_keys

Frames = tuple[float, float] | tuple[float, float, float]

BETWEEN = 0.25
"""Frames: no farther apart are those on which reduced keys have to hold."""

LAST_FRAME = 1_048_574
"""Blender has no frame after it, and none before its negative."""

MOST_FRAMES = 2_000_000
"""As many of one chain can be baked at once: about 5 GB."""


def plan(
    rig: Object,
    names: Sequence[str] | None,
    frames: Frames | None,
    scene: Scene | None,
    keys: Keys = Keys.EVERY_FRAME,
    *,
    stand_in: Point | None = None,
) -> Plan:
    """The plan for chains `names` (None: all that are not muted) over `frames` (None: the scene's range).

    stand_in : taken for a target or pole target that a chain does not have yet
    raises : Refused, with what is wrong and what to do
    """
    refuse_unposable(rig)
    scene = scene or scene_of(rig)
    start, end, step = _range(rig, frames, scene)
    chains = [chain_plan(rig, chain, stand_in) for chain in chosen(rig, names)]
    solved = start + step * np.arange(int((end - start) / step + 1e-6) + 1, dtype=np.float64)
    if keys == Keys.TARGET_KEYS:
        chains = [replace(chain, target_keys=_target_keys(chain, start, end)) for chain in chains]
        solved = np.unique(np.concatenate([solved, *(chain.target_keys for chain in chains)]))
    parts = ceil(step / BETWEEN - 1e-6) if keys == Keys.REDUCED else 1
    between = solved[:, None] + step / parts * np.arange(parts)
    solved = between.ravel()[: len(solved) * parts - parts + 1]
    return Plan(rig=rig, name=rig.name, scene=scene, ranks=follow.ranks(chains), frames=solved, step=parts)


def refuse_other_than_armature(rig: Object | None) -> None:
    """Raise `Refused` unless this is an armature object."""
    if rig is None or rig.type != "ARMATURE":
        name = rig.name if rig else "nothing"
        raise Refused('"{object}" is not an armature: choose an armature object', kind="NO_ARMATURE", object=name)


def refuse_unposable(rig: Object) -> None:
    """Raise `Refused` unless this is an armature object whose pose can be set and shows."""
    refuse_other_than_armature(rig)
    name = rig.name
    if not rig.is_editable or (rig.override_library and rig.override_library.is_system_override):
        raise Refused('"{object}" is linked: make a library override and make it editable', kind="LINKED", object=name)
    if rig.mode == "EDIT":
        raise Refused('"{object}" is in Edit Mode: leave it first', kind="EDIT_MODE", object=name)
    if rig.pose is None:
        # Blender gives a new object its pose bones when it evaluates it first.
        raise Refused('"{object}" is so new that it has no pose: update its view layer', kind="NO_POSE", object=name)
    if rig.data.pose_position == "REST":
        raise Refused(
            '"{object}" is in Rest Position: set its armature to Pose Position', kind="REST_POSITION", object=name
        )


def scene_of(rig: Object) -> Scene:
    """The first scene that holds the armature; Refused where none does."""
    scenes = rig.users_scene
    if not scenes:
        raise Refused('"{object}" is in no scene: link it to one', kind="NO_SCENE", object=rig.name)
    return scenes[0]


def _range(rig: Object, frames: Frames | None, scene: Scene) -> tuple[float, float, float]:
    if frames is None:
        if scene.use_preview_range:
            return scene.frame_preview_start, scene.frame_preview_end, 1.0
        return scene.frame_start, scene.frame_end, 1.0
    start, end, step = frames if len(frames) == 3 else (*frames, 1.0)
    if not (isfinite(start) and isfinite(end) and end >= start):
        raise Refused(
            'The range {start} to {end} for "{object}" holds no frame: the end must not lie before the start',
            kind="EMPTY_RANGE",
            object=rig.name,
            value=(start, end),
            start=frame_text(start),
            end=frame_text(end),
        )
    if max(-start, end) > LAST_FRAME:
        raise Refused(
            'The range {start} to {end} for "{object}" leaves what Blender has, frames -{last} to {last}: shorten it',
            kind="FRAME_LIMIT",
            object=rig.name,
            value=(start, end),
            start=frame_text(start),
            end=frame_text(end),
            last=LAST_FRAME,
        )
    # Blender merges keys that are closer than a hundredth of a frame, and holds frames in single precision.
    least = max(MERGE, float(np.spacing(np.float32(max(-start, end)))))
    if not (isfinite(step) and step >= least):
        raise Refused(
            'The frame step {value:g} for "{object}" is too small: use {least:g} or more',
            kind="FRAME_STEP",
            object=rig.name,
            value=step,
            least=least,
        )
    return float(start), float(end), float(step)


def _target_keys(chain: ChainPlan, start: float, end: float) -> Array:
    frames = target_keys(chain, start, end)
    if not len(frames):
        raise Refused(
            'Target "{value}" of chain "{chain}" has no keys from {start} to {end}: bake every frame',
            kind="NO_TARGET_KEYS",
            object=chain.rig.name,
            bone=chain.bones[-1],
            value=str(chain.target),
            chain=chain.name,
            start=frame_text(start),
            end=frame_text(end),
        )
    return frames


def refuse_too_many_frames(plan: Plan) -> None:
    """Raise `Refused` where the chains would take more memory than most machines have, a few kilobytes a frame."""
    count = len(plan.frames) * len(plan.chains)
    if count > MOST_FRAMES:
        raise Refused(
            '{count} frames of {chains} chains of "{object}" are too many at once: shorten the range, '
            "or take a larger step, for at most {most} frames",
            kind="TOO_MANY_FRAMES",
            object=plan.rig.name,
            value=len(plan.frames),
            count=len(plan.frames),
            chains=len(plan.chains),
            most=MOST_FRAMES // len(plan.chains),
        )


def refuse_stretched_time(plan: Plan) -> None:
    """Raise `Refused` where keys on the frames of the plan would play on others."""
    scene, render = plan.scene, plan.scene.render
    if render.frame_map_old != render.frame_map_new:
        raise Refused(
            'Scene "{scene}" stretches time from {value[0]} to {value[1]}, '
            'and keys of "{object}" would play on other frames: set both to the same, and back after the bake',
            kind="TIME_STRETCHING",
            object=plan.rig.name,
            value=(render.frame_map_old, render.frame_map_new),
            scene=scene.name,
        )


def chosen(rig: Object, names: Sequence[str] | None) -> list[PropertyGroup]:
    """The chains with these names, or all that are not muted; Refused where there is none."""
    chains = list(rig.two_bone_ik_chains)
    if not chains:
        raise Refused('"{object}" has no chains: add one first', kind="NO_CHAINS", object=rig.name)
    if names is None:
        unmuted = [chain for chain in chains if not chain.mute]
        if not unmuted:
            raise Refused('All chains of "{object}" are muted: unmute one', kind="ALL_MUTED", object=rig.name)
        return unmuted
    by_name = {chain.name: chain for chain in chains}
    for name in names:
        if name not in by_name:
            raise Refused(
                '"{object}" has no chain "{value}": it has {known}',
                kind="UNKNOWN_CHAIN",
                object=rig.name,
                value=name,
                known=", ".join(by_name),
            )
    return [by_name[name] for name in dict.fromkeys(names)]


def followed_first(rigs: Sequence[Object]) -> list[Object]:
    """The armatures, each after those of them whose limbs its chains follow.

    raises : Refused where they follow each other
    """
    graph = {}
    for rig in rigs:
        try:
            chains = [chain_plan(rig, chain) for chain in chosen(rig, None)]
        except Refused:
            chains = []  # it is refused as well when its turn comes
        graph[rig] = [other for _, other in follow.followed(chains, [other for other in rigs if other != rig])]
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise Refused(
            "Limbs of several armatures follow each other ({value}): select one of these at a time",
            kind="ARMATURE_CYCLE",
            object=error.args[1][0].name,
            value=" → ".join(rig.name for rig in reversed(error.args[1])),
        ) from None


def notes(plan: Plan, hiding: Iterable[tuple[str, str]], *, keyed: bool) -> list[str]:
    """Sentences about what on the rig is not as what the chains were given, pose or keys, would have it alone.

    hiding : IK constraints, as `constraints` has them
    """
    found = rest_side.notes(plan.chains)
    found += [
        sentence(
            'Constraint "{name}" of bone "{bone}" hides the keys: mute it'
            if keyed
            else 'Constraint "{name}" of bone "{bone}" hides the pose: mute it',
            name=name,
            bone=bone,
        )
        for bone, name in hiding
        if _acts(plan.rig.pose.bones[bone].constraints[name])
    ]
    for bone in (bone for chain in plan.chains for bone in chain.keyed):
        for constraint in bone.constraints:
            if constraint.type != "IK" and _acts(constraint):
                on_top = sentence(
                    'Constraint "{name}" of bone "{bone}" acts on top of the keys'
                    if keyed
                    else 'Constraint "{name}" of bone "{bone}" acts on top of the pose',
                    name=constraint.name,
                    bone=bone.name,
                )
                found.append(on_top)
        if any(bone.lock_rotation):
            found.append(
                sentence('Bone "{bone}" has locked rotation channels, which are set all the same', bone=bone.name)
            )
    return found


def _acts(constraint: Constraint) -> bool:
    return constraint.is_valid and not constraint.mute and constraint.influence > 0.0


def constraints(plan: Plan) -> list[tuple[str, str]]:
    """(bone, constraint) for each IK constraint that moves a bone of these chains, and so would hide its keys."""
    keyed = {bone.name for chain in plan.chains for bone in chain.keyed}
    return [
        (bone.name, constraint.name)
        for bone, constraint in follow.constrained(plan.rig)
        if follow.hides(bone, constraint, keyed)
    ]
