"""Where the bones of a chain are posed: chain space itself, or armature space with its rules of inheritance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..solver.triad import product
from ..solver.values import Array
from . import inherit, transform
from .basis import Basis
from .inherit import Bones


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ChainKinematics:
    """A chain that follows by rotations alone is posed right in chain space, whatever carries it: it is rigid.

    bones : the chain's, root bone first; or those of several chains side by side
    parent : (n, 4, 4) or None    pose of the bone that carries the chain, in armature space
    to_armature : (n, 4, 4)       from chain space
    rigid : bool                  True where the pose space is chain space, False where it is armature space
    """

    bones: tuple[Bones, ...]
    parent: Array | None
    to_armature: Array
    rigid: bool

    @property
    def from_space(self) -> Array:
        """(n, 4, 4) from chain space to the pose space."""
        return np.eye(4) if self.rigid else self.to_armature

    def posed(self, basis: tuple[Basis, ...]) -> list[Array]:
        """(n, 4, 4) the pose of each of the chain's bones, as many as own channels are given."""
        root, first = self.bones[0], basis[0]
        rigid = self.rigid
        found = [
            transform.compose(first.linear, np.zeros(3)) if rigid else inherit.pose(root, self.parent, first.matrix)
        ]
        for bone, own in zip(self.bones[1:], basis[1:], strict=False):
            found.append(inherit.pose(bone, found[-1], own.matrix))
        return found

    def in_armature(self, pose: Array) -> Array:
        """(n, 4, 4) a pose on the pose space, in armature space."""
        return product(self.to_armature, pose) if self.rigid else pose

    def one(self, row: int) -> ChainKinematics:
        """Of several chains side by side, the pose space of one."""
        return ChainKinematics(
            bones=tuple(bone[row] for bone in self.bones),
            parent=None if self.parent is None else self.parent[:, row],
            to_armature=self.to_armature[:, row],
            rigid=self.rigid,
        )


def chain_kinematics(
    bones: tuple[Bones, ...], parent: Array | None, basis: tuple[Basis, ...], count: int, *, stretches: bool
) -> ChainKinematics:
    """The pose space of a chain on this pose of its parent.

    bones, basis : of the chain and of what is below it, and their own channels
    count : how many of them are the chain's
    """
    to_armature = inherit.rotation_base(bones[0], parent, basis[0].location)
    rigid = not stretches and not any(own.is_scaled for own in basis)
    carriers = [(bones[0], parent), *((bone, to_armature) for bone in bones[1:])]
    rigid = rigid and all(inherit.is_plain(bone, above) for bone, above in carriers)
    return ChainKinematics(bones=bones[:count], parent=parent, to_armature=to_armature, rigid=rigid)
