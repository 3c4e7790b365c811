"""What chains depend on, as a snapshot that is quick to compare.

Live samples only what has changed.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from bpy.types import Depsgraph
from mathutils import Matrix

from ...skeleton.values import Plan, Point, Samples
from ..versions import matrix_rows
from .bone import current
from .checks import all_finite, refuse_disabled, refuse_not_finite
from .need import sample_need
from .pose_before import pose_before
from .probe import evaluated_objects, number_of


class Glance(NamedTuple):
    """What chains depend on, after one evaluation of the scene.

    spaces : the matrices of the chains' spaces
    own : the pose that they start from, and their numbers; only to be compared
    goals : the matrices of all else
    """

    spaces: tuple[Matrix, ...]
    own: tuple[object, ...]
    goals: tuple[Matrix, ...]


class GlanceNeed:
    """What to look at for the chains of a plan; `need` is all that they depend on."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.need = plan, sample_need(plan)
        self._spaces = [Point(plan.rig), *dict.fromkeys(filter(None, (chain.parent for chain in plan.chains)))]
        self._goals = [*self.need.placed.difference(self._spaces)]

    def look(self, depsgraph: Depsgraph) -> Glance:
        """What is where in this dependency graph; Refused where it leaves out something, such as a hidden target."""
        refuse_disabled(self.need.objects, depsgraph)
        evaluated = evaluated_objects(self.need.objects, depsgraph)
        bones = {item: state.pose.bones for item, state in evaluated.items() if item.type == "ARMATURE"}

        def matrix(point: Point) -> Matrix:
            place = bones[point.object][point.bone].matrix if point.bone else evaluated[point.object].matrix_world
            return place.copy()

        own, rig_bones = list[object](), bones[self.plan.rig]
        for point in self.need.own:
            bone = rig_bones[point.bone]
            if point in self.need.turned:
                own.append(self.need.start(point, current(bone), pose_before).matrix.tobytes())
            else:
                own.append(bone.location[:] + bone.scale[:])
        for point, unset in self.need.numbers.items():
            own.append(tuple(number_of(rig_bones[point.bone], name, value) for name, value in unset.items()))
        return Glance(tuple(map(matrix, self._spaces)), tuple(own), tuple(map(matrix, self._goals)))

    def with_places(self, samples: Samples, glance: Glance) -> Samples:
        """The samples, with all places replaced by those of `glance`."""
        matrices = np.array([matrix_rows(item) for item in (*glance.spaces, *glance.goals)], dtype=np.float64)[:, None]
        places = dict(zip((*self._spaces, *self._goals), matrices, strict=True))
        worlds = {point.object: place for point, place in places.items() if not point.bone}
        poses = {point: place for point, place in places.items() if point.bone}
        if not all_finite(matrices):
            refuse_not_finite(Samples(to_world=worlds, pose=poses, basis={}), self.plan.frames)
        return replace(samples, to_world=samples.to_world | worlds, pose=samples.pose | poses)
