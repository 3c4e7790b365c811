"""The chains as the scene stands, solved once for all who look: live limbs, the list of chains, the overlay."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import bpy
import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ..solver.values import Status
from . import own_basis, pipeline
from .errors import Refused
from .pipeline import convert, read, sample, solve, write
from .pipeline.plan import ChainPlan, Plan, Point
from .pipeline.read import shared_bones
from .pipeline.read.ties import Ties, ties
from .pipeline.sample.wanted import Wanted, wanted
from .pipeline.samples import Samples
from .pipeline.solve import Solved

Chains = list[tuple[str, Object | None, Object | None]]
"""Name, target and pole target of each chain: what may go without anybody choosing so."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Reading:
    """Chains of one armature object as they were read, and what tells whether they would be read so again."""

    chains: Chains
    ties: Ties
    plan: Plan
    need: Wanted


@dataclass(slots=True, eq=False, kw_only=True)
class Now:
    """The chains of one armature object as they were when somebody looked last.

    reading, groups : those that have all they need, side by side
    refused : of the others, by name, what is wrong
    posed : True where the armature is posed so
    fixed, moving : what the chains' spaces depended on, and what they reached for
    """

    reading: Reading | None = None
    groups: list[Solved] = field(default_factory=list)
    refused: dict[str, Refused] = field(default_factory=dict)
    posed: bool = False
    fixed: bytes = b""
    moving: bytes = b""

    @property
    def rigid(self) -> bool:
        """True where no chain depends on more than its own space and what it reaches for."""
        alone = self.reading is not None and len(self.reading.plan.ranks) == 1
        return alone and all(group.here.stage.rigid for group in self.groups)

    @property
    def solved(self) -> list[Solved]:
        """The same one by one, in the order in which they are solved."""
        return solve.one_by_one(self.reading.plan, self.groups) if self.reading else []

    def standing(self, name: str) -> Standing | None:
        """How the chain of this name stands; None where it is not solved."""
        for group in self.groups:
            for row, chain in enumerate(group.here.plans):
                if chain.name == name:
                    solution = group.solution
                    return Standing(
                        status=Status(int(solution.status[0, row])),
                        miss=float(np.linalg.norm(group.here.to_world[0, row, :3, :3] @ solution.miss[0, row])),
                    )
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One chain: its `Status`, and the distance from tip to target in world units."""

    status: Status
    miss: float


# By `session_uid` of armature objects, which outlives a new name, and is not shared by a linked one of the same name.
_known: dict[int, Now] = {}
_held: set[int] = set()


def known(rig: Object) -> Now:
    """The chains as `look` has found them last."""
    return _known.get(rig.session_uid, Now())


def look(rig: Object, scene: Scene, depsgraph: Depsgraph) -> Now:
    """The chains that are not muted, as this dependency graph has them; changes nothing in the file."""
    chains = [(one.name, one.target, one.pole_target) for one in rig.two_bone_ik_chains if not one.mute]
    try:
        reading, samples = _seen(rig, chains, scene, depsgraph)
        refused = {}
    except Refused:
        refused = _refusals(rig, chains, scene, depsgraph)
        fit = [chain for chain in chains if chain[0] not in refused]
        if not fit:
            _known[rig.session_uid] = Now(refused=refused)
            return _known[rig.session_uid]
        reading, samples = _seen(rig, fit, scene, depsgraph)
    now = _known.setdefault(rig.session_uid, Now())
    now.refused = refused
    fixed, moving = _fixed(reading.plan, samples), _moving(samples)
    stands = reading is now.reading and fixed == now.fixed
    if not stands or moving != now.moving:
        again = stands and now.rigid
        now.groups = solve.again(now.groups, samples) if again else solve.solutions(reading.plan, samples)
        now.reading, now.posed, now.fixed, now.moving = reading, False, fixed, moving
    return now


def pose(rig: Object, scene: Scene, depsgraph: Depsgraph) -> None:
    """Pose them, without keys; where nothing has moved since that was done last, nothing is done."""
    if rig.session_uid in _held:
        return
    now = look(rig, scene, depsgraph)
    if now.posed or not now.reading:
        return
    plan = pipeline.at_current_frame(now.reading.plan)
    channels = [channel for found in convert.channels(plan, now.groups) for channel in found]
    write.pose(rig, channels)
    now.posed = True
    for group in now.groups:
        for chain in group.here.plans:
            for bone in chain.keyed:
                if bone.name in chain.turned:
                    own_basis.remember(bone, group.samples.basis[Point(rig, bone.name)])


def touch(rig: Object) -> None:
    """Somebody has chosen otherwise for a chain of this armature: read it again, and at once.

    Set by a script the property alone would make Blender evaluate nothing.
    """
    _known.pop(rig.session_uid, None)
    rig.update_tag()


def begin(rig: Object) -> None:
    """Its limbs are live from now on, or no longer."""
    own_basis.begin(rig)
    touch(rig)


def armatures(scene: Scene) -> list[Object]:
    """The local armature objects of a scene; a linked one cannot be posed."""
    names = _armatures(len(bpy.data.objects), len(bpy.data.armatures))
    found = {name: _local(scene, name) for name in names}
    # To look for a name among 5,000 objects of a file takes Blender a millisecond, in a scene a microsecond.
    if any(item is None and name not in bpy.data.objects for name, item in found.items()):
        _armatures.cache_clear()  # one was renamed
        return armatures(scene)
    return [item for item in found.values() if item]


def _local(scene: Scene, name: str) -> Object | None:
    item = scene.objects.get(name)
    if item and item.library:
        # A linked object may have the same name, and Blender has no key for the other one.
        return next((other for other in scene.objects if other.name == name and not other.library), None)
    return item


@lru_cache(maxsize=1)
def _armatures(_objects: int, _armatures: int) -> list[str]:
    """Names of all local armature objects, while the file holds so many objects and armatures.

    To look at each of 5,000 objects takes Blender a millisecond, far too long for every evaluation of a scene.
    """
    return [item.name for item in bpy.data.objects if item.type == "ARMATURE" and not item.library]


def hold(rig: Object) -> None:
    """Do not pose this armature until it is released: somebody else does."""
    _held.add(rig.session_uid)


def release(rig: Object) -> None:
    """Pose it again when something moves."""
    _held.discard(rig.session_uid)


def forget() -> None:
    """Another file, or another state of it: what is known is of no use."""
    _known.clear()
    own_basis.forget()
    _held.clear()
    _armatures.cache_clear()


def _seen(rig: Object, chains: Chains, scene: Scene, depsgraph: Depsgraph) -> tuple[Reading, Samples]:
    reading = _reading(rig, chains, scene)
    return reading, sample.seen(reading.need, depsgraph)


def _reading(rig: Object, chains: Chains, scene: Scene) -> Reading:
    before = known(rig).reading
    if before and before.chains == chains:
        read.refuse_unposable(rig)
        if ties(before.plan) == before.ties:
            return before
    plan = pipeline.at_current_frame(read.plan(rig, [name for name, *_ in chains], None, scene))
    shared_bones.refuse_shared_bones(plan.chains)
    return Reading(chains=chains, ties=ties(plan), plan=plan, need=wanted(plan))


def _refusals(rig: Object, chains: Chains, scene: Scene, depsgraph: Depsgraph) -> dict[str, Refused]:
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
    return np.concatenate([array.ravel() for array in (samples.to_world[plan.rig], *parents, *own)]).tobytes()


def _moving(samples: Samples) -> bytes:
    return np.concatenate((*samples.to_world.values(), *samples.pose.values())).tobytes()
