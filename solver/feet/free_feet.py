"""Legs whose feet are in the air: where such a foot is to the millimetre does not show, but a knee that snaps does.

A foot that is moved may be farther from its hip joint than the leg is long, or nearly so. A leg that was captured short
of its length by a part s, and would get longer by a part m, then stays short of it by s exp(-m / max(s, _BENT)). That
is about s - m for a leg that is bent. It shrinks the bend of a straight leg, whose knee moves as it was captured. A leg
that goes beyond straight is as long as it was captured: only a straight leg changes sides without a jump of its knee.
"""

from collections.abc import Sequence

import numpy as np

from ..values import Array, Mask
from ..vectors import norm
from .hips import envelopes

_BENT = 0.05
"""Part of its length by which a leg that is bent is shorter."""

_LETS_GO = 0.08
"""Seconds before and after a contact for which a foot goes where the contact wants it; over as many it is let go."""


def pulled_in(roots: Array, tips: Array, lengths: Array, captured: Array, near: Array, beyond: Array) -> Array:
    """(n, f, 3) the tips, pulled towards the roots where legs would be stretched, or as far from them as captured.

    roots, tips : (n, f, 3)
    lengths : (f,)         of the legs
    captured : (n, f)      how long they were captured, as part of that
    near : (n, f)          1 where the foot stands, 0 where it is in the air
    beyond : (n, f)        1 where a foot in the air keeps the length of its leg, at most 1 - near
    """
    line = tips - roots
    extension, spare = norm(line) / lengths, np.maximum(1.0 - captured, 0.0)
    longer = np.maximum(extension - captured, 0.0)
    eased = 1.0 - spare * np.exp(-longer / np.maximum(spare, _BENT))
    pull = beyond * (extension - captured) + (1.0 - near - beyond) * np.maximum(extension - eased, 0.0)
    pulled: Array = tips - line * (pull / np.where(extension > 0.0, extension, 1.0))[..., None]
    return pulled


def near_contacts(planted: Mask, rate: float, takes: Sequence[slice], seconds: float = _LETS_GO) -> Array:
    """(n, f) 1 for this many seconds before and after planted frames (n, f), and falls to 0 in as many."""
    return np.minimum(envelopes(planted.astype(np.float64), rate, seconds, takes), 1.0)


def bent_anew(roots: Array, tips: Array, lengths: Array, captured: Array, near: Array) -> Array:
    """(n, f) 0 where a leg stays as it was captured, 1 near contacts and where it is clearly bent farther.

    roots, tips, lengths, captured, near : as for `pulled_in`
    """
    # What a leg is shorter than its length goes with the square of how far its knee is out.
    before, now = (np.maximum(1.0 - each, 0.0) for each in (captured, norm(tips - roots) / lengths))
    part = np.clip((now - before) / np.where(now > 0.0, now, 1.0), 0.0, 1.0)
    return 1.0 - (1.0 - near) * (1.0 - part * part * (3.0 - 2.0 * part))
