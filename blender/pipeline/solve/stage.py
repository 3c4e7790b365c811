"""Where the bones of a chain are posed: chain space itself, or armature space with its rules of inheritance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....solver.triad import product
from ....solver.values import Array
from ..bones import inherit, transform
from ..plan import ChainPlan


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Stage:
    """A chain that follows by rotations alone is posed right in chain space, whatever carries it: it is rigid.

    plan : the chain
    parent : (n, 4, 4) or None    pose of the bone that carries the chain, in armature space
    to_armature : (n, 4, 4)       from chain space
    rigid : bool                  True where the stage is chain space, False where it is armature space
    """

    plan: ChainPlan
    parent: Array | None
    to_armature: Array
    rigid: bool

    @property
    def from_space(self) -> Array:
        """(n, 4, 4) from chain space to the stage."""
        return np.eye(4) if self.rigid else self.to_armature

    @property
    def to_space(self) -> Array:
        """(n, 4, 4) from the stage to chain space."""
        return np.eye(4) if self.rigid else transform.inverse(self.to_armature)

    def posed(self, basis: tuple[Array, ...]) -> list[Array]:
        """(n, 4, 4) the pose of each of the chain's bones, as many as own channels are given."""
        plan, first = self.plan, basis[0]
        root = transform.unmoved(first) if self.rigid else inherit.pose(plan.root.bone, self.parent, first)
        found = [root]
        for name, own in zip(plan.bones[1:], basis[1:], strict=False):
            found.append(inherit.pose(plan.rig.data.bones[name], found[-1], own))
        return found

    def in_armature(self, pose: Array) -> Array:
        """(n, 4, 4) a pose on the stage, in armature space."""
        return product(self.to_armature, pose) if self.rigid else pose


def stage(plan: ChainPlan, parent: Array | None, basis: tuple[Array, ...], below: Sequence[Array]) -> Stage:
    """The stage of a chain with these own channels, on this pose of its parent.

    below : (n, 4, 4) each    own channels of the bones between end bone and tip bone
    """
    to_armature = inherit.carrier(plan.root.bone, parent, basis[0])
    rigid = not plan.stretches and not inherit.is_scaled(np.concatenate((*basis, *below)))
    carried = (plan.rig.data.bones[name] for name in (*plan.bones[1:], *plan.below[:-1]))
    carriers = [(plan.root.bone, parent), *((bone, to_armature) for bone in carried)]
    rigid = rigid and all(inherit.is_plain(bone, above) for bone, above in carriers)
    return Stage(plan=plan, parent=parent, to_armature=to_armature, rigid=rigid)
