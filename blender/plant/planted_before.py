"""Limbs that an earlier press has planted in the action that plays. If others are chosen by name, they stay planted."""

from collections.abc import Iterable, Sequence

from ...skeleton.feet.feet import Contact, Foot
from ...solver.values import Number
from ..armatures import Rig
from . import contact_keys
from .captured_action import Capture
from .feet import FoundLimbs, feet_of, moves, names_by_end, with_contacts


def planted_before(
    rig: Rig, limbs: FoundLimbs, source: Capture, chosen: Sequence[Foot], softness: Number
) -> tuple[Foot, ...]:
    """Those that are not among the chosen ones."""
    taken = {contact_keys.path(foot.chain.end.path) for foot in chosen}
    planted = {path for path, row in source.rows.items() if row.is_planted} - taken
    if not planted:
        return ()
    bones, names = rig.pose.bones, names_by_end(rig, limbs)
    paths = {contact_keys.path(bones[end].path_from_id()): name for end, name in names.items() if end in bones}
    found = [name for path, name in paths.items() if path in planted]
    return feet_of(rig, limbs, found, (), softness) if found else ()


def on_given_points(
    rig: Rig, source: Capture, feet: Iterable[Foot]
) -> tuple[tuple[Foot, ...], tuple[tuple[str, str], ...]]:
    """The feet, standing on the points that their keyed contacts are about; limbs and bones of points that are lost."""
    feet = tuple(feet)
    rows = ((foot, source.rows.get(contact_keys.path(foot.chain.end.path))) for foot in feet)
    given = [(foot, Contact(foot.chain.name, 0.0, 0.0, *point)) for foot, row in rows if row for point in row.points]
    known = [contact for foot, contact in given if moves(foot, contact.bone)]
    lost = {(foot.chain.name, contact.bone): None for foot, contact in given if contact not in known}
    return with_contacts(rig, feet, known), tuple(lost)
