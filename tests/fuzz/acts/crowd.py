"""Crowds: the same character at many places, baked, checked or live in one call; or each following the one before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object
from mathutils import Euler

from fuzz import judge, oracle, state
from fuzz.acts import live
from fuzz.acts.create import all_shown
from fuzz.build import RIG

_AS_FAR = 5e-3
"""Part of a limb's length: by less than this copies fall short otherwise whose bones change length as they turn."""


def crowd(random: Random, scene: dict) -> None:
    """30: copies of the character stand elsewhere, and one call is about all."""
    scene["request"] = {
        "what": "crowd",
        "act": random.choice(["bake", "bake", "live", "check"]),
        "places": [
            [[round(random.uniform(-4, 4), 2) for _ in "xyz"], [round(random.uniform(-3, 3), 2) for _ in "xyz"]]
            for _ in range(random.choice([1, 2, 3]))
        ],
        "frames": [1, 4],
        "follow": random.random() < 0.3,
    }
    scene.pop("handler", None)
    all_shown(scene)
    for item in scene["objects"].values():
        item.pop("path", None)


def or_live(random: Random, scene: dict) -> None:
    """What another kind has made at times stands in a crowd, or is edited while Live is on."""
    if kind := random.choices((None, live.live, crowd), (70, 15, 15))[0]:
        kind(random, scene)


