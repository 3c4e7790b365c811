"""Create Targets, and then Solve or Bake: the pose stays where it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from random import Random

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api

from fuzz import changes, judge, oracle, state
from fuzz.build import RIG

MADE = [
    *(r"objects.*", r"collections.*", r"armatures\.", r"scenes\[Scene\]\.objects\."),
    *(r"armatures\[Rig\]\.bones\[.*(Target|Pole).*", r"actions.*"),
]
"""Patterns of what comes with new targets."""


def create(random: Random, scene: dict) -> None:
    """27: the chain lacks targets, gets them, and is solved for them."""
    lacking(random, scene)
    scene["request"] = {
        "what": "create_targets",
        "kind": random.choice(["EMPTIES", "BONES"]),
        "then": random.choice(["solve", "bake"]),
    }


def lacking(random: Random, scene: dict) -> None:
    """The chain has no pole target, and most of the time no target either."""
    all_shown(scene)
    for chain in scene["chains"]:
        chain.pop("pole", None)
        if random.random() < 0.8:
            chain["target"] = ""


def all_shown(scene: dict) -> None:
    """What is disabled in the viewport has no place that the pose could be compared with."""
    for item in scene["objects"].values():
        item.pop("hidden", None)


def posed(names: list[str], frames: list[float] | None = None) -> np.ndarray:
    """(n, j, 3) of heads, tails and sideways axes of these bones in the world, as they show."""
    rows = []
    for frame in frames or [None]:
        if frame is not None:
            oracle.on_frame(frame)
        rig = bpy.data.objects[RIG].evaluated_get(bpy.context.evaluated_depsgraph_get())
        bones = [rig.pose.bones[name] for name in names]
        places = [(bone.head, bone.tail, bone.head + bone.matrix.col[0].to_3d() * bone.bone.length) for bone in bones]
        matrix = np.array(rig.matrix_world, dtype=float)
        rows.append(np.array(places, dtype=float).reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])
    return np.array(rows)


def carry_out(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    """Nothing moves when targets are made, and joints stay when the chain is solved for them."""
    rig, names = bpy.data.objects[RIG], list(scene["bones"])
    pose, then = posed(names), request.pop("then")
    had_target = any(chain.target for chain in rig.two_bone_ik_chains)
    joints = oracle.shown([oracle.Limb.of(chain.name) for chain in rig.two_bone_ik_chains if not chain.mute])
    before = state.state()
    report = api.create_targets(rig, **request)
    bpy.context.view_layer.update()
    yield from changes.unasked(before, scene, MADE)
    yield from judge.kept("creating targets moves the pose", pose, posed(names))
    missing = [chain.name for chain in rig.two_bone_ik_chains if not chain.target and not chain.mute]
    if missing:
        yield f"no target created: {missing}"
    if judge.says_moved(report):
        told.append("does not keep its pose")
        return
    if not judge.undisturbed(report):
        told.append("constraint or NLA")
        return
    if had_target:
        return  # which the tip need not have been on
    limbs = [oracle.Limb.of(chain.name) for chain in rig.two_bone_ik_chains if not chain.mute]
    if any(limb.by_tail and oracle.is_flat(rig.pose.bones[limb.tip].matrix) for limb in limbs):
        return  # a flat tip bone points nowhere, so no target can hold how it lies
    with suppress(api.Refused):
        frame = bpy.context.scene.frame_current_final
        solved = api.solve(rig) if then == "solve" else api.bake(rig, frames=(frame, frame))
        bpy.context.view_layer.update()
        if judge.undisturbed(solved):
            yield from judge.kept("create and solve move the pose", joints, oracle.shown(limbs))
