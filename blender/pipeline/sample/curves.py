"""Sampling without evaluating the scene: F-curves give own transforms, products of matrices the rest.

It holds only for what is driven by F-curves alone, with all its parents; `obstacle` says what is not.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

import numpy as np
from bpy.types import ID, FCurve, Object

from ....solver.triad import product
from ....solver.values import Array
from ... import versions
from ...words import sentence
from ..bones import inherit
from ..plan import Point
from ..read import follow
from ..samples import Samples
from .curve_transforms import OwnTransforms
from .wanted import Wanted

_RIGID_PARENTS = {"OBJECT", "ARMATURE", "BONE"}


def obstacle(wanted: Wanted, keyed: Collection[Point] = ()) -> str:
    """What F-curves alone do not tell, in words; "" where there is nothing of the kind.

    keyed : bones whose keys no IK constraint is to hide
    """
    places = follow.carriers(wanted.placed)
    items = {place.object for place in places}
    bones = {item: {place.bone for place in places if place.object == item and place.bone} for item in items}
    own = {item: {place.bone for place in wanted.own if place.object == item} for item in items}
    for item in items:
        free = {place.bone for place in keyed if place.object == item}
        reason = _object_obstacle(item) or _bone_obstacle(item, bones[item], free)
        reason = reason or _animation_obstacle(item, bones[item] | own[item])
        if reason:
            return reason
    return ""


def _object_obstacle(item: Object) -> str:
    if _constrained(item):
        return sentence('"{name}" has constraints', name=item.name)
    if item.rigid_body:
        return sentence('"{name}" is a rigid body', name=item.name)
    if not item.parent:
        return ""
    follows_path = item.parent.type == "CURVE" and item.parent.data.use_path
    if item.parent_type not in _RIGID_PARENTS or follows_path:
        return sentence('"{name}" is parented to the shape of "{parent}"', name=item.name, parent=item.parent.name)
    if item.parent_type == "BONE":
        bone = item.parent.data.bones.get(item.parent_bone) if item.parent.type == "ARMATURE" else None
        if bone is None:
            return sentence(
                '"{name}" is parented to a bone that "{parent}" does not have', name=item.name, parent=item.parent.name
            )
        if bone.use_relative_parent:
            return sentence('"{name}" is parented relative to a bone', name=item.name)
    return ""


def _bone_obstacle(rig: Object, names: set[str], free: set[str]) -> str:
    """The pose of these bones must follow from own transforms; constraints on other bones may move them as well."""
    if not names:
        return ""
    if rig.data.animation_data:
        return sentence('armature "{name}" is animated', name=rig.data.name)
    for bone, constraint in follow.constrained(rig):
        acts = not constraint.mute and not follow.hides(bone, constraint, free)
        if acts and names & follow.moved_by(bone, constraint):
            return sentence('bone "{bone}" of "{name}" has constraints', bone=bone.name, name=rig.name)
    return ""


def _animation_obstacle(item: Object, bones: set[str]) -> str:
    animation = item.animation_data
    if not animation:
        return ""
    if animation.use_tweak_mode or (animation.use_nla and any(track.strips for track in animation.nla_tracks)):
        return sentence('"{name}" has NLA strips', name=item.name)

    def counts(curve: FCurve) -> bool:
        quoted = curve.data_path.split('"', 2)
        return quoted[1] in bones if quoted[0] == "pose.bones[" else len(quoted) == 1

    if any(counts(driver) for driver in animation.drivers):
        return sentence('"{name}" has drivers', name=item.name)
    muted = (curve for curve in versions.curves(item) if curve.mute or ((group := curve.group) and group.mute))
    if any(map(counts, muted)):
        return sentence('"{name}" has muted F-curves', name=item.name)
    return ""


def _constrained(owner: Object) -> bool:
    return any(not constraint.mute for constraint in owner.constraints)


def samples(wanted: Wanted, frames: Array) -> Samples:
    """Samples over `frames`; only right where there is no `obstacle`."""
    numbers: list[float] = frames.tolist()

    @cache
    def own(block: ID) -> OwnTransforms:
        return OwnTransforms(block, numbers)

    @cache
    def pose(place: Point) -> Array:
        bone = place.object.data.bones[place.bone]
        parent = pose(Point(place.object, bone.parent.name)) if bone.parent else None
        basis = own(place.object).bone(place.object.pose.bones[place.bone], with_rotation=True)
        return inherit.pose(bone, parent, basis)

    @cache
    def to_world(item: Object) -> Array:
        basis = own(item).object(item)
        if not item.parent:
            return basis
        return product(carrier(item), product(np.array(item.matrix_parent_inverse, dtype=np.float64), basis))

    def carrier(item: Object) -> Array:
        if item.parent_type != "BONE":
            return to_world(item.parent)
        # A child of a bone sits at its tail.
        tail = np.eye(4)
        tail[1, 3] = item.parent.data.bones[item.parent_bone].length
        return product(to_world(item.parent), product(pose(Point(item.parent, item.parent_bone)), tail))

    def basis(place: Point) -> Array:
        if not place.bone:
            return own(place.object).object(place.object)
        bone = place.object.pose.bones[place.bone]
        return own(place.object).bone(bone, with_rotation=place in wanted.turned)

    return Samples(
        to_world={item: to_world(item) for item in wanted.objects},
        pose={place: pose(place) for place in wanted.bones},
        basis={place: basis(place) for place in wanted.own},
    )
