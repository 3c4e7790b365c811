"""What is said of the contacts of feet: by the caller that has them planted, or by the keys of what plays.

Contacts that were found, and whose keys have not changed since, are found again where the frames cover them: then
another floor and other thresholds count. Where the floor is not below a foot, contacts that are keyed or given are
refused, and others do not count.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...skeleton.feet import feet
from ...skeleton.feet.feet import Foot
from ...skeleton.feet.plant import GivenContacts, PlantedFeet
from ...skeleton.values import Channel
from ..bake.chain_report import when
from ..messages.refused import Refused
from ..messages.translation import translated
from . import contact_keys
from .captured_action import RememberedContacts
from .captured_limbs import CapturedLimbs, PlantChoices
from .contact_keys import Row
from .floor import Floor


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SaidContacts:
    """What is said of the contacts of one foot.

    foot : the foot
    given : None if they are to be found
    by_user : (n,) on which frames they are keyed or given
    spans : the frame spans of the user's contacts, once they are keyed
    """

    foot: Foot
    given: GivenContacts
    by_user: NDArray[np.bool_]
    spans: Sequence[Sequence[float]] = ()

    @property
    def stays_found(self) -> bool:
        """Whether contacts that were found are taken as they are keyed."""
        return self.given is not None and bool((self.given[1] & ~self.by_user).any())


def said_contacts(
    read: CapturedLimbs, choices: PlantChoices, changed: Iterable[Channel] = (), *, as_keyed: bool = False
) -> list[SaidContacts]:
    """What is said of the contacts of each foot; a foot that is not planted never stands.

    changed : keys that count as if rows had them
    as_keyed : contacts that were found are taken as they are keyed
    """
    keys = {channel.path: channel for channel in changed}
    return [_said(foot, _row(foot, keys), read, choices, as_keyed) for foot in read.feet]


def refuse_groundless(
    read: CapturedLimbs, floor: Floor | None, planted: PlantedFeet, said: Sequence[SaidContacts]
) -> None:
    """Raise `Refused` where feet are to stand and the floor is not below them."""
    for its, off in zip(said, planted.groundless.T, strict=True):
        if its.given and (stands := off & its.by_user & its.given[0].any(axis=1)).any():
            where = when(read.plan.frames, stands)
            raise Refused("FLOOR_PARTLY", object=its.foot.chain.rig, **_off_floor(its.foot, floor, where))


def groundless_notes(read: CapturedLimbs, floor: Floor | None, planted: PlantedFeet) -> Iterator[str]:
    """Sentences about feet that would stand where the floor is not below them."""
    for foot, off in zip(read.feet, planted.groundless.T, strict=True):
        if off.any():
            yield translated("alert.floor_partly", **_off_floor(foot, floor, when(read.plan.frames, off)))


def _off_floor(foot: Foot, floor: Floor | None, where: str) -> dict[str, Any]:
    """What sentences about a foot without floor below it name."""
    return {"limb": foot.chain.name, "floor": str(getattr(floor, "name", floor)), "where": where}


def _row(foot: Foot, changed: Mapping[str, Channel]) -> Row | None:
    """The contacts of the foot as they are keyed, and with the key that they are to get."""
    bone = foot.chain.end.path
    row, key = contact_keys.row_of(foot.chain.rig, bone), changed.get(contact_keys.path(bone))
    if key is None:
        return row
    return row.with_key(key) if row else Row(keys=np.column_stack((key.frames, key.values)))


def _said(foot: Foot, row: Row | None, read: CapturedLimbs, choices: PlantChoices, as_keyed: bool) -> SaidContacts:
    frames = read.plan.frames
    everywhere = np.ones(len(frames), dtype=np.bool_)
    if not foot.is_planted:
        return SaidContacts(foot=foot, given=(feet.standing(foot, (), frames), everywhere), by_user=~everywhere)
    spans = _spans(row, read.source.rows.get(contact_keys.path(foot.chain.end.path)))
    is_chosen = foot.chain.name not in read.again
    if is_chosen and choices.contacts is not None:
        given = feet.standing(foot, choices.contacts, frames), everywhere
        beyond = [span for span in spans if span[0] < frames[0] or span[1] > frames[-1]]
        return SaidContacts(foot=foot, given=given, by_user=everywhere, spans=[*beyond, [frames[0], frames[-1]]])
    covered = row is None or (frames[0] <= row.span[0] and row.span[1] <= frames[-1])
    if is_chosen and choices.find_contacts:
        return SaidContacts(foot=foot, given=None, by_user=~everywhere, spans=() if covered else spans)
    by_user = np.any([~everywhere, *((first <= frames) & (frames <= last) for first, last in spans)], axis=0)
    keyed = contact_keys.standing(row, frames) if row else None
    if keyed and covered and not as_keyed:
        keyed = (keyed[0], by_user) if by_user.any() else None
    return SaidContacts(foot=foot, given=keyed, by_user=by_user, spans=spans)


def _spans(row: Row | None, known: RememberedContacts | None) -> Sequence[Sequence[float]]:
    """The frame spans of the user's contacts in a row: the whole row, if it was edited since Plant wrote it."""
    if row is None:
        return ()
    return known.said if known and row.keys.tolist() == known.keys else [row.span]
