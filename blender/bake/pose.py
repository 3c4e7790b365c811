"""The order of the steps for a pose on the current frame."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from bpy.types import ID, Scene

from ...skeleton import solve
from ...skeleton.bone_channels import keyed_rows, limb_bases, pose_values
from ...skeleton.rotation_mode import rotation_name
from ...skeleton.solved_group import SolvedGroup, one_by_one
from ...skeleton.twist import measured
from ...skeleton.values import Bone, ChainPlan, Plan, Turned
from .. import versions
from ..armatures import Rig
from ..curves import key_checks, write
from ..curves.keys import value_before
from ..curves.unkeyed_edits import Keeper
from ..messages.refused import Refused
from ..messages.translation import translated
from ..scene import dependencies, sampling
from ..scene.checks import Removal
from ..scene.need import sample_need
from ..scene.pose_before import PoseBefore
from ..session import session
from ..settings.key_settings import DEFAULTS, MEASURED_WHOLE, InsertKeys
from . import convert
from .build_plan import Names, chains_taking_part, current_plan
from .checks import refuse_shared_bones, refuse_unreachable
from .compare import compare_joints
from .mute_constraints import hiding_constraints
from .notes import rig_notes
from .report import build_report
from .request import MeasurePhase, Preparation, Resources, request
from .write_channels import Channels, key_pose, pose_channels


@request
def pose(
    resources: Resources,
    rig: Rig,
    names: Names,
    scene: Scene | None,
    *,
    insert_keys: InsertKeys,
    posing: AbstractContextManager[PoseBefore],
) -> Preparation:
    """Pose the chains for the scene as it is now, on its current frame; key them as far as that is asked for.

    posing : gives the pose that bones start from, while they are posed
    """
    names, left_alone = _without_built(rig, names)
    plan = current_plan(rig, names, scene)
    _refuse_unposable(plan, insert_keys=bool(insert_keys))
    constraints = dependencies.constrained(rig)
    read_notes = left_alone + rig_notes(plan, constraints, hiding_constraints(plan, constraints), keyed=False)

    sampling.settle(plan)
    removal, pose_before = Removal(plan), resources.enter_context(posing)
    sampled = sampling.sampled_current_frame(plan, sample_need(plan), pose_before)
    samples, played = resources.enter_context(sampled)
    solved = solve.solve_groups(plan, samples)
    refuse_unreachable(plan, solved)
    rows = keyed_rows(plan, solved)
    if rig.two_bone_ik_live:
        solved = [*map(_as_posed, solved)]
    channels: Channels = {rig: (yield from convert.channels(plan, solved, rows, DEFAULTS))}

    def write(keep: Keeper) -> MeasurePhase:
        removal.refuse()
        shown = plan.scene.view_layers[0].depsgraph
        pose_channels(channels, shown)
        notes = [*read_notes, *key_pose(plan, channels, insert_keys, keep)]
        comparison = compare_joints(plan, solved, rows, MEASURED_WHOLE)
        return MeasurePhase(None, lambda _: build_report("Solve", plan, solved, notes, comparison.measured_now(played)))

    return write


def refuse_unposed(rig: Rig, names: Names, scene: Scene | None, pose_before: PoseBefore) -> None:
    """Raise `Refused` where `pose` would, without keys; changes nothing."""
    names, _ = _without_built(rig, names)
    plan = current_plan(rig, names, scene)
    _refuse_unposable(plan, insert_keys=False)
    refuse_unreachable(plan, _solved_now(plan, pose_before))


def _without_built(rig: Rig, names: Names) -> tuple[Names, list[str]]:
    """The names without chains that the rig poses by itself, and a sentence about these; Refused if one was named."""
    chains = chains_taking_part(rig, names).chains
    built = [chain for chain in chains if dependencies.built_by(rig, chain.end_bone)]
    if not built:
        return names, []
    if names is not None or len(built) == len(chains):
        raise Refused("BUILT", chain=built[0])
    left_alone = translated("note.left_to_rig", chains=", ".join(chain.name for chain in built))
    return [chain.name for chain in chains if chain not in built], [left_alone]


def _refuse_unposable(plan: Plan, *, insert_keys: bool) -> None:
    refuse_shared_bones(plan.chains)
    key_checks.refuse_unsettable(plan.rig, convert.paths(plan), plan.frames[0], insert_keys=insert_keys)


def bend_signs(rig: Rig, names: Names, scene: Scene | None, pose_before: PoseBefore) -> dict[str, int]:
    """For each chain the way in which it bends in the scene of now: +1 or -1, with a pole target +1 towards it."""
    plan = current_plan(rig, names, scene)
    return {group.plan.name: group.bend_sign for group in one_by_one(plan, _solved_now(plan, pose_before))}


def _solved_now(plan: Plan, pose_before: PoseBefore) -> list[SolvedGroup]:
    return solve.solve_groups(plan, sampling.sample_current_frame(plan, sample_need(plan), pose_before))


def pose_solved(limbs: Mapping[Rig, tuple[Iterable[Bone], Iterable[SolvedGroup]]], frame: float) -> set[ID]:
    """Pose bones of armatures by what is solved on this frame, without keys; returns those that were posed otherwise.

    limbs : by armature the bones, and the groups in which their chains were solved last. These groups may have
        chains of other armatures, as they were then: what these followed may have been removed since
    """
    before: dict[SolvedGroup, dict[Bone, Sequence[float]]] = defaultdict(dict)
    owners = {}
    for rig, (bones, groups) in limbs.items():
        pose_bones, values = rig.pose.bones, {}
        find = versions.curve_finder(rig) if versions.curves(rig) else None
        for bone in bones:
            owners[bone] = pose_bones[bone.name]
            value = getattr(owners[bone], rotation_name(bone.rotation_mode))[:]
            values[bone] = value_before(find, bone.rotation_path, value, frame).tolist() if find else value
        for group in groups:
            before[group] |= values
    new_values: list[tuple[Bone, str, Sequence[float]]] = []
    for group, values in before.items():
        if columns := [column for column, plan in enumerate(group.plans) if plan.rig in limbs]:
            part = group if len(columns) == len(group.plans) else group.only(columns)
            new_values += pose_values(_going_on(part), values)
    return write.pose_bones((owners[bone], name, numbers) for bone, name, numbers in new_values)


_twists: dict[tuple[int, str], dict[bool, Turned]] = session.of_state({})
"""By `session_uid` of armature objects and chain the twists of `ChainPlan.turned` that the limb was posed with last."""


_frames: dict[int, float] = session.of_state({})
"""By `session_uid` of armature objects the frame on which `go_to` was called last."""

_BESIDE = 1.001
"""Frames: no farther apart are two frames one after the other, in single precision."""


def go_to(rig: Rig, frame: float) -> None:
    """`pose_solved` is on this frame now. To one that is not beside the last, no way leads on for twists."""
    if abs(frame - _frames.get(rig.session_uid, frame)) > _BESIDE:
        for limb in (limb for limb in _twists if limb[0] == rig.session_uid):
            _twists[limb] = {half: Turned(last.angle) for half, last in _twists[limb].items()}
    _frames[rig.session_uid] = frame


def _going_on(solved: SolvedGroup) -> SolvedGroup:
    """Limbs that are solved on one frame, with twists that go on from those that they had last."""
    if solved.plan.twists:
        solved = _as_posed(solved)
        for half, (found, turn) in measured(solved, limb_bases(solved)).items():
            for plan, *last in zip(solved.plans, found.angle[0].tolist(), turn[0], strict=True):
                _twists.setdefault(_limb(plan), {})[half] = Turned(*last)
    return solved


def _as_posed(solved: SolvedGroup) -> SolvedGroup:
    """Limbs whose twists go on from those that they were posed with last."""
    plans = (replace(plan, turned={**plan.turned, **_twists.get(_limb(plan), {})}) for plan in solved.plans)
    return replace(solved, group=replace(solved.group, plans=tuple(plans)))


def _limb(plan: ChainPlan) -> tuple[int, str]:
    return plan.rig.session_uid, plan.name
