"""Hands and feet that stay where they are while the body moves: targets put there, and Live switched on."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

from bpy.types import Scene

from ..armatures import Rig
from ..bake.build_plan import chosen_chains, current_plan, with_bones
from ..bake.notes import acting_notes
from ..bake.report import Report
from ..chains.field_values import unchanged_on_error
from ..chains.new_chains import add_detected
from ..messages.translation import point_text, translated
from ..rigs.controls import limb_followed
from ..scene import dependencies
from ..scene.checks import refuse_unposable
from ..settings.key_settings import InsertKeys
from .create_targets import create_all, lacks
from .target_names import Role, TargetStyle
from .targets_from_pose import snap_targets


def pin_targets(
    rig: Rig, names: Sequence[str] | None, scene: Scene | None, made: TargetStyle, *, insert_keys: InsertKeys
) -> Report:
    """Targets where the limbs are; an armature without chains gets first those of its arms and legs."""
    refuse_unposable(rig)
    notes: list[str] = []
    with unchanged_on_error(rig), ExitStack() as until_pinned:
        if not rig.two_bone_ik_chains:
            limbs = add_detected(rig, ("ARMS", "LEGS"))
            notes.append(translated("note.added_to", rig=rig.name, chains=", ".join(limb.chain for limb in limbs)))
        if any(lacks(chain, role) for chain in chosen_chains(rig, names) for role in Role):
            [created] = create_all({rig: names}, scene, made, undo=until_pinned)
            notes += created.notes
        report = snap_targets(rig, names, scene, insert_keys=insert_keys)
        until_pinned.pop_all()
    rig.two_bone_ik_live = True
    acting = acting_notes(current_plan(rig, names, scene))
    sentences = dict.fromkeys((*notes, *report.notes, *acting, *_carried(rig, names)))
    return replace(report, operation="Pin", notes=tuple(sentences))


def _carried(rig: Rig, names: Sequence[str] | None) -> Iterator[str]:
    """Sentences about targets that a bone of the armature takes along, so that not every move leaves them in place."""
    by_rig: list[str] = []
    for chain in with_bones(rig, names).chains:
        points = dependencies.targets_of(chain)
        limb = next(filter(None, map(limb_followed, points)), None)
        if limb:
            by_rig.append(chain.name)
        for point in points:
            if limb and point.bone in limb.named:
                continue  # what is between it and its control is never moved
            bones = [place.bone for place in dependencies.with_parents(point)[1:] if place.object == rig and place.bone]
            if bones:
                yield translated("note.carried_target", chain=chain.name, target=point_text(point), bone=bones[0])
    if by_rig:
        yield translated("note.carried_by_rig", chains=", ".join(by_rig))
