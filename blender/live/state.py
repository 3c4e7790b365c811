"""The chains as the scene stands, solved once for all who look: live limbs, the list of chains, the overlay."""

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import NamedTuple

from bpy.types import ID, Depsgraph, Scene

from ...skeleton import solve
from ...skeleton.solved_group import SolvedGroup, one_by_one
from ...skeleton.values import Bone, ChainPlan, Samples
from ..armatures import Rig
from ..bake import checks
from ..messages.refused import Refused
from ..scene.glance import Glance
from ..scene.sampling import samples_from_depsgraph
from ..session import session
from ..settings import bone_marks
from . import reading
from .known_ahead import foreign_handlers
from .reading import Chains, Reading


@dataclass(slots=True, eq=False, kw_only=True)
class RigState:
    """The chains of one armature object as they were when they were last read.

    reading : those that have all they need
    groups : these, solved side by side with chains of other armatures, which may have been solved again since
    refused : of the others, by name, what is wrong
    posed : True where Live has posed the armature so, or on another frame ahead of it
    ahead : True where the armature is posed on a frame that was known ahead, at which these were not read
    glance, samples : what the chains depend on
    layer : the names of the scene that was looked at, and of its view layer
    since : what Blender has evaluated since then; None where that is not known
    watched : the armature, its data, and all that chains reach for or bend towards, be they refused
    left_out : chains that can be solved and that Live leaves as they are, and why
    """

    reading: Reading | None = None
    groups: list[SolvedGroup] = field(default_factory=list)
    refused: dict[str, Refused] = field(default_factory=dict)
    posed: bool = False
    ahead: bool = False
    glance: Glance | None = None
    samples: Samples | None = None
    layer: tuple[str, str] = ("", "")
    since: set[ID] | None = None
    watched: Set[ID | None] = frozenset()
    left_out: dict[str, Refused] = field(default_factory=dict)

    def evaluated_since(self, layer: tuple[str, str]) -> Set[ID] | None:
        """What may have changed since they were last read; None where anything may.

        That is so where Live itself moves what the chains depend on: Blender evaluates such a pose without calling
        handlers.
        """
        if _unread or not (self.reading and self.reading.alone and layer == self.layer and self.rigid):
            return None
        return self.since

    @property
    def posable(self) -> list[Bone]:
        """The bones that Live may pose."""
        if not self.reading or not self.left_out:
            return self.reading.keyed if self.reading else []
        return [bone for chain in self.reading.plan.chains if chain.name not in self.left_out for bone in chain.keyed]

    @property
    def rigid(self) -> bool:
        """True where no chain depends on more than its own space and what it reaches for."""
        alone = self.reading is not None and len(self.reading.plan.ranks) == 1
        return alone and all(group.group.kinematics.rigid for group in self.groups)

    @property
    def solved(self) -> list[SolvedGroup]:
        """Each by itself, in the order in which they are solved."""
        return one_by_one(self.reading.plan, self.groups) if self.reading else []


class _Seen(NamedTuple):
    reading: Reading
    glance: Glance
    samples: Samples


# By `session_uid` of armature objects, which outlives a new name, and is not shared by a linked one of the same name.
_known: dict[int, RigState] = session.of_state({})
# Those whose chains were solved side by side last.
_together: list[RigState] = session.of_state([])
# What Blender evaluated last. After a change of the frame it is read from the dependency graph only when it is needed.
_evaluated: set[ID] = session.of_state(set())
_unread: list[Depsgraph] = session.of_state([])


def layer_of(depsgraph: Depsgraph) -> tuple[str, str]:
    """The names of the scene that it evaluates, and of the view layer."""
    return depsgraph.scene.name, depsgraph.view_layer.name


def cached(rig: Rig) -> RigState:
    """The chains as `update` has found them last."""
    return known(rig.session_uid)


def known(uid: int) -> RigState:
    """The same of the armature object with this `session_uid`."""
    return _known.get(uid) or RigState()


def update(rig: Rig, scene: Scene, depsgraph: Depsgraph) -> RigState:
    """The chains that are not muted, as this dependency graph has them; changes nothing in the file."""
    [now] = update_all([rig], scene, depsgraph)
    return now


def update_all(rigs: Iterable[Rig], scene: Scene, depsgraph: Depsgraph) -> list[RigState]:
    """The same for several armatures; the chains of those on which something has changed are solved side by side."""
    states, changed, again = [], [], True
    for rig in rigs:
        now, seen = _look(rig, scene, depsgraph)
        if now.ahead:
            now.posed = now.ahead = False
        if seen:
            now.layer, now.since = layer_of(depsgraph), set()
        if seen and seen.samples is not now.samples:
            again &= seen.reading is now.reading and bool(now.glance) and seen.glance.own == now.glance.own
            now.reading, now.glance, now.samples = seen.reading, seen.glance, seen.samples
            changed.append(now)
        states.append(now)
    if changed:
        _solve(changed, again=again)
    return states


