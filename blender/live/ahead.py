"""The order of the steps for limbs that are posed before Blender evaluates a frame, so that it does so only once.

On a change of the frame they get the pose of their block. Once the frame is evaluated, the character as it then is
tells whether that was right: where it is not, Live poses it as any other, and the block is dropped. So edits of which
nothing has told cost time, and give no wrong pose.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bpy.types import ID, Depsgraph, Scene

from ...skeleton.values import Point
from .. import versions
from ..armatures import Rig
from ..curves import write
from ..messages.refused import Refused
from ..rna_paths import bone_and_property
from ..scene import dependencies, pose_before
from ..session import session
from . import known_ahead, state
from .blocks import LENGTH, Block, make_blocks
from .reading import Reading, is_chosen_so
from .together import Before, Together, put_back

_MOST = 64
"""Blocks of one armature that are kept: a thousand frames."""


@dataclass(slots=True, eq=False, kw_only=True)
class _Limbs:
    """The limbs of one armature object while their chains are those of one reading.

    sources : what they depend on, with the armature and its data
    fit : False where they are not known ahead
    written : how often keys had been written when that was found out
    tagged : True where Blender evaluates the limbs only if it is told to
    moves : False where they are the same on all frames, and evaluated by none
    blocks : by first frame
    proven : True once Blender has evaluated a frame as it was known
    """

    reading: Reading
    sources: frozenset[ID]
    fit: bool
    written: int
    tagged: bool
    moves: bool = True
    blocks: dict[int, Block] = field(default_factory=dict)
    proven: bool = False


# By `session_uid` of armature objects.
_limbs: dict[int, _Limbs] = session.of_state({})
# Armatures that Blender did not evaluate by itself, although their F-curves should have made it.
_idle: set[int] = session.of_state(set())
# The blocks that were written last.
_together: list[Together] = session.of_state([])
# Armatures posed before this evaluation; the values that their bones had; and, afterwards, whether the pose was right.
_posed: dict[Rig, Block] = session.of_state({})
_before: list[Before] = session.of_state([])
_right: dict[Rig, bool] = session.of_state({})


def pose(rigs: Iterable[Rig], scene: Scene) -> None:
    """Pose the limbs of these armatures for the current frame of the scene, as far as they are known ahead."""
    _posed.clear()
    _before.clear()
    if scene.frame_subframe or session.exports or known_ahead.stretches_time(scene) or known_ahead.foreign_handlers():
        return
    ready = _ready(rigs, scene)
    if not ready:
        return
    graphs = [graph for layer in scene.view_layers if (graph := layer.depsgraph)]
    tagged = {block.reading.plan.rig for block in ready if _limbs[block.reading.plan.rig.session_uid].tagged}
    try:
        if not (_together and _together[0].blocks == ready):
            _together[:] = [Together(ready)]
        _before.extend(_together[0].write(scene.frame_current, graphs, tagged))
    except KeyError:  # a bone is gone: what evaluates the frame finds out
        return
    for block in ready:
        rig = block.reading.plan.rig
        _posed[rig] = block
        for name, basis in block.starting.items():
            pose_before.remember(rig.pose.bones[name], basis)


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
    uid = rig.session_uid
    now, limbs = state.known(uid), _limbs.get(uid)
    if rig.mode == "EDIT" or rig.data.pose_position != "POSE":
        return None
    if not now.reading or now.left_out or any(refusal.kind != "NO_TARGET" for refusal in now.refused.values()):
        return None
    if not is_chosen_so(now.reading):
        now.posed = False  # whatever Blender evaluates next, Live is to read it again
        return None
    if limbs and limbs.reading is now.reading:
        if not limbs.moves:
            return None
        if limbs.written == write.times():
            return limbs if limbs.fit else None
    reading = now.reading
    fit = not known_ahead.obstacle(reading.plan, reading.look.need)
    sources, tagged = reading.sources | {rig, rig.data}, uid in _idle or not _moves_by_itself(reading)
    _limbs[uid] = _Limbs(reading=reading, sources=sources, fit=fit, written=write.times(), tagged=tagged)
    return _limbs[uid]


def _moves_by_itself(reading: Reading) -> bool:
    """Whether Blender evaluates all limbs on each frame, as F-curves move what they hang on in their own armature."""
    rig: Rig = reading.plan.rig
    moved = {bone_and_property(path)[0] for path in versions.animated_paths(rig)} - {""}
    roots = (Point(rig, chain.root.name) for chain in reading.plan.chains)
    return all(any(place.bone in moved for place in dependencies.with_parents(root)) for root in roots)


def _made(readings: Sequence[Reading], first: int) -> list[Block | None]:
    """Blocks from this frame on; None for those that cannot be sampled, which do not take the others along."""
    if not readings:
        return []
    try:
        return [*make_blocks(readings, first)]
    except (Refused, KeyError, ReferenceError):  # what poses them next says what is wrong, or gone
        return [None] if len(readings) == 1 else [block for reading in readings for block in _made([reading], first)]


def posed() -> list[Rig]:
    """The armatures that were posed ahead of the frame that Blender has evaluated now, and not for an export."""
    _before.clear()
    _right.clear()
    return [*_posed]


def shows(rig: Rig, depsgraph: Depsgraph) -> bool:
    """Whether Blender has evaluated one of them as it was posed; where it has not, its blocks are dropped."""
    if not _right:
        _right.update(zip(_posed, _together[0].shown(depsgraph.scene.frame_current, depsgraph), strict=True))
        _posed.clear()
    right, limbs = _right[rig], _limbs.get(rig.session_uid)
    if not limbs:
        return right
    if right:
        limbs.proven = True
    elif limbs.proven:
        del _limbs[rig.session_uid]  # something was edited
    elif not limbs.tagged:
        _idle.add(rig.session_uid)
        del _limbs[rig.session_uid]
    else:
        limbs.fit = False  # something else moves what the limbs hang on
    return right


def _notice(_: Depsgraph) -> None:
    """A scene was evaluated."""
    if session.exports and session.changes_frame:
        _take_back()
    if not session.changes_frame:
        _together.clear()
        for uid in [uid for uid, limbs in _limbs.items() if state.is_evaluated(limbs.sources)]:
            del _limbs[uid]


def _take_back() -> None:
    """Blender evaluates the frame for an export, which is to show what is keyed: it evaluates again."""
    put_back(_before)
    _posed.clear()
    _before.clear()


session.evaluated.append((_limbs, _notice))
