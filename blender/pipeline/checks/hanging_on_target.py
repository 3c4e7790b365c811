"""Limbs that hang on a target by constraints: to move the target would move the pose that it has to follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bpy.types import Constraint, Object, PoseBone

from ....skeleton.values import ChainPlan, Plan, Point
from ... import versions
from ...messages.refused import Refused
from ...messages.report import point_text
from ..read import dependencies

_Link = tuple[PoseBone | Object, Constraint]
"""A constraint, after the bone or the object that has it."""


def refuse_hanging(plan: Plan, goals: Mapping[Point, bool], *, over_range: bool) -> None:
    """Raise `Refused` where a constraint would move a limb of the plan along with one of the `goals`.

    goals : what is to be moved, and whether it is to be turned as well
    over_range : constraints that are off now, but animated, count too
    """
    for chain in plan.chains:
        seen: set[Point] = set()
        waiting: list[tuple[Point, _Link | None]] = [
            (Point(chain.rig, bone.name), None) for bone in (*chain.bones, *chain.below)
        ]
        while waiting:
            place, link = waiting.pop()
            if link and place in goals:
                _refuse(chain, place, link)
            if place not in seen:
                seen.add(place)
                waiting += [(parent, link) for parent in dependencies.with_parents(place)[1:2]]
                for other in _links(place, over_range=over_range):
                    sources = dependencies.targets(other[1])
                    waiting += [(source, link or other) for source in sources if _moves(chain, goals, other, source)]


def _links(place: Point, *, over_range: bool) -> Iterator[_Link]:
    """What moves an object or a bone by constraints, whoever has them."""
    for owner, constraint in dependencies.constraints_moving(place):
        acts = not constraint.mute and constraint.influence > 0.0
        if acts or (over_range and _switched(constraint)):
            yield owner, constraint


def _switched(constraint: Constraint) -> bool:
    path = constraint.path_from_id()
    switches = {f"{path}.{name}" for name in ("influence", "mute", "enabled")}
    return not switches.isdisjoint(versions.animated_paths(constraint.id_data))


def _moves(chain: ChainPlan, goals: Mapping[Point, bool], link: _Link, source: Point) -> bool:
    """False where the constraint takes from a goal only what stays, or what the pose gives it."""
    owner, constraint = link
    if source not in goals:
        return True
    if isinstance(owner, PoseBone) and constraint.type == "IK":  # its target is at the tip, where it holds that already
        moved = dependencies.moved_by(owner, constraint)
        of_limb = owner.name in (chain.end.name, chain.tip_bone) and chain.root.name in moved
        return not (of_limb and source in (chain.target, chain.pole))
    if constraint.type == "COPY_ROTATION":
        return goals[source] and owner.name != chain.tip_bone
    return constraint.type != "COPY_SCALE"


def _refuse(chain: ChainPlan, goal: Point, link: _Link) -> None:
    owner, constraint = link
    bone = owner.name if isinstance(owner, PoseBone) else ""
    named = {"value": point_text(goal), "constraint": constraint.name, "owner": owner.name}
    raise Refused("HANGS_ON_TARGET.bone" if bone else "HANGS_ON_TARGET.object", chain=chain, bone=bone, **named)
