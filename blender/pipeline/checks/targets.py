"""Which targets can be keyed to follow the pose, or the reason why one of them cannot."""

from __future__ import annotations

from bpy.types import PoseBone

from ....skeleton.target_channels import KeyedTarget
from ....skeleton.values import ChainPlan, Plan, Point
from ... import versions
from ...armatures import Rig, editable
from ...messages.refused import Refused
from ...messages.report import point_text
from ..read import dependencies
from ..read.keyed_targets import keyed_targets
from . import keys
from .hanging_on_target import refuse_hanging


def keyable(plan: Plan, *, over_range: bool, insert_keys: bool) -> dict[Point, KeyedTarget]:
    """The targets and pole targets of the plan, as they are to be keyed.

    over_range : not on the current frame alone
    insert_keys : with keys, not without
    raises : Refused where one of them cannot be moved freely, where two chains would move it, or where it moves a limb
    """
    found: dict[Point, bool] = {}
    for chain in plan.chains:
        for point, turns in ((chain.target, chain.use_rotation), (chain.pole, False)):
            if point is None:
                continue
            if point in found:
                raise _refused("SHARED_TARGET", chain, point)
            found[point] = turns
            _refuse_unmovable(chain, point, turns=turns)
    for chain in plan.chains:
        for place in dependencies.with_parents(Point(chain.rig, chain.root.name)):
            if place in found:
                raise _refused("TARGET_CARRIES", chain, place)
    refuse_hanging(plan, found, over_range=over_range)
    targets = keyed_targets(found, plan.frames[0])
    for point, target in targets.items():
        paths = {target.location_path, *([target.rotation_path] if found[point] else [])}
        keys.refuse_unsettable(point.object, paths, insert_keys=insert_keys)
    return targets


def _refuse_unmovable(chain: ChainPlan, point: Point, *, turns: bool) -> None:
    item: Rig = point.object
    if not editable(item):
        raise _refused("LINKED_TARGET", chain, point)
    for _, constraint in dependencies.constraints_moving(point):
        if not constraint.mute:
            raise _refused("CONSTRAINED_TARGET", chain, point, constraint=constraint.name)
    owner = item.pose.bones[point.bone] if point.bone else item
    if any(owner.lock_location) or (turns and any(owner.lock_rotation)):
        raise _refused("LOCKED_TARGET", chain, point)
    if point.bone and item.data.pose_position == "REST":
        raise _refused("REST_POSITION.target", chain, point)
    if isinstance(owner, PoseBone) and owner.bone.use_connect:
        raise _refused("CONNECTED_TARGET", chain, point)
    if not point.bone and any(path.startswith("delta_") for path in versions.animated_paths(item)):
        raise _refused("DELTA_ANIMATED", chain, point)


def _refused(sentence: str, chain: ChainPlan, point: Point, **named: str) -> Refused:
    return Refused(sentence, chain=chain, object=point.object, bone=point.bone, value=point_text(point), **named)
