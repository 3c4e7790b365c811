"""A rig without Blender: bones that a test makes up, and their poses by one plain product of matrices after another."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, sin

import numpy as np
from two_bone_ik.skeleton import bone_channels
from two_bone_ik.skeleton.solved_group import SolvedGroup
from two_bone_ik.skeleton.transform import Basis
from two_bone_ik.skeleton.values import Bone, ChainPlan, Channel, Plan, Point, Samples
from two_bone_ik.solver.values import Options

RIG = "Rig"
Array = np.ndarray


def matrix(location: object = (0, 0, 0), rotation: object = None, scale: object = (1, 1, 1)) -> Array:
    """(4, 4) scale first, then rotation, then location."""
    result = np.eye(4)
    result[:3, :3] = (np.eye(3) if rotation is None else np.asarray(rotation)) * np.asarray(scale, dtype=float)
    result[:3, 3] = location
    return result


def about(axis: str, angle: float) -> Array:
    """(3, 3) the right-handed rotation about "X", "Y" or "Z"."""
    i = "XYZ".index(axis)
    result, (j, k) = np.eye(3), ((i + 1) % 3, (i + 2) % 3)
    result[j, j] = result[k, k] = cos(angle)
    result[k, j], result[j, k] = sin(angle), -sin(angle)
    return result


def rotation_of(values: Array, mode: str) -> Array:
    """(3, 3) of a property's values, by Rodrigues' formula or one axis after another."""
    if len(mode) == 3:
        result = np.eye(3)
        for axis in mode:
            result = about(axis, values["XYZ".index(axis)]) @ result
        return result
    if mode == "QUATERNION":
        w, *vector = np.asarray(values) / np.linalg.norm(values)
        size = np.linalg.norm(vector)
        angle, axis = 2 * np.arctan2(size, w), np.divide(vector, size or 1.0)
    else:
        angle, axis = values[0], np.asarray(values[1:]) / (np.linalg.norm(values[1:]) or 1.0)
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + sin(angle) * cross + (1 - cos(angle)) * cross @ cross


@dataclass
class PlainRig:
    """Bones by name with their parents, each moved by a basis of its own; objects by name with a matrix (n, 4, 4)."""

    bones: dict[str, Bone] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    basis: dict[str, Basis] = field(default_factory=dict)
    objects: dict[str, Array] = field(default_factory=lambda: {RIG: np.eye(4)[None]})

    def add(
        self, name: str, parent: str = "", head: object = (0, 0, 0), rotation: object = None, **fields: object
    ) -> None:
        """head, rotation : at rest, in the parent bone's space; on the parent's tail if no head is given"""
        if parent and not np.any(head):
            head = self.bones[parent].tail
        path = f'pose.bones["{name}"]'
        fields = {"length": 1.0, "offset": matrix(head, rotation), **fields}
        self.bones[name] = Bone(name=name, path=path, has_parent=bool(parent), **fields)
        self.parents[name] = parent
        self.basis[name] = basis()

    def pose(self, name: str, row: int) -> Array:
        """(4, 4) of a bone, in armature space, on one of the frames."""
        parent, own = self.parents[name], at(self.basis[name].matrix, row)
        local = self.bones[name].offset @ own
        return self.pose(parent, row) @ local if parent else local

    def to_world(self, name: str, row: int) -> Array:
        """(4, 4) of a bone, in the world, on one of the frames."""
        return at(self.objects[RIG], row) @ self.pose(name, row)

    def samples(self, count: int) -> Samples:
        """All there is to be known of `count` frames."""
        poses = {Point(RIG, name): np.array([self.pose(name, row) for row in range(count)]) for name in self.bones}
        bases = {Point(RIG, name): each for name, each in self.basis.items()}
        bases |= {
            Point(name): Basis.of(each, np.linalg.norm(each[:, :3, :3], axis=1)) for name, each in self.objects.items()
        }
        return Samples(to_world=dict(self.objects), pose=poses, basis=bases)

    def play(self, channels: list[Channel]) -> None:
        """Bones get the keys, which are on every frame."""
        for channel in channels:
            bone, name = self.bones[channel.group], channel.path.rpartition(".")[2]
            old, values = self.basis[bone.name], channel.values
            if name.startswith("rotation"):
                rotation = np.array([rotation_of(value, bone.rotation_mode) for value in values])
                self.basis[bone.name] = Basis(location=old.location, rotation=rotation, scale=old.scale)
            else:
                self.basis[bone.name] = Basis(location=old.location, rotation=old.rotation, scale=values)

    def chain(self, *bones: str, target: Point, below: tuple[str, ...] = (), **fields: object) -> ChainPlan:
        """A chain of bones of the rig, root bone first."""
        parent = self.parents[bones[0]]
        defaults = {"pole": None, "hinge_axis": "AUTO", "use_rotation": False, "rotation_influence": 1.0}
        return ChainPlan(
            name=bones[-1],
            rig=RIG,
            bones=tuple(self.bones[name] for name in bones),
            below=tuple(self.bones[name] for name in below),
            parent=Point(RIG, parent) if parent else None,
            target=target,
            **{"options": Options(), **defaults, **fields},
        )


def arm(target: object, **fields: object) -> PlainRig:
    """Two bones of lengths 1 and 0.8 that bend at rest, and a target that goes along these places (n, 3)."""
    rig = PlainRig()
    rig.add("upper", rotation=about("X", 0.2), **fields)
    rig.add("lower", "upper", rotation=about("X", -0.5), length=0.8, **fields)
    rig.objects["Target"] = path_of(target)
    return rig


def basis(location: object = (0, 0, 0), rotation: object = None, scale: object = (1, 1, 1)) -> Basis:
    """The same on all frames."""
    rotation = np.eye(3) if rotation is None else rotation
    return Basis(
        location=np.array([location], dtype=float), rotation=np.array([rotation]), scale=np.array([scale], dtype=float)
    )


def plan(*ranks: tuple[ChainPlan, ...], count: int, step: int = 1) -> Plan:
    """A plan over `count` frames from the first on."""
    frames = np.arange(1.0, count + 1)
    return Plan(rig=RIG, name=RIG, scene="Scene", ranks=ranks, frames=frames, step=step)


def at(array: Array, row: int) -> Array:
    """The frame of an array that may be given once for all frames."""
    return array[min(row, len(array) - 1)]


def channels(whole: Plan, solved: list[SolvedGroup], start: dict[str, Array]) -> list[list[Channel]]:
    """The channels of each chain, on all frames that are to be keyed."""
    return list(bone_channels.channels(whole, solved, bone_channels.keyed_rows(whole, solved), start).values())


def before(chain_plan: Plan) -> dict[str, Array]:
    """By RNA path the rotations of bones at rest."""
    sizes = {"QUATERNION": (1, 0, 0, 0), "AXIS_ANGLE": (0, 0, 1, 0)}
    bones = [bone for chain in chain_plan.chains for bone in chain.keyed]
    return {bone.rotation_path: np.array(sizes.get(bone.rotation_mode, (0, 0, 0)), dtype=float) for bone in bones}


def path_of(places: object) -> Array:
    """(n, 4, 4) an object that goes through these places."""
    return np.array([matrix(place) for place in np.asarray(places, dtype=float)])
