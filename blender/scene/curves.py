"""Sampling without evaluating the scene: F-curves give own transforms, products of matrices the rest.

It works only for what is driven by F-curves alone, with all its parents; `obstacle` says what is not.
"""

from collections.abc import Collection, Generator, Mapping
from functools import cache, partial
from typing import cast

import numpy as np
from bpy.types import ID, Bone, FloatProperty, Object, PoseBone

from ...skeleton import inherit
from ...skeleton.rotation_mode import rotation_matrices, rotation_name
from ...skeleton.transform import AT_REST, Basis, compose
from ...skeleton.values import Point, Samples
from ...solver.values import Array
from ...solver.vectors import product
from .. import versions
from ..armatures import Rig, is_rig
from ..curves.keys import by_path_and_index, evaluated, evaluated_together
from ..messages.translation import translated
from ..rna_paths import bone_and_property
from ..settings.keyed_options import bone_field
from . import dependencies
from .bone import bone_or_object, current, from_bone, read_bone
from .dependencies import Constraints
from .need import SampleNeed

_KINDS = ("location", "scale", "rotation_", "delta_")


def samples(need: SampleNeed, frames: Array) -> Generator[float, None, Samples]:
    """Samples over `frames`; only right where there is no `obstacle`. Yields the part that is done."""
    places = dependencies.ancestors(need.placed)
    curves = _Curves(frames, {*places, *need.turned}, need.own)
    for count, place in enumerate(places):
        yield count / len(places)
        curves.place(place)
    return Samples(
        to_world={item: curves.worlds[item] for item in need.objects},
        pose={place: curves.poses[place] for place in need.bones},
        basis={place: curves.own(place, with_rotation=place in need.turned) for place in need.own},
        numbers={place: curves.numbers(place, numbers) for place, numbers in need.numbers.items()},
    )


class _Curves:
    """Where objects and bones are over `frames`, each placed after what carries it: a rope may have any length."""

    def __init__(self, frames: Array, turned: Collection[Point], own: Collection[Point]) -> None:
        """turned : those of which rotation counts too, beside location and scale of those that count by themselves"""
        self._of = cache(partial(OwnTransforms, frames=frames))
        self.worlds: dict[Object, Array] = {}
        self.poses: dict[Point, Array] = {}
        entries = []
        for item in {place.object for place in (*turned, *own)}:
            for key, curve in self._of(item).curves.items():
                bone, name = bone_and_property(key[0])
                kinds = _KINDS if Point(item, bone) in turned else _KINDS[:2] if Point(item, bone) in own else ()
                if name.startswith(kinds):
                    entries.append((self._of(item).values, key, curve))
        # All at once: NumPy takes nearly as long for one of them.
        columns = evaluated_together([curve for *_, curve in entries], frames).T
        for (values, key, _), column in zip(entries, columns, strict=True):
            values[key] = column

    def numbers(self, place: Point, numbers: Mapping[str, float]) -> dict[str, Array]:
        bone = place.object.pose.bones[place.bone]
        return {name: self._of(place.object).number(bone, name, unset) for name, unset in numbers.items()}

    def own(self, place: Point, *, with_rotation: bool) -> Basis:
        return self._of(place.object).basis(bone_or_object(place), with_rotation=with_rotation or not place.bone)

    def place(self, place: Point) -> None:
        item, name = place
        basis = self._of(item).matrix(bone_or_object(place))
        if name:
            bone = item.data.bones[name]
            parent = self.poses[Point(item, bone.parent.name)][:, None] if bone.parent else None
            self.poses[place] = inherit.pose((read_bone(item, name),), parent, basis[:, None])[:, 0]
        elif item.parent:
            local = product(np.array(item.matrix_parent_inverse, dtype=np.float64), basis)
            self.worlds[item] = product(self._carrier(item), local)
        else:
            self.worlds[item] = basis

    def _carrier(self, item: Object) -> Array:
        if item.parent_type != "BONE":
            return self.worlds[item.parent]
        pose = self.poses[Point(item.parent, item.parent_bone)]
        return product(self.worlds[item.parent], product(pose, from_bone(item)))


