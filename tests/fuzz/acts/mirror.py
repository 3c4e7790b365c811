"""Mirrored settings: the other side poses as the mirror image, or the sentence says why it cannot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api

from fuzz import judge, oracle, state
from fuzz.build import RIG

MIRROR = np.array((-1.0, 1.0, 1.0))
_DEGREE = 0.02
"""Of the limb's size: the angle below which nothing is said."""


def mirror(random: Random, scene: dict) -> None:
    """31: a limb has the same limb on the other side, rolled as its mirror image or not, and gives it its settings."""
    same = random.random() < 0.5
    straight = random.random() < 0.2
    bones = {name: dict(bone) for name, bone in scene["bones"].items()}
    if straight:
        upper = bones["upper"]
        way = [b - a for a, b in zip(upper["head"], upper["tail"], strict=True)]
        bones.pop("twist", None)
        bones["upper"]["tail"] = [round(a + b, 3) for a, b in zip(upper["head"], way, strict=True)]
        bones["lower"] |= {"head": bones["upper"]["tail"], "parent": "upper"}
        bones["lower"]["tail"] = [round(a + 2 * b, 3) for a, b in zip(upper["head"], way, strict=True)]
        bones["hand"] |= {"head": bones["lower"]["tail"], "parent": "lower"}
        bones["hand"]["tail"] = [round(a + b * 0.2, 3) for a, b in zip(bones["hand"]["head"], (1, 1, 0), strict=True)]
        scene["chains"][0].pop("root", None)
    scene["bones"] = {"spine": bones.pop("spine")}
    for side, sign in (("L", 1), ("R", -1)):
        for name, bone in bones.items():
            roll = bone.get("roll", 0.0)
            other = {"roll": sign * roll if same or side == "L" else round(random.uniform(-3, 3), 2)}
            for end in ("head", "tail"):
                other[end] = [sign * (bone[end][0] + 0.5), *bone[end][1:]]
            parent = bone["parent"] if bone["parent"] == "spine" else f"{bone['parent']}.{side}"
            scene["bones"][f"{name}.{side}"] = {**bone, **other, "parent": parent}
    for name in [name for name in ("Target", "Pole") if name in scene["objects"]]:
        item = scene["objects"].pop(name)
        for side, sign in (("L", 1), ("R", -1)):
            keys = {frame: [sign * (x + 0.5), y, z] for frame, (x, y, z) in item.get("keys", {}).items()}
            x, y, z = item.get("near", [0.5, 0.0, 0.0])
            scene["objects"][f"{name}.{side}"] = {"near": [sign * (x + 0.5), y, z], "keys": keys}
    scene["objects"] = {name: item for name, item in scene["objects"].items() if name[-2:] in {".L", ".R"}}
    chain = scene["chains"][0]
    chain = {**chain, "end": "lower.L", "target": "Target.L"}
    for field, value in (("root", "upper.L"), ("tip", "hand.L"), ("pole", "Pole.L")):
        chain |= {field: value} if field in chain else {}
    scene["chains"], scene["poses"], scene["rig"] = [chain], {}, {}
    scene.pop("edit", None)
    scene["request"] = {"what": "mirror", "same": same and not straight}


def carry_out(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    """Both sides baked, and compared as mirror images in the space of the armature."""
    if "Target.R" not in scene["objects"]:
        return  # the other side would share the target
    rig = bpy.data.objects[RIG]
    words = api.mirror_settings(rig, "lower.L")
    [(other, sentence)] = words.items()
    try:
        report = api.bake(rig, frames=(1, 6))
    except api.Refused:
        told.append("refused later")
        return
    limbs = [oracle.Limb.of("lower.L"), oracle.Limb.of(other)]
    yield from judge.truth(report, {}, told)
    if any(chain.degenerate.any() for chain in report.chains) or report.chains[0].flips.any():
        return
    # Between the keys of bones with other rolls clamped handles are no mirror images.
    skips = limbs[0].fields["unreachable"] == "SKIP"
    keyed = [frame for frame, status in enumerate(report.chains[0].status, start=1) if status == 0 or not skips]
    off = 0.0
    for frame in keyed:
        oracle.on_frame(frame)
        left, right = (limb.joints() for limb in limbs)
        off = max(off, float(np.linalg.norm(left * MIRROR - right, axis=-1).max()) / sum(scene["lengths"]))
    if not sentence and off > (1e-3 if request["same"] else _DEGREE):
        yield f"no mirror image: off by {off:.4g} of the limb"
    if sentence and request["same"]:
        yield f"wrong word: {sentence} for mirrored bones"
    if sentence:
        told.append("no mirror image, as told")
