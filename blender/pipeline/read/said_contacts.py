"""What is said of the contacts of feet: by whoever asks for them to be planted, or by the keys of what plays.

Contacts that were found, and whose keys nobody has changed since, are found anew where the frames cover them: then
another floor and other thresholds count.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ....skeleton import feet
from ....skeleton.plant import Given
from ... import contacts, versions
from .captured_limbs import Asked, CapturedLimbs


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Said:
    """What is said of the contacts of one foot.

    given : None if they are to be found
    by_user : somebody has keyed or given them
    is_found : once they are keyed, all keys are as they were found
    """

    given: Given
    by_user: bool = False
    is_found: bool = False


def said_contacts(read: CapturedLimbs, asked: Asked, *, as_keyed: bool = False) -> list[Said]:
    """Of each foot; one that is not planted never stands.

    as_keyed : contacts that were found are taken as they are keyed
    """
    return list(_said(read, asked, as_keyed))


def _said(read: CapturedLimbs, asked: Asked, as_keyed: bool) -> Iterator[Said]:
    frames = read.plan.frames
    everywhere, curves = np.ones(len(frames), dtype=np.bool_), list(versions.curves(read.plan.rig))
    for foot in read.feet:
        is_chosen = foot.is_planted and foot.chain.name not in read.again
        if not foot.is_planted or (is_chosen and asked.contacts is not None):
            yield Said(given=(feet.standing(foot, asked.contacts or (), frames), everywhere), by_user=foot.is_planted)
            continue
        bone = foot.chain.end.path
        row = contacts.row(curves, bone)
        found = row is None or contacts.keys(row) == read.source.found.get(contacts.path(bone))
        covered = row is None or (frames[0] <= row.range()[0] and row.range()[1] <= frames[-1])
        anew = (is_chosen and asked.find_contacts) or (found and covered and not as_keyed)
        given = None if anew else contacts.read(curves, bone, frames)
        yield Said(given=given, by_user=not found, is_found=found or (anew and covered))
