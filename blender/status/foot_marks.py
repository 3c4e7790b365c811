"""What the overlay shows of planted feet: where ball and heel are as Blender evaluates them, filled while they stand by
their keys. Once their paths were sampled, also these, and where they stand on other frames.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import cos, dist, pi, sin
from typing import NamedTuple

import numpy as np
from bpy.types import Depsgraph, FCurve, Scene
from mathutils import Vector
from numpy.typing import NDArray

from ...solver.numbers import true_runs
from ...solver.values import Array
from ...solver.vectors import norm
from ..armatures import Rig
from ..plant import contact_keys, contact_runs, foot_paths
from ..plant.captured_action import remembered
from .limb_state import Place
from .overlay import Line

_SIZE = 0.2
"""Radius of a mark, as part of the distance from ball to heel."""

_SMALL = 0.05
"""The same of a limb that has one point, as part of the length of its end bone."""

_OFF = 0.02
"""Part of that radius by which a foot may be off its path: too little to see."""

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


class FootLines(NamedTuple):
    """Lines in the world: paths of balls and heels as planted and as captured, and circles where they stand."""

    planted: Sequence[Line]
    captured: Sequence[Line]
    prints: Sequence[Line]


def foot_marks(rig: Rig, scene: Scene, depsgraph: Depsgraph) -> list[FootMark]:
    """Of all planted feet of an armature on the current frame; none for contacts that no press has planted yet."""
    marks, frame = list[FootMark](), np.array([scene.frame_current_final])
    for name, row in contact_runs.rows(rig).items():
        places = _places(rig, row, depsgraph)
        radius = _radius(rig, name, places)
        stands = _stands(row, frame)[0].tolist()
        marks += [FootMark(place, radius, on) for place, on in zip(places, stands, strict=False)]
    return marks


def foot_lines(rig: Rig, scene: Scene, depsgraph: Depsgraph) -> FootLines:
    """Over the range; none until the paths were sampled, nor once a foot is off its path, as keys were changed."""
    found, prints = foot_paths.paths(rig), []
    for name, row in contact_runs.rows(rig).items() if found else ():
        path, places = found.planted.get(name), _places(rig, row, depsgraph)
        if path is None or len(places) != path.shape[1]:
            continue
        radius, now = _radius(rig, name, places), found.frames == scene.frame_current_final
        if now.any() and norm(path[now] - places).max() > _OFF * radius:
            foot_paths.forget(rig)
            return FootLines((), (), ())
        prints += [FootMark(place, radius, False).line for place in _stood(path, _stands(row, found.frames))]
    if found is None:
        return FootLines((), (), ())
    return FootLines(_lines(found.planted.values()), _lines(found.captured.values()), prints)


def _places(rig: Rig, row: FCurve, depsgraph: Depsgraph) -> list[Place]:
    """Ball and heel as evaluated; none where nothing is remembered of them, or a bone is gone."""
    foot, evaluated = remembered(rig).get(row.data_path), rig.evaluated_get(depsgraph)
    if foot is None or any(bone not in evaluated.pose.bones for bone, _ in foot.stands_on):
        return []
    to_world = evaluated.matrix_world
    points = (to_world @ evaluated.pose.bones[bone].matrix @ Vector(offset) for bone, offset in foot.stands_on)
    return [(point.x, point.y, point.z) for point in points]


def _stands(row: FCurve, frames: Array) -> NDArray[np.bool_]:
    """(n, 2) whether ball and heel stand on these frames, by their keys."""
    return (contact_keys.Row.of(row).within(frames)[:, None] & contact_keys.POINTS) > 0


def _radius(rig: Rig, name: str, places: Sequence[Place]) -> float:
    apart = dist(*places) if places else 0.0
    return _SIZE * apart or _SMALL * rig.pose.bones[name].length


def _stood(places: Array, stands: NDArray[np.bool_]) -> Iterator[Place]:
    """Of ball and heel (n, 2, 3) the place in the middle of each stand."""
    for point in (0, 1):
        for first, last in true_runs(stands[:, point]):
            yield tuple(places[(first + last) // 2, point].tolist())


def _lines(feet: Iterable[Array]) -> list[Line]:
    return [line for places in feet for line in np.moveaxis(places, 1, 0).tolist()]
