"""Switch: limbs of a generated rig go to FK and IK, and what deforms the character stays where it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object
from mathutils import Euler

from fuzz import judge, oracle, state
from support import rigify

FINGERS = {side: [f"finger.{number:02}.{side}" for number in (1, 2)] for side in "LR"}
MOVED, TURNED, SCALED = 1e-4, 2e-3, 1e-3
"""What the manual promises on frames: metres, radians, parts of the scale."""
BETWEEN = 1e-3
"""What it promises between frames, in metres."""
_LIMBS = {"Arm": ("upper_arm", "forearm", "hand"), "Leg": ("thigh", "shin", "foot")}


def switch(random: Random, scene: dict) -> None:
    """32: a limb of a generated Rigify rig, with stretched fingers below its hand, is switched over a range."""
    limb, to = random.choice(["Arm", "Arm", "Leg"]), random.choice(["FK", "IK"])
    frames = sorted(random.sample(range(1, 13), 3))
    keys = {frame: _turns(random) for frame in frames}
    if random.random() < 0.4:
        keys[frames[1]]["scale"] = [round(random.uniform(0.9, 1.2), 2)] * 3
    start = random.choice([1, 3, 5])
    request = {"what": "switch", "limb": limb, "to": to, "frames": [start, start + random.choice([0, 3, 5])]}
    request |= {"keys": keys, "stretch": round(random.uniform(0.7, 1.4), 2), "between": random.random() < 0.5}
    if random.random() < 0.3:
        request["pole"] = True
    if random.random() < 0.3:
        request["back"] = True
    empty = {"bones": {}, "poses": {}, "rig": {}, "objects": {}, "chains": [], "lengths": [1.0, 1.0]}
    scene.clear()
    scene.update(empty, request=request)


def _turns(random: Random) -> dict:
    turns = {part: [round(random.uniform(-0.5, 0.5), 2) for _ in "xyz"] for part in ("upper", "hand")}
    move = [round(random.uniform(-0.1, 0.1), 3) for _ in "xyz"]
    return {**turns, "lower": [round(random.uniform(0.2, 1.2), 2), 0.0, 0.0], "move": move}


def carry_out(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    """On the frames within what the manual promises, or told; outside, between frames too, nothing moves."""
    rig = _rig()
    name, to = f"{request['limb']}.L", request["to"]
    _animate(rig, request)
    names = _watched(rig)
    start, end = request["frames"]
    inside, halves, outside = (
        np.arange(start, end + 1.0),
        np.arange(start + 0.5, end),
        np.array([-3.0, 0.5, start - 1.0, start - 0.5, end + 0.5, end + 1.0, 16.25]),
    )
    poses, between, beside = (oracle.worlds(names, frames) for frames in (inside, halves, outside))
    for layer in (to, {"FK": "IK", "IK": "FK"}[to])[: 2 if request.get("back") else 1]:
        here = state.state()
        try:
            report = api.switch(rig, layer, [name], (start, end))
        except api.Refused as refused:
            told.append("refused later")
            yield from judge.refusal_faults(refused, here, scene)
            return
        yield from _stays(names, poses, oracle.worlds(names, inside), report, told, f"switch to {layer}")
        yield from _between(names, between, oracle.worlds(names, halves), halves, report, f"switch to {layer}")
        yield from _untouched(names, beside, oracle.worlds(names, outside), outside, f"switch to {layer}")


def _stays(
    names: list, before: np.ndarray, now: np.ndarray, report: api.Report, told: list[str], what: str
) -> Iterator[str]:
    """Of bones: places, orientations, scales."""
    is_told = not report.posed or any("off" in note or "turned" in note for note in report.notes)
    off, turned, scaled = _off(before, now)
    if off.max() > MOVED or turned.max() > TURNED or scaled.max() > SCALED:
        if is_told:
            told.append("switch tells that it moves")
            return
        frame, bone = np.unravel_index(int(off.argmax()), off.shape)
        where = f"{names[bone][1]} on frame {frame} of the range"
        yield f"{what} moves bones: {off.max():.3g} m, {turned.max():.3g} rad, {scaled.max():.3g} of scale, {where}"


def _between(
    names: list, before: np.ndarray, now: np.ndarray, frames: np.ndarray, report: api.Report, what: str
) -> Iterator[str]:
    """Between frames limbs stay nearly as well where they stay on frames."""
    if not len(frames):
        return
    off = _off(before, now)[0]
    if off.max() > BETWEEN and report.posed:
        frame, bone = np.unravel_index(int(off.argmax()), off.shape)
        yield f"{what} moves bones between: {off.max():.3g} m, {names[bone][1]} on {frames[frame]:g}"


def _untouched(names: list, before: np.ndarray, now: np.ndarray, frames: np.ndarray, what: str) -> Iterator[str]:
    off, turned, _ = _off(before, now)
    if off.max() > 1e-5 or turned.max() > 1e-4:
        frame, bone = np.unravel_index(int(off.argmax()), off.shape)
        where = f"{names[bone][1]} on {frames[frame]:g}"
        yield f"{what} changes frames outside: {off.max():.3g} m, {turned.max():.3g} rad, {where}"


def _off(before: np.ndarray, now: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(n, m) each: how far bones have moved, by what angle they are turned, and by what part of their scale."""
    sizes = [np.linalg.norm(each[..., :3, :3], axis=-2) for each in (before, now)]
    turns = [each[..., :3, :3] / size[..., None, :] for each, size in zip((before, now), sizes, strict=True)]
    moved = np.linalg.norm(now[..., :3, 3] - before[..., :3, 3], axis=-1)
    turned = np.linalg.norm(turns[0] - turns[1], axis=(-2, -1)) / np.sqrt(2.0)
    return moved, turned, np.abs(sizes[0] - sizes[1]).max(axis=-1)


