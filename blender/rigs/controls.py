"""The control that takes the keys of a target, as its rig's file names it, and how the target goes along with it.

A chain on the FK controls of such a rig follows the bone that IK reaches for, heel roll and all. That bone is locked
and constrained: to move it, its control has to be moved so that it arrives.
"""

from collections.abc import Iterator

from bpy.types import Constraint, Object, PoseBone

from ...skeleton.values import Point
from ..armatures import is_rig
from ..scene import dependencies
from ..scene.bone import bone_or_object
from .known_limbs import limbs_of
from .rig_files import KnownLimb

Obstacle = tuple[PoseBone | Object, Constraint | None]
"""What does not go along with a control, and the constraint that keeps it; None where it hangs on something else."""


def limb_followed(point: Point | None) -> KnownLimb | None:
    """The limb of a known rig that has this bone for chains to follow."""
    if point is None or not (point.bone and is_rig(point.object)):
        return None
    return next((limb for limb in limbs_of(point.object) if point.bone in (limb.followed, limb.toe_target)), None)


def keyed_point(point: Point) -> Point:
    """What is keyed to move this target: the control on a known rig, otherwise the target itself."""
    limb = limb_followed(point)
    control = limb.control_of(point.bone) if limb else ""
    return Point(point.object, control) if control else point


def carried(point: Point, control: Point) -> Point | Obstacle:
    """The target; if only limits hold it, the nearest parent that moves rigidly with the control.

    returns : the obstacle if something else holds it
    """
    for place in dependencies.with_parents(point):
        obstacles = list(_obstacles(place, control))
        for owner, constraint in obstacles:
            if not (constraint and constraint.type.startswith("LIMIT")):
                return owner, constraint
        if not obstacles:
            return place
    raise AssertionError("what hangs on nothing is an obstacle")


def _obstacles(place: Point, control: Point) -> Iterator[Obstacle]:
    if place == control:
        return
    parent = next(iter(dependencies.with_parents(place)[1:]), None)
    if not place.bone or parent is None:
        yield bone_or_object(place), None
        return
    yield from _obstacles(parent, control)
    for mover, constraint in dependencies.constraints_moving(place):
        sources = list(dependencies.followed_by(constraint))
        local = constraint.owner_space.startswith("LOCAL")
        goes_along = not any(next(_obstacles(source, control), None) for source in sources) if sources else local
        if not (constraint.mute or goes_along):
            yield mover, constraint