class OwnTransforms:
    """Evaluates the channels of one data-block's owners over `n` frames; what has no F-curves is as it is now.

    curves, values : by path and index, all F-curves and (n,) what those evaluated so far give
    """

    def __init__(self, block: ID, frames: Array) -> None:
        self.curves = by_path_and_index(versions.curves(block))
        self.values: dict[tuple[str, int], Array] = {}
        self._animated = {path for path, _ in self.curves}
        # What Blender adds to an object's own location, rotation and scale moves these as well.
        self._moving = {path.removeprefix("delta_") for path in self._animated}
        self._frames = frames
        self._rotations: dict[str, Array] = {}

    def basis(self, owner: Object | PoseBone, *, with_rotation: bool = True) -> Basis:
        """As `matrix_basis` has it, delta transforms of an object included; with or without rotation."""
        path = _path(owner)
        scale = self._values(owner, path, "scale")
        return Basis(
            location=self._location(owner, path),
            rotation=self._rotation(owner, path) if with_rotation else AT_REST.rotation,
            scale=scale if path else scale * self._values(owner, path, "delta_scale"),
        )

    def matrix(self, owner: Object | PoseBone) -> Array:
        """(n, 4, 4) `matrix_basis`."""
        path = _path(owner)
        if self._moving.isdisjoint((f"{path}scale", path + rotation_name(owner.rotation_mode))):
            unmoved = np.array(versions.matrix_rows(owner.matrix_basis), dtype=np.float64)[:3, :3]
            return compose(unmoved, self._location(owner, path))
        return self.basis(owner).matrix

    def number(self, bone: PoseBone, name: str, unset: float) -> Array:
        """(n,) or (1,) the keyed option of this name, within its range as Blender sets it.

        unset : what counts where nothing has ever set it
        """
        field = bone_field(name)
        curve = self.curves.get((bone.path_from_id(field), 0))
        if curve is None or curve.is_empty:
            return np.array([getattr(bone, field) if bone.is_property_set(field) else unset])
        about = cast(FloatProperty, bone.bl_rna.properties[field])
        values = evaluated(curve, self._frames).astype(np.float32)
        return values.clip(about.hard_min, about.hard_max).astype(np.float64)

    def delta(self, item: Object) -> tuple[Array, Array]:
        """Location and rotation that Blender adds to the object's own."""
        return self._values(item, "", "delta_location"), self._delta_rotation(item)

    def _delta_rotation(self, item: Object | PoseBone) -> Array:
        name = f"delta_{rotation_name(item.rotation_mode)}"
        if not hasattr(item, name):
            return np.eye(3)[None]  # Blender has no such property for axis and angle
        return rotation_matrices(self._values(item, "", name), item.rotation_mode)

    def _location(self, owner: Object | PoseBone, path: str) -> Array:
        if isinstance(owner, PoseBone) and owner.bone.use_connect:
            return np.zeros((1, 3))  # Blender leaves out what a connected bone has
        location = self._values(owner, path, "location")
        return location if path else location + self._values(owner, path, "delta_location")

    def _rotation(self, owner: Object | PoseBone, path: str) -> Array:
        mode = owner.rotation_mode
        if path not in self._rotations:  # a chain's bones are asked for twice: for their pose, and for their own
            if path + rotation_name(mode) not in self._moving:
                return current(owner).rotation
            own = rotation_matrices(self._values(owner, path, rotation_name(mode)), mode)
            self._rotations[path] = own if path else product(self._delta_rotation(owner), own)
        return self._rotations[path]

    def _values(self, owner: Object | PoseBone, path: str, name: str) -> Array:
        """(n, k) the property on every frame, or (1, k) where it has no F-curves."""
        now = np.array(getattr(owner, name), dtype=np.float64)
        if path + name not in self._animated:
            return now[None]
        values = np.empty((len(self._frames), len(now)), order="F")
        for index, value in enumerate(now):
            key = path + name, index
            if key in self.curves and key not in self.values:
                self.values[key] = evaluated(self.curves[key], self._frames)
            values[:, index] = self.values.get(key, value)
        return values


def _path(owner: Object | PoseBone) -> str:
    """What comes before the names of a bone's properties; "" for an object."""
    return f"{owner.path_from_id()}." if isinstance(owner, PoseBone) else ""


_RIGID_PARENTS = {"OBJECT", "ARMATURE", "BONE"}


def obstacle(need: SampleNeed, keyed: Collection[Point], known: Mapping[Rig, Constraints | None]) -> str:
    """What F-curves alone do not tell, in words; "" where there is nothing of the kind.

    keyed : bones whose keys no IK constraint is to hide
    known : all constraints of some armatures, where they were looked for before
    """
    placed, own, free = map(dependencies.by_object, (dependencies.ancestors(need.placed), need.own, keyed))
    for item, bones in placed.items():
        reason = _object_obstacle(item) or _bone_obstacle(item, bones - {""}, free[item], known.get(item))
        if reason := reason or _animation_obstacle(item, bones | own[item]):
            return reason
    return ""


def plain_objects(need: SampleNeed, keyed: Collection[Point]) -> frozenset[Object]:
    """The objects of which F-curves alone tell all that is needed."""
    return frozenset(item for item in dependencies.by_object(need.points) if not obstacle(need.only({item}), keyed, {}))


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


def _bone_obstacle(rig: Rig, names: set[str], free: set[str], known: Constraints | None) -> str:
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

    def counts(path: str) -> bool:
        bone, name = bone_and_property(path)
        return bone in bones if bone else '"' not in name

    if any(counts(driver.data_path) for driver in animation.drivers):
        return translated("obstacle.drivers", name=item.name)
    curves = [(path, curve) for curve in versions.curves(item) if counts(path := curve.data_path)]
    if any(curve.mute or ((group := curve.group) and group.mute) for _, curve in curves):
        return translated("obstacle.muted_curves", name=item.name)
    if any(path.endswith("rotation_mode") for path, _ in curves):
        return translated("obstacle.rotation_mode", name=item.name)
    return ""
