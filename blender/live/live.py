"""Poses the limbs that do not show their solution, leaders before followers.

Once all handlers have run, Blender evaluates what they have changed, and calls none of them for that. So leaders are
posed first, and we evaluate before their followers are solved.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from graphlib import CycleError, TopologicalSorter
from typing import Any

from bpy.types import Depsgraph, Object, Scene

from ...skeleton.values import ChainPlan
from .. import versions
from ..armatures import Rig
from ..bake import convert
from ..bake.pose import go_to, pose_solved
from ..scene import dependencies, pose_before
from ..settings import bone_marks
from . import auto_keys, state
from .auto_keys import OwnPose
from .state import Matrices, RigState

# For an evaluation of ours Blender does call the handlers, and these call us: the graph, while we evaluate it.
_evaluating: list[Depsgraph] = []


def follow(rigs: Iterable[Rig], scene: Scene, depsgraph: Depsgraph, *, edited: bool) -> None:
    """Pose the limbs of these armatures, without keys; where nothing has changed since Live posed them, do nothing.

    edited : False for a change of the frame. If True and auto keying has keyed a bone of a limb, that key gets the
        pose that Live shows
    """
    if _evaluating:
        return
    states = [rig_state for rig_state in map(state.cached, rigs) if rig_state.pulled is None]
    for rig_state in states:
        _begin(rig_state, depsgraph.scene.frame_current_final, edited=edited)
    updated = {update.id.original for update in depsgraph.updates}
    layer = depsgraph.scene.name, depsgraph.view_layer.name
    touched = {rig_state for rig_state in states if rig_state.may_have_changed(updated, layer)}
    if not touched:
        return
    state.update_all(touched, scene, depsgraph)
    auto_key = edited and scene.tool_settings.use_keyframe_insert_auto
    to_pose: set[Object] = set()
    waiting: dict[RigState, Matrices] = {}
    ordered, circling = _leaders_first(states)
    for rig_state in states:
        rig_state.leave_out([chain.name for chain in circling if chain.rig == rig_state.rig])
    for rig_state in ordered:
        if not to_pose.isdisjoint(rig_state.sources):
            if waiting:
                _pose(waiting, depsgraph, auto_key=auto_key)
                waiting.clear()
                _evaluate(depsgraph)
            state.update_all([rig_state], scene, depsgraph)
            touched.add(rig_state)
        if rig_state in touched and (evaluated := rig_state.pose_to_replace(depsgraph)):
            to_pose.add(rig_state.rig)
            waiting[rig_state] = evaluated
    _pose(waiting, depsgraph, auto_key=auto_key)
    for rig_state in touched:
        rig_state.looked_in = layer


def _begin(rig_state: RigState, frame: float, *, edited: bool) -> None:
    """What the limbs go on from, twists and keys, is that of this frame."""
    go_to(rig_state.rig, frame)
    if not edited:
        rig_state.take_keys()


def live_changed(rig: Rig, scene: Scene) -> None:
    """Live was switched on or off. If off, keyed bones of its limbs are set to their keys at once."""
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
    """Do not pose this armature until `resume`: Drag pulls the limb of this chain; "" if the limb has none."""
    state.cached(rig).pulled = chain


def resume(rig: Rig) -> None:
    """Pose it again."""
    state.cached(rig).pulled = None
    rig.update_tag()  # a target that could not come along leaves nothing to evaluate


def waits_for_drag(rig: Rig, chain: str) -> bool:
    """Whether Drag pulls the limb of this chain, or another one of the armature for which Live waits."""
    pulled = state.cached(rig).pulled
    return pulled is not None and (rig.two_bone_ik_live or pulled == chain)


def _leaders_first(states: Sequence[RigState]) -> tuple[list[RigState], list[ChainPlan]]:
    """The armatures, each after those that its targets hang on; and chains that follow each other in a circle."""
    by_rig = {rig_state.rig: rig_state for rig_state in states}
    follows: dict[Rig, Set[Rig]] = {rig: {*by_rig} & rig_state.sources - {rig} for rig, rig_state in by_rig.items()}
    circling: list[ChainPlan] = []
    try:
        order = [*TopologicalSorter(follows).static_order()] if any(follows.values()) else [*by_rig]
    except CycleError:
        # Only what hangs on a limb counts: Live moves nothing else of a character.
        pairs = [*dependencies.followed([chain for rig_state in states for chain in rig_state.chains], {*by_rig})]
        leaders = _leaders(by_rig, pairs)
        circling = [chain for chain, rig in pairs if chain.rig in dependencies.reached([rig], leaders.__getitem__)]
        leaders = _leaders(by_rig, [(chain, rig) for chain, rig in pairs if chain not in circling])
        order = [*TopologicalSorter(leaders).static_order()]
    return [by_rig[rig] for rig in order], circling


def _leaders(rigs: Iterable[Rig], pairs: Sequence[tuple[ChainPlan, Rig]]) -> dict[Rig, set[Rig]]:
    """For each armature those with a limb that its chains follow; `pairs` are such chains and armatures."""
    return {rig: {leader for chain, leader in pairs if chain.rig == rig} for rig in rigs}


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

    waiting : by armature the poses that Blender has evaluated, which these replace
    """
    limbs = {}
    for rig_state in waiting:
        posed = (chain for chain in rig_state.chains if chain.name not in rig_state.left_out)
        limbs[rig_state.rig] = [bone for chain in posed for bone in chain.keyed], rig_state.groups
    written = pose_solved(limbs, depsgraph.scene.frame_current_final)
    for rig_state, evaluated in waiting.items():
        if rig_state.rig not in written and evaluated != rig_state.matrices(rig_state.rig):
            rig_state.rig.update_tag(refresh={"DATA"})  # the pose is right already, but Blender shows another
        before = rig_state.without_live
        _remember(rig_state, evaluated, depsgraph.scene)
        if auto_key and before:
            _key(rig_state, before, depsgraph)


def _remember(rig_state: RigState, evaluated: Matrices, scene: Scene) -> None:
    """Remember the pose that Live wrote, and the last pose that it did not write.

    evaluated : the poses that Blender has evaluated. Bones that had Live's pose there keep what was remembered before
    """
    rig, reading, earlier = rig_state.rig, rig_state.reading, rig_state.without_live
    before = earlier.matrices if earlier else {}
    kept = {name: matrix for name, matrix in before.items() if evaluated.get(name) == rig_state.left[name]}
    rig_state.posed, rig_state.left = True, rig_state.matrices(rig)
    rig_state.without_live = OwnPose(rig, reading.keyed, evaluated | kept, scene)
    for point in reading.glance_need.need.posed:
        pose_before.remember(rig.pose.bones[point.bone], reading.samples.basis[point])


def _key(rig_state: RigState, before: OwnPose, depsgraph: Depsgraph) -> None:
    """Give keys that auto keying has set on bones of the limbs since `before` the pose that Live shows."""
    names = rig_state.without_live.turned_by_hand(before)
    bones = [bone for bone in rig_state.reading.keyed if bone.name in names]
    if auto_keys.key(rig_state.rig, bones, depsgraph.scene, before.keys):
        # With a key Blender evaluates the whole action again, and with it the other bones.
        _evaluate(depsgraph)
        if evaluated := rig_state.pose_to_replace(depsgraph):
            _pose({rig_state: evaluated}, depsgraph, auto_key=False)
