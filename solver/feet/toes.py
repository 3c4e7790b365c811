"""How toes turn: at rest while the ball stands, and raised where their tips would be in the ground."""

import numpy as np
from numpy.typing import NDArray

from ..numbers import true_runs
from ..rotation import from_vectors
from ..values import Array
from ..vectors import dot, product
from .corrections import eased, eased_need
from .rigid import raising, rotation_vectors

_BENDS = 0.06
"""Seconds for which a toe is raised before and after a frame on which its tip would be in the ground."""


def resting_turns(orientations: Array, stands: NDArray[np.bool_], flat: NDArray[np.bool_], rate: float) -> Array:
    """(n, 3, 3) rotations by which a toe has one orientation throughout each stand, eased in between as feet are.

    That is the rotation nearest to the mean of those captured while its foot is flat, or throughout the stand if it
    never is, by singular values (Schoenemann 1966).

    orientations : (n, 3, 3)
    stands, flat : (n,) bool   whether the ball stands, and the heel with it
    rate : as for `corrections`
    """
    spans = true_runs(stands)
    turns = np.zeros((len(orientations), 3))
    for first, last in spans:
        own = orientations[first : last + 1]
        lies = flat[first : last + 1]
        left, _, right = np.linalg.svd(own[lies if lies.any() else slice(None)].mean(axis=0))
        left[:, 2] *= np.sign(np.linalg.det(left @ right))
        turns[first : last + 1] = rotation_vectors(product(left @ right, np.swapaxes(own, -1, -2)))
    return from_vectors(eased(turns, spans, rate, at_rest=True))


def clearing_turns(toes: Array, least: Array, stands: NDArray[np.bool_], rate: float, up: Array) -> Array:
    """(n, 3, 3) rotations that raise a toe so that its tip does not go into the ground, whether its foot stands or not.

    Throughout a stand a toe that does not turn is raised by one angle, the least that it needs there: beside a stand it
    is raised by as little as it needs on each frame, and farther off smoothly.

    toes : (n, 3)     unit vectors, the toe's direction
    least : (n,)      sine of its angle to the ground at which its tip touches it; -1 where there is none
    stands : (n,)     bool, whether what carries the toe stands
    rate, up : as for `corrections`
    """
    angle = np.arcsin(np.clip(least, -1.0, 1.0)) - np.arcsin(np.clip(dot(toes, up), -1.0, 1.0))
    angle = np.maximum(angle, 0.0)
    raised = eased_need(angle, stands, rate, _BENDS)
    for first, last in true_runs(stands):
        raised[first : last + 1] = angle[first : last + 1].max()
    return raising(toes, raised, up)
