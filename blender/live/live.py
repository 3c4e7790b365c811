"""Limbs that are live: posed wherever keys, a hand or their targets have left them otherwise than they are solved.

Blender evaluates once more what a handler poses, without a call of its handlers. So armatures are posed in the order in
which they follow each other, with an evaluation of ours between two of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import Any

from bpy.types import Depsgraph, Object, Scene
from mathutils import Matrix

from ...skeleton.values import MERGE, Bone, Plan, Point
from .. import versions
from ..armatures import Rig
from ..bake import checks, convert
from ..bake.pose import pose_solved
from ..curves import write
from ..scene import pose_before
from ..session import session
from ..settings import bone_marks
from . import ahead, state
from .state import RigState

Matrices = dict[str, Matrix]
"""By name of a bone its `matrix_basis`."""

Keys = dict[tuple[str, int], tuple[int, bool]]
"""By RNA path and index of an F-curve how many keys it has, and whether one is on the current frame."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Posed:
    """Bones that Live has posed: by name the `matrix_basis` that it left, and the last one by anybody else.

    written : how often keys had been written by then
    scene : the names of the scene that was led then, and of its view layer
    frame, action : the frame and the name of the action that the armature played then
    keys : see `_keys`; None if auto keying was off
    """

    left: Matrices
    own: Matrices
    written: int
    scene: tuple[str, str]
    frame: float
    action: str
    keys: Keys | None


# By `session_uid` of armature objects.
_posed: dict[int, _Posed] = session.of_state({})
# Of those that are pulled, the name of the chain; "" where the limb has none.
_pulled: dict[int, str] = session.of_state({})
_evaluating: list[Depsgraph] = []


def follow(rigs: Iterable[Rig], scene: Scene, depsgraph: Depsgraph, *, edited: bool) -> None:
    """Pose the limbs of these armatures, without keys; where all is as it was left, nothing is done.

    edited : False on a change of the frame. Where auto keying keys what users did to a bone of a limb, the key is
        given the pose that shows
    """
    if _evaluating:
        return
    rigs = [rig for rig in rigs if is_live(rig)] if _pulled else [*rigs]
    shown = _shown_as_known(depsgraph)
    others = [rig for rig in rigs if rig not in shown] if shown else rigs
    if not others:
        return
    state.read_updates()
    layer = state.layer_of(depsgraph)
    touched = {rig for rig in others if not _stands(rig, depsgraph, layer)}
    if not touched:
        return
    state.update_all(touched, scene, depsgraph)
    auto_key = edited and scene.tool_settings.use_keyframe_insert_auto
    moved: set[Object] = set()
    waiting: dict[Rig, Matrices] = {}
    for rig in _leaders_first(rigs):
        if not moved.isdisjoint(_sources(rig)):
            if waiting:
                _pose(waiting, depsgraph, auto_key=auto_key)
                waiting.clear()
                _evaluate(depsgraph)
            state.update(rig, scene, depsgraph)
            touched.add(rig)
        if rig in touched and (evaluated := _evaluated_pose(rig, depsgraph)):
            moved.add(rig)
            waiting[rig] = evaluated
    if waiting:
        _pose(waiting, depsgraph, auto_key=auto_key)


def pose_ahead(rigs: Iterable[Rig], scene: Scene) -> None:
    """Pose the limbs of these armatures before Blender evaluates the scene's frame, as far as their pose is known."""
    ahead.pose([rig for rig in rigs if not (_pulled and not is_live(rig)) and _starts_as_left(rig)], scene)


def _starts_as_left(rig: Rig) -> bool:
    """Whether bones that chains start from as they are posed are as Live has left them."""
    uid = rig.session_uid
    reading, before = state.known(uid).reading, _posed.get(uid)
    if not (reading and before):
        return False
    if not reading.starting:
        return True
    bones = rig.pose.bones
    return all(
        bone.name in bones and bones[bone.name].matrix_basis == before.left[bone.name] for bone in reading.starting
    )


def _shown_as_known(depsgraph: Depsgraph) -> set[Rig]:
    """Of the armatures that were posed ahead of this frame those that are right; what Live has left is known of all."""
    right: set[Rig] = set()
    for rig in ahead.posed():
        uid = rig.session_uid
        now = state.known(uid)
        if not now.reading:  # a bone was renamed meanwhile
            continue
        _posed[uid] = _as_left(rig, now.reading.keyed, _posed[uid].own, depsgraph)
        now.posed = now.ahead = ahead.shows(rig, depsgraph)
        if now.ahead:
            right.add(rig)
    return right


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
            curve = find(path, index=index)
            if curve and not curve.mute:
                values[index] = curve.evaluate(scene.frame_current_final)
    state.invalidate(rig)


