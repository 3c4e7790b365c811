"""What follows what: which bones a target hangs on, and in which order chains that move each other are solved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter

from bpy.types import Constraint, Object

from ..errors import Refused
from .plan import ChainPlan, Point


def in_order(chains: Sequence[ChainPlan]) -> tuple[ChainPlan, ...]:
    """The chains, each after those that move its parent, its target or its pole.

    raises : Refused where a chain would move its own target, or where chains wait for each other
    """
    needs = {chain.name: _needs(chain) for chain in chains}
    for chain in chains:
        _refuse_own_target(chain)
    graph = {
        chain.name: [other.name for other in chains if other is not chain and needs[chain.name] & _moved(other)]
        for chain in chains
    }
    by_name = {chain.name: chain for chain in chains}
    try:
        return tuple(by_name[name] for name in TopologicalSorter(graph).static_order())
    except CycleError as error:
        names = " → ".join(reversed(error.args[1]))
        rig = chains[0].rig.name
        sentence = (
            f'Chains of "{rig}" wait for each other ({names}): give one of them a target that does not follow the other'
        )
        raise Refused(sentence, kind="CHAIN_CYCLE", object=rig, value=names) from None


def carrier(point: Point, rig: Object, bones: Sequence[str]) -> str | None:
    """The one of these bones of `rig` that carries the point along rigidly, by parents alone; None where none does."""
    place: Point | None = point
    while place and not (place.object == rig and place.bone in bones):
        place = _parent(place)
    return place.bone if place else None


def _refuse_own_target(chain: ChainPlan) -> None:
    moved = _moved(chain)
    for role, point in (("target", chain.target), ("pole target", chain.pole)):
        if point and not moved.isdisjoint(_upstream(point)):
            raise Refused(
                f'Chain "{chain.name}" of "{chain.rig.name}" moves its own {role} "{point}": '
                "choose one that does not follow the chain",
                kind="TARGET_FOLLOWS",
                object=chain.rig.name,
                bone=chain.bones[0],
                value=str(point),
            )


def _needs(chain: ChainPlan) -> set[Point]:
    points = [chain.target]
    if chain.pole:
        points.append(chain.pole)
    if chain.parent:
        points.append(Point(chain.rig, chain.parent.name))
    return {place for point in points for place in _upstream(point)}


def _moved(chain: ChainPlan) -> set[Point]:
    root = chain.root.bone
    return {Point(chain.rig, bone.name) for bone in (root, *root.children_recursive)}


def _upstream(point: Point) -> set[Point]:
    """The point and all that its place depends on by parents and constraints; drivers are not followed."""
    found: set[Point] = set()
    waiting = [point]
    while waiting:
        place = waiting.pop()
        if place not in found:
            found.add(place)
            waiting.extend(_sources(place))
    return found


def _sources(place: Point) -> Iterator[Point]:
    parent = _parent(place)
    if parent:
        yield parent
    owner = place.object.pose.bones.get(place.bone) if place.bone else place.object
    for constraint in owner.constraints if owner else ():
        if not constraint.mute:
            yield from _targets(constraint)


def _parent(place: Point) -> Point | None:
    """What carries this place: a bone's parent bone, or its armature object; an object's parent, or the bone it hangs on."""
    if place.bone:
        bone = place.object.data.bones.get(place.bone)
        return Point(place.object, bone.parent.name) if bone and bone.parent else Point(place.object)
    parent = place.object.parent
    if not parent:
        return None
    return Point(parent, place.object.parent_bone if place.object.parent_type == "BONE" else "")


def _targets(constraint: Constraint) -> Iterator[Point]:
    # The Armature constraint has a collection of targets, Inverse Kinematics two pairs, most have one, some none.
    owners = list(getattr(constraint, "targets", None) or (constraint,))
    for owner in owners:
        target = getattr(owner, "target", None)
        if target:
            yield Point(target, getattr(owner, "subtarget", "") if target.type == "ARMATURE" else "")
    pole = getattr(constraint, "pole_target", None)
    if pole:
        yield Point(pole, constraint.pole_subtarget if pole.type == "ARMATURE" else "")
