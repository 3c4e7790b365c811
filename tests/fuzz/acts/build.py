"""Build into Rig: limbs out of Blender's own parts, posed as the report says and as geometry says; then removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api

from fuzz import changes, judge, oracle, state
from fuzz.acts import hock, tail, twist
from fuzz.build import RIG

OFF = 2e-4
"""Part of the limb: near straight, single precision decides where the mid joint is."""
_VANISHED = 1e-9
"""Scale that counts as 0 where drivers would divide by it."""
_OPEN = 0.02
"""Sine of the angle to a line on which a limb without a memory has no plane, and the solver keeps the last one."""


def build(random: Random, scene: dict) -> None:
    """40: the limbs are built into the rig, mostly with options that can be built."""
    scene["request"] = {"what": "build_limbs", "frames": random.choice([[1, 6], [2, 5]])}
    if random.random() < 0.3:
        hock.make_leg(random, scene)
    spreads = random.random() < 0.3
    for chain in scene["chains"]:
        if chain["fields"].get("unreachable") == "ERROR":  # a word that no other sentence has
            chain["fields"].pop("unreachable")
    for chain in scene["chains"] if random.random() < 0.9 else ():
        fields = chain["fields"]
        for name in ("pole_pin", "use_twist", "use_extension_limit", "pole_smoothing", "reference", "hock_angle"):
            fields.pop(name, None)
        if fields.get("bend") in {"NEAREST", "LIMITS"}:
            fields["bend"] = random.choice(["POSITIVE", "NEGATIVE"])
        if fields.get("unreachable") in {"HOLD", "SKIP", "ERROR"}:
            fields.pop("unreachable")
        chain.pop("keyed", None)
    if spreads:
        _spread(random, scene)
    if random.random() < 0.3:
        tail.tail(random, scene)


def _spread(random: Random, scene: dict) -> None:
    """The first chain spreads its twist, mostly over bones at the side alone, and its target turns."""
    chain, bones = scene["chains"][0], scene["bones"]
    chain["fields"]["use_twist"] = True
    if "hock_bone" not in chain["fields"]:
        chain["tip"] = "hand"
        chain["fields"]["use_rotation"] = random.random() < 0.7
    twist.add_twist_bones(random, scene)
    if chain["fields"].get("unreachable") == "STRETCH":
        for name in [name for name in bones if name not in {"spine", "upper"}]:
            bones[name]["inherit_scale"] = "ALIGNED"
    still = [random.uniform(-1, 1) for _ in "xyz"]
    turns = {frame: [still[0], 0.3 * frame, still[2]] for frame in range(-3, 13)}
    scene["objects"]["Target"]["turns"] = turns


def carry_out(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    """Nothing is left of what was built and removed; built again the report is true, and the limbs where it says."""
    rig = bpy.data.objects[RIG]
    api.build(rig, **judge.arguments(request), measure="NONE")
    api.unbuild(rig)
    yield from changes.unasked(before, scene, [])
    report = api.build(rig, **judge.arguments(request), measure="ALL")
    seen, blends = list[str](), [note for note in report.notes if "blends it" in note]
    yield from judge.truth(report, request, seen)
    if any(abs(part) < _VANISHED for part in scene["rig"].get("scale", ())):
        blends.append("vanished")
    told += [word for word in seen if not (blends and word == "not posed so")] + blends
    for chain in report.chains if "handler" not in scene else ():
        # What hangs on a limb that has no plane, or whose place rounding decides, is where this takes it.
        yield from () if told else _off(chain, told)
    if "handler" not in scene:
        yield from _switched(report, request, told, scene)


def _switched(built: api.Report, request: Mapping, told: list[str], scene: Mapping) -> Iterator[str]:
    """Switched to FK and back the limbs stay where they were on each frame, to what the report tells."""
    frames = built.chains[0].frames
    # Of a leg that is folded, or straight, single precision decides how far its three bones open.
    limbs = [limb for chain in built.chains if not (limb := oracle.Limb.of(chain.name)).hock or chain.reached]
    before = [oracle.shown([limb], frames) for limb in limbs]
    for to in ("FK", "IK"):
        here = state.state()
        try:
            report = api.switch(bpy.data.objects[RIG], to, frames=tuple(request["frames"]))
        except api.Refused as refused:
            told.append(f"to {to} refused: {refused.kind}")
            yield from judge.refusal_faults(refused, here, scene)
            return
        off = max(
            (oracle.apart(joints, oracle.shown([limb], frames)) for limb, joints in zip(limbs, before, strict=True)),
            default=0.0,
        )
        if not report.posed or any("keep" in note for note in report.notes):
            told.append(f"to {to} tells that it moves")
        elif off > OFF:
            yield f"to {to} moves a built limb by {off:.4g} of its size: {report.notes}"


def _off(chain: api.ChainReport, told: list[str]) -> Iterator[str]:
    limb = oracle.Limb.of(chain.name)
    for row, frame in enumerate(chain.frames):
        oracle.on_frame(float(frame))
        joints, goal = limb.joints(), limb.aim()
        size = np.linalg.norm(np.diff(joints, axis=0), axis=-1).sum()
        rounded = oracle.resolution(limb, joints, goal)
        if chain.off[row] <= OFF * size + rounded:
            continue
        if chain.off[row] <= OFF * size + rounded + _less_sure(joints) + _carried_off(limb, joints):
            told.append("rounded")
            continue
        if size < _VANISHED * bpy.data.objects[limb.rig].data.bones[limb.root].length:
            told.append("vanished")
            continue
        if limb.is_flat() or _is_open(limb, goal - joints[0], size):
            told.append("no plane")
            continue
        if limb.fields["unreachable"] == "STRETCH" and limb.fields["influence"] < 1.0 and _has_own_length(limb):
            told.append("blends from its own length")  # which a bake takes for an earlier bake's
            continue
        if " turn " in chain.off_bone:
            # A bake winds on from frame to frame, and a built limb knows but one.
            told.append("twist bones within half a turn")
            off = twist.within_half_a_turn(float(frame)) if limb.fields["influence"] == 1.0 else 0.0
            if off > twist.CLOSE:
                yield f"a twist bone of a built limb is off its share: by {off:.4g} on frame {frame:g}"
            continue
        yield f"built limb is off: {chain.off[row]:.4g} of {size:.4g} on frame {frame:g}"


def _has_own_length(limb: oracle.Limb) -> bool:
    bones = bpy.data.objects[limb.rig].pose.bones
    return any(abs(bones[name].scale.y - 1.0) > OFF for name in (limb.root, limb.end, limb.hock) if name)


def _less_sure(joints: np.ndarray) -> float:
    """By how much the mid joint goes where the distance to the target is rounded: near folded by many times that."""
    step = 2.0 * float(np.spacing(np.float32(np.abs(joints).max())))
    first, second = np.linalg.norm(np.diff(joints, axis=0), axis=-1)
    reach = np.linalg.norm(joints[2] - joints[0]) + np.array((-step, 0.0, step))
    along = (reach**2 + first**2 - second**2) / np.maximum(2.0 * reach, 1e-30)
    return float(np.ptp(np.sqrt(np.maximum(first**2 - along**2, 0.0))))


def _carried_off(limb: oracle.Limb, joints: np.ndarray) -> float:
    """By how much the limb goes along where limbs that carry it are turned within what they may be off themselves."""
    rig, off = bpy.data.objects[limb.rig], 0.0
    above = {bone.name for bone in rig.data.bones[limb.root].parent_recursive}
    for chain in rig.two_bone_ik_chains:
        if chain.end_bone in above and chain.target:
            own = oracle.Limb.of(chain.name).joints()
            size = np.linalg.norm(np.diff(own, axis=0), axis=-1).min()
            off += (OFF + _less_sure(own) / size) * float(np.linalg.norm(joints - own[1], axis=-1).max())
    return off


def _is_open(limb: oracle.Limb, way: np.ndarray, size: float) -> bool:
    """True where the target is on the root or opposite to where it is at rest, or the pole in line with it."""
    distance = float(np.linalg.norm(way))
    rig = bpy.data.objects[limb.rig]
    if distance < _OPEN * size:
        return True
    if limb.pole and limb.fields["plane"] in {"AUTO", "POLE"}:
        pole = np.array(bpy.data.objects[limb.pole].matrix_world.translation) - limb.joints()[0]
        across = np.linalg.norm(np.cross(pole, way)) / max(float(np.linalg.norm(pole)) * distance, 1e-30)
        return bool(across < _OPEN)
    bones = rig.data.bones
    tip = bones[limb.tip].head_local if limb.tip else bones[limb.end].tail_local
    rest = np.array(tip - bones[limb.root].head_local)
    carrier = rig.matrix_world.to_3x3()
    if parent := rig.pose.bones[limb.root].parent:
        carrier = carrier @ parent.matrix.to_3x3() @ parent.bone.matrix_local.to_3x3().inverted()
    rest = np.array(carrier) @ rest
    return bool(rest @ way < -(1.0 - _OPEN**2) * np.linalg.norm(rest) * distance)
