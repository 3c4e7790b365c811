"""The chains as the scene stands, solved once for all who look: live limbs, the list of chains, the overlay."""

from dataclasses import dataclass, field

import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ...skeleton import solve
from ...skeleton.chain_group import SolvedGroup, one_by_one
from ...skeleton.values import ChainPlan, Plan, Samples
from ..armatures import Rig
from ..messages.refused import Refused
from ..pipeline.checks import shared_bones
from ..pipeline.checks.armature import refuse_unposable
from ..pipeline.read import dependencies
from ..pipeline.read.build_plan import current_plan
from ..pipeline.read.fingerprint import Fingerprint, fingerprint
from ..pipeline.sample.request import SampleRequest, sample_request
from ..pipeline.sample.sampling import samples_from_depsgraph
from . import pose_before

Chains = list[tuple[str, Object | None, Object | None]]
"""Name, target and pole target of each chain: pointers that can become None, as an object
is deleted, without an update of the property."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Reading:
    """Chains of one armature object as they were read, and what tells whether they would be read so again.

    sources : objects that the chains' places depend on
    """

    chains: Chains
    fingerprint: Fingerprint
    plan: Plan
    need: SampleRequest
    sources: frozenset[Object]


@dataclass(slots=True, eq=False, kw_only=True)
class RigState:
    """The chains of one armature object as they were when somebody looked last.

    reading, groups : those that have all they need, side by side
    refused : of the others, by name, what is wrong
    posed : True where Live has posed the armature so
    fixed, moving : what the chains' spaces depended on, and what they reached for
    """

    reading: Reading | None = None
    groups: list[SolvedGroup] = field(default_factory=list)
    refused: dict[str, Refused] = field(default_factory=dict)
    posed: bool = False
    fixed: bytes = b""
    moving: bytes = b""

    @property
    def rigid(self) -> bool:
        """True where no chain depends on more than its own space and what it reaches for."""
        alone = self.reading is not None and len(self.reading.plan.ranks) == 1
        return alone and all(group.group.kinematics.rigid for group in self.groups)

    @property
    def solved(self) -> list[SolvedGroup]:
        """The same one by one, in the order in which they are solved."""
        return one_by_one(self.reading.plan, self.groups) if self.reading else []


# By `session_uid` of armature objects, which outlives a new name, and is not shared by a linked one of the same name.
_known: dict[int, RigState] = {}


def cached(rig: Rig) -> RigState:
    """The chains as `update` has found them last."""
    return _known.get(rig.session_uid, RigState())


def update(rig: Rig, scene: Scene, depsgraph: Depsgraph) -> RigState:
    """The chains that are not muted, as this dependency graph has them; changes nothing in the file."""
    chains = [one for one in rig.two_bone_ik_chains if not one.mute]
    # Chains without a target are no exception, and to find out by trial what is wrong with each takes long.
    refused = {one.name: Refused("NO_TARGET", chain=one) for one in chains if not one.target}
    fit = [(one.name, one.target, one.pole_target) for one in chains if one.target]
    try:
        reading, samples = _seen(rig, fit, scene, depsgraph)
    except Refused:
        refused |= _refusals(rig, fit, scene, depsgraph)
        fit = [chain for chain in fit if chain[0] not in refused]
        if not fit:
            _known[rig.session_uid] = RigState(refused=refused)
            return _known[rig.session_uid]
        reading, samples = _seen(rig, fit, scene, depsgraph)
    now = _known.setdefault(rig.session_uid, RigState())
    now.refused = refused
    fixed, moving = _fixed(reading.plan, samples), _moving(samples)
    stands = reading is now.reading and fixed == now.fixed
    if not stands or moving != now.moving:
        again = stands and now.rigid
        now.groups = solve.solve_again(now.groups, samples) if again else solve.solve_groups(reading.plan, samples)
        now.reading, now.posed, now.fixed, now.moving = reading, False, fixed, moving
    return now


def invalidate(rig: Rig) -> None:
    """Somebody has chosen otherwise for a chain of this armature: read it again, and at once.

    Set by a script the property alone would make Blender evaluate nothing.
    """
    _known.pop(rig.session_uid, None)
    rig.update_tag()


def forget() -> None:
    """Another file, or another state of it: what is known is of no use."""
    _known.clear()


def _seen(rig: Rig, chains: Chains, scene: Scene, depsgraph: Depsgraph) -> tuple[Reading, Samples]:
    reading = _reading(rig, chains, scene)
    return reading, samples_from_depsgraph(reading.need, depsgraph, pose_before.pose_before)


def _reading(rig: Rig, chains: Chains, scene: Scene) -> Reading:
    before = cached(rig).reading
    if before and before.chains == chains:
        refuse_unposable(rig)
        if fingerprint(before.plan) == before.fingerprint:
            return before
    plan = current_plan(rig, [name for name, *_ in chains], scene)
    shared_bones.refuse_shared_bones(plan.chains)
    sources = frozenset(place.object for place in dependencies.links(plan.chains))
    return Reading(chains=chains, fingerprint=fingerprint(plan), plan=plan, need=sample_request(plan), sources=sources)


def _refusals(rig: Rig, chains: Chains, scene: Scene, depsgraph: Depsgraph) -> dict[str, Refused]:
    """What is wrong with each chain by itself, or beside one other; where it is all of them together, that."""
    refused = {}
    alone: list[ChainPlan] = []
    for chain in chains:
        try:
            reading, _ = _seen(rig, [chain], scene, depsgraph)
        except Refused as refusal:
            refused[chain[0]] = refusal
        else:
            alone += reading.plan.chains
    refused |= shared_bones.refusals(alone)
    fit = [chain for chain in chains if chain[0] not in refused]
    try:
        _seen(rig, fit, scene, depsgraph)
    except Refused as refusal:
        refused |= {name: refusal for name, *_ in fit}
    return refused


def _fixed(plan: Plan, samples: Samples) -> bytes:
    parents = [samples.pose[chain.parent] for chain in plan.chains if chain.parent]
    own = (part for basis in samples.basis.values() for part in (basis.location, basis.rotation, basis.scale))
    numbers = (value for chain in samples.numbers.values() for value in chain.values())
    return np.concatenate([array.ravel() for array in (samples.to_world[plan.rig], *parents, *own, *numbers)]).tobytes()


def _moving(samples: Samples) -> bytes:
    return np.concatenate((*samples.to_world.values(), *samples.pose.values())).tobytes()
