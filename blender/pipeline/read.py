"""Armature, properties and range into a Plan. What cannot be baked is refused here, before anything is touched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite, pi

import numpy as np
from bpy.types import Bone, Object, PropertyGroup, Scene

from ...solver.values import Array, Bend, Options, Plane, Reference, Unreachable
from ..errors import Refused
from . import follow
from .channel import Keys
from .plan import ChainPlan, Plan, Point
from .target_keys import target_keys

TOLERANCE = 1e-6
"""Part of the chain's length below which a miss counts as reached: what is left of float32 matrices."""

Frames = tuple[float, float] | tuple[float, float, float]


def plan(
    rig: Object,
    names: Sequence[str] | None,
    frames: Frames | None,
    scene: Scene | None,
    keys: Keys = Keys.EVERY_FRAME,
) -> Plan:
    """The plan for chains `names` (None: all that are not muted) over `frames` (None: the scene's range).

    raises : Refused, with what is wrong and what to do
    """
    refuse_unposable(rig)
    scene = scene or _scene(rig)
    _refuse_stretched_time(rig, scene)
    start, end, step = _range(rig, frames, scene)
    chains = follow.in_order([_chain(rig, chain) for chain in _chosen(rig, names)])
    solved = start + step * np.arange(int((end - start) / step + 1e-6) + 1, dtype=np.float64)
    if keys == Keys.TARGET_KEYS:
        chains = tuple(replace(chain, target_keys=_target_keys(chain, start, end)) for chain in chains)
        solved = np.unique(np.concatenate([solved, *(chain.target_keys for chain in chains)]))
    return Plan(rig=rig, scene=scene, chains=chains, frames=solved, keys=keys)


def refuse_unposable(rig: Object | None) -> None:
    """Raise `Refused` unless this is an armature object whose pose can be set and shows."""
    if rig is None or rig.type != "ARMATURE":
        name = rig.name if rig else "nothing"
        raise Refused(f'"{name}" is not an armature: choose an armature object', kind="NO_ARMATURE", object=name)
    name = rig.name
    if not rig.is_editable or (rig.override_library and rig.override_library.is_system_override):
        raise Refused(f'"{name}" is linked: make a library override and make it editable', kind="LINKED", object=name)
    if rig.mode == "EDIT":
        raise Refused(f'"{name}" is in Edit Mode: leave it first', kind="EDIT_MODE", object=name)
    if rig.data.pose_position == "REST":
        raise Refused(
            f'"{name}" is in Rest Position: set its armature to Pose Position', kind="REST_POSITION", object=name
        )


def _scene(rig: Object) -> Scene:
    if not rig.users_scene:
        raise Refused(f'"{rig.name}" is in no scene: link it to one', kind="NO_SCENE", object=rig.name)
    return rig.users_scene[0]


def _refuse_stretched_time(rig: Object, scene: Scene) -> None:
    render = scene.render
    if render.frame_map_old != render.frame_map_new:
        raise Refused(
            f'Scene "{scene.name}" stretches time from {render.frame_map_old} to {render.frame_map_new}, '
            f'and keys of "{rig.name}" would play on other frames: set both to the same, and back after the bake',
            kind="TIME_STRETCHING",
            object=rig.name,
            value=(render.frame_map_old, render.frame_map_new),
        )


def _range(rig: Object, frames: Frames | None, scene: Scene) -> tuple[float, float, float]:
    if frames is None:
        if scene.use_preview_range:
            return scene.frame_preview_start, scene.frame_preview_end, 1.0
        return scene.frame_start, scene.frame_end, 1.0
    start, end, step = frames if len(frames) == 3 else (*frames, 1.0)
    if not (isfinite(start) and isfinite(end) and end >= start):
        raise Refused(
            f'The range {start:g} to {end:g} for "{rig.name}" holds no frame: the end must not lie before the start',
            kind="EMPTY_RANGE",
            object=rig.name,
            value=(start, end),
        )
    # Blender merges keys that are closer than a hundredth of a frame.
    if not (isfinite(step) and step >= 0.01):
        raise Refused(
            f'The frame step {step:g} for "{rig.name}" is too small: use 0.01 or more',
            kind="FRAME_STEP",
            object=rig.name,
            value=step,
        )
    return float(start), float(end), float(step)


