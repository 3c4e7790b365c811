"""Creates the target and pole target that chains lack, as empties or as bones, so that the pose stays as it is."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bpy.types import Scene

from ...skeleton.target_channels import WorldTransform
from ...skeleton.targets_from_pose import TargetsFromPose
from ...solver.values import Plane
from ..armatures import Rig
from ..messages.report import Report
from ..messages.translation import translated
from ..pipeline.checks.armature import refuse_unposable
from ..pipeline.read.chosen_chains import chosen_chains, scene_of
from ..pipeline.requests import targets_from_pose
from ..properties import TwoBoneIKChain
from . import chain_defaults, target_bones, target_empties
from .field_values import set_fields, unchanged_on_error
from .made_for import is_of_twin
from .new_targets import NewTarget, Role, TargetKind, TargetStyle, parent_name, target_name

DEFAULT = TargetStyle()


def create(
    rig: Rig,
    names: Sequence[str] | None,
    scene: Scene | None,
    style: TargetStyle = DEFAULT,
    *,
    choose_settings: bool = True,
) -> Report:
    """Create missing targets for chains `names` (None: all that are not muted); existing targets stay as they are.

    choose_settings : give chains that get a target the settings that fit them
    raises : Refused if they cannot be created; then nothing has changed
    """
    refuse_unposable(rig)
    chains = {chain.name: chain for chain in chosen_chains(rig, names) if any(lacks(chain, role) for role in Role)}
    if not chains:
        return Report(rig=rig.name, chains=(), notes=(translated("note.no_target_lacks"),), operation="Create Targets")
    scene = scene or scene_of(rig)
    maker = target_bones if style.kind == TargetKind.BONES else target_empties
    maker.refuse_impossible(rig, scene)
    with unchanged_on_error(rig):
        if choose_settings:
            for chain in chains.values():
                if lacks(chain, Role.TARGET):
                    set_fields(chain, chain_defaults.fitting(chain))
        report, found = targets_from_pose.find_targets(rig, list(chains), scene)
        new = [one for each in found for one in _new_targets(chains[each.solved.plan.name], style, each)]
        with maker.made(rig, scene, new) as (points, notes):
            transforms = {point: one.transform for point, one in zip(points, new, strict=True)}
            targets_from_pose.place_targets(rig, list(chains), scene, transforms)
            # Last: a live limb would follow a target that is not in its place yet.
            for point, one in zip(points, new, strict=True):
                setattr(one.chain, one.role.bone_field, point.bone)
                setattr(one.chain, one.role, point.object)
    return replace(report, notes=(*notes, *report.notes))


def lacks(chain: TwoBoneIKChain, role: Role) -> bool:
    """True if the chain has nothing in this role, or only what was made for the armature it was duplicated from."""
    if role is Role.POLE and chain.plane == Plane.AIM:
        return False  # an aimed chain would not look at it
    return getattr(chain, role) is None or is_of_twin(chain, role)


def _new_targets(chain: TwoBoneIKChain, style: TargetStyle, found: TargetsFromPose) -> Iterator[NewTarget]:
    parent = parent_name(chain, style)
    transforms = {
        Role.TARGET: WorldTransform(location=found.target, orientation=found.orientation),
        Role.POLE: WorldTransform(location=found.pole),
    }
    for role, transform in transforms.items():
        if lacks(chain, role):
            name = target_name(chain.name, role)
            yield NewTarget(chain=chain, role=role, name=name, parent=parent, transform=transform, size=found.size)