def suspend(rig: Rig, chain: str) -> None:
    """Do not pose this armature until `resume`, as Drag poses the limb of this chain; "" where it has none."""
    _pulled[rig.session_uid] = chain


def resume(rig: Rig) -> None:
    """Pose it again."""
    _pulled.pop(rig.session_uid, None)
    rig.update_tag()  # a target that could not come along leaves nothing to evaluate


def is_live(rig: Rig) -> bool:
    """True while Live poses the limbs of this armature."""
    return rig.two_bone_ik_live and rig.session_uid not in _pulled


def waits_for_drag(rig: Rig, chain: str) -> bool:
    """Whether Drag pulls the limb of this chain, or another one of the armature for which Live waits."""
    pulled = _pulled.get(rig.session_uid)
    return pulled is not None and (rig.two_bone_ik_live or pulled == chain)


def _renamed(rig: Rig, names: bone_marks.Names) -> None:
    """How Live has left bones goes along with them."""
    if before := _posed.get(rig.session_uid):
        left, own = (
            {names.get(bone, bone): matrix for bone, matrix in matrices.items()}
            for matrices in (before.left, before.own)
        )
        keys = before.keys and {
            (bone_marks.renamed_path(path, names), i): count for (path, i), count in before.keys.items()
        }
        _posed[rig.session_uid] = replace(before, left=left, own=own, keys=keys)


bone_marks.listeners.append(_renamed)


def _stands(rig: Rig, depsgraph: Depsgraph, layer: tuple[str, str]) -> bool:
    """Whether its limbs are as Live has left them: nothing that they depend on is among what Blender evaluated."""
    uid = rig.session_uid
    before = _posed.get(uid)
    if not (before and before.written == write.times() and before.scene == layer):
        return False
    now = state.known(uid)
    return now.posed and state.stands(rig, now, depsgraph)


def _leaders_first(rigs: Sequence[Rig]) -> Sequence[Rig]:
    """The armatures, each after those whose bones its targets hang on; chains that wait for each other are left out."""
    graph = {rig: _leaders(rig, rigs) for rig in rigs}
    order, circling = rigs, []
    try:
        order = list(TopologicalSorter(graph).static_order()) if any(graph.values()) else rigs
    except CycleError:
        # Each pose of one would move the others, which would move it again. Limbs of armatures that follow each other
        # with other limbs are right after this many rounds at most; where nothing has moved, a round is little more
        # than a look.
        chains = [chain for rig in rigs if (plan := _plan(rig)) for chain in plan.chains]
        circling, order = checks.in_circles(chains), [*rigs] * len(chains)
    for rig in rigs:
        state.leave_out(rig, [chain.name for chain in circling if chain.rig == rig])
    return order


def _leaders(rig: Rig, rigs: Iterable[Rig]) -> list[Rig]:
    sources = _sources(rig)
    return [other for other in rigs if other in sources and other != rig]


def _sources(rig: Rig) -> frozenset[Object]:
    reading = state.cached(rig).reading
    return reading.sources if reading else frozenset()


def _plan(rig: Rig) -> Plan | None:
    reading = state.cached(rig).reading
    return reading.plan if reading else None


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


def _evaluated_pose(rig: Rig, depsgraph: Depsgraph) -> Matrices | None:
    """The pose of an armature's limbs as Blender has evaluated it; None where they stand as Live has left them."""
    now, before = state.cached(rig), _posed.get(rig.session_uid)
    if not now.reading:
        return None
    evaluated = _matrices(rig.evaluated_get(depsgraph), now.reading.keyed)
    if not (now.posed and before and evaluated == before.left):
        return evaluated
    if (before.written, before.scene) != (write.times(), state.layer_of(depsgraph)):
        keys = None if before.keys is None else _keys(rig, now.reading.keyed, depsgraph)
        _posed[rig.session_uid] = replace(before, written=write.times(), scene=state.layer_of(depsgraph), keys=keys)
    return None


def _matrices(rig: Rig, bones: Iterable[Bone]) -> Matrices:
    pose_bones = rig.pose.bones
    return {bone.name: pose_bones[bone.name].matrix_basis.copy() for bone in bones}