def _target_keys(chain: ChainPlan, start: float, end: float) -> Array:
    frames = target_keys(chain, start, end)
    if not len(frames):
        raise Refused(
            f'Target "{chain.target}" of chain "{chain.name}" has no keys from {start:g} to {end:g}: bake every frame',
            kind="NO_TARGET_KEYS",
            object=chain.rig.name,
            bone=chain.bones[-1],
            value=str(chain.target),
        )
    return frames


def _chosen(rig: Object, names: Sequence[str] | None) -> list[PropertyGroup]:
    chains = list(rig.two_bone_ik_chains)
    if not chains:
        raise Refused(f'"{rig.name}" has no chains: add one first', kind="NO_CHAINS", object=rig.name)
    if names is None:
        chosen = [chain for chain in chains if not chain.mute]
        if not chosen:
            raise Refused(f'All chains of "{rig.name}" are muted: unmute one', kind="ALL_MUTED", object=rig.name)
        return chosen
    by_name = {chain.name: chain for chain in chains}
    for name in names:
        if name not in by_name:
            known = ", ".join(by_name)
            sentence = f'"{rig.name}" has no chain "{name}": it has {known}'
            raise Refused(sentence, kind="UNKNOWN_CHAIN", object=rig.name, value=name)
    return [by_name[name] for name in dict.fromkeys(names)]


def _chain(rig: Object, chain: PropertyGroup) -> ChainPlan:
    bones = chain_bones(rig, chain.end_bone, chain.root_bone)
    target = _point(rig, chain, "target", "subtarget")
    if target is None:
        raise _refusal(rig, chain, "has no target: set one, or create it", "NO_TARGET")
    pole = _point(rig, chain, "pole_target", "pole_subtarget")
    if pole is None and chain.plane == Plane.POLE:
        raise _refusal(rig, chain, "bends towards a pole but has none: set a Pole Target, or Plane to Auto", "NO_POLE")
    if chain.use_rotation and not chain.tip_bone:
        raise _refusal(rig, chain, "turns its tip bone but has none: set a Tip Bone, or Rotation off", "NO_TIP_BONE")
    if chain.unreachable == Unreachable.STRETCH:
        _refuse_shear(rig, bones)
    return ChainPlan(
        name=chain.name,
        rig=rig,
        bones=bones,
        tip_bone=_tip_bone(rig, chain, bones[-1]),
        target=target,
        pole=pole,
        hinge_axis=chain.hinge_axis,
        options=_options(chain),
        use_rotation=chain.use_rotation,
        rotation_influence=chain.rotation_influence,
    )


def chain_bones(rig: Object, end_bone: str, root_bone: str = "") -> tuple[str, ...]:
    """Names from the root bone ("": the end bone's parent) to the end bone; Refused where these make no chain."""
    end = _bone(rig, end_bone, "end bone")
    if end.parent is None:
        sentence = f'Bone "{end_bone}" of "{rig.name}" has no parent, and a chain needs two bones: choose its child'
        raise Refused(sentence, kind="NO_PARENT", object=rig.name, bone=end_bone)
    if not root_bone:
        return (end.parent.name, end.name)
    _bone(rig, root_bone, "root bone")
    above = [bone.name for bone in end.parent_recursive]
    if root_bone not in above:
        sentence = (
            f'Root bone "{root_bone}" of "{rig.name}" is not above end bone "{end_bone}": choose one of its parents'
        )
        raise Refused(sentence, kind="NOT_A_CHAIN", object=rig.name, bone=root_bone)
    return (*reversed(above[: above.index(root_bone) + 1]), end.name)


