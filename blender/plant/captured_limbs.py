"""Which captured limbs, hips and frames Plant takes, and what keeps its place meanwhile; nothing is sampled here."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from bpy.types import FCurve, Scene

from ...skeleton.feet.feet import Contact, Foot, Hips
from ...skeleton.values import Plan
from ...solver.feet.plant import PlantOptions
from .. import versions
from ..armatures import Rig
from ..bake.build_plan import Frames, limb_plan
from ..bake.checks import refuse_shared_bones, refuse_stretched_time, refuse_too_many_frames
from ..chains.detect.find_limbs import Kind
from ..curves.key_checks import refuse_unplayable
from ..curves.keys import key_span, whole_frames
from ..messages.refused import Refused
from ..messages.translation import frame_text, translated
from ..rna_paths import bone_and_property
from ..scene.checks import given_names, refuse_unposable
from ..targets.checks import refuse_following
from . import captured_action, contact_keys
from .captured_action import Capture
from .checks import refuse_constrained
from .feet import FoundLimbs, feet_of, found_limbs, hips_of, moves, names_by_end, with_contacts, with_free_toes
from .floor import Floor

_ON = 1e-3
"""Part of a bone's length: as near to its head lies what was made to lie on it, in single precision."""


_Feet = tuple[Foot, ...]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlantChoices:
    """What the user has chosen.

    names : of limbs; None for all of these `kinds`
    frames : None for those on which the limbs have keys
    contacts : None if they are keyed, or to be found
    find_contacts : they are to be found even where they are keyed
    hips : name of the bone to move; None for the nearest that carries legs and arms
    keep : limbs by name or kind that do not go along with the hips
    floor : None if the ground is to be found
    """

    names: Sequence[str] | None = None
    kinds: frozenset[Kind] = frozenset({Kind.LEGS})
    frames: Frames | None = None
    contacts: Sequence[Contact] | None = None
    find_contacts: bool = False
    hips: str | None = None
    keep: Collection[str] = ()
    floor: Floor | None = None
    options: PlantOptions = field(default_factory=PlantOptions)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CapturedLimbs:
    """What is to be planted; no hips if they stay.

    again : names of limbs that were not chosen, but planted by an earlier press: contacts that are given are not theirs
    span : from the first to the last key of the limbs
    """

    plan: Plan
    feet: _Feet
    hips: Hips | None
    source: Capture
    again: frozenset[str]
    span: tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Character:
    """An armature, what was captured of it, and the limbs that were found in it.

    curves : of what was captured
    """

    rig: Rig
    source: Capture
    found: FoundLimbs
    curves: tuple[FCurve, ...]


def captured_limbs(rig: Rig, choices: PlantChoices, scene: Scene | None) -> tuple[CapturedLimbs, list[str]]:
    """The limbs that are chosen, and those that are to keep their place; nothing is evaluated.

    returns : also sentences about what is not as it was asked for, and about limbs of an earlier press
    raises : Refused where they have no keys, or where something else than keys poses them
    """
    refuse_unposable(rig)
    source = captured_action.captured(rig)
    curves = tuple(versions.slot_curves(source.action, source.slot))
    character = _Character(rig=rig, source=source, found=found_limbs(rig), curves=curves)
    chosen, chosen_notes = _chosen_feet(character, choices)
    again, again_notes = _feet_planted_again(character, choices, chosen)
    limbs, hips, hips_notes = _with_kept(character, choices, (*chosen, *again))
    feet, bone_notes = _with_toes(character, limbs, hips)
    plan, span = _captured_plan(character, feet, choices.frames, scene)
    by_name, names = {foot.chain.name: foot for foot in feet}, frozenset(foot.chain.name for foot in again)
    in_order = tuple(by_name[chain.name] for chain in plan.chains)
    read = CapturedLimbs(plan=plan, feet=in_order, hips=hips, source=source, again=names, span=span)
    return read, [*chosen_notes, *again_notes, *hips_notes, *bone_notes]


def _chosen_feet(character: _Character, choices: PlantChoices) -> tuple[_Feet, list[str]]:
    """The feet that are chosen, on the points of their contacts, and sentences about them."""
    rig, found = character.rig, character.found
    names = _of_kinds(found, choices.kinds) if choices.names is None else given_names(rig, choices.names)
    if not names:
        raise Refused("NO_LEGS", object=rig)
    limbs = with_contacts(rig, feet_of(rig, found, names), choices.contacts or ())
    as_keyed = choices.contacts is None and not choices.find_contacts
    feet, notes = _on_keyed_points(character, limbs) if as_keyed else (limbs, [])
    if choices.names is None:
        notes += _naming("alert.limbs_alone", limbs=_alone(found, choices.kinds))
    return feet, notes


