"""What chains depend on as a dependency graph has it now, as plain numbers: compared with what it was in a moment.

Who looks each time that Blender evaluates samples anew only what differs.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
from bpy.types import Depsgraph

from ....skeleton.transform import Basis
from ....skeleton.values import Plan, Point, Samples
from ..checks.finite import refuse_not_finite
from .probe import evaluated_objects, number_of
from .request import SampleRequest
from .sampling import PoseBefore, refuse_disabled


class Glance(NamedTuple):
    """What chains depend on, once.

    spaces : of the chains' spaces, the pose that they start from, and their numbers; only to be compared
    goals : the matrices of all else, row by row
    """

    spaces: tuple[object, ...]
    goals: tuple[float, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class GlanceRequest:
    """What to look at for the chains of a plan, for which all of `need` has to be known."""

    plan: Plan
    need: SampleRequest

    @cached_property
    def _spaces(self) -> list[Point]:
        return [Point(self.plan.rig), *dict.fromkeys(filter(None, (each.parent for each in self.plan.chains)))]

    @cached_property
    def _goals(self) -> list[Point]:
        return sorted(self.need.placed.difference(self._spaces), key=lambda point: bool(point.bone))

    def look(self, depsgraph: Depsgraph, pose_before: PoseBefore) -> Glance:
        """What this dependency graph has now; Refused where it leaves out something, such as a hidden target."""
        refuse_disabled(self.need, depsgraph)
        evaluated = evaluated_objects(self.need.objects, depsgraph)
        bones = {item: state.pose.bones for item, state in evaluated.items() if item.type == "ARMATURE"}

        def matrix(point: Point) -> tuple[float, ...]:
            found = bones[point.object][point.bone].matrix if point.bone else evaluated[point.object].matrix_world
            return found[0][:] + found[1][:] + found[2][:] + found[3][:]

        own = bones[self.plan.rig]
        spaces: list[object] = [matrix(point) for point in self._spaces]
        for point in self.need.own:
            bone = own[point.bone]
            if point in self.need.turned:
                basis = Basis.of(np.array(bone.matrix_basis)[None], np.array(bone.scale)[None])
                spaces.append(pose_before(point, basis).matrix.tobytes())
            else:
                spaces.append(bone.location[:] + bone.scale[:])
        for point, unset in self.need.numbers.items():
            spaces.append(tuple(number_of(own[point.bone], name, value) for name, value in unset.items()))
        return Glance(tuple(spaces), tuple(chain.from_iterable(map(matrix, self._goals))))

    def with_goals(self, samples: Samples, glance: Glance) -> Samples:
        """The samples where the spaces are the same, and the goals are those that were looked at."""
        count = sum(not point.bone for point in self._goals)
        matrices = np.array(glance.goals).reshape(-1, 1, 4, 4)
        worlds = {point.object: each for point, each in zip(self._goals[:count], matrices, strict=False)}
        poses = dict(zip(self._goals[count:], matrices[count:], strict=True))
        refuse_not_finite(Samples(to_world=worlds, pose=poses, basis={}), self.plan.frames)
        return replace(samples, to_world=samples.to_world | worlds, pose=samples.pose | poses)
