"""With which bone the third bone of a leg turns: the one that it turns with by its keys, or lies along at rest."""

from collections.abc import Sequence
from itertools import pairwise
from math import pi, radians

import numpy as np
from bpy.types import Bone
from mathutils import Vector

from ...skeleton import transform
from ...solver import hock, rotation
from ...solver.values import Array, Hock
from ..armatures import Rig
from ..bake.chain import bones_below, chain_bones
from ..scene.bone import rest
from ..settings.properties import TwoBoneIKChain
from . import hinge_side

_LONG = 0.2
"""Part of root and end bone together: a third bone with a hock is longer. Those of Rigify's horse, cat and wolf have
0.37 to 0.56, in forelegs 0.25 and 0.36 (cat: 0.09), feet of humans at most 0.22."""

_PARALLEL, _BENT = radians(15.0), radians(25.0)
"""Such a bone of a hind leg is this parallel to the root bone (theirs: up to 4 degrees, those of forelegs from 21 on),
and this far from the direction of the end bone (theirs: from 36 on). In a foreleg it runs on from the end bone, by less
than that (theirs: up to 16)."""

_SEEN = 1e-4
"""Radians: keys that turn the third bone by less from both of the others do not tell."""


def at_rest(root: Bone, end: Bone, third: Bone, tip: Vector, *, front: bool) -> Hock | None:
    """The kind of a leg with a hock that these bones look like at rest; None if they do not look like one.

    tip : where the third bone's joint with the toe is, in armature space
    front : True for a foreleg
    """
    joints = (root.head_local, end.head_local, third.head_local, tip)
    upper, lower, last = (after - before for before, after in pairwise(joints))
    if last.length <= _LONG * (upper.length + lower.length):
        return None
    bent = lower.angle(last, 0.0)
    if front:
        return Hock.RIGID if bent < _BENT else None
    return Hock.PARALLEL if bent > _BENT and upper.angle(last, pi) < _PARALLEL else None


def turned_apart(bones: Sequence[Bone], poses: Array) -> dict[Hock, Array]:
    """By kind (n,), in radians from 0 to pi: how far the third bone is turned from the bone that carries it there.

    bones : root bone, end bone and third bone
    poses : (n, 3, 4, 4) of these, in armature space
    """
    turns = [transform.orientation(poses[:, i, :3, :3]) @ rest(bone)[:3, :3].T for i, bone in enumerate(bones)]
    return {kind: rotation.angle_between(turns[i], turns[2]) for kind, i in hock.TURNS_WITH.items()}


def by_keys(rig: Rig, chain: TwoBoneIKChain) -> dict[Hock, float]:
    """By kind, as `turned_apart`, the most on a keyed frame, the least first; empty where no key tells them apart."""
    if not chain.hock_bone:
        return {}
    bones = chain_bones(rig, chain.end_bone, chain.root_bone, chain.name)
    names = (*bones, *bones_below(rig, chain, bones[-1]))
    frames = hinge_side.keyed_frames(rig, names)
    if not len(frames):
        return {}
    leg = (bones[0], bones[-1], chain.hock_bone)
    poses = hinge_side.keyed_poses(rig, names, frames)
    stacked = np.stack(np.broadcast_arrays(*(poses[name] for name in leg)), axis=1)
    apart = turned_apart([rig.data.bones[name] for name in leg], stacked)
    most = {kind: float(angles.max()) for kind, angles in apart.items()}
    # Keys may be NaN, which is not greater than anything.
    return dict(sorted(most.items(), key=lambda item: item[1])) if max(most.values()) > _SEEN else {}
