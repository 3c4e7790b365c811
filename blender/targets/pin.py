"""Hands and feet that stay where they are while the body moves: targets put there, and Live switched on."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

from bpy.types import Scene

from ...solver.values import Bend
from ..armatures import Rig
from ..bake.build_plan import Frames, chosen_chains, current_plan, with_bones
from ..bake.notes import acting_notes
from ..bake.report import Report
from ..bake.request import Answer, MeasurePhase, Preparation, Resources, request
from ..chains.field_values import chains_restorer
from ..chains.new_chains import add_detected
from ..curves.unkeyed_edits import Keeper
from ..messages.translation import point_text, translated
from ..rigs.controls import limb_followed
from ..scene import dependencies
from ..scene.checks import refuse_unposable
from ..settings.key_settings import InsertKeys, KeySettings
from . import targets_from_pose
from .create_targets import create_all, lacks
from .new_targets import Role, TargetStyle


@request
def pin_targets(
    resources: Resources,
    rig: Rig,
    names: Sequence[str] | None,
    frames: Frames | None,
    scene: Scene | None,
    settings: KeySettings,
    made: TargetStyle,
    *,
    insert_keys: InsertKeys,
) -> Preparation:
    """Targets where the limbs are; an armature without chains gets first those of its arms and legs."""
    refuse_unposable(rig)
    until_written = resources.enter_context(ExitStack())
    until_written.callback(chains_restorer(rig))
    notes: list[str] = []
    if not rig.two_bone_ik_chains:
        limbs = add_detected(rig, ("ARMS", "LEGS"))
        notes.append(translated("note.added_to", rig=rig.name, chains=", ".join(limb.chain for limb in limbs)))
    if any(lacks(chain, role) for chain in chosen_chains(rig, names) for role in Role):
        [created] = create_all({rig: names}, scene, made, undo=until_written)
        notes += created.notes
    write_targets = None
    if frames is not None:
        write_targets = yield from targets_from_pose.bake_targets.part(resources, rig, names, frames, scene, settings)

    def write(keep: Keeper) -> MeasurePhase:
        if write_targets:
            need, measure = write_targets(keep)
        else:
            snapped = targets_from_pose.snap_targets(rig, names, scene, insert_keys=insert_keys)
            need, measure = None, lambda _: snapped
        until_written.pop_all()

        def finish(sampled: Answer) -> Report:
            rig.two_bone_ik_live = True
            report = measure(sampled)
            acting = acting_notes(current_plan(rig, names, scene))
            found = *_nearest(rig, names, frames), *_carried(rig, names)
            sentences = dict.fromkeys((*notes, *report.notes, *acting, *found))
            return replace(report, operation="Pin", notes=tuple(sentences))

        return MeasurePhase(need, finish)

    return write


def _nearest(rig: Rig, names: Sequence[str] | None, frames: Frames | None) -> Iterator[str]:
    """Sentences about limbs that a bake of these frames bends by all of them, and Live by each alone."""
    for chain in chosen_chains(rig, names) if frames is not None else ():
        if chain.bend == Bend.NEAREST:
            yield translated("note.nearest_alone", chain=chain.name)


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
