"""What chains depend on as a dependency graph has it now, compared with what it was in a moment.

Live samples only what has changed.
"""

from collections.abc import Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from bpy.types import ID, Depsgraph
from mathutils import Matrix

from ...skeleton.values import Plan, Point, Samples
from ..versions import matrix_rows
from .checks import all_finite, refuse_not_finite
from .need import SampleNeed
from .pose_before import pose_before
from .probe import evaluated_objects, number_of
from .sampling import refuse_disabled
from .standing import standing


class Glance(NamedTuple):
    """What chains depend on, once; only to be compared.

    spaces : the matrices of the chains' spaces
    own : of the pose that they start from, and their numbers
    goals : the matrices of all else
    """

    spaces: tuple[Matrix, ...]
    own: tuple[object, ...]
    goals: tuple[Matrix, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class GlanceNeed:
    """What to look at for the chains of a plan, for which all of `need` has to be known."""

    plan: Plan
    need: SampleNeed

    @cached_property
    def _spaces(self) -> list[Point]:
        return [Point(self.plan.rig), *dict.fromkeys(filter(None, (chain.parent for chain in self.plan.chains)))]

    @cached_property
    def _goals(self) -> list[Point]:
        return [*self.need.placed.difference(self._spaces)]

    def look(self, depsgraph: Depsgraph, before: Glance | None = None, since: Set[ID] = frozenset()) -> Glance:
        """What is where in this dependency graph now; Refused where it leaves out something, such as a hidden target.

        before, since : what it had in a moment, and what Blender has evaluated since
        """
        refuse_disabled(self.need, depsgraph)
        objects = self.need.objects if before is None else self.need.objects & since
        evaluated = evaluated_objects(objects, depsgraph)
        bones = {item: state.pose.bones for item, state in evaluated.items() if item.type == "ARMATURE"}

        def matrix(point: Point) -> Matrix:
            place = bones[point.object][point.bone].matrix if point.bone else evaluated[point.object].matrix_world
            return place.copy()

        if before is None:
            goals = tuple(map(matrix, self._goals))
        else:
            goals_before = zip(self._goals, before.goals, strict=True)
            goals = tuple(matrix(point) if point.object in evaluated else old for point, old in goals_before)
            if self.plan.rig not in evaluated:
                return before._replace(goals=goals)
        own, rig_bones = list[object](), bones[self.plan.rig]
        for point in self.need.own:
            bone = rig_bones[point.bone]
            if point in self.need.turned:
                own.append(pose_before(point, standing(bone)).matrix.tobytes())
            else:
                own.append(bone.location[:] + bone.scale[:])
        for point, unset in self.need.numbers.items():
            own.append(tuple(number_of(rig_bones[point.bone], name, value) for name, value in unset.items()))
        return Glance(tuple(map(matrix, self._spaces)), tuple(own), goals)

    def stands(self, depsgraph: Depsgraph, before: Glance, since: Set[ID]) -> bool:
        """Whether all objects that chains go for are where they were; the armature itself is not looked at.

        before, since : what there was in a moment, and what Blender has evaluated since
        """
        goals_before = zip(self._goals, before.goals, strict=True)
        evaluated = ((bone, item.evaluated_get(depsgraph), old) for (item, bone), old in goals_before if item in since)
        return all(
            old == (item.pose.bones[bone].matrix if bone else item.matrix_world) for bone, item, old in evaluated
        )

    def with_goals(self, samples: Samples, glance: Glance, before: Glance) -> Samples:
        """The samples of what was seen `before`, where the spaces are the same, with the goals looked at since."""
        seen = zip(self._goals, glance.goals, before.goals, strict=True)
        # Compared by value, matrices that differ in the last digit count as equal, and a goal might creep away.
        changed = {point: matrix for point, matrix, old in seen if matrix is not old}
        matrices = np.array([matrix_rows(item) for item in changed.values()], dtype=np.float64)[:, None]
        worlds = {point.object: item for point, item in zip(changed, matrices, strict=True) if not point.bone}
        poses = {point: item for point, item in zip(changed, matrices, strict=True) if point.bone}
        if not all_finite(matrices):
            refuse_not_finite(Samples(to_world=worlds, pose=poses, basis={}), self.plan.frames)
        return replace(samples, to_world=samples.to_world | worlds, pose=samples.pose | poses)
