"""What the overlay shows of planted feet: where ball and heel are as Blender evaluates them, filled while they stand by
their keys.
"""

from math import cos, dist, pi, sin
from typing import NamedTuple

import numpy as np
from bpy.types import Depsgraph, FCurve, Scene
from mathutils import Vector

from ..armatures import Rig
from ..plant import contact_keys, contact_runs
from ..plant.captured_action import remembered
from .guides import Line
from .limb_state import Place

_SIZE = 0.2
"""Radius of a mark, as part of the distance from ball to heel."""

_SMALL = 0.05
"""Radius of the mark of a limb that has one point, as part of the length of its end bone."""

_ROUND = [(cos(turn * pi / 12.0), sin(turn * pi / 12.0)) for turn in range(25)]


class FootMark(NamedTuple):
    """A ball or a heel: a circle that lies flat, filled while it stands."""

    place: Place
    radius: float
    stands: bool

    @property
    def line(self) -> Line:
        """The circle."""
        x, y, z = self.place
        return [(x + self.radius * across, y + self.radius * along, z) for across, along in _ROUND]


def foot_marks(rig: Rig, scene: Scene, depsgraph: Depsgraph) -> list[FootMark]:
    """The marks of all planted feet of an armature on the current frame; none for contacts that are not planted yet."""
    marks, frame = list[FootMark](), np.array([scene.frame_current_final])
    for name, row in contact_runs.rows(rig).items():
        places = _places(rig, row, depsgraph)
        apart = dist(*places) if places else 0.0
        radius = _SIZE * apart or _SMALL * rig.pose.bones[name].length
        stands = (contact_keys.Row.of(row).within(frame) & contact_keys.POINTS > 0).tolist()
        marks += [FootMark(place, radius, on) for place, on in zip(places, stands, strict=False)]
    return marks


def _places(rig: Rig, row: FCurve, depsgraph: Depsgraph) -> list[Place]:
    """Ball and heel as evaluated; none where nothing is remembered of them, or a bone is gone."""
    foot, evaluated = remembered(rig).get(row.data_path), rig.evaluated_get(depsgraph)
    if foot is None or any(bone not in evaluated.pose.bones for bone, _ in foot.stands_on):
        return []
    to_world = evaluated.matrix_world
    points = (to_world @ evaluated.pose.bones[bone].matrix @ Vector(offset) for bone, offset in foot.stands_on)
    return [(point.x, point.y, point.z) for point in points]
