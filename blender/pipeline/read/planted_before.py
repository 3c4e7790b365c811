"""Limbs that an earlier press has planted in the action that plays. If others are chosen by name, they stay planted."""

from collections.abc import Iterable, Sequence

from ....skeleton.feet import Contact, Foot
from ....solver.values import Number
from ... import contacts
from ...armatures import Rig
from ..captured_action import Captured
from .feet import feet_of, names_by_end, with_contacts


def planted_before(rig: Rig, source: Captured, chosen: Sequence[Foot], softness: Number) -> tuple[Foot, ...]:
    """Those that are not among the chosen ones."""
    bones, names = rig.pose.bones, names_by_end(rig)
    paths = {contacts.path(bones[end].path_from_id()): name for end, name in names.items() if end in bones}
    taken = {contacts.path(foot.chain.end.path) for foot in chosen}
    planted = {path for path, row in source.rows.items() if row.is_planted}
    found = [name for path, name in paths.items() if path in planted and path not in taken]
    return feet_of(rig, found, (), softness) if found else ()


def on_given_points(rig: Rig, source: Captured, feet: Iterable[Foot]) -> tuple[Foot, ...]:
    """The feet, standing on the points that their keyed contacts are about."""
    feet = tuple(feet)
    rows = ((foot.chain.name, source.rows.get(contacts.path(foot.chain.end.path))) for foot in feet)
    points = ((name, point) for name, row in rows if row for point in row.points)
    return with_contacts(rig, feet, [Contact(name, 0.0, 0.0, *point) for name, point in points])
