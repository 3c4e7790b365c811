"""Pin: hands and feet stay where they are while the body moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api

from fuzz import build, changes, judge, oracle, state
from fuzz.acts.create import MADE, all_shown, lacking
from fuzz.build import RIG


def pin(random: Random, scene: dict) -> None:
    """28: limbs are pinned, and then the armature moves."""
    all_shown(scene)
    if random.random() < 0.6:
        lacking(random, scene)
    request: dict = {"what": "pin", "by": [round(random.uniform(-0.1, 0.1) * sum(scene["lengths"]), 3) for _ in "xyz"]}
    if random.random() < 0.3:
        request["insert_keys"] = True
    scene["request"] = request
    for chain in scene["chains"]:
        chain["fields"].pop("influence", None)  # what shows below 1 is no place that a target can be put to


def carry_out(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    """The pose stays when limbs are pinned, and their tips when the armature is then moved."""
    rig, by = bpy.data.objects[RIG], request.pop("by")
    limbs = judge.limbs()
    pose = oracle.shown(limbs)
    build.show(scene, scene.get("frame", 1.0))
    # What single precision knows of where a target was: one a trillion metres away is put kilometres off.
    places = [np.abs(limb.goal()).max() for limb in limbs if limb.target]
    sure = 4.0 * float(np.spacing(np.float32(max(places, default=0.0))))
    report = api.pin(rig, **judge.arguments(request))
    bpy.context.view_layer.update()
    if not rig.two_bone_ik_live:
        yield "pin without Live"
    yield from changes.unasked(before, scene, [*MADE, r"actions.*"])
    if judge.says_moved(report) or any("carr" in note for note in report.notes):
        told.append("does not keep its pose")
        return
    if not judge.undisturbed(report):
        told.append("constraint or NLA")
        return
    most = 5e-4 + sure / np.abs(pose - pose[:, :1]).max(initial=1e-30)
    # Rounding decides how a flat limb turns.
    if not any(limb.is_flat() for limb in limbs):
        yield from judge.kept("pin moves the pose", pose, oracle.shown(limbs), most=most)
    if "follows" in str(scene["objects"]) or len(limbs) != 1:
        return
    yield from _moved(limbs[0], by)


def _moved(limb: oracle.Limb, by: list[float]) -> Iterator[str]:
    """The armature goes a little way: the tip stays on its target wherever the limb reaches it."""
    rig = bpy.data.objects[RIG]
    limb = oracle.Limb.of(rig.two_bone_ik_chains[0].name)
    goal = limb.goal()
    rig.location = [a + b for a, b in zip(rig.location, by, strict=True)]
    bpy.context.view_layer.update()
    joints, aim = limb.joints(), limb.aim()
    if not (np.isfinite(joints).all() and np.isfinite(goal).all()):
        return
    slack = oracle.resolution(limb, joints, goal)
    if float(np.linalg.norm(limb.goal() - goal)) > slack:
        yield f"pin does not hold: the target moved by {np.linalg.norm(limb.goal() - goal):.4g}"
    (low, high), distance = limb.links(), float(np.linalg.norm(aim - joints[0]))
    least = max(distance - low.sum(), high[0] - low[1] - distance, high[1] - low[0] - distance, 0.0)
    off = float(np.linalg.norm(joints[2] - aim))
    if limb.plain and limb.fields["unreachable"] not in {"SKIP", "ERROR"} and off > least + slack:
        yield f"pinned tip moves: by {off:.4g} where {least:.4g} can be"
