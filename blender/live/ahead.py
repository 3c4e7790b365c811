"""The order of the steps for limbs that are posed before Blender evaluates a frame, so that it does so only once.

On a change of the frame they get the pose of their block. Once the frame is evaluated, the character as it then is
tells whether that was right: where it is not, Live poses it as any other, and the block is dropped. So edits of which
nothing has told cost time, and give no wrong pose.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from bpy.types import ID, Depsgraph, PoseBone, Scene

from ...skeleton.batches import batches
from ...skeleton.rotation_mode import rotation_name, rotation_values
from ...skeleton.values import Bone
from ...solver.values import Array
from ..armatures import Rig
from ..curves import write
from ..messages.refused import Refused
from ..scene import pose_before
from ..session import session
from . import known_ahead, state
from .blocks import LENGTH, Block, make_blocks
from .reading import Reading, is_chosen_so

_MOST = 64
"""Blocks of one armature that are kept: a thousand frames."""

Values = list[tuple[PoseBone, str, Sequence[float]]]
"""Bones, each with a property and its value."""


@dataclass(slots=True, eq=False, kw_only=True)
class _Limbs:
    """The limbs of one armature object while their chains are those of one reading.

    sources : what they depend on, with the armature and its data
    fit : False where they are not known ahead
    written : how often keys had been written when that was found out
    moves : False where they are the same on all frames, and evaluated by none
    blocks : by first frame
    proven : True once Blender has evaluated a frame as it was known
    """

    reading: Reading
    sources: frozenset[ID]
    fit: bool
    written: int
    moves: bool = True
    blocks: dict[int, Block] = field(default_factory=dict)
    proven: bool = False


# By `session_uid` of armature objects.
_limbs: dict[int, _Limbs] = session.of_state({})
# Those posed ahead of the frame that Blender is about to evaluate, and what their bones had before.
_posed: dict[Rig, Block] = session.of_state({})
_before: Values = session.of_state([])


def pose(rigs: Iterable[Rig], scene: Scene) -> None:
    """Pose the limbs of these armatures for the current frame of the scene, as far as they are known ahead."""
    _posed.clear()
    _before.clear()
    if scene.frame_subframe or session.exports or known_ahead.stretches_time(scene) or known_ahead.foreign_handlers():
        return
    ready = _ready([rig for rig in rigs if rig.mode != "EDIT" and rig.data.pose_position == "POSE"], scene)
    try:
        values, before = _values(ready, scene.frame_current)
    except KeyError:  # a bone is gone: what evaluates the frame finds out
        return
    _posed.update({block.reading.plan.rig: block for block in ready})
    _before.extend(before)
    _write(values)


def _ready(rigs: Iterable[Rig], scene: Scene) -> list[Block]:
    """The blocks of those of the armatures whose limbs are known ahead and move, made where they are missing."""
    frame = scene.frame_current
    first = frame // LENGTH * LENGTH
    fit = [limbs for rig in rigs if (limbs := _known(rig)) and limbs.fit and limbs.reading.plan.scene == scene]
    missing = [limbs for limbs in fit if first not in limbs.blocks]
    for limbs, block in zip(missing, _made([limbs.reading for limbs in missing], first), strict=True):
        if len(limbs.blocks) >= _MOST:
            limbs.blocks.clear()
        if block:
            limbs.blocks[first] = block
            limbs.moves = block.moves
        else:
            limbs.fit = False
    blocks = (limbs.blocks.get(first) for limbs in fit)
    return [block for block in blocks if block and block.moves]


def _known(rig: Rig) -> _Limbs | None:
    """What is known of the armature's limbs; None where Live has yet to read them, or cannot pose them all."""
    now, limbs = state.cached(rig), _limbs.get(rig.session_uid)
    if limbs and limbs.reading is now.reading and not limbs.moves:
        return None
    if not now.reading or now.left_out or any(refusal.kind != "NO_TARGET" for refusal in now.refused.values()):
        return None
    if not is_chosen_so(now.reading):
        now.posed = False  # whatever Blender evaluates next, Live is to read it again
        return None
    if limbs and limbs.reading is now.reading and limbs.written == write.times():
        return limbs
    reading = now.reading
    fit = not known_ahead.obstacle(reading.plan, reading.look.need)
    sources = reading.sources | {rig, rig.data}
    _limbs[rig.session_uid] = _Limbs(reading=reading, sources=sources, fit=fit, written=write.times())
    return _limbs[rig.session_uid]


