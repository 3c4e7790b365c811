"""Creates the target and pole target that chains lack, as empties or as bones, so that the pose stays as it is."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from types import ModuleType

from bpy.types import Scene

from ...skeleton.target_channels import WorldTransform
from ...skeleton.targets_from_pose import TargetsFromPose
from ...skeleton.values import Point
from ...solver.values import Plane
from ..armatures import Rig
from ..bake.build_plan import Names, Participants, scene_of, with_bones
from ..bake.report import Report
from ..chains.field_values import chains_restorer, set_fitting
from ..messages.translation import translated
from ..scene.checks import refuse_unposable
from ..settings.properties import POINTS, TwoBoneIKChain
from . import target_bones, target_empties, targets_from_pose
from .made_for import is_of_twin
from .target_names import NewTarget, Role, TargetKind, TargetStyle, carrying_hand, target_name

DEFAULT = TargetStyle()


def create_all(
    rigs: Mapping[Rig, Names],
    scene: Scene | None,
    style: TargetStyle,
    *,
    undo: ExitStack | None = None,
    choose_settings: bool = True,
) -> list[Report]:
    """Create missing targets for these chains (None: all that are not muted); existing targets stay as they are.

    Blender evaluates the scene once for all armatures; the more objects there are, the longer that takes.

    undo : gets what removes the targets again, and gives chains the settings that they had
    choose_settings : give chains that get a target the settings that fit them
    raises : Refused if they cannot be created; then nothing has changed
    """
    taking_part: dict[Rig, Participants] = {}
    lacking: dict[Rig, dict[str, TwoBoneIKChain]] = {}
    makers: dict[Rig, tuple[ModuleType, tuple[str, ...]]] = {}
    for rig, names in rigs.items():
        refuse_unposable(rig)
        taking_part[rig] = with_bones(rig, names)
        chains = [chain for chain in taking_part[rig].chains if any(lacks(chain, role) for role in Role)]
        if chains:
            lacking[rig] = {chain.name: chain for chain in chains}
            makers[rig] = _maker(rig, scene_of(rig, scene), style)
    nothing = (translated("note.no_target_lacks"),)
    reports = {rig: Report(rig=rig.name, chains=(), notes=nothing, operation="Create Targets") for rig in rigs}
    with ExitStack() as until_created:
        restorers = {rig: chains_restorer(rig) for rig in lacking}
        for rig, by_name in lacking.items():
            until_created.callback(restorers[rig])
            for chain in by_name.values() if choose_settings else ():
                if lacks(chain, Role.TARGET):
                    set_fitting(chain)
        created: list[tuple[Point, NewTarget]] = []
        for rig, posed in targets_from_pose.find_targets(lacking, scene).items():
            by_chain = ((lacking[rig][targets.solved.plan.name], targets) for targets in posed.targets)
            new_targets = [new for chain, targets in by_chain for new in _new_targets(chain, targets)]
            maker, reasons = makers[rig]
            points, notes = maker.make(rig, scene_of(rig, scene), new_targets, until_created)
            until_created.callback(restorers[rig])  # before their bones go, which live chains would miss
            places = dict(zip(points, new_targets, strict=True))
            targets_from_pose.place_targets(posed, {point: new.transform for point, new in places.items()})
            created += places.items()
            reports[rig] = replace(posed.report, notes=(*reasons, *notes, *posed.report.notes))
        # Last: a live limb would follow a target that is not in its place yet.
        for point, new in created:
            setattr(new.chain, POINTS[new.role], point.bone)
            setattr(new.chain, new.role, point.object)
        created_all = until_created.pop_all()
    if undo:
        undo.push(created_all)
    return [
        replace(report, notes=(*chains.alerts, *report.notes), left_out=chains.left_out, lacking=chains.left_out)
        for report, chains in zip(reports.values(), taking_part.values(), strict=True)
    ]


def _maker(rig: Rig, scene: Scene, style: TargetStyle) -> tuple[ModuleType, tuple[str, ...]]:
    """What makes the targets of this armature, and notes that say why they are not of the kind of the style."""
    if style.kind == TargetKind.EMPTIES:
        return target_empties, ()
    obstacle = target_bones.obstacle(rig, scene)
    if obstacle is None:
        return target_bones, ()
    refusal, why = obstacle
    if not style.or_empties:
        raise refusal
    return target_empties, (why,)


def lacks(chain: TwoBoneIKChain, role: Role) -> bool:
    """True if the chain has nothing in this role, or only what was made for the armature it was duplicated from."""
    if role is Role.POLE and chain.plane == Plane.AIM:
        return False  # an aimed chain would not look at it
    return getattr(chain, role) is None or is_of_twin(chain, role)


def _new_targets(chain: TwoBoneIKChain, targets: TargetsFromPose) -> Iterator[NewTarget]:
    parent = carrying_hand(targets.solved.plan)
    transforms = {
        Role.TARGET: WorldTransform(location=targets.target, orientation=targets.orientation),
        Role.POLE: WorldTransform(location=targets.pole),
    }
    for role, transform in transforms.items():
        if lacks(chain, role):
            name = target_name(chain.name, role)
            yield NewTarget(chain=chain, role=role, name=name, parent=parent, transform=transform, size=targets.size)
