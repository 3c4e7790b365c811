"""Captured limbs that are chosen, their hips, and the action that they play: what Plant reads."""

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
from ..curves.keys import key_span
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

    again : names of limbs that were not chosen, but planted by an earlier press
    notes : sentences about what is not as it was asked for, and about limbs of an earlier press
    span : from the first to the last key of the limbs
    """

    plan: Plan
    feet: tuple[Foot, ...]
    hips: Hips | None
    source: Capture
    again: frozenset[str]
    notes: tuple[str, ...]
    span: tuple[float, float]


def captured_limbs(rig: Rig, choices: PlantChoices, scene: Scene | None) -> CapturedLimbs:
    """The limbs that are chosen, and those that are to keep their place; nothing is evaluated.

    raises : Refused where they have no keys, or where something else than keys poses them
    """
    refuse_unposable(rig)
    reading = _Reading(rig, choices)
    reading.choose()
    reading.take_in_planted()
    reading.find_hips()
    reading.keep_others()
    reading.free_toes()
    reading.name_left_behind()
    return reading.read(scene)


class _Reading:
    """What the stages have found so far, each with what it has to tell."""

    def __init__(self, rig: Rig, choices: PlantChoices) -> None:
        self._rig, self._choices = rig, choices
        self._source, self._limbs = _source(rig), found_limbs(rig)
        self._curves = tuple(versions.slot_curves(self._source.action, self._source.slot))
        self._feet: tuple[Foot, ...] = ()
        self._again: tuple[Foot, ...] = ()
        self._hips: Hips | None = None
        self._notes: list[str] = []

    def choose(self) -> None:
        """The feet that are chosen, on the points of their contacts."""
        choices = self._choices
        feet = feet_of(self._rig, self._limbs, choices.names, choices.kinds, choices.options.softness)
        if choices.contacts is None and not choices.find_contacts:
            feet = self._on_given_points(feet)
        self._feet = with_contacts(self._rig, feet, choices.contacts or ())
        if choices.names is None and (alone := self._alone()):
            self._notes.append(translated("alert.limbs_alone", limbs=", ".join(alone)))

    def take_in_planted(self) -> None:
        """Limbs that an earlier press has planted in what plays stay planted if others are chosen by name."""
        before = self._planted_before()
        stay = [foot for foot in before if self._choices.names is not None and _is_apart(foot, self._feet)]
        self._again = self._on_given_points(stay)
        self._feet = (*self._feet, *self._again)
        if self._again:
            names = sorted(foot.chain.name for foot in self._again)
            self._notes.append(translated("note.planted_again", limbs=", ".join(names)))
        if no_more := [foot.chain.name for foot in before if foot not in stay]:
            self._notes.append(translated("alert.planted_no_more", limbs=", ".join(no_more)))
        refuse_constrained(self._feet)

    def find_hips(self) -> None:
        """The bone that goes down until legs reach their feet."""
        self._hips, reason = hips_of(self._rig, self._limbs, self._feet, self._choices.hips, self._curves)
        self._tell_hips_stay(reason)

    def keep_others(self) -> None:
        """Limbs that the hips carry and that are to keep their place."""
        kept = _named_limbs(self._rig, self._limbs, self._choices.keep)
        if self._hips:
            found = _with_kept(self._rig, self._limbs, self._feet, self._hips, kept, self._curves)
            self._feet, self._hips, reason = found
            self._tell_hips_stay(reason)

    def free_toes(self) -> None:
        """Toes that can be keyed."""
        self._feet, stiff = with_free_toes(self._rig, self._feet, self._curves)
        if stiff:
            self._notes.append(translated("note.stiff_toes", bones=", ".join(stiff)))

    def name_left_behind(self) -> None:
        """Bones that will not go along."""
        if bones := self._left_behind():
            self._notes.append(translated("alert.left_behind", bones=", ".join(bones)))

    def read(self, scene: Scene | None) -> CapturedLimbs:
        """All of it, over the frames; Refused where these are none, or too many."""
        chains, span = tuple(foot.chain for foot in self._feet), self._keyed_span()
        frames = span if self._choices.frames is None else self._choices.frames
        plan = _on_captured_frames(limb_plan(self._rig, chains, frames, scene), self._curves)
        refuse_too_many_frames(plan)
        refuse_stretched_time(plan)
        refuse_shared_bones(chains)
        refuse_following([chain.end.name for chain in chains], plan)
        by_name = {foot.chain.name: foot for foot in self._feet}
        return CapturedLimbs(
            plan=plan,
            feet=tuple(by_name[chain.name] for chain in plan.chains),
            hips=self._hips,
            source=self._source,
            again=frozenset(foot.chain.name for foot in self._again),
            notes=tuple(self._notes),
            span=span,
        )

    def _alone(self) -> list[str]:
        """Names of the limbs of the chosen kinds that have no partner on the other side."""
        own = [limb for limb in self._limbs.values() if limb.side and limb.kind in self._choices.kinds]
        names = [limb.name.removesuffix(f".{limb.side}") for limb in own]
        return [limb.name for limb, name in zip(own, names, strict=True) if names.count(name) == 1]

    def _left_behind(self) -> list[str]:
        """Names of keyed bones that lie on hands and feet at rest, but do not go along, as Unreal's ik_foot_l."""
        planted, bones = {foot.chain.end.name for foot in self._feet if foot.is_planted}, self._rig.data.bones
        moved = [limb for limb in self._limbs.values() if limb.tip_bone and (limb.end_bone in planted or self._hips)]
        ends, tips = {bones[limb.end_bone] for limb in moved}, [bones[limb.tip_bone] for limb in moved]
        keyed = dict.fromkeys(bone_and_property(curve.data_path)[0] for curve in self._curves)
        free = [bones[name] for name in keyed if name in bones and not self._rig.pose.bones[name].constraints]
        return [
            bone.name
            for bone in free
            if ends.isdisjoint((bone, *bone.parent_recursive))
            and any((bone.head_local - tip.head_local).length < _ON * tip.length for tip in tips)
        ]

    def _planted_before(self) -> tuple[Foot, ...]:
        """Those that an earlier press has planted and that are not among the chosen ones."""
        taken = {contact_keys.path(foot.chain.end.path) for foot in self._feet}
        planted = {path for path, row in self._source.rows.items() if row.is_planted} - taken
        if not planted:
            return ()
        bones, names = self._rig.pose.bones, names_by_end(self._rig, self._limbs)
        paths = {contact_keys.path(bones[end].path_from_id()): name for end, name in names.items() if end in bones}
        found = [name for path, name in paths.items() if path in planted]
        return feet_of(self._rig, self._limbs, found, (), self._choices.options.softness) if found else ()

    def _on_given_points(self, feet: Iterable[Foot]) -> tuple[Foot, ...]:
        """The feet, standing on the points that their keyed contacts are about, unless these are lost."""
        feet = tuple(feet)
        rows = ((foot, self._source.rows.get(contact_keys.path(foot.chain.end.path))) for foot in feet)
        given = [
            (foot, Contact(foot.chain.name, 0.0, 0.0, *point)) for foot, row in rows if row for point in row.points
        ]
        known = [contact for foot, contact in given if moves(foot, contact.bone)]
        for limb, bone in dict.fromkeys((it.chain, it.bone) for _, it in given if it not in known):
            self._notes.append(translated("alert.point_lost", limb=limb, bone=bone))
        return with_contacts(self._rig, feet, known)

    def _keyed_span(self) -> tuple[float, float]:
        bones = {name for foot in self._feet if foot.is_planted for name in foot.chain.oriented}
        span = key_span(self._curves, bones)
        if span is None:
            raise Refused("NO_CAPTURE", object=self._rig)
        return span

    def _tell_hips_stay(self, reason: str) -> None:
        if reason:
            self._notes.append(translated("alert.hips_stay", reason=reason))