def _feet_planted_again(character: _Character, choices: PlantChoices, chosen: _Feet) -> tuple[_Feet, list[str]]:
    """The feet that an earlier press has planted in what plays, and that stay planted, and sentences about such feet.

    They stay planted if others are chosen by name.
    """
    before = _planted_before(character, chosen)
    stay = [foot for foot in before if choices.names is not None and _is_apart(foot, chosen)]
    feet, notes = _on_keyed_points(character, stay)
    notes += _naming("note.planted_again", limbs=sorted(foot.chain.name for foot in stay))
    notes += _naming("alert.planted_no_more", limbs=[foot.chain.name for foot in before if foot not in stay])
    return feet, notes


def _with_kept(character: _Character, choices: PlantChoices, planted: _Feet) -> tuple[_Feet, Hips | None, list[str]]:
    """The feet with all that keeps its place though the hips carry it, and the hips; None, and why, if they must stay.

    raises : Refused where keys cannot keep a limb that is named
    """
    rig, found = character.rig, character.found
    refuse_constrained(planted)
    hips, reason = hips_of(rig, found, planted, choices.hips, character.curves)
    named, kept = _named_limbs(rig, found, choices.keep), list[Foot]()
    if hips:
        named = [foot for foot in named if _carries(rig, hips, foot)]
        kept, reason = _kept_limbs(character, hips, planted, named)
    if reason or not hips:
        return planted, None, [translated("alert.hips_stay", reason=reason)] if reason else []
    # Arms go with the chest that they are on.
    ends, hands = {foot.chain.end.name for foot in named}, {foot.chain.end.name for foot in kept if foot.is_hand}
    stay = (replace(foot, is_kept=foot.chain.end.name in ends or _is_below(rig, foot, hands)) for foot in planted)
    return (*stay, *kept), replace(hips, carries=hips.carries | {foot.chain.name for foot in kept}), []


def _with_toes(character: _Character, limbs: Sequence[Foot], hips: Hips | None) -> tuple[_Feet, list[str]]:
    """The feet with toes that can be keyed, and sentences about toes that cannot, and bones that do not go along."""
    feet, stiff = with_free_toes(character.rig, limbs, character.curves)
    notes = _naming("note.stiff_toes", bones=stiff)
    return feet, [*notes, *_naming("alert.left_behind", bones=_left_behind(character, feet, hips))]


def _captured_plan(
    character: _Character, feet: _Feet, frames: Frames | None, scene: Scene | None
) -> tuple[Plan, tuple[float, float]]:
    """The plan of the limbs on the frames that were captured, and these from the first to the last key.

    raises : Refused where keys on these frames cannot pose the limbs, or something else poses them
    """
    bones = {name for foot in feet if foot.is_planted for name in foot.chain.oriented}
    span = key_span(character.curves, bones)
    if span is None:
        raise Refused("NO_CAPTURE", object=character.rig)
    chains = tuple(foot.chain for foot in feet)
    asked = limb_plan(character.rig, chains, span if frames is None else frames, scene)
    plan = _on_captured_frames(asked, character.curves)
    refuse_too_many_frames(plan)
    refuse_stretched_time(plan)
    refuse_shared_bones(chains)
    refuse_following([chain.end.name for chain in chains], plan)
    return plan, span


def _naming(name: str, **lists: Sequence[str]) -> list[str]:
    """The sentence of this name with its list; none without anything in it."""
    listed = {key: ", ".join(names) for key, names in lists.items() if names}
    return [translated(name, **listed)] if listed else []


def _alone(found: FoundLimbs, kinds: Collection[Kind]) -> list[str]:
    """Names of the limbs of these kinds that have no partner on the other side."""
    own = [limb for limb in found.values() if limb.side and limb.kind in kinds]
    names = [limb.name.removesuffix(f".{limb.side}") for limb in own]
    return [limb.name for limb, name in zip(own, names, strict=True) if names.count(name) == 1]


def _left_behind(character: _Character, feet: Iterable[Foot], hips: Hips | None) -> list[str]:
    """Names of keyed bones that lie on hands and feet at rest, but do not go along, as Unreal's ik_foot_l."""
    rig, bones = character.rig, character.rig.data.bones
    planted = {foot.chain.end.name for foot in feet if foot.is_planted}
    moved = [limb for limb in character.found.values() if limb.tip_bone and (limb.end_bone in planted or hips)]
    ends, tips = {bones[limb.end_bone] for limb in moved}, [bones[limb.tip_bone] for limb in moved]
    keyed = dict.fromkeys(bone_and_property(curve.data_path)[0] for curve in character.curves)
    free = [bones[name] for name in keyed if name in bones and not rig.pose.bones[name].constraints]
    return [
        bone.name
        for bone in free
        if ends.isdisjoint((bone, *bone.parent_recursive))
        and any((bone.head_local - tip.head_local).length < _ON * tip.length for tip in tips)
    ]


