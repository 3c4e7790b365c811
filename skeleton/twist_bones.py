"""Twist bones of one half of a limb: the line that they turn about, and what they have turned.

The upper half is turned by the root bone against its parent, the lower half by the tip bone against the end bone. A
basis is a swing that follows a turn about the line: so a turn is taken off, or added, on the right of its rotation.

Above, bones in line may be swung as well. There a bone that is turned does not turn what it carries, so that the mid
joint and the bone before it stay. If they went along, the end bone would have another rest pose as soon as one of them
swings, and the next solve would find another limb.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import pairwise

import numpy as np

from ..solver import rotation
from ..solver.values import Array
from ..solver.vectors import dot, norm, product, unit
from . import inherit, transform
from .inherit import ChainKinematics
from .rotation_mode import rotation_matrices
from .transform import Basis
from .values import Bone, ChainPlan, Turned, TwistBone

_TURNS = 2
"""How many whole turns of a twist keys may show in each direction: of more, bones posed by hand show one by chance."""

_ALIKE = 1e-4
"""Radians: the bones show a twist if they are off it by less than this."""

_LEAST_SHARE = 1e-2
"""A bone with a smaller share than this shows no twist."""

_NEAR = 1e-3
"""Part of the way to the mid joint: a nearer head of the next bone tells no line."""

_TIMES, _SMALL = 40, 1e-8
"""How often turns are gathered at most, which some take below uneven scale; and below how many radians no more."""


def rest_line(plan: ChainPlan, *, upper: bool) -> Array:
    """(3,) the direction from joint to joint at rest, in the space of the root bone or of the end bone."""
    return unit(_at_rest(plan.bones[1:] if upper else plan.twisting)[:3, 3])


def rest_orientation(plan: ChainPlan, *, upper: bool) -> Array:
    """(3, 3) at rest, of the root bone on its parent, or of the tip bone on the end bone."""
    return transform.orientation(_at_rest((plan.root,) if upper else plan.twisting)[:3, :3])


def _at_rest(bones: Sequence[Bone]) -> Array:
    """(4, 4) from the last of bones that carry each other to what carries the first."""
    return reduce(np.matmul, (bone.offset for bone in bones), np.eye(4))


def line_at_side(twist: TwistBone, line: Array) -> Array:
    """(3,) a line of the bone that carries a bone at the side, in the space of this one."""
    return twist.bone.offset[:3, :3].T @ line


def line_to(bones: Sequence[Bone], row: int, poses: Sequence[Array], basis: Basis) -> Array:
    """(..., 3) the line that one of bones (..., 4, 4) in these poses turns about so that the last head stays."""
    return line_along(poses[-1][..., :3, 3] - poses[row][..., :3, 3], bones[row], poses[row], basis)


def line_along(way: Array, bone: Bone, pose: Array, basis: Basis) -> Array:
    """(..., 3) the line that a bone in this pose (..., 4, 4) turns about so that what is `way` from its head stays.

    It is seen before the bone's own scale, and where what carries the bone is sheared, it is no right projection.
    """
    linear, way = pose[..., :3, :3], way[..., None]
    # With aligned scale, all of it comes after the turn, along the bone's own axes.
    scale = transform.lengths(linear) if bone.inherit_scale == "ALIGNED" else basis.scale
    line = scale * product(transform.inverse(linear), way)[..., 0]
    # A scale of 0 leaves no line: the one as the axes point has to do.
    return unit(np.where(line.any(axis=-1, keepdims=True), line, seen_from(pose, way)[..., 0]))


def seen_from(pose: Array, vectors: Array) -> Array:
    """(..., 3, k) vectors (..., 3, k) along the axes of bones with this pose (..., 4, 4), which may be mirrored."""
    return product(np.swapaxes(transform.unscaled(pose[..., :3, :3]), -1, -2), vectors)


def angle(turn: Array, line: Array, still: Array | None = None) -> Array:
    """(...) radians within [-pi, pi] by which rotations (..., 3, 3) turn about a line (..., 3).

    still : (..., 3) less these radians about `line` they do not turn about this line; by default the same
    """
    still = line if still is None else still
    w, axis = np.split(rotation.quaternions(turn[None])[0], [1], axis=-1)
    half = np.arctan2(dot(axis, still), w[..., 0] * dot(line, still) + dot(axis, np.cross(line, still)))
    return 2.0 * np.where(half > np.pi / 2.0, half - np.pi, np.where(half < -np.pi / 2.0, half + np.pi, half))


def turned(basis: Basis, line: Array, by: Array) -> Basis:
    """The basis of a bone that first turns about a line of its own."""
    return basis.with_rotation(product(basis.rotation, rotation.about(line, by)))


def in_line(plan: ChainPlan, *, upper: bool) -> list[tuple[int, TwistBone]]:
    """Bones in line with their places among the chain's bones, or among those below."""
    bones = plan.bones if upper else plan.twisting
    return [(bones.index(twist.bone), twist) for twist in plan.twists if twist.in_line and twist.upper == upper]


