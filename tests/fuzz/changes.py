"""What a request has changed in the file beyond what it was asked to, by patterns of the paths of `state`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api

from . import oracle, state
from .build import RIG

ROUNDED = 3e-7
"""Of the size of an aligned handle, by how much it may move with a key beside it, in float32."""


def keyed(report: api.Report, request: Mapping) -> list[str]:
    """Patterns of what a bake or a solve may have changed."""
    found = [r"actions\.", r"objects\[Rig\]\.animation\..*", r"objects\[Rig\]\.pose\[.+\]\.constraints\[\d+\]\.mute"]
    bones = bpy.data.objects[RIG].pose.bones
    for chain in report.chains:
        for bone, names in oracle.Limb.of(chain.name).keyed().items():
            either = "|".join(names)
            found.append(rf"objects\[Rig\]\.pose\[{re.escape(bone)}\]\.({either})")
            found.append(rf"actions\[.+?\]\.{re.escape(bones[bone].path_from_id())}\.({either})\[\d\]\.")
    return [*found, r"actions\[.*"] if request.get("new_action") else found


def targets(report: api.Report) -> list[str]:
    """Patterns of what may have changed on the way back."""
    limbs = [oracle.Limb.of(chain.name) for chain in report.chains]
    names = "|".join(re.escape(name) for limb in limbs for name in (limb.target, limb.pole) if name)
    item = rf"objects\[({names})\]\."
    keyed = [rf"{item}animation\..*", r"actions\.", r"actions\[.+\.(location|rotation).*"]
    return [rf"{item}(location|rotation_.+)", *keyed]


def poles(report: api.Report) -> list[str]:
    """Patterns of what may have changed where pole targets have moved, keys and all."""
    names = "|".join(re.escape(oracle.Limb.of(chain.name).pole) for chain in report.chains)
    item = rf"objects\[({names})\]\."
    return [rf"{item}(pose\[.+\]\.)?location", rf"{item}animation\..*", r"actions\[.+location.*"]


def unasked(
    before: state.State, scene: Mapping, asked: Sequence[str], report: api.Report | None = None
) -> Iterator[str]:
    """What has changed that was not asked for, and keys outside of the range of a bake with `report`."""
    if "handler" in scene:
        return
    span = (report.chains[0].frames[0], report.chains[0].frames[-1]) if report and report.chains else None
    for path, difference in state.changed(before).items():
        for name, (old, new) in difference.items():
            if name == "two_bone_ik_mark" and not old:
                continue  # what is held to a bone, or planted from its keys, remembers which it is
            if not any(re.fullmatch(pattern, f"{path}.{name}", re.DOTALL) for pattern in asked):
                yield f"unasked change: {path}.{name}: {old} → {new}"[:300]
            elif span and path.startswith("actions[") and old and new:
                yield from (f"keys outside: {path}: {fault}"[:300] for fault in _outside(old, new, span))


def _outside(old: list, new: list, span: tuple[float, float]) -> Iterator[str]:
    """How keys outside of a span differ from the old ones, to the bit; automatic handles follow the keys beside."""
    were, now = ([key for key in keys[1:] if not span[0] - 0.01 <= key[0][0] <= span[1] + 0.01] for keys in (old, new))
    if [key[0] for key in were] != [key[0] for key in now]:
        yield f"at {[key[0] for key in were]} are at {[key[0] for key in now]}"
        return
    for was, key in zip(were, now, strict=True):
        one, other = (dict(zip(state.KEY, each, strict=True)) for each in (was, key))
        for side in ("handle_left", "handle_right"):
            # Each time it updates a curve Blender rounds aligned handles.
            if _follows(one, side) or np.allclose(one[side], other[side], rtol=0.0, atol=ROUNDED * _size(one)):
                other[side] = one[side]
        for name in [name for name in state.KEY if one[name] != other[name]]:
            yield f"{name} on {was[0][0]:g}: {one[name]} is {other[name]}"


def _size(key: Mapping) -> float:
    return max(1.0, *(abs(part) for name in ("co", "handle_left", "handle_right") for part in key[name]))


def _follows(key: Mapping, side: str) -> bool:
    """Whether Blender sets this handle by the keys beside: with one that it clamps, it turns the other as well."""
    own, other = (key[f"{each}_type"] for each in (side, "handle_right" if side == "handle_left" else "handle_left"))
    automatic = {"AUTO", "AUTO_CLAMPED", "VECTOR"}
    return own in automatic or other == "AUTO_CLAMPED" or (own == "ALIGNED" and other in automatic)


def without_key(report: api.Report, request: Mapping) -> Iterator[str]:
    """Frames of a bake with keys on every frame on which a curve of a chain that it has keyed has none."""
    action = bpy.data.objects[RIG].animation_data.action if bpy.data.objects[RIG].animation_data else None
    if request.get("keys", "EVERY_FRAME") != "EVERY_FRAME" or not action:
        return
    found = {(path, index): [key[0][0] for key in keys[1:]] for path, index, keys in state.keys_of(action)}
    bones = bpy.data.objects[RIG].pose.bones
    for chain in report.chains:
        limb = oracle.Limb.of(chain.name)
        if limb.fields["influence"] == 0.0 or limb.keyed_options:
            continue  # the limb keeps its own keys
        skips = limb.fields["unreachable"] == "SKIP"
        frames = [float(f) for f, end in zip(chain.frames, chain.status, strict=True) if end == 0 or not skips]
        for bone in (limb.root, limb.end) if frames else ():
            name = {"QUATERNION": "quaternion", "AXIS_ANGLE": "axis_angle"}.get(bones[bone].rotation_mode, "euler")
            path = f"{bones[bone].path_from_id()}.rotation_{name}"
            for index in range(3 if name == "euler" else 4):
                there = np.array(found.get((path, index), [np.inf]))
                lacks = [frame for frame in frames if np.abs(there - frame).min() > 0.01]
                yield from [f"frames without a key: {path}[{index}]: {lacks}"[:300]] if lacks else []
