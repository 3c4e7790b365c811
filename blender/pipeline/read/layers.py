"""Known limbs into the plans of a switch: which bones show, which controls follow, what says which layer shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from bpy.types import PoseBone

from ....skeleton.layers import CarriedBone, LayerPlan
from ....skeleton.place_bones import Evaluated
from ....skeleton.values import Channel, Point
from ....solver.values import Array
from ... import versions
from ...armatures import Rig
from ...chains.rigs.known_limbs import property_name, property_owner
from ...chains.rigs.rig_files import KnownLimb
from ...messages.refused import Refused
from ...rna_paths import bone_and_property
from ..sample.request import SampleRequest
from . import dependencies
from .bone import read_bone, rest

FK, IK = "FK", "IK"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Switched:
    """A property that says which layer of a limb shows: its RNA path, the group of its keys, and the value to be."""

    path: str
    group: str
    value: float


def read_layers(rig: Rig, limb: KnownLimb, to: str, frames: Array) -> tuple[LayerPlan, Switched]:
    """The limb as it is to show its FK controls, or IK; Refused where nothing tells how IK is keyed."""
    bones = cache(lambda name: read_bone(rig, name))
    owner = property_owner(rig, limb)
    prefix = f"{owner.path_from_id()}." if isinstance(owner, PoseBone) else ""
    name = property_name(owner, limb.property)
    switched = Switched(
        path=_joined(prefix, name),
        group=owner.name if isinstance(owner, PoseBone) else "Object Transforms",
        value=limb.fk_value if to == FK else limb.ik_value,
    )
    shown = limb.shown or (limb.ik if to == FK else limb.fk)

    def carried(control: str, follows: str) -> CarriedBone:
        bone = rig.data.bones[control]
        offset = np.linalg.solve(rest(rig.data.bones[follows]), rest(bone))
        parents = tuple(bones(each.name) for each in bone.parent_recursive)
        return CarriedBone(bone=bones(control), parents=parents, offset=offset, moves=not bone.use_connect)

    kept = tuple((carried(name, name), name) for name in limb.kept)
    plan = LayerPlan(
        name=limb.name,
        shown=tuple(map(bones, shown)),
        controls=kept,
        pole_on=np.zeros(len(frames), dtype=np.bool_),
    )
    if to == FK:
        controls = (*((carried(control, show), show) for control, show in zip(limb.fk, shown, strict=True)), *kept)
        return replace(plan, controls=controls), switched
    if not limb.control:
        raise Refused("NO_IK_KEYS", object=rig, value=limb.name)
    controls = tuple(zip((limb.control, *limb.ik[3:]), shown[2:], strict=True))
    pole = limb.pole and _joined(prefix, property_name(owner, limb.pole_property)) if limb.pole_property else ""
    pole_on = _values(rig, pole, frames) > 0.5 if pole else np.full(len(frames), bool(limb.pole))
    return replace(
        plan,
        controls=(*((carried(control, show), show) for control, show in controls), *kept),
        zero=tuple(map(bones, limb.zero)),
        chain=limb.ik[:3],
        swivel=carried(limb.swivel, limb.swivel) if limb.swivel else None,
        pole=carried(limb.pole, limb.pole) if limb.pole else None,
        pole_on=pole_on,
    ), switched


def _joined(prefix: str, name: str) -> str:
    return prefix.rstrip(".") + name if name.startswith("[") else prefix + name


def _values(rig: Rig, path: str, frames: Array) -> Array:
    """(n,) of a property that is a number, as its F-curve has it, or as it is."""
    curve = versions.curve_finder(rig)(path, index=0)
    if not curve:
        return np.full(len(frames), float(rig.path_resolve(path)))
    return np.array([curve.evaluate(frame) for frame in frames.tolist()])


def shown_request(rig: Rig, limbs: Sequence[LayerPlan]) -> SampleRequest:
    """What shows of the limbs, what carries controls, and the channels of those that turn IK chains."""
    shown = {Point(rig, bone.name) for limb in limbs for bone in limb.shown}
    told = {Point(rig, bone.name) for limb in limbs for bone in limb.carriers}
    kept = {Point(rig, name) for limb in limbs for _, name in limb.controls}
    swivels = frozenset(Point(rig, limb.swivel.bone.name) for limb in limbs if limb.swivel)
    return SampleRequest(objects=frozenset({rig}), bones=frozenset(shown | told | kept), own=swivels, turned=swivels)


def trial_bones(limbs: Sequence[LayerPlan]) -> set[str]:
    """Names of the bones whose pose tells where controls have to be."""
    names = {bone.name for limb in limbs for bone in (*limb.carriers, *limb.shown)}
    return names | {name for limb in limbs for name in limb.chain}


def ties(rig: Rig, switched: Sequence[Switched], names: Iterable[str]) -> Evaluated:
    """Of bones of these names what they follow, before anything is evaluated; stale are those that switches move."""
    sources = cache(lambda place: tuple(dependencies.sources(place)))
    depends = {
        name: frozenset(point.bone for point in dependencies.upstream(Point(rig, name), sources=sources))
        for name in names
    }
    constrained = {
        name
        for bone, each in dependencies.constrained(rig)
        if not (each.type == "COPY_SCALE" and bone.bone.inherit_scale == "NONE")
        for name in dependencies.moved_by(bone, each)
    }
    paths = {one.path for one in switched}
    drivers = rig.animation_data.drivers if rig.animation_data else ()
    stale = {
        bone_and_property(driver.data_path)[0]
        for driver in drivers
        for variable in driver.driver.variables
        if variable.targets[0].data_path in paths
    }
    return Evaluated(poses={}, depends=depends, constrained=constrained, stale=stale)


def switch_channel(rig: Rig, switched: Switched, frames: Array) -> tuple[Channel, str]:
    """Keys of a switch that hold its value over the frames and leave it as it is outside; how the last one goes on.

    A key of its own on either side keeps what is there, halfway to a key that is nearer than a frame.
    """
    curve = versions.curve_finder(rig)(switched.path, index=0)
    standing = float(rig.path_resolve(switched.path))
    start, end = float(frames[0]), float(frames[-1])
    points = [(key.co.x, key.interpolation) for key in curve.keyframe_points] if curve else []
    before = max((frame for frame, _ in points if frame < start), default=-np.inf)
    after = min((frame for frame, _ in points if frame > end), default=np.inf)
    ahead = start - 1.0 if before < start - 1.0 else (before + start) / 2.0
    keys = {ahead: curve.evaluate(ahead) if curve else standing, start: switched.value}
    going_on = "CONSTANT"
    if after > end + 1.0:
        keys[end + 1.0] = curve.evaluate(end + 1.0) if curve else standing
        going_on = next((kind for frame, kind in reversed(points) if frame <= end + 1.0), going_on)
    values = np.array(list(keys.values()))[:, None]
    held = np.ones(len(keys) - 1, dtype=np.bool_)
    return Channel(
        path=switched.path, group=switched.group, frames=np.array(list(keys)), values=values, held=held
    ), going_on