def turned_in_place(plan: ChainPlan, kinematics: ChainKinematics, bases: Sequence[Basis], turns: Array) -> list[Basis]:
    """The chain's bases once root bone and bones in line are turned, each about the line to the next one's head.

    None turns what it carries: all heads stay, and so does the end bone.

    turns : (n, c, k) radians of root bone and bones in line
    """
    result, poses = list(bases), kinematics.poses(tuple(bases))
    lines = _lines_above(plan, poses, bases)
    for number, row in enumerate([*_rows_above(plan), len(bases) - 1]):
        if row:
            above = kinematics.poses(tuple(result[:row]))[-1]
            result[row] = inherit.turned_back(kinematics.bones[row], above, result[row], poses[row])
        if number < len(lines):
            result[row] = turned(result[row], lines[number], turns[..., number])
    return result


def gathered(plan: ChainPlan, posed: Sequence[Basis], kinematics: ChainKinematics) -> tuple[list[Basis], Array, Array]:
    """The chain's bases with the turns of its bones in line given to what carries them, and so to the root bone.

    Then none of them turns about the line of what carries it, however it swings.

    posed : the chain's bones as long as they are shown
    returns : the bases; (n, c, 3) the root bone's line; (n, c, k) how far root bone and bones in line were turned
    """
    rows, bases, by = _rows_above(plan), list(posed), np.zeros(1)
    # Below uneven scale what a bone carries turns by other angles than the bone.
    for _ in range(1 if kinematics.rigid else _TIMES):
        poses, turns = kinematics.poses(tuple(bases)), [np.zeros(1)]
        ways, lines = _ways_above(plan, poses), _lines_above(plan, poses, bases)
        for number in reversed(range(len(rows) - 1)):
            row, after = rows[number : number + 2]
            own = turned(bases[after], lines[number + 1], turns[0])
            base = inherit.rotation_base(kinematics.bones[after], poses[after - 1], own.location)[..., :3, :3]
            turn = angle(own.rotation, unit(transform.transform_vectors(transform.inverse(base), ways[number])))
            turns.insert(0, turn * np.copysign(1.0, bases[row].scale.prod(axis=-1)))
        turn = np.stack(np.broadcast_arrays(*turns), axis=-1)
        bases, by = turned_in_place(plan, kinematics, bases, turn), by + turn
        if np.abs(turn).max() < _SMALL:
            break
    return bases, lines[0], by


def _rows_above(plan: ChainPlan) -> list[int]:
    return [0, *(row for row, _ in in_line(plan, upper=True))]


def _ways_above(plan: ChainPlan, poses: Sequence[Array]) -> list[Array]:
    """(n, c, 3) from the heads of root bone and bones in line to the next head, or to the mid joint."""
    heads = [poses[row][..., :3, 3] for row in (*_rows_above(plan), -1)]
    ways = ((after - head, heads[-1] - head) for head, after in pairwise(heads))
    return [np.where((norm(way) > _NEAR * norm(whole))[..., None], way, whole) for way, whole in ways]


def _lines_above(plan: ChainPlan, poses: Sequence[Array], bases: Sequence[Basis]) -> list[Array]:
    ways = zip(_rows_above(plan), _ways_above(plan, poses), strict=True)
    return [line_along(way, plan.bones[row], poses[row], bases[row]) for row, way in ways]


