"""What a request has changed in the file beyond what it was asked to, by patterns of the paths of `state`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import bpy
from bl_ext.user_default.two_bone_ik import api

from . import oracle, state
from .build import RIG


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
    for path, difference in state.changed(before).items():
        for name, (old, new) in difference.items():
            if name == "two_bone_ik_mark" and not old:
                continue  # what is held to a bone, or planted from its keys, remembers which it is
            if not any(re.fullmatch(pattern, f"{path}.{name}", re.DOTALL) for pattern in asked):
                yield f"unasked change: {path}.{name}: {old} → {new}"[:300]
            elif report and path.startswith("actions[") and old and new:
                lost = set(_outside(old, report)) - set(_outside(new, report))
                yield from [f"lost keys: {path}: {sorted(lost)}"[:300]] if lost else []


def _outside(keys: list, report: api.Report) -> list[tuple]:
    """Place, interpolation and type of the keys that lie outside of the report's frames."""
    frames = report.chains[0].frames
    outside = [key for key in keys[1:] if not frames[0] - 0.01 <= key[0][0] <= frames[-1] + 0.01]
    return [(key[0], key[3], key[6]) for key in outside]
