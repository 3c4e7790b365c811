"""How each limb is posed: the tip and the target as Blender evaluates them, and what keeps them apart.

Measured where it is shown, once for each evaluation of the scene, and during playback at most five times a second.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from math import dist
from time import monotonic
from typing import NamedTuple

import numpy as np
from bpy.types import Depsgraph, Object, Scene
from mathutils import Vector

from ...skeleton import solve, tail, transform
from ...skeleton.rounding import near
from ...skeleton.shown import pole_pin_fields
from ...skeleton.solved_group import SolvedGroup
from ...skeleton.values import Plan
from ...solver.values import ReachWith, Status, Unreachable
from ..armatures import Rig
from ..bake.chain_report import holding_option
from ..bake.keys_of_limbs import without_keys
from ..build.build import is_current
from ..curves.keys import rotation_curves
from ..live import state
from ..live.live import waits_for_drag
from ..messages.refused import Refused
from ..rigs import known_limbs
from ..scene import dependencies
from ..session import session
from ..settings.properties import TwoBoneIKChain, root_name
from . import hiding
from .hiding import Hiding

Place = tuple[float, float, float]

_SECONDS = 0.2
"""Between two looks at a limb that plays."""


_AWAY = ("OTHER_SCENE", "IN_NO_SCENE")
"""Refusals that are shown as a state: they stop only Live."""


class State(StrEnum):
    """What can be said of a limb.

    REACHED : the tip is on the target
    OFF_POLE : so it is, but the mid joint is short of the pole that it is pinned to
    AS_SET : posed as it is solved; an option keeps the tip off the target
    TOO_FAR, TOO_CLOSE : posed as it is solved; the bones do not allow more
    NOT_POSED : elsewhere, as Live is off
    PULLED : off its target while Drag pulls this limb, or another one for which Live waits
    HIDDEN : elsewhere, or not what deforms the character, as something acts on top of the pose
    OTHER_SCENE, IN_NO_SCENE : what it depends on is not in this scene: Live does not pose it, a bake does
    BUILT, BUILT_BEFORE : built into the rig; built, but out of date
    MUTED, REFUSED : not solved
    """

    REACHED = "REACHED"
    OFF_POLE = "OFF_POLE"
    AS_SET = "AS_SET"
    TOO_FAR = "TOO_FAR"
    TOO_CLOSE = "TOO_CLOSE"
    NOT_POSED = "NOT_POSED"
    PULLED = "PULLED"
    HIDDEN = "HIDDEN"
    OTHER_SCENE = "OTHER_SCENE"
    IN_NO_SCENE = "IN_NO_SCENE"
    BUILT = "BUILT"
    BUILT_BEFORE = "BUILT_BEFORE"
    MUTED = "MUTED"
    REFUSED = "REFUSED"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LimbState:
    """One limb as Blender evaluates it, in the world.

    joints : root, mid, the hock of a leg that has one, tip, and a tail that reaches; empty if the chain lacks a bone
    target : empty if the chain has none
    miss : from the tip, or the tail that reaches, to the target; of OFF_POLE from the mid joint to the pole
    cause : label of the option that makes the limb AS_SET
    hiding : what hides it, where that is known
    away : what is not in this scene, and the names of the scenes in which it is
    refusal : why it cannot be solved
    keyed : its bones have keys, which Live would cover
    lacks_keys : Live poses bones of it that a render shows otherwise, as they have no keys
    angles : in degrees, of root and hinge as `joint_angles` has them; empty if the chain cannot be solved
    """

    state: State
    joints: tuple[Place, ...] = ()
    target: tuple[Place, ...] = ()
    miss: float = 0.0
    cause: str = ""
    hiding: Hiding | None = None
    away: tuple[str, str] = ("", "")
    refusal: Refused | None = None
    keyed: bool = False
    lacks_keys: bool = False
    angles: tuple[float, ...] = ()


class _Look(NamedTuple):
    """What was measured last of which view layer and chains, and when."""

    layer: str
    names: list[str]
    states: Mapping[str, LimbState]
    time: float


_looks: dict[int, _Look] = session.of_state({})
# Of these armatures nothing has changed since: no scene was evaluated.
_fresh: set[int] = session.of_state(set())
session.evaluated.append((_fresh, lambda _: _fresh.clear()))
# To go through all constraints of a rig takes long: done again where its chains are read again.
_copies: dict[int, tuple[Plan, known_limbs.Copies]] = session.of_state({})


def limb_states(rig: Rig, scene: Scene, depsgraph: Depsgraph, *, playing: bool = False) -> Mapping[str, LimbState]:
    """The states of all chains of an armature, by name; changes nothing in the file."""
    look = _looks.get(rig.session_uid)
    layer, names = f"{scene.name}\n{depsgraph.view_layer.name}", [chain.name for chain in rig.two_bone_ik_chains]
    recent = look and (rig.session_uid in _fresh or (playing and monotonic() - look.time < _SECONDS))
    if look and recent and (look.layer, look.names) == (layer, names):
        return look.states
    states = _states(rig, scene, depsgraph)
    _looks[rig.session_uid] = _Look(layer, names, states, monotonic())
    _fresh.add(rig.session_uid)
    return states


def _states(rig: Rig, scene: Scene, depsgraph: Depsgraph) -> dict[str, LimbState]:
    rig_state = state.update(rig, scene, depsgraph)
    if rig_state.reading and _copies.get(rig.session_uid, (None,))[0] is not rig_state.reading.plan:
        _copies[rig.session_uid] = rig_state.reading.plan, known_limbs.copies(rig, dependencies.constrained(rig))
    solved = {limb.plan.name: limb for limb in rig_state.solved}
    states = {}
    for chain in rig.two_bone_ik_chains:
        joints, target = _joints(chain, depsgraph), _target(chain, depsgraph)
        miss = dist(joints[-1], *target) if joints and target else 0.0
        refusal = rig_state.refused.get(chain.name) or rig_state.left_out.get(chain.name)
        unsolved = State.MUTED if chain.mute else State.REFUSED
        if dependencies.built_by(rig, chain.end_bone):
            unsolved = State.BUILT if is_current(rig, chain) else State.BUILT_BEFORE
        seen = LimbState(state=unsolved, joints=joints, target=target, miss=miss, refusal=refusal)
        if refusal and refusal.kind in _AWAY:
            away = refusal.object, str(refusal.value)
            seen = replace(seen, state=State(refusal.kind), away=away, refusal=None)
        is_solved = chain.name in solved and chain.name not in rig_state.left_out
        states[chain.name] = _judged(rig, solved[chain.name], seen, depsgraph) if is_solved else seen
    return states


def _judged(rig: Rig, solved: SolvedGroup, seen: LimbState, depsgraph: Depsgraph) -> LimbState:
    """What can be said of a limb that can be solved."""
    plan, close = solved.plan, _close(seen)
    shown = seen.joints[: solved.solution.joints.shape[-2]]
    joints = transform.transform_points(solved.group.from_world[0, 0], np.array(shown))
    angles = np.degrees(solved.angles(joints[None, None])[0, 0])
    keyed, lacks_keys = any(rotation_curves(rig, plan.keyed)), rig.two_bone_ik_live and bool(without_keys(plan))
    seen = replace(seen, keyed=keyed, lacks_keys=lacks_keys, angles=tuple(angles.tolist()))
    if by := hiding.switched_off(plan, _copies[rig.session_uid][1], rig.evaluated_get(depsgraph), close):
        return replace(seen, state=State.HIDDEN, hiding=by)
    if seen.miss <= close:
        off = _off_pole(solved, seen)
        return replace(seen, state=State.OFF_POLE, miss=off) if off > close else replace(seen, state=State.REACHED)
    solved_joints = [*solve.world_joints(solved)[0, 0], *(tail.world_tails(solved)[0] if plan.by_tail else ())]
    as_solved = all(dist(joint, place) <= close for joint, place in zip(seen.joints, solved_joints, strict=True))
    status = Status(int(solved.solution.status[0, 0]))
    if as_solved or (status != Status.REACHED and plan.options.unreachable == Unreachable.SKIP):
        cause = _cause(solved, status, close)
        return replace(seen, state=State.AS_SET if cause else State[status.name], cause=cause)
    if waits_for_drag(rig, plan.name):
        return replace(seen, state=State.PULLED)
    by = hiding.on_top(plan)
    return replace(seen, state=State.HIDDEN if by or rig.two_bone_ik_live else State.NOT_POSED, hiding=by)


def _off_pole(solved: SolvedGroup, seen: LimbState) -> float:
    """How far the mid joint is from the pole that it is pinned to; 0 for a limb that need not be there."""
    if not (solved.plan.pole_pins and solved.plan.pole and pole_pin_fields(solved)["off_pole"].any()):
        return 0.0
    return dist(seen.joints[1], solved.samples.world(solved.plan.pole)[0, :3, 3].tolist())


def _close(seen: LimbState) -> float:
    """The distance within which a limb counts as being in a place."""
    largest = max(abs(part) for point in (*seen.joints, *seen.target) for part in point)
    return float(near(sum(map(dist, seen.joints[:-1], seen.joints[1:])), largest))


def _cause(solved: SolvedGroup, status: Status, small: float) -> str:
    """The label of the option that keeps a limb, posed as it is solved, off its target; "" if the bones do."""
    options, solution = solved.group.options_of(0), solved.solution
    if status == Status.LIMITED:
        return "Limit Extension"
    if status != Status.REACHED:
        sides = solved.group.sides(np.diff(solution.joints, axis=-2))
        first, second = np.linalg.norm(sides[0, 0], axis=-1)
        distance = np.linalg.norm(solution.target[0, 0])
        return "Limit Bend" if abs(first - second) - small <= distance <= first + second + small else ""
    return holding_option(options, 0)


def _joints(chain: TwoBoneIKChain, depsgraph: Depsgraph) -> tuple[Place, ...]:
    owner: Rig = chain.id_data
    rig: Rig = owner.evaluated_get(depsgraph)
    if rig.pose is None:
        return ()
    names = (root_name(owner, chain), chain.end_bone, *filter(None, (chain.hock_bone, chain.tip_bone)))
    bones = [rig.pose.bones[name] for name in names if name in rig.pose.bones]
    if len(bones) < len(names):
        return ()
    places = [bone.head for bone in bones]
    # A chain that is refused may have none of what its tail needs.
    by_tail = chain.use_rotation and chain.reach_with == ReachWith.TAIL
    last = () if chain.tip_bone and not by_tail else (bones[-1].tail,)
    return tuple(_world(rig, place) for place in (*places, *last))


def _target(chain: TwoBoneIKChain, depsgraph: Depsgraph) -> tuple[Place, ...]:
    if chain.target is None:
        return ()
    target = chain.target.evaluated_get(depsgraph)
    bone = target.pose.bones.get(chain.subtarget) if target.type == "ARMATURE" and target.pose else None
    return (_world(target, bone.head if bone else Vector()),)


def _world(item: Object, place: Vector) -> Place:
    point = item.matrix_world @ place
    return point.x, point.y, point.z