def turned_by_values(
    plan: ChainPlan, values: Mapping[Bone, Sequence[float] | Array], shares: Mapping[Bone, float]
) -> dict[bool, Turned]:
    """The twists that explain how the chain's twist bones are turned; 0 where they are posed otherwise.

    values : of twist bones in their rotation modes; bones without a value are ignored
    shares : of these bones, as they were then
    """
    return {half: Turned(_turned(plan, values, shares, upper=half)) for half in (True, False)}


def _turned(
    plan: ChainPlan, values: Mapping[Bone, Sequence[float] | Array], shares: Mapping[Bone, float], *, upper: bool
) -> float:
    line, carrier = rest_line(plan, upper=upper), carried_share(plan, upper)
    bones = plan.bones if upper else plan.twisting
    angles, parts, so_far = [], [], 0.0
    for twist in (twist for twist in plan.twists if twist.upper == upper and twist.bone in values):
        # Of a bone in line, from its head to that of the last.
        below = bones[bones.index(twist.bone) + 1 :] if twist.in_line else ()
        own = unit(_at_rest(below)[:3, 3]) if twist.in_line else line_at_side(twist, line)
        value = np.array(values[twist.bone], dtype=np.float64)[None]
        basis = rotation_matrices(value, twist.bone.rotation_mode)[0]
        if not twist.in_line and np.linalg.norm(basis @ own - own) > _ALIKE:
            return 0.0  # it is posed otherwise
        turn = float(angle(basis, own))
        so_far += turn if twist.in_line else 0.0
        angles.append(so_far if twist.in_line else turn)
        parts.append(shares[twist.bone] - (0.0 if twist.in_line else carrier))
    return explaining(np.array(angles), np.array(parts))


def explaining(angles: Array, parts: Array) -> float:
    """The least wound of the twists of which these `parts` (k,) are the `angles` (k,), whole turns aside; 0 if none."""
    if np.abs(parts).max(initial=0.0) < _LEAST_SHARE:
        return 0.0
    largest = np.argmax(np.abs(parts))
    tries = (angles[largest] + 2.0 * np.pi * np.arange(-_TURNS, _TURNS + 1)) / parts[largest]
    apart = np.abs(rotation.least_turn(tries[:, None] * parts - angles)).max(axis=-1)
    shown = tries[(apart <= _ALIKE) & (np.abs(tries) <= 2.0 * np.pi * _TURNS)]
    return float(shown[np.abs(shown).argmin()]) if len(shown) else 0.0


def shows_share(plan: ChainPlan, part: TwistBone, turns: Mapping[Bone, Array]) -> bool:
    """Whether a bone at the side turns about the limb's line by its share of the limb's twist, on all frames.

    turns : (n, 3, 3) or (1, 3, 3) the rotations of the limb's bases; that of the bone has to be one on some frame
    """
    line, rest = rest_line(plan, upper=part.upper), rest_orientation(plan, upper=part.upper)
    below = rest.T @ reduce(np.matmul, (bone.offset[:3, :3] @ turns[bone] for bone in plan.twisting), np.eye(3))
    twist = angle(turns[plan.root], line) if part.upper else angle(below, rest.T @ line)
    wound = twist + 2.0 * np.pi * np.arange(-_TURNS, _TURNS + 1)[:, None]
    by_share = rotation.about(line_at_side(part, line), (share(part) - carried_share(plan, part.upper)) * wound)
    off = np.abs(by_share - turns[part.bone]).max(axis=(-2, -1)).min(axis=0)
    return bool(off.max() <= _ALIKE and np.abs(turns[part.bone] - np.eye(3)).max() > 100.0 * _ALIKE)


def share(twist: TwistBone) -> float:
    """The share of a twist bone, where nothing animates it."""
    return twist.share if twist.share >= 0.0 else twist.by_place


def carried_share(plan: ChainPlan, upper: bool) -> float:
    """The part of a twist that the bone has which carries those at the side."""
    return 1.0 if upper and not in_line(plan, upper=True) else 0.0
