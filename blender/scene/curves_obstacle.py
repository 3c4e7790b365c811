"""What keeps F-curves alone from telling where things are, so that Blender has to be evaluated."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from bpy.types import Bone, FCurve, Object

from ...skeleton.values import Point
from .. import versions
from ..armatures import Rig, is_rig
from ..messages.translation import translated
from ..rna_paths import bone_and_property
from . import dependencies
from .request import SampleRequest

_RIGID_PARENTS = {"OBJECT", "ARMATURE", "BONE"}

Known = Mapping[Rig, dependencies.Constraints]
"""Of some armatures all constraints: to look for them takes long."""


def obstacle(wanted: SampleRequest, keyed: Collection[Point], known: Known) -> str:
    """What F-curves alone do not tell, in words; "" where there is nothing of the kind.

    keyed : bones whose keys no IK constraint is to hide
    """
    placed, own, free = map(_by_object, (dependencies.ancestors(wanted.placed), wanted.own, keyed))
    for item, bones in placed.items():
        reason = _object_obstacle(item) or _bone_obstacle(item, bones - {""}, free[item], known.get(item))
        if reason := reason or _animation_obstacle(item, bones | own[item]):
            return reason
    return ""


def _by_object(points: Iterable[Point]) -> defaultdict[Any, set[str]]:
    """Of each object the names of the bones, "" for itself."""
    found = defaultdict[Any, set[str]](set)
    for item, bone in points:
        found[item].add(bone)
    return found


def plain(wanted: SampleRequest, keyed: Collection[Point]) -> frozenset[Object]:
    """The objects of which F-curves alone tell all that is wanted of them."""
    return frozenset(item for item in _by_object(wanted.points) if not obstacle(wanted.only({item}), keyed, {}))


def _object_obstacle(item: Object) -> str:
    if any(not constraint.mute for constraint in item.constraints):
        return translated("obstacle.constraints", name=item.name)
    if item.rigid_body:
        return translated("obstacle.rigid_body", name=item.name)
    if not item.parent:
        return ""
    if item.parent_type not in _RIGID_PARENTS or getattr(item.parent.data, "use_path", False):
        return translated("obstacle.shape", name=item.name, parent=item.parent.name)
    if item.parent_type == "BONE":
        bone: Bone | None = item.parent.data.bones.get(item.parent_bone) if is_rig(item.parent) else None
        if bone is None:
            return translated("obstacle.no_bone", name=item.name, parent=item.parent.name)
        if bone.use_relative_parent:
            return translated("obstacle.relative", name=item.name)
    return ""


def _bone_obstacle(rig: Rig, names: set[str], free: set[str], known: dependencies.Constraints | None) -> str:
    """The pose of these bones must follow from own transforms; constraints on other bones may move them as well."""
    if not names:
        return ""
    if rig.data.animation_data:
        return translated("obstacle.armature", name=rig.data.name)
    if rig.data.pose_position == "REST":
        return translated("obstacle.rest_position", name=rig.name)
    for bone, constraint in dependencies.constrained(rig) if known is None else known:
        acts = not constraint.mute and not dependencies.hides(bone, constraint, free)
        if acts and names & dependencies.moved_by(bone, constraint):
            return translated("obstacle.bone", bone=bone.name, name=rig.name)
    return ""


def _animation_obstacle(item: Object, bones: set[str]) -> str:
    animation = item.animation_data
    if not animation:
        return ""
    if animation.use_tweak_mode or (animation.use_nla and any(track.strips for track in animation.nla_tracks)):
        return translated("obstacle.strips", name=item.name)

    def counts(curve: FCurve) -> bool:
        bone, path = bone_and_property(curve.data_path)
        return bone in bones if bone else '"' not in path

    if any(counts(driver) for driver in animation.drivers):
        return translated("obstacle.drivers", name=item.name)
    curves = list(filter(counts, versions.curves(item)))
    if any(curve.mute or ((group := curve.group) and group.mute) for curve in curves):
        return translated("obstacle.muted_curves", name=item.name)
    if any(curve.data_path.endswith("rotation_mode") for curve in curves):
        return translated("obstacle.rotation_mode", name=item.name)
    return ""
