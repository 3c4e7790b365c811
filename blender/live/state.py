"""The limbs of each armature object as the scene is now, solved once for all who look: Live, list of chains, overlay.

Blender tells what it has evaluated, and calls no handler for what a handler has changed. An armature is looked at again
as soon as something that its limbs depend on may have changed.
"""

from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import chain as joined
from itertools import zip_longest
from operator import or_
from typing import NamedTuple

from bpy.types import ID, Depsgraph, Object, Scene
from mathutils import Matrix

from ...skeleton import solve
from ...skeleton.solved_group import SolvedGroup, one_by_one
from ...skeleton.values import Bone, ChainPlan, Plan, Samples
from ..armatures import Rig
from ..bake import checks
from ..bake.build_plan import current_plan
from ..bake.fingerprint import Fingerprint
from ..messages.refused import Refused, unless_gone
from ..scene import pose_before, sampling
from ..scene.checks import refuse_unposable
from ..scene.dependencies import built_by
from ..scene.glance import Glance, GlanceNeed
from ..scene.sampling import samples_from_depsgraph
from ..session import session
from ..settings import bone_marks
from .auto_keys import OwnPose

Chains = list[tuple[str, Object | None, Object | None]]
"""Name, target and pole target of each chain: pointers that can become None, as an object
is deleted, without an update of the property."""

Layer = tuple[str, str]
"""The names of a scene and of its view layer."""

Matrices = dict[str, Matrix]
"""By name of a bone its `matrix_basis`."""


class _Reading(NamedTuple):
    """The chains as they were read, a fingerprint that shows when to read them again, and what they depend on."""

    chains: Chains
    plan: Plan
    keyed: list[Bone]
    fingerprint: Fingerprint
    glance_need: GlanceNeed
    glance: Glance
    samples: Samples

    @classmethod
    def of(cls, rig: Rig, chains: Chains, scene: Scene, depsgraph: Depsgraph) -> "_Reading":
        """Read these chains."""
        plan = current_plan(rig, [name for name, *_ in chains], scene)
        checks.refuse_shared_bones(plan.chains)
        glance_need = GlanceNeed(plan)
        glance, keyed = glance_need.look(depsgraph), [bone for chain in plan.chains for bone in chain.keyed]
        samples = samples_from_depsgraph(glance_need.need, depsgraph)
        return cls(chains, plan, keyed, Fingerprint(plan), glance_need, glance, samples)

    def again(self, depsgraph: Depsgraph) -> "_Reading":
        """A reading of these chains with what they depend on now; this one if nothing has changed."""
        glance = self.glance_need.look(depsgraph)
        if glance == self.glance:
            return self
        if glance.own == self.glance.own:
            return self._replace(glance=glance, samples=self.glance_need.with_places(self.samples, glance))
        return self._replace(glance=glance, samples=samples_from_depsgraph(self.glance_need.need, depsgraph))

    def is_right(self, chains: Chains, *, rest: bool) -> bool:
        """Whether reading these chains again would give the same.

        rest : whether the rest pose may have changed
        """
        try:
            return self.chains == chains and self.fingerprint.is_right(rest=rest)
        except ReferenceError:  # something that they depended on was removed
            return False

    def has_only_moved(self, before: "_Reading | None") -> bool:
        """Whether nothing but places has changed since `before`."""
        return before is not None and before.glance_need is self.glance_need and before.glance.own == self.glance.own