def _made(readings: Sequence[Reading], first: int) -> list[Block | None]:
    """Blocks from this frame on; None for those that cannot be sampled, which do not take the others along."""
    if not readings:
        return []
    try:
        return [*make_blocks(readings, first)]
    except (Refused, KeyError, ReferenceError):  # what poses them next says what is wrong, or gone
        return [None] if len(readings) == 1 else [block for reading in readings for block in _made([reading], first)]


def _values(blocks: Sequence[Block], frame: int) -> tuple[Values, Values]:
    """What is to be written on this frame, and what the bones have; KeyError where one is gone."""
    bones: list[tuple[PoseBone, Bone]] = []
    values: Values = []
    for block in blocks:
        pose_bones: Any = block.reading.plan.rig.pose.bones
        own = [(pose_bones[bone.name], bone) for bone in block.reading.keyed]
        scaled = {bone.name for chain in block.reading.plan.chains for bone in chain.scaled}
        scales = block.scales[block.row(frame)].tolist() if scaled else ()
        values += [
            (owner, "scale", scale) for (owner, bone), scale in zip(own, scales, strict=False) if bone.name in scaled
        ]
        bones += own
    if not bones:
        return [], []
    rotations = np.concatenate([block.rotations[block.row(frame)] for block in blocks])
    if going_on := [(block, group) for block in blocks for group in block.spreading]:
        now = {bone: getattr(owner, rotation_name(bone.rotation_mode))[:] for owner, bone in bones}
        spread: dict[Bone, Array] = {}
        for block, group in going_on:
            spread |= group.rotations(block.row(frame), now)
        for row, (_, bone) in enumerate(bones):
            rotations[row] = spread.get(bone, rotations[row])
    for part in batches(range(len(bones)), lambda row: bones[row][1].rotation_mode, rows=1):
        mode = bones[part[0]][1].rotation_mode
        name = rotation_name(mode)
        start = np.array([getattr(bones[row][0], name)[:] for row in part])
        turns = rotation_values(rotations[None, part], mode, start)[0].tolist()
        values += [(bones[row][0], name, value) for row, value in zip(part, turns, strict=True)]
    return values, [(owner, name, getattr(owner, name)[:]) for owner, name, _ in values]


def _write(values: Values) -> None:
    write.pose_bones(values)
    for rig, block in _posed.items():
        for name, basis in block.starting.items():
            pose_before.remember(rig.pose.bones[name], basis)


def posed() -> list[Rig]:
    """The armatures that were posed ahead of the frame that Blender has evaluated now, and not for an export."""
    _before.clear()
    return [*_posed]


def shows(rig: Rig, scene: Scene, depsgraph: Depsgraph) -> bool:
    """Whether Blender has evaluated one of them as it was posed; where it has not, its blocks are dropped."""
    block, limbs = _posed.pop(rig), _limbs.get(rig.session_uid)
    try:
        right = block.shows(scene.frame_current, depsgraph)
    except (Refused, KeyError, ReferenceError):  # what poses it next says what is wrong
        right = False
    if not limbs:
        return right
    if right:
        limbs.proven = True
    elif limbs.proven:
        del _limbs[rig.session_uid]  # something was edited
    else:
        limbs.fit = False  # something else moves what the limbs hang on
    return right


def _notice(depsgraph: Depsgraph) -> None:
    """A scene was evaluated."""
    session.exports = depsgraph.mode == "RENDER"
    if session.exports and session.changes_frame:
        _take_back()
    if not session.changes_frame:
        for uid in [uid for uid, limbs in _limbs.items() if state.is_evaluated(limbs.sources)]:
            del _limbs[uid]


def _take_back() -> None:
    """Blender evaluates the frame for an export, which is to show what is keyed: it evaluates again."""
    _write(_before)
    _posed.clear()
    _before.clear()


session.evaluated.append(_notice)
