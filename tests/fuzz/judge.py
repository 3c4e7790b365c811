"""What the requests of all kinds are judged by, put together of `oracle`, `state` and `changes`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api

from . import build, oracle, state
from .build import RIG

KEPT = 2e-4
"""Part of the limb's size: what "keeps its pose" allows, and as much again for Blender's float32."""


def refusal_faults(refusal: api.Refused, before: state.State, scene: Mapping) -> Iterator[str]:
    """What is wrong with a refusal: no sentence, or a trace in the file."""
    words = str(refusal)
    if not words or not refusal.kind or "{" in words or "Error" in words or "\n" in words:
        yield f"no sentence: {words!r}"
    if refusal.kind.startswith("NOT_FINITE") and any(item.get("path") for item in scene["objects"].values()):
        return  # of a path without length Blender 4.2 makes a number or none, by chance: a bake may have come first
    for path, difference in state.changed(before).items():
        if not by_handler(path, difference, scene):
            yield f"trace of a refusal: {path}: {difference} after {words}"[:400]


def by_handler(path: str, difference: state.Difference, scene: Mapping) -> bool:
    """What a frame handler that deletes things has changed is not the request's."""
    if "handler" not in scene:
        return False
    is_gone = all(new is None for _, new in difference.values())
    return is_gone or not (path.startswith("actions") or ".pose[" in path)


def arguments(request: Mapping) -> dict:
    """Of a function of `api`, from a scene as plain data."""
    return {name: tuple(value) if name == "frames" else value for name, value in request.items()}


def truth(report: api.Report, request: Mapping, told: list[str]) -> Iterator[str]:
    """Every chain on every frame; what a handler has deleted cannot be asked."""
    build.show_all()
    if oracle.has_bones() and all(oracle.Limb.of(chain.name, report.rig).target for chain in report.chains):
        yield from oracle.bake_faults(report, request, told)


def posed(report: api.Report, told: list[str]) -> Iterator[str]:
    """Every chain as it shows now, against the first frame of its report."""
    build.show_all()
    if not undisturbed(report):
        told.append("constraint or NLA")
        return
    for chain in report.chains:
        limb = oracle.Limb.of(chain.name, report.rig)
        if not (limb.fields["unreachable"] == "SKIP" and chain.status[0] != oracle.REACHED):
            yield from oracle.pose_faults(chain, float(chain.frames[0]), 0.0, told, report.rig)


def kept(what: str, before: np.ndarray, now: np.ndarray, most: float = KEPT) -> Iterator[str]:
    """A fault where joints have gone farther than `most` of their size."""
    if before.size and now.size:
        off = oracle.apart(before, now)
        if not off <= most:
            yield f"{what}: by {off:.4g} of its size"


def limbs() -> list[oracle.Limb]:
    """Of all chains that a request is about."""
    chains = bpy.data.objects[RIG].two_bone_ik_chains
    return [oracle.Limb.of(chain.name) for chain in chains if not chain.mute]


def says_moved(report: api.Report) -> bool:
    """True where the report owns up to a pose that is not kept: a limb that hangs on bones that turn goes with them."""
    turned = ["but bones turn by"] if len(report.chains) > 1 else []
    words = ["does not keep its pose", "only a bake measures", *turned]
    return any(word in note for word in words for note in report.notes)


def undisturbed(report: api.Report) -> bool:
    """True unless the report says that something else than keys shows."""
    return not any(part in note for note in report.notes for part in oracle.BESIDE)