def _pose(waiting: Mapping[Rig, Matrices], depsgraph: Depsgraph, *, auto_key: bool) -> None:
    """Pose the limbs of these armatures as they are solved.

    waiting : with the poses that Blender has evaluated
    """
    states = {rig: state.cached(rig) for rig in waiting}
    limbs = {rig: (now.posable, now.groups) for rig, now in states.items()}
    written = pose_solved(limbs, depsgraph.scene.frame_current_final)
    for rig in waiting.keys() - written:
        if waiting[rig] != _matrices(rig, states[rig].reading.keyed):
            rig.update_tag(refresh={"DATA"})  # the pose is right already, but Blender shows another
    for rig, now in states.items():
        now.posed = True
        _remember(rig, now, waiting[rig], depsgraph, auto_key=auto_key)


def _remember(rig: Rig, now: RigState, own: Matrices, depsgraph: Depsgraph, *, auto_key: bool) -> None:
    """Remember how Live has left the limbs, and with `auto_key` give keys that were set on them the pose that shows.

    own : their pose as Blender has evaluated it
    """
    before, keyed = _posed.get(rig.session_uid), now.reading.keyed
    if before:
        own |= {name: matrix for name, matrix in before.own.items() if own.get(name) == before.left[name]}
    after = _posed[rig.session_uid] = _as_left(rig, keyed, own, depsgraph)
    for bone in now.reading.starting:
        pose_before.remember(rig.pose.bones[bone.name], now.samples.basis[Point(rig, bone.name)])
    if not (auto_key and before and _is_edited(before, after)):
        return
    by_hand = [bone for bone in keyed if own[bone.name] != before.own.get(bone.name, own[bone.name])]
    if _key(rig, by_hand, depsgraph, before.keys):
        # With a key Blender evaluates the whole action again, and with it the other bones.
        _evaluate(depsgraph)
        if evaluated := _evaluated_pose(rig, depsgraph):
            _pose({rig: evaluated}, depsgraph, auto_key=False)


def _as_left(rig: Rig, bones: Iterable[Bone], own: Matrices, depsgraph: Depsgraph) -> _Posed:
    """These bones as they are now.

    own : as others have posed them last
    """
    scene: Scene = depsgraph.scene
    return _Posed(
        left=_matrices(rig, bones),
        own=own,
        written=write.times(),
        scene=state.layer_of(depsgraph),
        frame=scene.frame_current_final,
        action=_action(rig),
        keys=_keys(rig, bones, depsgraph) if scene.tool_settings.use_keyframe_insert_auto else None,
    )


def _action(rig: Rig) -> str:
    return rig.animation_data.action.name if rig.animation_data and rig.animation_data.action else ""


def _is_edited(before: _Posed, after: _Posed) -> bool:
    """Whether users may have posed bones by hand: another frame, action or bake poses them as well."""
    return (before.written, before.frame, before.action) == (after.written, after.frame, after.action)


def _keys(rig: Rig, bones: Iterable[Bone], depsgraph: Depsgraph) -> Keys:
    frame, find = depsgraph.scene.frame_current_final, versions.curve_finder(rig)
    places = [(bone.rotation_path, index) for bone in bones for index in range(4)]
    curves = {place: curve for place in places if (curve := find(place[0], index=place[1]))}
    return {
        place: (len(curve.keyframe_points), any(abs(key.co.x - frame) < MERGE for key in curve.keyframe_points))
        for place, curve in curves.items()
    }


def _key(rig: Rig, bones: Iterable[Bone], depsgraph: Depsgraph, before: Keys | None) -> bool:
    """Give the keys that auto keying has set on the current frame the pose that shows; False if there is none.

    before : a key that is on the frame, where there was none and there are no more keys now, was moved there
    """
    frame, find = depsgraph.scene.frame_current_final, versions.curve_finder(rig)
    keyed = []
    for path in (bone.rotation_path for bone in bones):
        values: Any = rig.path_resolve(path)
        for index, value in enumerate(values):
            curve = find(path, index=index)
            count, was_there = (before or {}).get((path, index), (0, False))
            for key in curve.keyframe_points if curve else ():
                is_new = before is None or was_there or len(curve.keyframe_points) > count
                if is_new and abs(key.co.x - frame) < MERGE:
                    key.co_ui.y = value
                    keyed.append(curve)
    for curve in keyed:
        curve.update()
    return bool(keyed)
