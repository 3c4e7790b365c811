"""The chains as the scene stands, solved once for all who look: live limbs, the list of chains, the overlay."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import chain as joined
from itertools import zip_longest
from operator import or_
from typing import NamedTuple

from bpy.types import Depsgraph, Object, Scene

from ...skeleton import solve
from ...skeleton.chain_group import SolvedGroup, one_by_one
from ...skeleton.values import Bone, ChainPlan, Plan, Point, Samples
from ..armatures import Rig
from ..messages.refused import Refused
from ..pipeline.checks import shared_bones
from ..pipeline.checks.armature import refuse_unposable
from ..pipeline.read import dependencies
from ..pipeline.read.build_plan import current_plan
from ..pipeline.read.fingerprint import Fingerprint, fingerprint, rest_fingerprint
from ..pipeline.sample.glance import Glance, GlanceRequest
from ..pipeline.sample.request import sample_request
from ..pipeline.sample.sampling import samples_from_depsgraph
from ..pipeline.sample.scene import handled
from . import pose_before

Chains = list[tuple[str, Object | None, Object | None]]
"""Name, target and pole target of each chain: pointers that can become None, as an object
is deleted, without an update of the property."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Reading:
    """Chains of one armature object as they were read, and what tells whether they would be read so again.

    places : all that the chains' places depend on
    """

    chains: Chains
    fingerprint: Fingerprint
    rest: Fingerprint
    plan: Plan
    look: GlanceRequest
    places: tuple[Point, ...]

    @cached_property
    def sources(self) -> frozenset[Object]:
        """Objects that the chains' places depend on."""
        return frozenset(place.object for place in self.places)

    @cached_property
    def keyed(self) -> list[Bone]:
        """The bones that are posed."""
        return [bone for chain in self.plan.chains for bone in chain.keyed]

    @cached_property
    def starting(self) -> list[Bone]:
        """Those of them that chains start from as they are posed."""
        return [bone for chain in self.plan.chains for bone in chain.keyed if bone.name in chain.needs_rotation]


@dataclass(slots=True, eq=False, kw_only=True)
class RigState:
    """The chains of one armature object as they were when somebody looked last.

    reading : those that have all they need
    groups : these, solved side by side with chains of other armatures, which may have been solved again since
    refused : of the others, by name, what is wrong
    posed : True where Live has posed the armature so
    glance, samples : what the chains depend on
    """

    reading: Reading | None = None
    groups: list[SolvedGroup] = field(default_factory=list)
    refused: dict[str, Refused] = field(default_factory=dict)
    posed: bool = False
    glance: Glance | None = None
    samples: Samples | None = None

    @property
    def rigid(self) -> bool:
        """True where no chain depends on more than its own space and what it reaches for."""
        alone = self.reading is not None and len(self.reading.plan.ranks) == 1
        return alone and all(group.group.kinematics.rigid for group in self.groups)

    @property
    def solved(self) -> list[SolvedGroup]:
        """Each by itself, in the order in which they are solved."""
        return one_by_one(self.reading.plan, self.groups) if self.reading else []


_EVALUATED = ("depsgraph_update_pre", "depsgraph_update_post", "frame_change_pre", "frame_change_post")


class _Seen(NamedTuple):
    reading: Reading
    glance: Glance
    samples: Samples


# By `session_uid` of armature objects, which outlives a new name, and is not shared by a linked one of the same name.
_known: dict[int, RigState] = {}
# Those whose chains were solved side by side last.
_together: list[RigState] = []
# Those whose bones at rest are as they were read: no data of an armature was evaluated since.
_at_rest: set[int] = set()


def cached(rig: Rig) -> RigState:
    """The chains as `update` has found them last."""
    return _known.get(rig.session_uid) or RigState()


def update(rig: Rig, scene: Scene, depsgraph: Depsgraph) -> RigState:
    """The chains that are not muted, as this dependency graph has them; changes nothing in the file."""
    [now] = update_all([rig], scene, depsgraph)
    return now


def update_all(rigs: Iterable[Rig], scene: Scene, depsgraph: Depsgraph) -> list[RigState]:
    """The same for several armatures; the chains of those on which something has changed are solved side by side."""
    states, changed, again = [], [], True
    for rig in rigs:
        now, seen = _look(rig, scene, depsgraph)
        if seen and seen.samples is not now.samples:
            again &= seen.reading is now.reading and bool(now.glance) and seen.glance.spaces == now.glance.spaces
            now.reading, now.glance, now.samples = seen.reading, seen.glance, seen.samples
            changed.append(now)
        states.append(now)
    if changed:
        _solve(changed, again=again)
    return states