def _rig() -> Object:
    """The smallest human that Rigify generates, with two more bones below each hand."""
    rig = rigify.generated("basic_human")
    bpy.ops.object.mode_set(mode="EDIT")
    for side, names in FINGERS.items():
        above = rig.data.edit_bones[f"DEF-hand.{side}"]
        for name in names:
            bone = rig.data.edit_bones.new(name)
            bone.head, bone.tail = above.tail, above.tail + above.vector.normalized() * 0.04
            bone.parent = above
            above = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def _watched(rig: Object) -> list[tuple[str, str]]:
    parts = ("thigh", "shin", "foot", "toe", "upper_arm", "forearm", "hand")
    return [(rig.name, name) for name in (*(f"DEF-{part}.L" for part in parts), *FINGERS["L"])]


def _animate(rig: Object, request: Mapping) -> None:
    """Keys on the controls of the layer that is left, and fingers that are stretched along their length."""
    bones, upper, lower, end = rig.pose.bones, *_LIMBS[request["limb"]]
    layer = "fk" if request["to"] == "IK" else "ik"
    for frame, keys in ((float(frame), keys) for frame, keys in request["keys"].items()):
        if layer == "fk":
            for part, name in (("upper", upper), ("lower", lower), ("hand", end)):
                bone = bones[f"{name}_fk.L"]
                bone.rotation_quaternion = Euler(keys[part]).to_quaternion()
                bone.keyframe_insert("rotation_quaternion", frame=frame)
            bones[f"{upper}_fk.L"].scale = keys.get("scale", [1.0] * 3)
            bones[f"{upper}_fk.L"].keyframe_insert("scale", frame=frame)
        else:
            bone = bones[f"{end}_ik.L"]
            bone.location, bone.rotation_quaternion = keys["move"], Euler(keys["hand"]).to_quaternion()
            bone.keyframe_insert("location", frame=frame)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    parent = bones[f"{upper}_parent.L"]
    parent["IK_FK"] = 1.0 if layer == "fk" else 0.0
    parent["pole_vector"] = bool(request.get("pole"))
    for name in FINGERS["L"]:
        bones[name].scale = (1.0, request["stretch"], 1.0)
    rig.update_tag()
    oracle.on_frame(1)
