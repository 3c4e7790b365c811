"""Targets that are to be keyed to follow the pose: how they are keyed, or the reason why one of them cannot be.

A target cannot be keyed if a limb hangs on it by constraints: moving it would move the pose that it has to follow.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from bpy.types import Constraint, Object, PoseBone

from ...skeleton import transform
from ...skeleton.rotation_mode import rotation_name
from ...skeleton.target_channels import KeyedTarget
from ...skeleton.values import ChainPlan, Plan, Point
from ...solver.values import Array
from ...solver.vectors import product
from .. import versions
from ..armatures import Rig, editable
from ..curves import key_checks
from ..curves.keys import numbers_on, values_before
from ..messages.refused import Refused
from ..messages.translation import frame_text, point_text
from ..rigs import controls
from ..rigs.built_limbs import built_limbs
from ..rigs.switch_property import shown_control_set
from ..scene import dependencies
from ..scene.bone import bone_or_object, read_bone, rest
from ..scene.curves import OwnTransforms
from ..settings.key_settings import KeyStyle

_CARRIERS = ("CHILD_OF", "ARMATURE")
"""Constraints that add a transform to that of their owner, as a parent does."""

_Link = tuple[PoseBone | Object, Constraint]
"""A constraint, after the bone or the object that has it."""


def keyable(
    plan: Plan, *, over_range: bool, style: KeyStyle | None, turn_all: bool = False
) -> dict[Point, KeyedTarget]:
    """The targets and pole targets of the plan, as they are to be keyed.

    over_range : not on the current frame alone
    style : of the keys; None for a move without keys
    turn_all : key the rotation of all of them, and not only where the chain follows it
    raises : Refused where one of them cannot be moved freely, where two chains would move it, or where it moves a limb
    """
    turned: dict[Point, bool] = {}
    for chain in plan.chains:
        for point in chain.targets:
            if point in turned:
                raise _refused("SHARED_TARGET", chain, point)
            turned[point] = turn_all or (chain.use_rotation and point == chain.target)
            _refuse_unmovable(chain, _control(chain, point), plan.frames, turns=turned[point])
    for chain in plan.chains:
        for place in dependencies.with_parents(Point(chain.rig, chain.root.name)):
            if place in turned or place in map(controls.keyed_point, turned):
                raise _refused("TARGET_CARRIES", chain, place)
    goals = {controls.keyed_point(point): turns for point, turns in turned.items()}
    _refuse_hanging(plan, goals, over_range=over_range)
    targets = {point: keyed_target(point, plan.frames[0]) for point in turned}
    for point, target in targets.items():
        paths = {target.location_path, *([target.rotation_path] if turned[point] else [])}
        if style:
            key_checks.refuse_unwritable(point.object, paths, style, frames=plan.frames)
        else:
            key_checks.refuse_driven(point.object, paths)
    return targets


def holdable(chain: ChainPlan, *, turns: bool, spans: Sequence[tuple[float, float]]) -> KeyedTarget:
    """The chain's target as it is to be keyed over these spans, for whatever is outside of them to stay.

    raises : Refused where it cannot be moved so, or where more than its keys decides where it is
    """
    point: Point = chain.target
    item: Object = point.object
    frames = np.concatenate([np.arange(np.ceil(start), end + 1.0) for start, end in spans])
    _refuse_unmovable(chain, _control(chain, point), frames, turns=turns, carried_by=_CARRIERS)
    _refuse_carried_in_part(chain, spans)
    target = keyed_target(point, spans[0][0])
    paths = [target.location_path, *([target.rotation_path] if turns else [])]
    key_checks.refuse_unwritable(item, paths, KeyStyle(new_action=True))
    key_checks.refuse_unkept(item, dict.fromkeys(paths, spans))
    return target


def pullable(chain: ChainPlan, point: Point, frame: float, *, insert_keys: bool) -> KeyedTarget:
    """What is keyed to move a point that the limb of the chain follows.

    raises : Refused where it cannot be moved freely, or with `insert_keys` not be keyed
    """
    _refuse_unmovable(chain, _control(chain, point), np.array([frame]), turns=False)
    target = keyed_target(point, frame)
    key_checks.refuse_unsettable(point.object, {target.location_path}, frame, insert_keys=insert_keys)
    return target


def refuse_not_shown(plan: Plan) -> None:
    """Raise `Refused` where controls would follow a pose of the limb that its rig does not show."""
    refuse_following([chain.end.name for chain in plan.chains], plan)
    for chain in plan.chains:
        limb = controls.limb_followed(chain.target)
        if limb is None or chain.rig != chain.target.object or chain.end.name not in limb.fk:
            continue
        for frame in plan.frames if len(plan.frames) > 1 else (None,):
            if shown_control_set(chain.rig, limb, frame) == "IK":
                first = frame_text(plan.frames[0] if frame is None else frame)
                raise Refused("NOT_SHOWN.rig", chain=chain, frame=first, switch=limb.switch, value=limb.fk_value)


def refuse_following(ends: Collection[str], plan: Plan) -> None:
    """Raise `Refused` where limbs that were built, with these end bones, follow targets on frames of the plan.

    On the current frame alone those stay as they are that do nothing else.
    """
    several = len(plan.frames) > 1
    for limb in (limb for limb in built_limbs(plan.rig) if limb.fk[1] in ends):
        for frame in plan.frames if several else (None,):
            if shown_control_set(plan.rig, limb, frame) not in (("FK",) if several else ("FK", "IK")):
                first = frame_text(plan.frames[0] if frame is None else frame)
                named: dict[str, Any] = {"bone": limb.switch_bone, "switch": limb.switch, "frame": first}
                raise Refused("NOT_SHOWN.built", object=plan.rig, value=limb.name, **named)


def _refuse_unmovable(
    chain: ChainPlan, point: Point, frames: Array, *, turns: bool, carried_by: Collection[str] = ()
) -> None:
    """Raise `Refused` where the target cannot be moved freely.

    frames : (n,) those on which it is to be moved
    carried_by : types of constraints that may act on it
    """
    item: Rig = point.object
    if not editable(item):
        raise _refused("LINKED_TARGET", chain, point)
    for _, constraint in dependencies.constraints_moving(point):
        if not constraint.mute and constraint.type not in carried_by:
            raise _refused("CONSTRAINED_TARGET", chain, point, constraint=constraint.name)
    owner = bone_or_object(point)
    if any(owner.lock_location) or (turns and any(owner.lock_rotation)):
        raise _refused("LOCKED_TARGET", chain, point)
    if point.bone and item.data.pose_position == "REST":
        raise _refused("REST_POSITION.target", chain, point)
    if isinstance(owner, PoseBone) and owner.bone.use_connect:
        raise _refused("CONNECTED_TARGET", chain, point)
    if not point.bone and any(path.startswith("delta_") for path in versions.animated_paths(item)):
        raise _refused("DELTA_ANIMATED", chain, point)
    if not point.bone:
        _refuse_flat(chain, point, frames)


def _refuse_flat(chain: ChainPlan, point: Point, frames: Array) -> None:
    """Raise `Refused` where an object or what carries it has a scale of 0: this is known by where that one is."""
    for item in dict.fromkeys(place.object for place in dependencies.with_parents(point)):
        flat = (OwnTransforms(item, frames).basis(item, with_rotation=False).scale == 0.0).any(axis=-1)
        if flat.any():
            raise _refused("FLAT_TARGET", chain, Point(item), frame=frame_text(frames[int(np.argmax(flat))]))


def _refuse_carried_in_part(chain: ChainPlan, spans: Sequence[tuple[float, float]]) -> None:
    """Raise `Refused` where what carries the target does so in part: then that hangs on where the target is."""
    for _, constraint in dependencies.constraints_moving(chain.target):
        path = f"{constraint.path_from_id()}.influence"
        for start, end in () if constraint.mute else spans:
            influence = numbers_on(chain.target.object, path, np.arange(np.ceil(start), end + 1.0))
            if ((influence > 0.0) & (influence < 1.0)).any():
                raise _refused("BLENDED_TARGET", chain, chain.target, constraint=constraint.name, start=start, end=end)


def _control(chain: ChainPlan, point: Point) -> Point:
    """What is keyed to move the target; Refused where the rig has no control for it, or one that does not carry it."""
    limb, control = controls.limb_followed(point), controls.keyed_point(point)
    if limb and not limb.control_of(point.bone):
        raise _refused("NO_CONTROL", chain, point)
    carried = controls.carried(point, control)
    if not isinstance(carried, Point):
        owner, constraint = carried
        if constraint is None:
            raise _refused("NOT_CARRIED.at_all", chain, point, control=control.bone)
        named = {"control": control.bone, "owner": owner.name, "constraint": constraint.name}
        raise _refused("NOT_CARRIED.by_constraint", chain, point, **named)
    return control


def _refused(sentence: str, chain: ChainPlan, point: Point, **named: str | float) -> Refused:
    return Refused(sentence, chain=chain, object=point.object, bone=point.bone, value=point_text(point), **named)


def _refuse_hanging(plan: Plan, goals: Mapping[Point, bool], *, over_range: bool) -> None:
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
                    sources = dependencies.followed_by(other[1])
                    waiting += [(source, link or other) for source in sources if _moves(chain, goals, other, source)]


def _links(place: Point, *, over_range: bool) -> Iterator[_Link]:
    """What moves an object or a bone by constraints, whatever has them."""
    for owner, constraint in dependencies.constraints_moving(place):
        if constraint.name.startswith(dependencies.BUILT):  # by these, a limb follows its own target
            continue
        acts = not constraint.mute and constraint.influence > 0.0
        if acts or (over_range and _switched(constraint)):
            yield owner, constraint


def _switched(constraint: Constraint) -> bool:
    path = constraint.path_from_id()
    switches = {f"{path}.{name}" for name in ("influence", "mute", "enabled")}
    return not switches.isdisjoint(versions.animated_paths(constraint.id_data))


def _moves(chain: ChainPlan, goals: Mapping[Point, bool], link: _Link, source: Point) -> bool:
    """False if the constraint takes only values from the goal that stay, or that the pose gives."""
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


def keyed_target(point: Point, start: float) -> KeyedTarget:
    """How an object or a bone is to be keyed, from frame `start` on; for one that a known rig moves, its control."""
    target, point = point, controls.keyed_point(point)
    item: Rig = point.object
    bone = read_bone(item, point.bone) if point.bone else None
    rotation_path = bone.rotation_path if bone else rotation_name(item.rotation_mode)
    location, rotation = (np.zeros((1, 3)), np.eye(3)[None]) if bone else OwnTransforms(item, np.empty(0)).delta(item)
    return KeyedTarget(
        parents=tuple(dependencies.with_parents(point)),
        bone=bone,
        group=point.bone or "Object Transforms",
        location_path=f"{bone.path}.location" if bone else "location",
        rotation_path=rotation_path,
        rotation_mode=bone.rotation_mode if bone else item.rotation_mode,
        delta_location=location[0],
        delta_rotation=rotation[0],
        before=values_before(item, [rotation_path], start)[rotation_path],
        constrained=any(not (bone and constraint.mute) for _, constraint in dependencies.constraints_moving(point)),
        arrives=_arrives(target, point) if target != point else None,
    )


def _arrives(target: Point, control: Point) -> tuple[Point, Array]:
    """The bone that goes along with the control, and (4, 4) at rest from there to the target."""
    last, bones = controls.carried(target, control), target.object.data.bones
    assert isinstance(last, Point)  # otherwise it was refused
    return last, product(transform.inverse(rest(bones[last.bone])), rest(bones[target.bone]))