def notes(plan: Plan) -> list[str]:
    """Sentences about what on the rig will not be as the keys alone would have it."""
    found = []
    for bone in (bone for chain in plan.chains for bone in chain.keyed):
        for constraint in bone.constraints:
            if constraint.type != "IK" and not constraint.mute:
                found.append(f'Constraint "{constraint.name}" of bone "{bone.name}" acts on top of the keys')
        if any(bone.lock_rotation):
            found.append(f'Bone "{bone.name}" has locked rotation channels; a bake keys them all the same')
    return found


def constraints(plan: Plan) -> list[tuple[str, str]]:
    """(bone, constraint) for each IK constraint that moves a bone of these chains, and so would hide its keys."""
    keyed = {bone.name for chain in plan.chains for bone in chain.keyed}
    return [
        (bone.name, constraint.name)
        for bone in plan.rig.pose.bones
        for constraint in bone.constraints
        if constraint.type == "IK" and keyed & follow.moved_by(bone, constraint)
    ]


def _refuse_shear(rig: Object, bones: tuple[str, ...]) -> None:
    """Raise `Refused` where a bone would be sheared by the stretch of the one above it."""
    for name in bones[1:]:
        if rig.data.bones[name].inherit_scale in {"FULL", "FIX_SHEAR"}:
            sentence = f'Stretch would shear bone "{name}" of "{rig.name}": set its Inherit Scale to None or Aligned'
            raise Refused(sentence, kind="SHEAR", object=rig.name, bone=name)


def _tip_bone(rig: Object, chain: PropertyGroup, end: str) -> str:
    if not chain.tip_bone:
        return ""
    tip = _bone(rig, chain.tip_bone, "tip bone")
    if tip.parent is None or tip.parent.name != end:
        sentence = f'Tip bone "{tip.name}" of "{rig.name}" is not a child of end bone "{end}": choose one that is'
        raise Refused(sentence, kind="NOT_A_CHILD", object=rig.name, bone=tip.name)
    return tip.name


def _bone(rig: Object, name: str, role: str) -> Bone:
    bone = rig.data.bones.get(name)
    if bone is None:
        what = f'no bone "{name}"' if name else f"no {role}"
        sentence = f'A chain of "{rig.name}" has {what}: choose its {role}'
        raise Refused(sentence, kind="NO_BONE", object=rig.name, bone=name)
    return bone


def _point(rig: Object, chain: PropertyGroup, target_field: str, bone_field: str) -> Point | None:
    target, bone = getattr(chain, target_field), getattr(chain, bone_field)
    if target is None:
        return None
    if target.type != "ARMATURE" or not bone:
        return Point(target)
    if bone not in target.data.bones:
        message = f'aims at bone "{bone}", which "{target.name}" does not have: choose another'
        raise _refusal(rig, chain, message, "NO_SUBTARGET", value=bone)
    return Point(target, bone)


def _refusal(rig: Object, chain: PropertyGroup, message: str, kind: str, value: object = None) -> Refused:
    sentence = f'Chain "{chain.name}" of "{rig.name}" {message}'
    return Refused(sentence, kind=kind, object=rig.name, bone=chain.end_bone, value=value)


def _options(chain: PropertyGroup) -> Options:
    limits = (chain.bend_min, chain.bend_max) if chain.use_bend_limits else (-pi, pi)
    return Options(
        plane=Plane(chain.plane),
        reference=Reference(chain.reference),
        bend=Bend(chain.bend),
        unreachable=Unreachable(chain.unreachable),
        pole_angle=chain.pole_angle,
        pole_influence=chain.pole_influence,
        softness=chain.softness,
        max_stretch=chain.max_stretch,
        use_extension_limit=chain.use_extension_limit,
        bend_min=limits[0],
        bend_max=limits[1],
        influence=chain.influence,
        tolerance=TOLERANCE,
    )
