"""Legs with a hock: the third bone turns with its bone by what Blender shows, and the tip is as near as can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from random import Random

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api

from fuzz import changes, judge, oracle, state
from fuzz.acts import crowd
from fuzz.build import RIG

_SAME = 2e-3
"""Radians: single precision of five bones, some of which are a hundredth as long as the armature is large."""


def hock(random: Random, scene: dict) -> None:
    """37: the chain is a leg with a hock."""
    make_leg(random, scene)
    if random.random() < 0.6:
        scene["request"] = {"what": "bake_hock", "frames": random.choice([[1, 6], [2, 5], [1, 4, 0.5]])}
    crowd.or_live(random, scene)


def make_leg(random: Random, scene: dict) -> None:
    """The hand is its third bone, at times with a toe below, an angle, or a stretch."""
    chain, bones = scene["chains"][0], scene["bones"]
    hand = bones["hand"]
    hand["tail"] = [round(part + random.uniform(-0.6, 0.6), 3) for part in hand["head"]]
    chain.pop("tip", None)
    chain["fields"].pop("use_rotation", None)
    if random.random() < 0.6:
        toe = [round(part + random.uniform(-0.1, 0.1), 3) for part in hand["tail"]]
        bones["toe"] = {"head": toe, "tail": [toe[0], toe[1] + 0.1, toe[2]], "parent": "hand"}
        chain["tip"] = "toe"
        chain["fields"] |= random.choice([{}, {"use_rotation": True}])
    chain["fields"] |= {"hock_bone": "hand", "hock": random.choice(["RIGID", "PARALLEL"])}
    if random.random() < 0.3:
        chain["keyed"] = {"hock_angle": {1: 0.0, random.choice([3, 6]): round(random.uniform(-1.0, 1.0), 2)}}
    elif random.random() < 0.3:
        chain["fields"]["hock_angle"] = round(random.uniform(-1.0, 1.0), 2)
    if chain["fields"].get("unreachable") == "STRETCH":
        for name in [name for name in ("lower", "hand", "toe") if name in bones]:
            bones[name]["inherit_scale"] = random.choice(["NONE", "ALIGNED"])


def carry_out(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    """Baked; then third bone and tip of each frame, by the bones as Blender evaluates them."""
    report = api.bake(bpy.data.objects[RIG], **judge.arguments(request), measure="ALL")
    yield from changes.unasked(before, scene, changes.keyed(report, request), report)
    yield from judge.truth(report, request, told)
    if not told and len(scene["chains"]) == 1 and "handler" not in scene:
        yield from faults(report.chains[0], scene["chains"][0]["fields"])


def faults(chain: object, fields: Mapping) -> Iterator[str]:
    """Of a leg that was baked, by what Blender shows on each frame."""
    if fields.get("influence", 1.0) < 1.0:
        return
    limb = oracle.Limb.of("lower")
    for row, frame in enumerate(chain.frames):
        if fields.get("unreachable") == "SKIP" and chain.status[row] != oracle.REACHED:
            continue
        oracle.on_frame(frame)
        yield from _faults(limb, fields, chain, row)


def _faults(limb: oracle.Limb, fields: Mapping, chain: object, row: int) -> Iterator[str]:
    rig = bpy.data.objects[RIG].evaluated_get(bpy.context.evaluated_depsgraph_get())
    bones, where = rig.pose.bones, f"on frame {chain.frames[row]:g}"
    # Bones between move along rigidly, turned as they are: the leg below is turned with them.
    turns = [_turn(bone) for bone in (bones[limb.end].parent, bones[limb.end], bones[limb.hock])]
    above = [_turn(bone) for bone in bones[limb.end].parent_recursive]
    if any(turn is None for turn in (*turns, *above)):
        return  # sheared or mirrored: what it turns by is another question
    below = [*takewhile(lambda bone: bone.name != limb.root, bones[limb.hock].parent_recursive), bones[limb.hock]]
    if not all(bone.bone.use_inherit_rotation for bone in below):
        return  # what is above the leg then gives it another shape at rest, from which these turns do not count
    if any(_turn(bone) is None for bone in below) or (
        bones[limb.hock].bone.inherit_scale == "FIX_SHEAR" and _is_uneven(bones[limb.hock].parent)
    ):
        return  # of a shear, it inherits a turn that its parent does not have
    carrier = turns[0 if fields["hock"] == "PARALLEL" else 1]
    by = _angle(carrier, turns[2])
    angle = abs(bones[limb.end].two_bone_ik_hock_angle)
    if abs(by - angle) > _SAME:
        yield f"third bone turned by {by:.4g} where {angle:.4g} is its angle {where}"
    if not limb.is_leg or not limb.is_rigid(rig):
        return
    world = np.array(rig.matrix_world, dtype=float)
    places = [*(bones[name].head for name in (limb.root, limb.end, limb.hock))]
    root, knee, middle = (world[:3, :3] @ np.array(place, dtype=float) + world[:3, 3] for place in places)
    joints, goal = limb.joints(), limb.aim()
    first, second = (knee - root, joints[2] - knee)
    if fields["hock"] == "PARALLEL":
        first, second = first + joints[2] - middle, middle - knee
    lengths = np.linalg.norm((first, second), axis=-1)
    distance = float(np.linalg.norm(goal - root))
    least = max(distance - lengths.sum(), abs(lengths[0] - lengths[1]) - distance, 0.0)
    off = float(np.linalg.norm(joints[2] - goal))
    if abs(off - least) > 2.0 * oracle.resolution(limb, joints, goal):
        yield f"leg is not as near as it can be: {off:.4g} where {least:.4g} is possible {where}"


def _turn(bone: bpy.types.PoseBone) -> np.ndarray | None:
    """(3, 3) how it is turned from rest in the armature; None where its axes are no longer at right angles.

    Nor where its own scale mirrors it: about two axes that looks like half a turn.
    """
    if min(bone.scale) < 0.0:
        return None
    axes, rest = (np.array(matrix, dtype=float)[:3, :3] for matrix in (bone.matrix, bone.bone.matrix_local))
    sizes = np.linalg.norm(axes, axis=0)
    if not sizes.min() > 1e-6 * sizes.max() > 0.0:
        return None
    axes = axes / sizes
    is_turned = np.allclose(axes.T @ axes, np.eye(3), atol=1e-4) and np.linalg.det(axes) > 0.0
    return axes @ rest.T if is_turned else None


def _is_uneven(bone: bpy.types.PoseBone) -> bool:
    sizes = np.linalg.norm(np.array(bone.matrix, dtype=float)[:3, :3], axis=0)
    return bool(np.ptp(sizes) > 1e-4 * sizes.max())


def _angle(one: np.ndarray, other: np.ndarray) -> float:
    return 2.0 * float(np.arcsin(min(np.linalg.norm(one - other) / np.sqrt(8.0), 1.0)))