def _solve(changed: list[RigState], *, again: bool) -> None:
    """Solve the chains of several armatures side by side.

    again : True where nothing but what they reach for has changed
    """
    samples = reduce(or_, (now.samples for now in changed))
    if again and changed == _together and all(now.rigid for now in changed):
        groups = solve.solve_again(changed[0].groups, samples)
    else:
        plans = [now.reading.plan for now in changed]
        ranks = zip_longest(*(plan.ranks for plan in plans), fillvalue=())
        together = replace(plans[0], ranks=tuple(tuple(joined.from_iterable(rank)) for rank in ranks))
        groups = solve.solve_groups(together, samples)
    _together[:] = changed
    for now in changed:
        now.groups, now.posed = groups, False


def invalidate(rig: Rig) -> None:
    """Somebody has chosen otherwise for a chain of this armature: read it again, and at once.

    Set by a script the property alone would make Blender evaluate nothing.
    """
    _known.pop(rig.session_uid, None)
    rig.update_tag()


def evaluated(depsgraph: Depsgraph) -> None:
    """A scene was evaluated: bones at rest may be others than they were."""
    # What handlers change Blender evaluates without a word.
    if depsgraph.id_type_updated("ARMATURE") or handled(*_EVALUATED):
        _at_rest.clear()


def forget() -> None:
    """Another file, or another state of it: what is known is of no use."""
    _known.clear()
    _together.clear()
    _at_rest.clear()


def _look(rig: Rig, scene: Scene, depsgraph: Depsgraph) -> tuple[RigState, _Seen | None]:
    """The state of an armature, and what its chains depend on now; None where none of them can be solved."""
    chains = [one for one in rig.two_bone_ik_chains if not one.mute]
    # Chains without a target are no exception, and to find out by trial what is wrong with each takes long.
    refused = {one.name: Refused("NO_TARGET", chain=one) for one in chains if not one.target}
    fit = [(one.name, one.target, one.pole_target) for one in chains if one.target]
    try:
        seen = _seen(rig, fit, scene, depsgraph)
    except Refused:
        refused |= _refusals(rig, fit, scene, depsgraph)
        fit = [chain for chain in fit if chain[0] not in refused]
        if not fit:
            _known[rig.session_uid] = RigState(refused=refused)
            return _known[rig.session_uid], None
        seen = _seen(rig, fit, scene, depsgraph)
    now = _known.setdefault(rig.session_uid, RigState())
    now.refused = refused
    return now, seen


def _seen(rig: Rig, chains: Chains, scene: Scene, depsgraph: Depsgraph) -> _Seen:
    now, reading = cached(rig), _reading(rig, chains, scene)
    glance = reading.look.look(depsgraph, pose_before.pose_before)
    if reading is not now.reading or now.glance is None or glance.spaces != now.glance.spaces:
        samples = samples_from_depsgraph(reading.look.need, depsgraph, pose_before.pose_before)
    elif glance.goals != now.glance.goals:
        samples = reading.look.with_goals(now.samples, glance)
    else:
        samples = now.samples
    return _Seen(reading, glance, samples)


def _reading(rig: Rig, chains: Chains, scene: Scene) -> Reading:
    before = cached(rig).reading
    if before and before.chains == chains:
        refuse_unposable(rig)
        if _is_right(before):
            return before
    plan = current_plan(rig, [name for name, *_ in chains], scene)
    shared_bones.refuse_shared_bones(plan.chains)
    places = tuple(dependencies.links(plan.chains, driven=True))
    look = GlanceRequest(plan=plan, need=sample_request(plan))
    found = fingerprint(plan, places)
    return Reading(chains=chains, fingerprint=found, rest=rest_fingerprint(plan), plan=plan, look=look, places=places)


def _is_right(reading: Reading) -> bool:
    """Whether the chains would be read so again."""
    try:
        if fingerprint(reading.plan, reading.places) != reading.fingerprint:
            return False
    except ReferenceError:  # something that they depended on was removed
        return False
    uid = reading.plan.rig.session_uid
    if uid not in _at_rest:
        if rest_fingerprint(reading.plan) != reading.rest:
            return False
        _at_rest.add(uid)
    return True


def _refusals(rig: Rig, chains: Chains, scene: Scene, depsgraph: Depsgraph) -> dict[str, Refused]:
    """What is wrong with each chain by itself, or beside one other; where it is all of them together, that."""
    refused = {}
    alone: list[ChainPlan] = []
    for chain in chains:
        try:
            seen = _seen(rig, [chain], scene, depsgraph)
        except Refused as refusal:
            refused[chain[0]] = refusal
        else:
            alone += seen.reading.plan.chains
    refused |= shared_bones.refusals(alone)
    fit = [chain for chain in chains if chain[0] not in refused]
    try:
        _seen(rig, fit, scene, depsgraph)
    except Refused as refusal:
        refused |= {name: refusal for name, *_ in fit}
    return refused