def carry_out(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    """Each copy poses as the first, seen from where it stands; where one follows the other each report is true."""
    frames, follows = tuple(request["frames"]), request["follow"]
    rigs = [bpy.data.objects[RIG], *(_copied(number, place) for number, place in enumerate(request["places"], start=2))]
    for one, other in pairwise(rigs):
        if follows and other.two_bone_ik_chains:
            chain = other.two_bone_ik_chains[0]
            chain.target, chain.subtarget = one, "lower"
    bpy.context.view_layer.update()
    names, here = [rig.name for rig in rigs], state.state()
    ends = [bpy.data.objects[name].two_bone_ik_chains[0].name for name in names if rigs[0].two_bone_ik_chains]
    try:
        reports = _asked(request["act"], rigs, frames, follows)
    except api.Refused as refused:
        first = names.index(refused.object) if follows and refused.object in names else 0
        yield from _left(refused, here, names[first:]) if first else judge.refusal_faults(refused, here, scene)
        told.append("refused later")
        return
    for report in reports if request["act"] != "live" else ():
        yield from _true(report, told)
    if told or follows or not ends or any("constraints" in pose for pose in scene["poses"].values()):
        return  # some constraints know up from down
    placed = str((scene["objects"], scene["rig"], scene["poses"]))
    if "inf" in placed or "nan" in placed:
        return  # turned, what lies nowhere lies nowhere else
    limb = oracle.Limb.of(bpy.data.objects[RIG].two_bone_ik_chains[0].name)
    if any(chain.degenerate.any() for report in reports for chain in report.chains):
        return  # a direction is undecided, which the last digit then decides
    every = range(frames[0], frames[1] + 1)
    reached = bool(reports) and all(chain.reached for report in reports for chain in report.chains[:1])
    if not (reached or limb.is_rigid(bpy.data.objects[RIG])):
        # In the world, as distances are.
        size = sum(scene["lengths"]) * max(np.abs(scene["rig"].get("scale", (1.0,))))
        yield from () if _partly(scene) else _as_far(reports, ~_flat(limb, every), size)
        return
    # Only rounding decides how far a flat bone turns.
    sure = ~_flat(limb, every) if _partly(scene) else slice(None)
    shown = np.array([_joints(names, frame) for frame in every])[sure]
    # Where a copy stands, Blender rounds to single precision: of a limb that is tiny beside that, little is left.
    away = np.abs([place[0] for place in scene["request"]["places"]]).max(initial=0.0)
    most = 1e-3 + 2.0**-20 * away / max(np.ptp(shown[:, 0], axis=-2).max(initial=0.0), 1e-30)
    for index, name in enumerate(names[1:], start=1):
        yield from judge.kept(f"a copy poses otherwise: {name}", shown[:, 0], shown[:, index], most=most)


def _left(refused: api.Refused, before: state.State, names: list[str]) -> Iterator[str]:
    """Traces of a refusal; those that it follows may have keys, as only these showed that it cannot be baked."""
    for name in names:
        if traces := [path for path in state.changed(before) if path.startswith(f"objects[{name}]")]:
            yield f"trace of a refusal: {traces} after {refused}"


def _asked(act: str, rigs: list[Object], frames: tuple[int, int], follows: bool) -> list[api.Report]:
    if act == "bake":
        return api.bake(rigs, frames=frames)
    checked = [api.check(rig, frames=frames) for rig in rigs]
    if act == "check":
        baked = api.bake(rigs, frames=frames)
        return baked if follows else checked  # what one follows stood elsewhere before
    for rig in rigs:
        rig.two_bone_ik_live = True
    bpy.context.view_layer.update()
    return checked


def _true(report: api.Report, told: list[str]) -> Iterator[str]:
    if not report.posed:
        told.append("does not pose so")
        return
    if any("only a bake measures" in note for note in report.notes):
        told.append("only a bake measures")
        return
    yield from judge.truth(report, {}, told)


def _flat(limb: oracle.Limb, frames: Sequence[int]) -> np.ndarray:
    """(n,) on which frames the limb is flat."""
    found = []
    for frame in frames:
        oracle.on_frame(frame)
        found.append(limb.is_flat())
    return np.array(found)


def _partly(scene: Mapping) -> bool:
    """True if limbs go only a part of the way: to one of many poses, that says nothing of the distance."""
    return any("influence" in name for chain in scene["chains"] for name in (*chain["fields"], *chain.get("keyed", ())))


def _as_far(reports: list[api.Report], sure: np.ndarray, size: float) -> Iterator[str]:
    """Where bones change their length as they turn, many poses fall short alike: the distances are compared alone.

    sure : (n,) on which frames they are
    """
    misses = [report.chains[0].miss for report in reports if report.chains]
    for number, miss in enumerate(misses[1:], start=2):
        told = sure & ~(np.isnan(miss) & np.isnan(misses[0]))  # on frames that get no key, a check tells none
        off = float(np.abs(miss - misses[0])[told].max(initial=0.0)) / size
        # Of a target far beyond any scene, Blender has the distance to some steps of float32.
        if not off <= _AS_FAR + 4.0 * float(np.spacing(np.float32(miss[told].max(initial=0.0)))) / size:
            yield f"a copy falls short otherwise: Rig {number}: by {off:.4g} of its size"


def _joints(names: list[str], frame: float) -> np.ndarray:
    """(k, n, 3) of the first limb of each, as seen from where it stands."""
    oracle.on_frame(frame)
    found = []
    for name in names:
        rig = bpy.data.objects[name]
        joints = oracle.Limb.of(rig.two_bone_ik_chains[0].name, name).shown()
        place = bpy.data.objects.get(name.replace(RIG, "Place"))
        back = np.linalg.inv(np.array(place.matrix_world, dtype=float)) if place else np.eye(4)
        found.append(joints @ back[:3, :3].T + back[:3, 3])
    return np.array(found)


def _copied(number: int, place: list) -> Object:
    """Another of everything, hung on an empty at this place."""
    here = bpy.data.objects.new(f"Place {number}", None)
    here.location, here.rotation_euler = place[0], Euler(place[1])
    bpy.context.scene.collection.objects.link(here)
    copies = {}
    for item in [item for item in bpy.context.scene.objects if not item.name.rpartition(" ")[2].isdecimal()]:
        copy = item.copy()
        copy.name = f"{item.name} {number}"
        if copy.animation_data and copy.animation_data.action and item.type == "ARMATURE":
            copy.animation_data.action = copy.animation_data.action.copy()
        bpy.context.scene.collection.objects.link(copy)
        copies[item] = copy
    for item, copy in copies.items():
        copy.parent = copies.get(item.parent, here)
        for chain in copy.two_bone_ik_chains:
            chain.target, chain.pole_target = copies.get(chain.target), copies.get(chain.pole_target)
        for bone in copy.pose.bones if copy.pose else ():
            for constraint in bone.constraints:
                for name in {"target", "pole_target"} & set(constraint.bl_rna.properties.keys()):
                    setattr(constraint, name, copies.get(getattr(constraint, name)))
    return copies[bpy.data.objects[RIG]]
