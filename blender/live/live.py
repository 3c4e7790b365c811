"""Limbs that are live: posed wherever keys, a hand or their targets have left them otherwise than they are solved.

Blender evaluates once more what a handler poses, without a call of its handlers. So armatures are posed in the order in
which they follow each other, with an evaluation of ours between two of them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from graphlib import CycleError, TopologicalSorter
from typing import Any

from bpy.types import Depsgraph, Object, Scene

from ...skeleton.values import ChainPlan, Point
from .. import versions
from ..armatures import Rig
from ..bake import convert
from ..bake.pose import pose_solved
from ..scene import dependencies, pose_before
from ..settings import bone_marks
from . import auto_keys, state
from .auto_keys import OwnPose
from .state import Matrices, RigState

_evaluating: list[Depsgraph] = []


def follow(rigs: Iterable[Rig], scene: Scene, depsgraph: Depsgraph, *, edited: bool) -> None:
    """Pose the limbs of these armatures, without keys; where all is as it was left, nothing is done.

    edited : False on a change of the frame. Where auto keying keys what users did to a bone of a limb, the key is
        given the pose that shows
    """
    if _evaluating:
        return
    states = [now for now in map(state.cached, rigs) if now.pulled is None]
    updated, layer = {update.id.original for update in depsgraph.updates}, state.layer_of(depsgraph)
    touched = {now for now in states if now.must_be_solved(updated, layer)}
    if not touched:
        return
    state.update_all(touched, scene, depsgraph)
    auto_key = edited and scene.tool_settings.use_keyframe_insert_auto
    moved: set[Object] = set()
    waiting: dict[RigState, Matrices] = {}
    for now in _leaders_first(states):
        if not moved.isdisjoint(now.sources):
            if waiting:
                _pose(waiting, depsgraph, auto_key=auto_key)
                waiting.clear()
                _evaluate(depsgraph)
            state.update_all([now], scene, depsgraph)
            touched.add(now)
        if now in touched and (evaluated := now.to_be_posed(depsgraph)):
            moved.add(now.rig)
            waiting[now] = evaluated
    _pose(waiting, depsgraph, auto_key=auto_key)
    for now in touched:
        now.looked_in = layer


def live_changed(rig: Rig, scene: Scene) -> None:
    """Its limbs are live from now on, or no longer: keys that Live has covered then show at once."""
    reading, find = state.cached(rig).reading, versions.curve_finder(rig)
    names = bone_marks.notice([rig]).get(rig, {})
    pose_before.begin(rig)
    for path in convert.paths(reading.plan) if reading and not rig.two_bone_ik_live else ():
        path = bone_marks.renamed_path(path, names)
        try:
            values: Any = rig.path_resolve(path)
        except ValueError:  # the bone was removed
            continue
        for index in range(len(values)):
            if (curve := find(path, index=index)) and not curve.mute:
                values[index] = curve.evaluate(scene.frame_current_final)
    state.invalidate(rig)


def suspend(rig: Rig, chain: str) -> None:
    """Do not pose this armature until `resume`, as Drag poses the limb of this chain; "" where it has none."""
    state.cached(rig).pulled = chain


def resume(rig: Rig) -> None:
    """Pose it again."""
    state.cached(rig).pulled = None
    rig.update_tag()  # a target that could not come along leaves nothing to evaluate


def waits_for_drag(rig: Rig, chain: str) -> bool:
    """Whether Drag pulls the limb of this chain, or another one of the armature for which Live waits."""
    pulled = state.cached(rig).pulled
    return pulled is not None and (rig.two_bone_ik_live or pulled == chain)


def _leaders_first(states: Sequence[RigState]) -> Iterator[RigState]:
    """The armatures, each after those that its targets hang on; chains that follow each other are left out."""
    by_rig = {now.rig: now for now in states}
    follows: dict[Rig, Set[Rig]] = {rig: {*by_rig} & now.sources - {rig} for rig, now in by_rig.items()}
    circling: list[ChainPlan] = []
    try:
        order = [*TopologicalSorter(follows).static_order()] if any(follows.values()) else [*by_rig]
    except CycleError:
        # What hangs on another part of a character than a limb stays when that is posed.
        pairs = [*dependencies.followed([chain for now in states for chain in now.chains], {*by_rig})]
        follows = {rig: {leader for chain, leader in pairs if chain.rig == rig} for rig in by_rig}
        circling = [chain for chain, rig in pairs if chain.rig in dependencies.reached([rig], follows.__getitem__)]
        follows = {
            rig: {leader for chain, leader in pairs if chain.rig == rig and chain not in circling} for rig in by_rig
        }
        order = [*TopologicalSorter(follows).static_order()]
    for now in states:
        now.leave_out([chain.name for chain in circling if chain.rig == now.rig])
    return (by_rig[rig] for rig in order)


def _evaluate(depsgraph: Depsgraph) -> None:
    _evaluating.append(depsgraph)
    try:
        if depsgraph.id_type_updated("SCENE"):
            # A graph that was just built again loses its list of the view layer's objects with this evaluation in
            # Blender 4.2, which crashes on the next one. With the scene tagged it makes the list again.
            depsgraph.scene.update_tag()
        depsgraph.update()
    finally:
        _evaluating.clear()


def _pose(waiting: Mapping[RigState, Matrices], depsgraph: Depsgraph, *, auto_key: bool) -> None:
    """Pose the limbs of these armatures as they are solved.

    waiting : with the poses that Blender has evaluated
    """
    limbs = {
        now.rig: ([bone for chain in now.chains if chain.name not in now.left_out for bone in chain.keyed], now.groups)
        for now in waiting
    }
    written = pose_solved(limbs, depsgraph.scene.frame_current_final)
    for now, evaluated in waiting.items():
        if now.rig not in written and evaluated != now.matrices(now.rig):
            now.rig.update_tag(refresh={"DATA"})  # the pose is right already, but Blender shows another
        before = now.own
        _remember(now, evaluated, depsgraph.scene)
        if auto_key and before:
            _key(now, before, depsgraph)


def _remember(now: RigState, own: Matrices, scene: Scene) -> None:
    """Remember how Live has left the limbs, and how others have posed them last: `own`, as far as Live has not."""
    before = now.own.matrices if now.own else {}
    own |= {name: matrix for name, matrix in before.items() if own.get(name) == now.left[name]}
    now.posed, now.left, now.own = True, now.matrices(now.rig), OwnPose.now(now.rig, now.reading.keyed, own, scene)
    for chain in now.chains:
        for bone in (bone for bone in chain.keyed if bone.name in chain.needs_rotation):
            pose_before.remember(now.rig.pose.bones[bone.name], now.reading.samples.basis[Point(now.rig, bone.name)])


def _key(now: RigState, before: OwnPose, depsgraph: Depsgraph) -> None:
    """Give keys that were set on bones of the limbs since `before` the pose that shows."""
    names = now.own.turned_by_hand(before)
    if auto_keys.key(now.rig, [bone for bone in now.reading.keyed if bone.name in names], depsgraph.scene, before.keys):
        # With a key Blender evaluates the whole action again, and with it the other bones.
        _evaluate(depsgraph)
        if evaluated := now.to_be_posed(depsgraph):
            _pose({now: evaluated}, depsgraph, auto_key=False)
