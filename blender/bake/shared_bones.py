"""Chains that pose the same bone: the keys of one would undo those of the other, or move what the other has solved."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

from ...skeleton.values import ChainPlan
from ..messages.refused import Refused


def refuse_shared_bones(chains: Iterable[ChainPlan]) -> None:
    """Raise `Refused` for the first two chains of an armature object that pose the same bone."""
    for refusal in refusals(chains).values():
        raise refusal


def refusals(chains: Iterable[ChainPlan]) -> dict[str, Refused]:
    """For each chain that poses a bone which another poses as well, by its name, the sentence that names both."""
    found: dict[str, Refused] = {}
    chains = list(chains)
    counts = Counter([name for chain in chains for name in chain.oriented])
    if len(counts) == counts.total():
        return found
    suspects = [chain for chain in chains if any(counts[name] > 1 for name in chain.oriented)]
    for chain, other in combinations(suspects, 2):
        shared = _shared(chain, other)
        if shared:
            refusal = Refused("SHARED_BONE", chain=chain, bone=shared, value=other.name)
            found = {chain.name: refusal, other.name: refusal} | found
    return found


def _shared(chain: ChainPlan, other: ChainPlan) -> str:
    """The first bone that one of them keys and the other keys or carries along, seen from the root; else ""."""
    keyed, other_keyed = ({bone.name for bone in one.keyed} for one in (chain, other))
    both = (keyed & set(other.oriented)) | (other_keyed & set(chain.oriented))
    return next((name for name in (*chain.oriented, *other.oriented) if name in both), "")
