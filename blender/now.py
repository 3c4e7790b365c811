"""The chains as the scene stands, solved once for all who look: live limbs, the list of chains, the overlay.

A pose that was written here is not the chain's own: a chain that starts from its own pose would start from its own
solution, and creep. So what stood before is remembered for as long as what was written stands, by the bones themselves
where the chain does start from there: undo and loading then bring back both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import bpy
import numpy as np
from bpy.types import Depsgraph, Object, PoseBone, Scene

from ..solver.values import Array, Status
from .errors import Refused
from .pipeline import convert, read, sample, solve, write
from .pipeline.plan import Plan, Point
from .pipeline.samples import Samples
from .pipeline.solve import Solved

_SAME = 1e-6
"""Between elements of matrices: what was written comes back from Blender in single precision."""


@dataclass(slots=True, eq=False, kw_only=True)
class Now:
    """The chains of one armature object as they were when somebody looked last.

    groups : those that have all they need, side by side
    refused : of the others, by name, what is wrong
    posed : True where the armature is posed so
    fixed, moving : what the chains' spaces depended on, and what they reached for
    """

    plan: Plan | None = None
    groups: list[Solved] = field(default_factory=list)
    refused: dict[str, Refused] = field(default_factory=dict)
    posed: bool = False
    fixed: bytes = b""
    moving: bytes = b""

    @property
    def rigid(self) -> bool:
        """True where no chain depends on more than its own space and what it reaches for."""
        alone = self.plan is not None and len(self.plan.ranks) == 1
        return alone and all(group.here.stage.rigid for group in self.groups)

    @property
    def solved(self) -> list[Solved]:
        """The same one by one, in the order in which they are solved."""
        return solve.one_by_one(self.plan, self.groups) if self.plan else []

    def standing(self, name: str) -> Standing | None:
        """How the chain of this name stands; None where it is not solved."""
        for group in self.groups:
            for row, chain in enumerate(group.here.plans):
                if chain.name == name:
                    solution = group.solution
                    return Standing(
                        status=Status(int(solution.status[0, row])),
                        miss=float(np.linalg.norm(group.here.to_world[0, row, :3, :3] @ solution.miss[0, row])),
                        short=bool(solution.shortfall[0, row] > 0.0),
                    )
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One chain: its `Status`, the distance from tip to target in world units, and whether it falls short."""

    status: Status
    miss: float
    short: bool


# By `session_uid` of armature objects, which outlives a new name, and is not shared by a linked one of the same name.
_known: dict[int, Now] = {}
_held: set[int] = set()
# By that and bone: the basis (4, 4) that was written, and the (1, 4, 4) that stood there before.
_own: dict[tuple[int, str], tuple[Array, Array]] = {}


def known(rig: Object) -> Now:
    """The chains as `look` has found them last."""
    return _known.get(rig.session_uid, Now())


def look(rig: Object, scene: Scene, depsgraph: Depsgraph) -> Now:
    """The chains that are not muted, as this dependency graph has them; changes nothing in the file."""
    names = [chain.name for chain in rig.two_bone_ik_chains if not chain.mute]
    try:
        plan, samples = _seen(rig, names, scene, depsgraph)
        refused = {}
    except Refused:
        refused = _refusals(rig, names, scene, depsgraph)
        fit = [name for name in names if name not in refused]
        if not fit:
            _known[rig.session_uid] = Now(refused=refused)
            return _known[rig.session_uid]
        plan, samples = _seen(rig, fit, scene, depsgraph)
    now = _known.setdefault(rig.session_uid, Now())
    now.refused = refused
    fixed, moving = _fixed(plan, samples), _moving(samples)
    stands = now.plan is not None and plan.chains == now.plan.chains and fixed == now.fixed
    if not stands or moving != now.moving:
        now.groups = solve.again(now.groups, samples) if stands and now.rigid else solve.solutions(plan, samples)
        now.plan, now.posed, now.fixed, now.moving = plan, False, fixed, moving
    return now


def pose(rig: Object, scene: Scene, depsgraph: Depsgraph) -> None:
    """Pose them, without keys; where nothing has moved since that was done last, nothing is done."""
    if rig.session_uid in _held:
        return
    now = look(rig, scene, depsgraph)
    if now.posed or not now.plan:
        return
    channels = [channel for found in convert.channels(now.plan, now.groups) for channel in found]
    write.pose(rig, channels)
    now.posed = True
    for group in now.groups:
        for chain in group.here.plans:
            for bone in chain.keyed:
                _remember(bone, group.samples.basis[Point(rig, bone.name)], counts=bone.name in chain.turned)


def _remember(bone: PoseBone, before: Array, *, counts: bool) -> None:
    """Of a bone that was posed here, the basis (1, 4, 4) `before`; in the file as well where it counts for the pose."""
    _own[bone.id_data.session_uid, bone.name] = np.array(bone.matrix_basis, dtype=np.float64), before
    if counts and not _same(np.array(bone.two_bone_ik_own), before):
        bone.two_bone_ik_own = before[0]


def begin(rig: Object) -> None:
    """Its limbs are live from now on, or no longer: the pose that stands is their own, unless it was written here."""
    for bone in rig.pose.bones if rig.pose else ():
        if (rig.session_uid, bone.name) not in _own:
            bone.property_unset("two_bone_ik_own")
    # They follow at once: set by a script the property alone would make Blender evaluate nothing.
    rig.update_tag()


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
    _own.clear()
    _held.clear()
    _armatures.cache_clear()


def _seen(rig: Object, names: Sequence[str], scene: Scene, depsgraph: Depsgraph) -> tuple[Plan, Samples]:
    plan = replace(read.plan(rig, names, None, scene), frames=np.array([scene.frame_current_final], dtype=np.float64))
    samples = sample.seen(plan, depsgraph)
    basis = {point: _own_basis(point, matrices) for point, matrices in samples.basis.items()}
    return plan, replace(samples, basis=basis)


def _refusals(rig: Object, names: Sequence[str], scene: Scene, depsgraph: Depsgraph) -> dict[str, Refused]:
    """What is wrong with each chain by itself; where it is all of them together, that."""
    refused = {}
    for name in names:
        try:
            _seen(rig, [name], scene, depsgraph)
        except Refused as refusal:
            refused[name] = refusal
    fit = [name for name in names if name not in refused]
    try:
        _seen(rig, fit, scene, depsgraph)
    except Refused as refusal:
        refused |= dict.fromkeys(fit, refusal)
    return refused


def _own_basis(point: Point, basis: Array) -> Array:
    known = _own.get((point.object.session_uid, point.bone))
    if known:
        written, before = known
        return before if _same(written, basis) else basis
    bone = point.object.pose.bones[point.bone] if point.bone else None
    if bone and point.object.two_bone_ik_live and bone.is_property_set("two_bone_ik_own"):
        return np.array(bone.two_bone_ik_own, dtype=np.float64)[None]
    return basis


def _same(one: Array, other: Array) -> bool:
    return bool(np.abs(one - other).max() < _SAME)


def _fixed(plan: Plan, samples: Samples) -> bytes:
    parents = [samples.pose[Point(plan.rig, chain.parent.name)] for chain in plan.chains if chain.parent]
    return np.concatenate((samples.to_world[plan.rig], *parents, *samples.basis.values())).tobytes()


def _moving(samples: Samples) -> bytes:
    return np.concatenate((*samples.to_world.values(), *samples.pose.values())).tobytes()
