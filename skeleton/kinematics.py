"""How the bones of chains get their poses: in chain space by rotations alone, or in armature space by inheritance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..solver.values import Array
from ..solver.vectors import product
from . import inherit, transform
from .basis import Basis
from .inherit import Bones


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ChainKinematics:
    """Chains side by side, and the space in which their poses are computed, the pose space.

    Poses of a rigid chain, in which only rotations pass from bone to bone, are right in chain space, whatever its
    parent does.

    bones : of all chains the root bones, then the next, up to the end bones
    parent : (n, c, 4, 4) or None    poses of the root bones' parents, in armature space
    to_armature : (n, c, 4, 4)       from chain space
    rigid : bool                     True if the pose space is chain space, False if it is armature space
    """

    bones: tuple[Bones, ...]
    parent: Array | None
    to_armature: Array
    rigid: bool

    @property
    def from_space(self) -> Array:
        """(n, c, 4, 4) from chain space to the pose space; (4, 4) if they are the same."""
        return np.eye(4) if self.rigid else self.to_armature

    def poses(self, bases: tuple[Basis, ...]) -> list[Array]:
        """(n, c, 4, 4) in the pose space, for each of the chains' bones that `bases` are given of, root bones first."""
        root, first = self.bones[0], bases[0]
        if self.rigid:
            poses = [transform.compose(first.linear, np.zeros(3))]
        else:
            poses = [inherit.pose(root, self.parent, first.matrix)]
        for bone, basis in zip(self.bones[1:], bases[1:], strict=False):
            poses.append(inherit.pose(bone, poses[-1], basis.matrix))
        return poses

    def in_armature(self, pose: Array) -> Array:
        """(n, c, 4, 4) poses in the pose space, taken to armature space."""
        return product(self.to_armature, pose) if self.rigid else pose

    def one(self, row: int) -> ChainKinematics:
        """One of the chains: c is 1."""
        only = slice(row, row + 1)
        return ChainKinematics(
            bones=tuple(bones[only] for bones in self.bones),
            parent=None if self.parent is None else self.parent[:, only],
            to_armature=self.to_armature[:, only],
            rigid=self.rigid,
        )


def chain_kinematics(
    bones: tuple[Bones, ...], parent: Array | None, bases: tuple[Basis, ...], count: int, *, stretches: bool
) -> ChainKinematics:
    """The kinematics of chains on these poses (n, c, 4, 4) of their parents.

    bones, bases : of the chains, and of the bones between them and their tip bones
    count : how many of them are the chains'
    """
    to_armature = inherit.rotation_base(bones[0], parent, bases[0].location)
    rigid = not stretches and not any(basis.is_scaled for basis in bases)
    parents = [(bones[0], parent), *((bone, to_armature) for bone in bones[1:])]
    rigid = rigid and all(inherit.is_plain(bone, above) for bone, above in parents)
    return ChainKinematics(bones=bones[:count], parent=parent, to_armature=to_armature, rigid=rigid)
