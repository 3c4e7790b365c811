"""The order of the steps for feet that stand: captured feet are kept in place on the ground, in an action of their own.

What was captured is sampled, also if the armature plays what was planted from it.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

from bpy.types import Scene

from ...skeleton import bone_channels, solve
from ...skeleton.feet import feet, plant, toes
from ...skeleton.feet.feet import Contact
from ...skeleton.feet.plant import PlantedFeet
from ...skeleton.steps import run
from ...skeleton.values import Channel, Point, Samples
from ...solver.vectors import norm
from .. import versions
from ..armatures import Rig
from ..bake.notes import switch_notes
from ..bake.report import Report, build_report
from ..bake.request import Answer, MeasurePhase, Need, Preparation, Resources, request
from ..curves import kept_outside, key_checks, write
from ..curves.keys import values_before
from ..curves.unkeyed_edits import Keeper
from ..messages.numbers import unit_of_legs
from ..messages.translation import frame_text, translated
from ..scene import sampling
from ..scene.need import SampleNeed, pose_need
from ..settings.key_settings import KeySettings
from . import captured_action, contact_keys, floor
from .captured_limbs import CapturedLimbs, PlantChoices, captured_limbs
from .checks import refuse_scaled, refuse_without_length
from .compare_feet import MOVES, compare_feet, foot_reports
from .said_contacts import SaidContacts, groundless_notes, refuse_groundless, said_contacts


@request
def plant_feet(
    resources: Resources, rig: Rig, choices: PlantChoices, scene: Scene | None, settings: KeySettings
) -> Preparation:
    """Key the limbs so that their feet stand, in a copy of the captured action."""
    read, limb_notes = captured_limbs(rig, choices, scene)
    player = resources.enter_context(captured_action.playing(rig, read.source))
    rotations = _rotation_paths(read)
    moving = {*rotations, read.hips.bone.location_path} if read.hips else set(rotations)
    curves = versions.slot_curves(read.source.action, read.source.slot)
    key_checks.refuse_unwritable(rig, moving, replace(settings, new_action=True), curves)
    before = values_before(player, rotations, read.plan.frames[0] + 0.5)

    as_played = replace(read.plan, rig=player)
    sampler = resources.enter_context(sampling.Sampler(as_played, settings.sampling, resources.slow.append))
    ends = [foot.chain.end.name for foot in read.feet if foot.is_planted]
    changed = contact_keys.to_be_keyed(rig, read.plan.scene, ends)
    said = said_contacts(read, choices, changed)
    samples, planted = yield from _planted(read, choices, said, sampler, player)
    plan, moved = plant.with_targets(read.plan, samples, planted, read.hips)
    solved = solve.solve_groups(plan, moved)
    rows = bone_channels.keyed_rows(plan, solved)
    by_chain = bone_channels.channels(plan, solved, rows, before)
    channels = [channel for found in by_chain.values() for channel in found]
    toe_keys = list(toes.toe_channels(plan, samples, read.feet, planted, before))
    channels += [channel for channel, _ in toe_keys]
    channels += [plant.hips_channel(plan, samples, read.hips, planted.shift)] if read.hips else []
    contacts = _contact_channels(read, planted)
    raised = max((rise for _, rise in toe_keys), default=0.0)
    told = [*_notes(read, limb_notes, said, planted, raised), *groundless_notes(read, choices.floor, planted)]

    def write(keep: Keeper) -> MeasurePhase:
        sampler.removal.refuse()
        keyed = {channel.path for channel in (*channels, *contacts)}
        keep(rig, plan.scene, keyed)
        notes = captured_action.begin_anew(rig, read.source, moving)
        notes += _write_poses(read, channels, settings)
        _write_contacts(read, said, changed, contacts)
        resources.enter_context(captured_action.apart(rig, read.source))
        played = resources.enter_context(sampling.Sampler(read.plan, sampler.way))
        comparison = compare_feet(plan, read.feet, planted, solved, settings)

        def measure(sampled: Answer) -> Report:
            feet_now = foot_reports(plan, read.feet, planted, comparison.frames, sampled)
            report = build_report("Plant", plan, solved, [*told, *notes], comparison.measured(sampled))
            report = replace(report, unit=_unit(read, planted))
            return replace(report, notes=(*report.notes, *_kept_notes(read, report)), feet=feet_now)

        return MeasurePhase(Need.of(comparison.points, comparison.frames, played, {rig: keyed}), measure)

    return write


def _rotation_paths(read: CapturedLimbs) -> list[str]:
    """RNA paths of the rotations of all limbs and toes."""
    limbs = (bone for chain in read.plan.chains for bone in chain.keyed)
    return [bone.rotation_path for bone in (*(toe for foot in read.feet for toe in foot.toes), *limbs)]


def _contact_channels(read: CapturedLimbs, planted: PlantedFeet) -> list[Channel]:
    """The contacts of the feet that are planted."""
    return [
        contact_keys.channel(foot.chain.end.path, read.plan.frames, planted.stands[:, column] @ contact_keys.POINTS)
        for column, foot in enumerate(read.feet)
        if foot.is_planted
    ]


def _write_poses(read: CapturedLimbs, channels: Sequence[Channel], settings: KeySettings) -> list[str]:
    """Key the copy of the captured action that plays; returns sentences for the report."""
    rig, span = read.plan.rig, (read.plan.frames[0], read.plan.frames[-1])
    goes_on = read.span[0] < span[0], read.span[1] > span[1]
    unkeyed = captured_action.unkeyed_values(versions.played(rig)[0])
    with kept_outside.kept(rig, channels, span, settings, goes_on=goes_on, unkeyed=unkeyed):
        return write.keys(rig, channels, span=span, style=settings)


def _write_contacts(
    read: CapturedLimbs, said: Sequence[SaidContacts], changed: Sequence[Channel], contacts: Sequence[Channel]
) -> None:
    """Key there the contacts that were changed without a key, and those of the feet, and remember them."""
    rig, span = read.plan.rig, (read.plan.frames[0], read.plan.frames[-1])
    for key in changed:
        write.keys(rig, [key], span=(key.frames[0], key.frames[0]), style=contact_keys.STYLE)
    going_on = [contact_keys.going_on(rig, channel) for channel in contacts]
    write.keys(rig, going_on, span=span, style=contact_keys.STYLE)
    known = [(its.foot, its.spans) for its in said if its.foot.is_planted]
    captured_action.remember_contacts(rig, read.source, known)


def find_contacts(rig: Rig, choices: PlantChoices, scene: Scene | None, settings: KeySettings) -> tuple[Contact, ...]:
    """The contacts that are keyed, else those that `plant_feet` would find; nothing is written."""
    read, _ = captured_limbs(rig, choices, scene)
    with (
        captured_action.playing(rig, read.source) as player,
        sampling.Sampler(replace(read.plan, rig=player), settings.sampling) as sampler,
    ):
        _, planted = run(_planted(read, choices, said_contacts(read, choices, as_keyed=True), sampler, player))
    found = feet.contacts(read.feet, planted.stands, read.plan.frames)
    return tuple(contact for contact in found if contact.chain not in read.again)


def _planted(
    read: CapturedLimbs, choices: PlantChoices, said: Sequence[SaidContacts], sampler: sampling.Sampler, player: Rig
) -> Generator[float, None, tuple[Samples, PlantedFeet]]:
    """What was captured, and what is to be made of it; yields the part that is done."""
    plan = read.plan
    samples = yield from sampler.over_range(_need(read).of(plan.rig, player))
    samples = samples.of(player, plan.rig)
    legs = plant.captured_legs(samples, read.feet, read.hips, len(plan.frames), plan.rate)
    refuse_without_length(read.feet, legs.lengths)
    refuse_scaled(read.feet, samples)
    given = [its.given for its in said]
    heights = None if choices.floor is None else floor.heights(choices.floor, plan.scene)
    planted = plant.plant_feet(legs, samples, read.feet, read.hips, given, choices.options, heights)
    refuse_groundless(read, choices.floor, planted, said)
    return samples, planted


def _need(read: CapturedLimbs) -> SampleNeed:
    rig = read.plan.rig
    points = {Point(rig, place.bone) for foot in read.feet for place in (*foot.points, *foot.ends)}
    own = {Point(rig, toe.name) for foot in read.feet for toe in foot.toes}
    if read.hips:
        own.add(Point(rig, read.hips.bone.name))
        points |= {read.hips.parent} if read.hips.parent else set()
    return pose_need(read.plan, ()) | replace(SampleNeed.at(points | own), own=frozenset(own))


def _kept_notes(read: CapturedLimbs, report: Report) -> Iterator[str]:
    """Sentences about limbs that were to keep their place, and are too short for it."""
    kept = {foot.chain.name for foot in read.feet if foot.is_kept and not foot.is_planted}
    for chain in report.chains:
        if chain.name in kept and chain.status.any():
            yield translated("alert.not_in_place", unit=report.unit, limb=chain.name, short=chain.miss.max())


def _unit(read: CapturedLimbs, planted: PlantedFeet) -> str:
    return unit_of_legs(read.plan.scene, float(planted.captured.lengths.mean()))


def _notes(
    read: CapturedLimbs, limb_notes: Sequence[str], said: Sequence[SaidContacts], planted: PlantedFeet, raised: float
) -> Iterator[str]:
    """Sentences about what was made of the motion as a whole, in which tips of toes are raised by so much."""
    least, unit = MOVES * float(planted.captured.lengths[0]), _unit(read, planted)
    if read.source.is_lost:
        yield translated("alert.capture_lost", action=read.source.action.name)
    found = any(its.foot.is_planted and not its.by_user.all() for its in said)
    if found and not (planted.stands.any() or planted.groundless.any()):
        yield translated("alert.none_stands")
    yield from limb_notes
    if limbs := [its.foot.chain.name for its in said if its.foot.is_planted and its.stays_found]:
        yield translated("note.contacts_stay", limbs=", ".join(limbs))
    chains = read.plan.rig.two_bone_ik_chains if read.plan.rig.two_bone_ik_live else ()
    ends = {chain.end.name for chain in read.plan.chains}
    if live := [chain.name for chain in chains if chain.end_bone in ends and chain.target and not chain.mute]:
        yield translated("alert.live_poses", chains=", ".join(live))
    yield from switch_notes(read.plan)
    frames, moved = read.plan.frames, planted.moved.max(axis=1) + norm(planted.shift)
    beyond = read.span[0] < frames[0], read.span[1] > frames[-1]
    jump = max((float(moved[row]) for row, there in zip((0, -1), beyond, strict=True) if there), default=0.0)
    if jump > least:
        span = {"start": frame_text(frames[0]), "end": frame_text(frames[-1])}
        yield translated("alert.planted_in_part", unit=unit, **span, jump=jump)
    if planted.ratio != 1.0:
        yield translated("note.hips_scaled", ratio=planted.ratio)
    yield from _way("note.hips_lowered", unit, float(planted.lowering.max()), least)
    yield from _way("note.toes_raised", unit, raised, least)
    yield from _way("alert.ground_moves", unit, float(norm(planted.velocity).max()), least)
    yield from _way("alert.ground_outrun", unit, float(norm(planted.outrun).max()), least)


def _way(name: str, unit: str, way: float, least: float) -> Iterator[str]:
    """The sentence of this name, which tells a way, if that can be seen."""
    if way > least:
        yield translated(name, unit=unit, way=way)
