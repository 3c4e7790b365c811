"""Which targets a chain can reach, and how far inside its reach they lie: for scripts, no other file uses it."""

from dataclasses import replace

import numpy as np

from .solve import solve
from .values import Array, Chain, Goals, Options, Unreachable
from .vectors import norm

_DEFAULTS = Options()


def margin(chain: Chain, targets: Array, options: Options = _DEFAULTS) -> Array:
    """(...) how far each target lies within reach; negative if the tip misses the target, by that distance.

    chain : one chain for all targets
    targets : (..., 3)     in chain space
    options : plane, bend limits and stretch count; softness and influence are ignored, since they never quite reach
    """
    stretches = options.unreachable == Unreachable.STRETCH
    unreachable = Unreachable.STRETCH if stretches else Unreachable.CLAMP
    options = replace(options, softness=0.0, influence=1.0, unreachable=unreachable)
    solution = solve(chain, Goals(target=np.reshape(targets, (-1, 3))), options)
    joints, (inner, outer) = solution.joints, solution.reach.T
    distance, miss = norm(joints[:, 2]), norm(solution.miss)
    inside = np.minimum(distance - inner, outer - distance)
    slack = options.tolerance * outer
    return np.where(miss > slack, -miss, np.maximum(inside, 0.0)).reshape(np.shape(targets)[:-1])


def grid(chain: Chain, count: int) -> Array:
    """(count, count, count, 3) targets that fill the cube around the chain's reach, in chain space."""
    size = norm(np.diff(chain.joints, axis=-2)).sum(axis=-1).max()
    line = np.linspace(-size, size, count)
    return np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1)
