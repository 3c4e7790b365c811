"""Options of a chain with keys: on each frame it is posed as with the values of that frame alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from random import Random

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api

from fuzz import build, changes, judge, oracle, state
from fuzz.build import RIG

RANGES = {
    "influence": (0.0, 1.0),
    "pole_influence": (0.0, 1.0),
    "rotation_influence": (0.0, 1.0),
    "pole_angle": (-3.0, 3.0),
    "softness": (0.0, 0.5),
    "max_stretch": (1.0, 3.0),
    "bend_min": (-3.0, 0.0),
    "bend_max": (0.0, 3.0),
}


def keyed_options(random: Random, scene: dict) -> None:
    """23: options of the chain have keys on its end bone."""
    chain = scene["chains"][0]
    chosen = random.sample(list(RANGES), random.choice([1, 1, 2, 4]))
    chain["keyed"] = {
        name: {frame: round(random.choice([*RANGES[name], random.uniform(*RANGES[name])]), 2) for frame in (1, 3, 6)}
        for name in chosen
    }
    if {"bend_min", "bend_max"} & set(chosen):
        chain["fields"]["use_bend_limits"] = True
    if "max_stretch" in chosen:
        chain["fields"]["unreachable"] = "STRETCH"
        for bone in [name for name in scene["bones"] if name not in {"spine", "upper"}]:
            scene["bones"][bone]["inherit_scale"] = "NONE"
    scene["request"] = {"what": "bake_keyed", "frames": random.choice([[1, 6], [2, 5], [1, 4, 0.5]])}


def carry_out(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    """Baked with keyed options; then each frame alone, the options set to what their curves say there."""
    rig, limb = bpy.data.objects[RIG], oracle.Limb.of("lower")
    values = _values(rig, np.arange(*_span(request["frames"])))
    own = {frame: oracle.shown([limb], [frame])[0] for frame in values}
    build.show(scene, scene.get("frame", 1.0))
    report = api.bake(rig, **judge.arguments(request), measure="ALL")
    yield from changes.unasked(before, scene, changes.keyed(report, request), report)
    yield from judge.truth(report, request, told)
    found = {frame: oracle.shown([limb], [frame])[0] for frame in values}
    if told or len(scene["chains"]) > 1 or "handler" in scene:
        return
    for frame, at_frame in values.items():
        if at_frame.get("influence") == 0.0 and limb.fields["unreachable"] not in {"STRETCH", "SKIP"}:
            yield from judge.kept(f"no influence moves the pose: frame {frame:g}", own[frame][None], found[frame][None])
    if limb.fields["bend"] in {"NEAREST", "LIMITS"} or limb.fields["unreachable"] in {"HOLD", "SKIP", "ERROR"}:
        return  # what is chosen depends on the frames before
    if report.chains[0].degenerate.any() or (report.chains[0].sin_hinge < 1e-3).any():
        return
    if not (limb.is_rigid(rig) or report.chains[0].reached):
        return  # where bones change their length as they turn, many poses fall short alike
    for frame in list(values)[1::2]:
        alone = _alone(scene, values[frame], frame)
        if alone is not None:
            what = f"keyed options pose otherwise: frame {frame:g}, {values[frame]}"
            yield from judge.kept(what, alone[None], found[frame][None], most=1e-3)


def _alone(scene: Mapping, values: Mapping[str, float], frame: float) -> np.ndarray | None:
    """(3, 3) joints of the same scene without these keys, baked on this frame."""
    other = deepcopy(dict(scene))
    del other["chains"][0]["keyed"]
    other["chains"][0]["fields"] |= values
    build.clear()
    build.build(other)
    try:
        api.bake(bpy.data.objects[RIG], frames=(frame, frame))
    except api.Refused:
        return None
    build.show_all()
    return oracle.shown([oracle.Limb.of("lower")], [frame])[0]


def _span(frames: list[float]) -> tuple[float, float, float]:
    start, end, step = (*frames, 1.0)[:3]
    return start, end + 1e-6, step


def _values(rig: bpy.types.Object, frames: np.ndarray) -> dict[float, dict[str, float]]:
    """By frame the options as Blender evaluates their curves."""
    start = rig.pose.bones["lower"].path_from_id() + ".two_bone_ik_"
    action = (animation := rig.animation_data) and animation.action  # another kind of scene may have no keys
    found = [curve for curve in (state.curves(action) if action else ()) if curve.data_path.startswith(start)]
    return {
        float(frame): {curve.data_path.removeprefix(start): _clamped(curve, float(frame)) for curve in found}
        for frame in frames
    }


def _clamped(curve: bpy.types.FCurve, frame: float) -> float:
    name = curve.data_path.rpartition("two_bone_ik_")[2]
    low, high = (-np.pi, np.pi) if name in {"pole_angle", "bend_min", "bend_max"} else (0.0, 10.0)
    return float(np.clip(curve.evaluate(frame), low, high))
