"""Feet that stand where the floor that is given is not below them."""

from collections.abc import Iterator, Sequence

from ...skeleton.feet.feet import Foot
from ...skeleton.feet.plant import PlantedFeet
from ...solver.values import Array
from ..bake.chain_report import when
from ..messages.refused import Refused
from ..messages.translation import translated
from .floor import Floor
from .said_contacts import SaidContacts


def refuse_groundless(
    feet: Sequence[Foot], floor: Floor | None, frames: Array, planted: PlantedFeet, said: Sequence[SaidContacts]
) -> None:
    """Raise `Refused` where feet are to stand and the floor is not below them."""
    for foot, off, its in zip(feet, planted.groundless.T, said, strict=True):
        if its.given and (stands := off & its.by_user & its.given[0].any(axis=1)).any():
            where = when(frames, stands)
            raise Refused("FLOOR_PARTLY", object=foot.chain.rig, limb=foot.chain.name, floor=_name(floor), where=where)


def groundless_notes(feet: Sequence[Foot], floor: Floor | None, frames: Array, planted: PlantedFeet) -> Iterator[str]:
    """Sentences about feet that would stand where the floor is not below them."""
    for foot, off in zip(feet, planted.groundless.T, strict=True):
        if off.any():
            where = when(frames, off)
            yield translated("alert.floor_partly", limb=foot.chain.name, floor=_name(floor), where=where)


def _name(floor: Floor | None) -> str:
    return str(getattr(floor, "name", floor))