def _solve(changed: list[RigState], *, again: bool) -> None:
    """Solve the chains of several armatures side by side.

    again : True where nothing but what they reach for and what carries them has changed
    """
    samples = reduce(or_, (now.samples for now in changed))
    if again and changed == _together and all(now.rigid for now in changed):
        groups = solve.solve_again(changed[0].groups, samples)
    else:
        groups = solve.solve_groups(reading.side_by_side([now.reading.plan for now in changed]), samples)
    _together[:] = changed
    for now in changed:
        now.groups, now.posed = groups, False


def leave_out(rig: Rig, names: Iterable[str]) -> None:
    """Live does not pose these chains, which wait for each other across armatures."""
    now, chains = cached(rig), rig.two_bone_ik_chains
    refused = {name: Refused("LIVE_CIRCLE", chain=chains[name]) for name in names}
    now.posed &= refused.keys() == now.left_out.keys()
    now.left_out = refused


def stands(rig: Rig, now: RigState, depsgraph: Depsgraph) -> bool:
    """True where nothing that its chains depend on was evaluated last, or what they go for stands, tied as it was."""
    evaluated = is_evaluated(now.watched)
    if now.ahead or not evaluated:
        return not evaluated
    since = now.evaluated_since(layer_of(depsgraph))
    tells = since is not None and not now.refused and since.isdisjoint((rig, rig.data))
    # A target that stays may follow another armature from now on, which then is to be posed first.
    return tells and now.reading.look.stands(depsgraph, now.glance, since) and reading.is_tied(now.reading, since)


def is_evaluated(items: Set[ID]) -> bool:
    """Whether Blender has evaluated any of these last."""
    return not _evaluated.isdisjoint(items)


def invalidate(rig: Rig) -> None:
    """A choice of one of the armature's chains has changed: read it again, and at once.

    Set by a script the property alone would make Blender evaluate nothing.
    """
    _known.pop(rig.session_uid, None)
    rig.update_tag()


def _renamed(rig: Rig, _names: bone_marks.Names) -> None:
    """Its chains name other bones: read them again."""
    _known.pop(rig.session_uid, None)


bone_marks.listeners.append(_renamed)


def _notice(depsgraph: Depsgraph) -> None:
    """A scene was evaluated: what it evaluated may be otherwise than it was."""
    if _unread:
        for now in _known.values():
            now.since = None
    # What handlers change Blender evaluates without a word.
    unknown = foreign_handlers()
    if unknown or depsgraph.id_type_updated("ARMATURE"):
        reading.forget_rest()
    if unknown:
        for now in _known.values():
            now.since = None
    _unread[:] = [depsgraph]
    if not session.changes_frame:
        read_updates()


def read_updates() -> None:
    """Find out what Blender has evaluated, while its handlers run. Most frames need no answer, and it takes long."""
    if not _unread:
        return
    # What follows something else is listed along with it.
    _evaluated.clear()
    if _known:
        _evaluated.update([update.id.original for update in _unread[0].updates])
    for now in _known.values():
        if now.since is not None:
            now.since |= _evaluated
    _unread.clear()


session.evaluated.append((_known, _notice))


def _look(rig: Rig, scene: Scene, depsgraph: Depsgraph) -> tuple[RigState, _Seen | None]:
    """The state of an armature, and what its chains depend on now; None where none of them can be solved."""
    chains = reading.chains_of(rig)
    # Chains without a target are no exception, and to find out by trial what is wrong with each takes long.
    fit = [chain for chain in chains if chain[1]]
    refused = {
        name: Refused("NO_TARGET", chain=rig.two_bone_ik_chains[name]) for name, target, _ in chains if not target
    }
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
    now.watched = {rig, rig.data, *(goal for _, *goals in chains for goal in goals)}
    return now, seen


def _seen(rig: Rig, chains: Chains, scene: Scene, depsgraph: Depsgraph) -> _Seen:
    now = cached(rig)
    since = now.evaluated_since(layer_of(depsgraph))
    current = reading.read(rig, chains, scene, now.reading, since)
    if current is now.reading and now.glance and since is not None:
        glance = current.look.look(depsgraph, now.glance, since)
    else:
        glance = current.look.look(depsgraph)
    if current is not now.reading or now.glance is None or glance[:2] != now.glance[:2]:
        samples = samples_from_depsgraph(current.look.need, depsgraph)
    elif glance.goals != now.glance.goals:
        samples = current.look.with_goals(now.samples, glance, now.glance)
    else:
        samples = now.samples
    return _Seen(current, glance, samples)


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
    refused |= checks.shared_bone_refusals(alone)
    fit = [chain for chain in chains if chain[0] not in refused]
    try:
        _seen(rig, fit, scene, depsgraph)
    except Refused as refusal:
        refused |= {name: refusal for name, *_ in fit}
    return refused
