"""Captured limbs that are chosen, their hips, and the action that they play: what Plant reads."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from bpy.types import FCurve, Scene

from ...skeleton.feet.feet import Contact, Foot, Hips
from ...skeleton.values import Plan
from ...solver.feet.plant import PlantOptions
from .. import versions
from ..armatures import Rig
from ..bake.build_plan import Frames, limb_plan
from ..bake.checks import refuse_shared_bones, refuse_stretched_time, refuse_too_many_frames
from ..chains.detect.find_limbs import Kind
from ..curves.keys import key_span
from ..messages.refused import Refused
from ..scene.checks import refuse_unposable
from ..settings import bone_marks
from . import captured_action
from .captured_action import Capture
from .checks import refuse_constrained
from .feet import FoundLimbs, feet_of, found_limbs, hips_of, with_contacts
from .floor import Floor
from .kept_limbs import is_apart, named_limbs, with_kept
from .planted_before import on_given_points, planted_before
from .toes import with_free_toes


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
    """What is to be planted, and why its hips stay, if they do.

    again : names of limbs that were not chosen, but planted by an earlier press
    stiff_toes : names of bones that cannot be keyed
    no_more : limbs that an earlier press planted and this one does not
    lost_points : of limbs, and the bones on which they were to stand, but which they do not move any more
    span : from the first to the last key of the limbs
    """

    plan: Plan
    feet: tuple[Foot, ...]
    hips: Hips | None
    hips_stay: str
    stiff_toes: tuple[str, ...]
    source: Capture
    again: frozenset[str]
    no_more: tuple[str, ...]
    lost_points: tuple[tuple[str, str], ...]
    span: tuple[float, float]


def captured_limbs(rig: Rig, choices: PlantChoices, scene: Scene | None) -> CapturedLimbs:
    """The limbs that are chosen, and those that are to keep their place; nothing is evaluated.

    raises : Refused where they have no keys, or where something else than keys poses them
    """
    refuse_unposable(rig)
    source, limbs = _source(rig), found_limbs(rig)
    chosen, lost = _chosen_feet(rig, limbs, source, choices)
    before = planted_before(rig, limbs, source, chosen, choices.options.softness)
    stay = [foot for foot in before if choices.names is not None and is_apart(foot, chosen)]
    again, lost_again = on_given_points(rig, source, stay)
    found = (*chosen, *again)
    refuse_constrained(found)
    curves = tuple(versions.slot_curves(source.action, source.slot))
    hips, hips_stay = hips_of(rig, limbs, found, choices.hips, curves)
    kept = named_limbs(rig, limbs, choices.keep)
    if hips:
        found, hips, hips_stay = with_kept(rig, limbs, found, hips, kept, curves)
    found, stiff = with_free_toes(rig, found, curves)
    chains, span = tuple(foot.chain for foot in found), _keyed_span(rig, found, curves)
    plan = limb_plan(rig, chains, span if choices.frames is None else choices.frames, scene)
    refuse_too_many_frames(plan)
    refuse_stretched_time(plan)
    refuse_shared_bones(chains)
    by_name = {foot.chain.name: foot for foot in found}
    found = tuple(by_name[chain.name] for chain in plan.chains)
    return CapturedLimbs(
        plan=plan,
        feet=found,
        hips=hips,
        hips_stay=hips_stay,
        stiff_toes=stiff,
        source=source,
        again=frozenset(foot.chain.name for foot in again),
        no_more=tuple(foot.chain.name for foot in before if foot not in stay),
        lost_points=(*lost, *lost_again),
        span=span,
    )


def _source(rig: Rig) -> Capture:
    bone_marks.notice_all_of(rig)
    source = captured_action.captured(rig)
    if source.renamed:
        raise Refused("BONES_RENAMED", object=rig, value=", ".join(source.renamed), action=source.action.name)
    return source


def _chosen_feet(
    rig: Rig, limbs: FoundLimbs, source: Capture, choices: PlantChoices
) -> tuple[tuple[Foot, ...], tuple[tuple[str, str], ...]]:
    """The feet that are chosen, on the points of their contacts; limbs and bones of points that are lost."""
    found = feet_of(rig, limbs, choices.names, choices.kinds, choices.options.softness)
    lost: tuple[tuple[str, str], ...] = ()
    if choices.contacts is None and not choices.find_contacts:
        found, lost = on_given_points(rig, source, found)
    return with_contacts(rig, found, choices.contacts or ()), lost


def _keyed_span(rig: Rig, feet: Sequence[Foot], curves: Sequence[FCurve]) -> tuple[float, float]:
    bones = {name for foot in feet if foot.is_planted for name in foot.chain.oriented}
    span = key_span(curves, bones)
    if span is None:
        raise Refused("NO_CAPTURE", object=rig)
    return span
