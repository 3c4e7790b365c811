"""Places controls where they have to be, each on the pose of its parent, which other controls may move.

Only Blender tells how controls move a bone that constraints act on. So controls are placed as far as that is known;
those that hang on such a bone wait until the caller has evaluated the others.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from ...solver.values import Array
from .. import inherit
from ..transform import Basis
from ..values import Bone


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CarriedBone:
    """A bone with what carries it.

    parents : from its parent bone up
    follows : the name of the bone that shows its place
    offset : (4, 4) at rest, from the bone to that one
    moves : False where Blender leaves out its location, since it is connected to its parent
    """

    bone: Bone
    parents: tuple[Bone, ...]
    follows: str
    offset: Array
    moves: bool


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Control:
    """A bone that is to be placed.

    pose : (n, 4, 4)     where it has to be, in armature space
    turns : False where only its location counts
    """

    carried: CarriedBone
    pose: Array
    turns: bool = True

    @property
    def bone(self) -> Bone:
        """The bone alone."""
        return self.carried.bone


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Evaluation:
    """What an evaluation tells.

    poses : by bone (n, 4, 4), or (1, 4, 4) where it does not move, in armature space
    depends : by bone the names of the bones that it follows, itself among them
    constrained : bones on which constraints act that do not just move along
    stale : bones that will not be as they were evaluated
    """

    poses: Mapping[str, Array]
    depends: Mapping[str, frozenset[str]]
    constrained: Collection[str]
    stale: Collection[str] = ()


def place(controls: Sequence[Control], evaluated: Evaluation) -> tuple[dict[str, Basis], list[Control]]:
    """The bases of controls by name, each given after those that it hangs on; and those that have to wait."""
    bases: dict[str, Basis] = {}
    placed: dict[str, Callable[[], Array]] = {}
    waiting: list[Control] = []
    for control in controls:
        bones, late = (control.bone,), {*evaluated.stale, *(other.bone.name for other in waiting)}
        try:
            parent = _pose(control.carried.parents, evaluated, placed, late)
        except _UnknownPose:
            waiting.append(control)
            continue
        basis = inherit.basis(bones, parent, control.pose[:, None])
        if not control.carried.moves:
            basis = replace(basis, location=np.zeros_like(basis.location))
        if not control.turns:
            basis = replace(basis, rotation=np.eye(3)[None, None], scale=np.ones((1, 1, 3)))
        placed[control.bone.name] = cache(partial(inherit.pose, bones, parent, basis.matrix))
        bases[control.bone.name] = basis.column(0)
    return bases, waiting


class _UnknownPose(Exception):
    """The pose of a bone, before it is evaluated again."""


def _pose(
    bones: Sequence[Bone], evaluated: Evaluation, placed: Mapping[str, Callable[[], Array]], late: Collection[str]
) -> Array | None:
    """(n, 1, 4, 4) the pose of the first of these bones, each the parent of the one before; None of none."""
    if not bones:
        return None
    name = bones[0].name
    if name in placed:
        return placed[name]()
    depends = evaluated.depends[name]
    if depends.isdisjoint(placed) and depends.isdisjoint(late):
        return evaluated.poses[name][:, None]
    if name in evaluated.constrained or not depends.isdisjoint(late):
        raise _UnknownPose
    above = _pose(bones[1:], evaluated, placed, late)
    before = evaluated.poses[bones[1].name][:, None] if bones[1:] else None
    basis = inherit.basis((bones[0],), before, evaluated.poses[name][:, None])
    return inherit.pose((bones[0],), above, basis.matrix)
