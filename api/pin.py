"""Hands and feet that stay where they are while the body moves: targets put there, and Live switched on."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

from bpy.types import Object, Scene

from ..blender.armatures import Rig
from ..blender.bake.build_plan import Frames, chosen_chains, current_plan, scene_of, with_bones
from ..blender.bake.notes import acting_notes
from ..blender.bake.phases import Opened, Preparation, Request, Sampled, Written, request
from ..blender.bake.report import Report
from ..blender.chains.field_values import chains_restorer
from ..blender.curves.unkeyed_edits import Keep
from ..blender.messages.translation import point_text, translated
from ..blender.rigs.controls import limb_followed
from ..blender.scene import dependencies
from ..blender.scene.checks import given_rig, refuse_unposable
from ..blender.settings.key_settings import DEFAULTS, KeySettings, KeyStyle
from ..blender.targets import target_bones, target_empties, targets_from_pose
from ..blender.targets.create_targets import DEFAULT, create, lacks
from ..blender.targets.made_for import item_of
from ..blender.targets.new_targets import Role, TargetKind, TargetStyle
from .chains import add_detected
from .command import command

_EVERY_FRAME = KeyStyle()


@command
def pin(
    rig: Object,
    chains: Sequence[str] | None = None,
    frames: Frames | None = None,
    *,
    scene: Scene | None = None,
    style: KeyStyle = _EVERY_FRAME,
    insert_keys: bool = False,
    sampling: str = DEFAULTS.sampling,
    measure: str = DEFAULTS.measure,
    kind: str = DEFAULT.kind,
    or_empties: bool = DEFAULT.or_empties,
) -> Request:
    """Put target and pole target where the limbs are, and switch Live on: the tips then stay while the body moves.

    Chains get the targets that they lack, as `create_targets` makes them. An armature without chains first gets those
    of its arms and legs, as `add_detected` adds them. A request that is closed before it has written removes new chains
    and targets again.

    frames : None for the current frame alone; over a range targets are keyed first, as by `bake_targets`
    style, sampling, measure : how they are keyed over the range; see `bake`
    insert_keys : key the targets on the current frame
    kind, or_empties : as for `create_targets`

    >>> print(api.pin(rig))
    forearm.L: 1 of 1 frames reached
    Keys take "Hand" back on the next frame: insert keys, or work over a range
    Created 1 empty in the collection "Hero Targets"
    Linking "Hero" alone will not take the empties along: put them into a collection, and link that
    >>> rig.two_bone_ik_live
    True
    """
    settings = KeySettings.styled(style, sampling=sampling, measure=measure)
    made = TargetStyle(kind=TargetKind(kind), or_empties=or_empties)
    return _pin(given_rig(rig), chains, frames, scene, settings, made, insert_keys=insert_keys)


@request
def _pin(
    opened: Opened,
    rig: Rig,
    names: Sequence[str] | None,
    frames: Frames | None,
    scene: Scene | None,
    settings: KeySettings,
    made: TargetStyle,
    *,
    insert_keys: bool,
) -> Preparation:
    refuse_unposable(rig)
    until_written = opened.enter_context(ExitStack())
    restore_chains = chains_restorer(rig)
    until_written.callback(restore_chains)
    notes = [*_detected(rig), *_created(rig, names, scene, made, until_written)]
    until_written.callback(restore_chains)  # before their bones go, which live chains would miss
    write_targets = None
    if frames is not None:
        write_targets = yield from targets_from_pose.bake_targets.part(opened, rig, names, frames, scene, settings)

    def write(keep: Keep) -> Written:
        if write_targets:
            need, measure = write_targets(keep)
        else:
            snapped = targets_from_pose.snap_targets(rig, names, scene, insert_keys=insert_keys)
            need, measure = None, lambda _: snapped
        until_written.pop_all()

        def finish(sampled: Sampled) -> Report:
            rig.two_bone_ik_live = True
            report = measure(sampled)
            acting = acting_notes(current_plan(rig, names, scene))
            sentences = dict.fromkeys((*notes, *report.notes, *acting, *_carried(rig, names)))
            return replace(report, operation="Pin", notes=tuple(sentences))

        return Written(need, finish)

    return write


def _detected(rig: Rig) -> Iterator[str]:
    if not rig.two_bone_ik_chains:
        limbs = add_detected(rig)
        yield translated("note.added_to", rig=rig.name, chains=", ".join(limb.chain for limb in limbs))


def _created(
    rig: Rig, names: Sequence[str] | None, scene: Scene | None, style: TargetStyle, until_written: ExitStack
) -> Sequence[str]:
    """Creates targets that are missing; returns sentences about them."""
    lacking = [(chain, role) for chain in chosen_chains(rig, names) for role in Role if lacks(chain, role)]
    if not lacking:
        return ()
    report = create(rig, names, scene, style)
    items = [item for chain, role in lacking if (item := item_of(chain, role))]
    until_written.callback(target_empties.remove, [target for target, bone in items if not bone])
    until_written.callback(target_bones.remove, rig, scene_of(rig, scene), [bone for _, bone in items if bone])
    return report.notes


def _carried(rig: Rig, names: Sequence[str] | None) -> Iterator[str]:
    """Sentences about targets that a bone of the armature takes along, so that not every move leaves them in place."""
    by_rig: list[str] = []
    for chain in with_bones(rig, names).chains:
        points = [item for role in Role if (item := item_of(chain, role))]
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