@dataclass(slots=True, eq=False, kw_only=True)
class RigState:
    """The limbs of one armature object.

    After each evaluation Live asks `may_have_changed`, solves with `update_all`, and poses where `pose_to_replace`
    gives a pose.

    refused : by name of chains that cannot be solved, why not
    left_out : by name of chains that can be solved and that Live does not pose, why not
    groups : results for the chains that can be solved. They may hold chains of other armatures, whose results here may
        be out of date
    posed : whether Live has posed the limbs by these results
    left : the poses that Live wrote
    without_live : the last poses that Live did not write
    looked_in : where Live looked last; None if something may have changed since without a word from Blender, the rest
        pose too
    pulled : the name of the chain that Drag pulls, "" if the limb has none; None if it pulls no limb of the armature
    """

    rig: Rig
    refused: Mapping[str, Refused] = field(default_factory=dict)
    left_out: Mapping[str, Refused] = field(default_factory=dict)
    groups: list[SolvedGroup] = field(default_factory=list)
    posed: bool = False
    left: Matrices = field(default_factory=dict)
    without_live: OwnPose | None = None
    looked_in: Layer | None = None
    pulled: str | None = None
    reading: _Reading | None = None
    # The armature, its data, and all targets and pole targets, also those of refused chains.
    _watched: Set[ID | None] = frozenset()

    def may_have_changed(self, updated: Set[ID], layer: Layer) -> bool:
        """True unless Live has posed it and looked in this layer last, and nothing that it watches was `updated`."""
        return not (self.posed and self.looked_in == layer and self._watched.isdisjoint(updated))

    def take_keys(self) -> None:
        """The frame has changed: what keys have set is what the limbs start from."""
        if self.reading:
            names = {point.bone for point in self.reading.glance_need.need.posed}
            pose_before.take_keys(self.rig, [bone for bone in self.reading.keyed if bone.name in names])

    def read_chains(self, scene: Scene, depsgraph: Depsgraph) -> None:
        """Find out which chains can be solved, and what these depend on now."""
        named = self.rig.two_bone_ik_chains
        taking_part = [chain for chain in named if not (chain.mute or built_by(self.rig, chain.end_bone))]
        chains = [(chain.name, chain.target, chain.pole_target) for chain in taking_part]
        self._watched = {self.rig, self.rig.data, *(goal for _, *goals in chains for goal in goals)}
        # Chains without a target are no exception, and to find out by trial what is wrong with each takes long.
        fit = [chain for chain in chains if chain[1]]
        self.refused = {name: Refused("NO_TARGET", chain=named[name]) for name, target, _ in chains if not target}
        try:
            self.reading = self._read(fit, scene, depsgraph)
        except Refused:
            self.refused |= self._refusals(fit, scene, depsgraph)
            fit = [chain for chain in fit if chain[0] not in self.refused]
            self.reading = self._read(fit, scene, depsgraph) if fit else None

    def pose_to_replace(self, depsgraph: Depsgraph) -> Matrices | None:
        """The pose that Blender has evaluated; None where it is right and Live wrote it, or no chain is solved."""
        if not self.reading:
            return None
        evaluated = self.matrices(self.rig.evaluated_get(depsgraph))
        return None if self.posed and evaluated == self.left else evaluated

    def matrices(self, rig: Rig) -> Matrices:
        """The pose of the limbs on the armature object, or on a copy of it."""
        bones = rig.pose.bones
        return {bone.name: bones[bone.name].matrix_basis.copy() for bone in self.reading.keyed}

    def leave_out(self, names: Collection[str]) -> None:
        """Do not pose these chains, which wait for each other across armatures."""
        self.posed &= self.left_out.keys() == {*names}
        self.left_out = {name: Refused("LIVE_CIRCLE", chain=self.rig.two_bone_ik_chains[name]) for name in names}

    def forget(self) -> None:
        """Read the chains again next time, as if Live had posed nothing yet."""
        self.reading, self.posed, self.without_live = None, False, None

    @property
    def chains(self) -> tuple[ChainPlan, ...]:
        """The chains that can be solved."""
        return self.reading.plan.chains if self.reading else ()

    @property
    def sources(self) -> Set[Object]:
        """Objects that the chains' places depend on."""
        return {*self.reading.fingerprint.items} if self.reading else set()

    @property
    def solved(self) -> list[SolvedGroup]:
        """Each chain by itself, in the order in which they are solved."""
        return one_by_one(self.reading.plan, self.groups) if self.reading else []

    def _read(self, chains: Chains, scene: Scene, depsgraph: Depsgraph) -> _Reading:
        refuse_unposable(self.rig)
        if self.reading and self.reading.is_right(chains, rest=self.looked_in is None):
            return self.reading.again(depsgraph)
        return _Reading.of(self.rig, chains, scene, depsgraph)

    def _refusals(self, chains: Chains, scene: Scene, depsgraph: Depsgraph) -> dict[str, Refused]:
        """What is wrong with each chain by itself, or because of one other; where it is all of them, that."""
        refused: dict[str, Refused] = {}
        alone: list[ChainPlan] = []
        for chain in chains:
            try:
                alone += self._read([chain], scene, depsgraph).plan.chains
            except Refused as refusal:
                refused[chain[0]] = refusal
        refused |= checks.shared_bone_refusals(alone)
        fit = [chain for chain in chains if chain[0] not in refused]
        try:
            self._read(fit, scene, depsgraph)
        except Refused as refusal:
            refused |= {name: refusal for name, *_ in fit}
        return refused