def _source(rig: Rig) -> Capture:
    source = captured_action.captured(rig)
    if source.renamed:
        raise Refused("BONES_RENAMED", object=rig, value=", ".join(source.renamed), action=source.action.name)
    return source


def _on_captured_frames(plan: Plan, curves: Sequence[FCurve]) -> Plan:
    """The plan without frames before the first captured key and after the last, where a pose is held."""
    if any(curve.modifiers or curve.extrapolation == "LINEAR" for curve in curves):
        return plan  # a walk that is played to and fro, say
    spans = [curve.range() for curve in curves if not contact_keys.is_row(curve)]
    first, last = min(span[0] for span in spans), max(span[1] for span in spans)
    frames = plan.frames[(plan.frames >= first) & (plan.frames <= last)]
    if not len(frames):
        start, end, low, high = map(frame_text, (plan.frames[0], plan.frames[-1], first, last))
        raise Refused("NOT_CAPTURED", object=plan.name, value=(first, last), start=start, end=end, first=low, last=high)
    return replace(plan, frames=frames)


def _with_kept(
    rig: Rig, found: FoundLimbs, planted: Sequence[Foot], hips: Hips, named: Sequence[Foot], curves: Iterable[FCurve]
) -> tuple[tuple[Foot, ...], Hips | None, str]:
    """The feet with all that keeps its place though the hips carry it, and the hips; None, and why, if they must stay.

    named : the limbs that are to do so beside the other legs
    curves : of what was captured
    raises : Refused where keys cannot keep a limb that is named
    """
    named = [foot for foot in named if _carries(rig, hips, foot)]
    ends = {foot.chain.end.name for foot in named}
    planted = tuple(replace(foot, is_kept=foot.chain.end.name in ends) for foot in planted)
    try:
        others = [foot for foot in _of_kinds(rig, found, {Kind.LEGS}) if _carries(rig, hips, foot)]
    except Refused as refused:
        return planted, None, str(refused)
    named, others = (
        [replace(foot, is_planted=False, is_kept=True) for foot in each if _is_apart(foot, planted)]
        for each in (named, others)
    )
    refuse_constrained(named)
    for foot in others:
        try:
            refuse_constrained([foot])
            refuse_unplayable(rig, {bone.rotation_path for bone in foot.chain.keyed}, curves)
        except Refused as refused:
            return planted, None, translated("part.hips_drag", limb=foot.chain.name, reason=refused)
    kept = (*others, *(foot for foot in named if _is_apart(foot, others)))
    carried = frozenset(foot.chain.name for foot in kept)
    # Arms go with the chest that they are on.
    held = {foot.chain.end.name for foot in kept if foot.is_hand}
    planted = tuple(replace(foot, is_kept=foot.is_kept or _is_below(rig, foot, held)) for foot in planted)
    return (*planted, *kept), replace(hips, carries=hips.carries | carried), ""


def _named_limbs(rig: Rig, found: FoundLimbs, keep: Collection[str]) -> list[Foot]:
    """The limbs of these names, and all of these kinds; a kind that the rig has not is left out.

    So is a spine whose upper bone carries the arms: that bone would turn as the spine bends, and the arms with it.

    raises : Refused where no limb has such a name
    """
    words = given_names(rig, keep) if keep else []
    kinds = {Kind(word) for word in words if word in set(Kind)}
    names = [word for word in words if word not in set(Kind)]
    spine = (foot for foot in _of_kinds(rig, found, kinds & {Kind.SPINE}) if foot.chain.below)
    others = _of_kinds(rig, found, kinds - {Kind.SPINE})
    return [*(feet_of(rig, found, names, kinds, 0.0) if names else ()), *others, *spine]


def _of_kinds(rig: Rig, found: FoundLimbs, kinds: Collection[Kind]) -> tuple[Foot, ...]:
    return feet_of(rig, found, None, kinds, 0.0) if any(limb.kind in kinds for limb in found.values()) else ()


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
