"""The chains of an armature as they were read last, and whether they have to be read again."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain as joined
from itertools import zip_longest

from bpy.types import ID, Object, Scene

from ...skeleton.values import Bone, Plan
from ..armatures import Rig, is_rig
from ..bake import checks
from ..bake.build_plan import current_plan
from ..bake.fingerprint import Fingerprint
from ..scene.checks import refuse_unposable
from ..scene.glance import GlanceNeed
from ..scene.need import sample_need
from ..session import session

Chains = list[tuple[str, Object | None, Object | None]]
"""Name, target and pole target of each chain: pointers that can become None, as an object
is deleted, without an update of the property."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Reading:
    """Chains of one armature object as they were read, and what tells whether they would be read so again.

    alone : True where no pose that Live gives to an armature moves what the chains depend on
    """

    chains: Chains
    fingerprint: Fingerprint
    plan: Plan
    look: GlanceNeed
    alone: bool

    @cached_property
    def sources(self) -> frozenset[Object]:
        """Objects that the chains' places depend on."""
        return frozenset(self.fingerprint.items)

    @cached_property
    def keyed(self) -> list[Bone]:
        """The bones that are posed."""
        return [bone for chain in self.plan.chains for bone in chain.keyed]

    @cached_property
    def starting(self) -> list[Bone]:
        """Those of them that chains start from as they are posed."""
        return [bone for chain in self.plan.chains for bone in chain.keyed if bone.name in chain.needs_rotation]


# Those whose bones at rest are as they were read: no data of an armature was evaluated since.
_at_rest: set[int] = session.of_state(set())


def forget_rest() -> None:
    """Bones at rest may be others than they were."""
    _at_rest.clear()


def chains_of(rig: Rig) -> Chains:
    """Those that are not muted."""
    return [(chain.name, chain.target, chain.pole_target) for chain in rig.two_bone_ik_chains if not chain.mute]


def is_chosen_so(reading: Reading) -> bool:
    """Whether the armature has the same chains and choices, whatever Blender has evaluated since they were read."""
    try:
        with_target = [chain for chain in chains_of(reading.plan.rig) if chain[1]]
        return with_target == reading.chains and reading.fingerprint.is_stored()
    except ReferenceError:  # as in `_is_right`
        return False


def read(rig: Rig, chains: Chains, scene: Scene, before: Reading | None, since: Set[ID] | None) -> Reading:
    """These chains as they are now; `before` itself where they would be read so again.

    since : what Blender has evaluated since `before` was right; None where that is not known
    """
    if before and before.chains == chains:
        refuse_unposable(rig)
        if _is_right(before, since):
            return before
    plan = current_plan(rig, [name for name, *_ in chains], scene)
    checks.refuse_shared_bones(plan.chains)
    look = GlanceNeed(plan=plan, need=sample_need(plan))
    fingerprint = Fingerprint.of(plan)
    others = any(is_rig(item) and item != rig for item in fingerprint.items)
    starts = any(bone.name in chain.needs_rotation for chain in plan.chains for bone in chain.keyed)
    alone = len(plan.ranks) == 1 and not (others or starts)
    return Reading(chains=chains, fingerprint=fingerprint, plan=plan, look=look, alone=alone)


def side_by_side(plans: Sequence[Plan]) -> Plan:
    """The chains of several armatures in the ranks of one plan, to be solved together."""
    ranks = zip_longest(*(plan.ranks for plan in plans), fillvalue=())
    return replace(plans[0], ranks=tuple(tuple(joined.from_iterable(rank)) for rank in ranks))


def is_tied(reading: Reading, since: Set[ID]) -> bool:
    """Whether what Blender has evaluated `since` follows the same things as when the chains were read."""
    try:
        return reading.fingerprint.is_tied(since)
    except ReferenceError:  # as in `_is_right`
        return False


def _is_right(reading: Reading, since: Set[ID] | None) -> bool:
    """Whether the chains would be read so again."""
    try:
        if not reading.fingerprint.holds(since):
            return False
    except ReferenceError:  # something that they depended on was removed
        return False
    uid = reading.plan.rig.session_uid
    if uid not in _at_rest:
        if not reading.fingerprint.holds_at_rest():
            return False
        _at_rest.add(uid)
    return True