# By `session_uid` of armature objects, which outlives a new name, and is not shared by a linked one of the same name.
_states: dict[int, RigState] = session.of_state({})


def cached(rig: Rig) -> RigState:
    """The limbs of an armature object as `update` found them last."""
    return _states.get(rig.session_uid) or _states.setdefault(rig.session_uid, RigState(rig=rig))


def update(rig: Rig, scene: Scene, depsgraph: Depsgraph) -> RigState:
    """The limbs of the armature, read and solved as this dependency graph has them; changes nothing in the file."""
    rig_state = cached(rig)
    update_all([rig_state], scene, depsgraph)
    return rig_state


def update_all(states: Iterable[RigState], scene: Scene, depsgraph: Depsgraph) -> None:
    """Update several armatures as `update` does; those on which something has changed are solved side by side."""
    changed: dict[RigState, _Reading | None] = {}
    for rig_state in states:
        before = rig_state.reading
        rig_state.read_chains(scene, depsgraph)
        if not before or rig_state.reading is not before:
            rig_state.groups, rig_state.posed = rig_state.groups if rig_state.reading else [], False
            changed |= {rig_state: before} if rig_state.reading else {}
    if changed:
        groups = _solved(changed)
        for rig_state in changed:
            rig_state.groups = groups


def _solved(changed: Mapping[RigState, _Reading | None]) -> list[SolvedGroup]:
    """The chains of these armatures solved side by side.

    changed : by armature what was read of it before
    """
    states = [*changed]
    samples = reduce(or_, (rig_state.reading.samples for rig_state in states))
    groups = states[0].groups
    rigs = {plan.rig for group in groups for plan in group.plans if group.group.kinematics.rigid}
    alike = all(
        rig_state.groups is groups and rig_state.reading.has_only_moved(before) for rig_state, before in changed.items()
    )
    one_rank = all(len(rig_state.reading.plan.ranks) == 1 for rig_state in states)
    if alike and one_rank and rigs == {rig_state.rig for rig_state in states}:
        carried = any(rig_state.reading.glance.spaces != before.glance.spaces for rig_state, before in changed.items())
        return solve.solve_again(groups, samples, carried=carried)
    ranks = zip_longest(*(rig_state.reading.plan.ranks for rig_state in states), fillvalue=())
    plan = replace(states[0].reading.plan, ranks=tuple(tuple(joined.from_iterable(rank)) for rank in ranks))
    return solve.solve_groups(plan, samples)


def invalidate(rig: Rig) -> None:
    """Read the chains again at once: a property that a script sets makes Blender evaluate nothing."""
    cached(rig).forget()
    rig.update_tag()


bone_marks.listeners.append(lambda rig, _names: cached(rig).forget())  # its chains name other bones


def _evaluated(depsgraph: Depsgraph) -> None:
    """Make Live look in any case where this evaluation is not for it, has changed rest poses, or handlers of others may
    have changed anything.
    """
    others = sampling.handled("depsgraph_update_pre", "depsgraph_update_post", "frame_change_pre", "frame_change_post")
    if others or session.samplings or depsgraph.mode == "RENDER" or depsgraph.id_type_updated("ARMATURE"):
        for rig_state in _states.values():
            rig_state.looked_in = None


def _sampled() -> None:
    """Make Blender evaluate live armatures again: a request may have moved what their limbs follow."""
    for rig_state in _states.values():
        with unless_gone:
            if rig_state.looked_in is None and rig_state.rig.two_bone_ik_live:
                rig_state.rig.update_tag(refresh={"OBJECT"})


session.evaluated.append((_states, _evaluated))
session.sampled.append(_sampled)