def _planted_before(character: _Character, chosen: Iterable[Foot]) -> _Feet:
    """The feet that an earlier press has planted and that are not among the chosen ones."""
    rig, found = character.rig, character.found
    planted = {bone_and_property(path)[0] for path, row in character.source.rows.items() if row.is_planted}
    planted -= {foot.chain.end.name for foot in chosen}
    names = names_by_end(rig, found).items()
    return feet_of(rig, found, [name for end, name in names if end in planted and end in rig.pose.bones])


def _on_keyed_points(character: _Character, feet: Sequence[Foot]) -> tuple[_Feet, list[str]]:
    """The feet, standing on the points that their keyed contacts are about, and a sentence for each that is lost."""
    rows = ((foot, character.source.rows.get(contact_keys.path(foot.chain.end.path))) for foot in feet)
    given = [(foot, Contact(foot.chain.name, 0.0, 0.0, *point)) for foot, row in rows if row for point in row.points]
    known = [contact for foot, contact in given if moves(foot, contact.bone)]
    lost = dict.fromkeys((contact.chain, contact.bone) for _, contact in given if contact not in known)
    notes = [translated("alert.point_lost", limb=limb, bone=bone) for limb, bone in lost]
    return with_contacts(character.rig, feet, known), notes


def _on_captured_frames(plan: Plan, curves: Sequence[FCurve]) -> Plan:
    """The plan without frames before the first captured key and after the last, where one pose goes on."""
    span = whole_frames(filter(contact_keys.is_motion, curves))
    if span is None or any(curve.modifiers or curve.extrapolation == "LINEAR" for curve in curves):
        return plan  # a walk that is played to and fro, say
    first, last = span
    frames = plan.frames[(plan.frames >= first) & (plan.frames <= last)]
    if not len(frames):
        start, end, low, high = map(frame_text, (plan.frames[0], plan.frames[-1], first, last))
        raise Refused("NOT_CAPTURED", object=plan.name, value=(first, last), start=start, end=end, first=low, last=high)
    return replace(plan, frames=frames)


def _kept_limbs(character: _Character, hips: Hips, planted: _Feet, named: Sequence[Foot]) -> tuple[list[Foot], str]:
    """The limbs that keep their place though the hips carry them, without planted ones; or why the hips must stay.

    named : the limbs that are to do so as well as all legs; the hips carry them
    raises : Refused where keys cannot keep one of these
    """
    rig, found = character.rig, character.found
    try:
        legs = [foot for foot in feet_of(rig, found, _of_kinds(found, {Kind.LEGS})) if _carries(rig, hips, foot)]
    except Refused as refused:
        return [], str(refused)
    legs, others = _to_keep(legs, planted), _to_keep(named, planted)
    refuse_constrained(others)
    for leg in legs:
        try:
            refuse_constrained([leg])
            refuse_unplayable(rig, {bone.rotation_path for bone in leg.chain.keyed}, character.curves)
        except Refused as refused:
            return [], translated("part.hips_drag", limb=leg.chain.name, reason=refused)
    return [*legs, *(foot for foot in others if _is_apart(foot, legs))], ""


def _to_keep(feet: Iterable[Foot], planted: Sequence[Foot]) -> list[Foot]:
    """The limbs that have no bone in common with planted ones, marked as kept in place and not planted."""
    return [replace(foot, is_planted=False, is_kept=True) for foot in feet if _is_apart(foot, planted)]


def _named_limbs(rig: Rig, found: FoundLimbs, keep: Collection[str]) -> list[Foot]:
    """The limbs of these names, and all of these kinds; a kind that the rig has not is left out.

    So is a spine whose upper bone carries the arms: that bone would turn as the spine bends, and the arms with it.

    raises : Refused where no limb has such a name
    """
    words = given_names(rig, keep) if keep else []
    names = [word for word in words if word not in set(Kind)]
    kept = feet_of(rig, found, [*names, *_of_kinds(found, set(words) - {Kind.SPINE})])
    spine = feet_of(rig, found, _of_kinds(found, set(words) & {Kind.SPINE}))
    return [*kept, *(foot for foot in spine if foot.chain.below)]


def _of_kinds(found: FoundLimbs, kinds: Collection[str]) -> list[str]:
    return [name for name, limb in found.items() if limb.kind in kinds]


def _is_apart(foot: Foot, others: Iterable[Foot]) -> bool:
    """Whether it has no bone in common with the others."""
    return all(set(foot.chain.oriented).isdisjoint(other.chain.oriented) for other in others)


def _is_below(rig: Rig, foot: Foot, names: Collection[str]) -> bool:
    return any(bone.name in names for bone in rig.data.bones[foot.chain.root.name].parent_recursive)


def _carries(rig: Rig, hips: Hips, foot: Foot) -> bool:
    """Whether the limb goes along with the hips; Refused for one that turns them."""
    if hips.bone.name in foot.chain.oriented:
        raise Refused("KEPT_HIPS", object=rig, bone=hips.bone.name, limb=foot.chain.name)
    return _is_below(rig, foot, {hips.bone.name})
