"""Decides once, by the keys of its own bones, to which side a limb bends whose rest pose is almost straight.

A bake never decides this, so that no pose depends on a range or an action. The decision is stored in the chain: as its
Hinge Axis, with Bend Positive.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from ...skeleton import inherit, transform
from ...skeleton.values import Point
from ...solver import hock, reference_pose
from ...solver.values import Array, Bend, HingeAxis, Hock
from ...solver.vectors import cross, unit
from ..armatures import Rig
from ..bake.chain import bones_below, chain_bones, rest_chain, tells_side
from ..curves.keys import key_frames
from ..messages.refused import Refused, unknown_word
from ..scene.bone import read_bone, rest
from ..scene.curves import OwnTransforms
from ..settings.properties import TwoBoneIKChain


def decide(chain: TwoBoneIKChain, axis: HingeAxis) -> None:
    """Let the chain bend by positive angles about this axis."""
    chain.hinge_axis, chain.bend = axis, Bend.POSITIVE


def chosen(rig: Rig, chain: TwoBoneIKChain, axis: str) -> HingeAxis | None:
    """The axis of this name. For KEYS, the axis that the keys give, or None if the rest pose bends enough to decide.

    raises : Refused if the keys do not decide, or for an unknown axis
    """
    axes = list(HingeAxis)[1:]  # without AUTO
    if axis not in ("KEYS", *axes):
        raise unknown_word("axis", axis, ("KEYS", *axes))
    if axis != "KEYS":
        return HingeAxis(axis)
    if tells_side(rig, chain):
        return None
    hinge_axis = by_keys(rig, chain)
    if hinge_axis is None:
        raise Refused("NO_BENT_KEYS", chain=chain)
    return hinge_axis


def by_keys(rig: Rig, chain: TwoBoneIKChain) -> HingeAxis | None:
    """The axis of the end bone about which the keys of the chain's bones bend it; None if they do not bend it.

    Each keyed frame gives the axis about which the limb is bent, relative to the root bone. The axes are averaged, each
    with the sine of its angle as weight, so that frames on which the limb is almost straight hardly count.
    """
    bones = chain_bones(rig, chain.end_bone, chain.root_bone, chain.name)
    frames = keyed_frames(rig, bones)
    if not len(frames):
        return None
    mean = _hinges(rig, chain, bones, frames).mean(axis=0)
    _, orientation = rest_chain(rig, chain)
    x, _, z = mean @ orientation
    name, part = ("X", x) if abs(x) >= abs(z) else ("Z", z)
    if not abs(part) >= np.sin(reference_pose.SLIGHT):  # keys may be NaN
        return None
    return HingeAxis(name if part > 0.0 else f"NEG_{name}")


def keyed_frames(rig: Rig, names: Iterable[str]) -> Array:
    """(n,) frames on which any of these bones has keys."""
    return np.unique(key_frames(*(Point(rig, name) for name in names)))


def keyed_poses(rig: Rig, names: Sequence[str], frames: Array) -> dict[str, Array]:
    """(n, 4, 4) or (1, 4, 4) by bone, each a child of the one before, by its own channels, in armature space.

    What carries the first of them is at rest.
    """
    own = OwnTransforms(rig, frames)
    carrier = rig.data.bones[names[0]].parent
    pose = None if carrier is None else rest(carrier)[None, None]
    poses = {}
    for name in names:
        basis = own.basis(rig.pose.bones[name]).matrix
        pose = inherit.pose((read_bone(rig, name),), pose, basis[:, None])
        poses[name] = pose[:, 0]
    return poses


def _hinges(rig: Rig, chain: TwoBoneIKChain, bones: Sequence[str], frames: Array) -> Array:
    """(n, 3) in the root bone's space: the axis about which the limb is bent on each frame, times the angle's sine."""
    names = *bones, *bones_below(rig, chain, bones[-1])
    poses = keyed_poses(rig, names, frames)
    root, last = poses[bones[0]], poses[names[-1]]
    tail = transform.transform_points(last, np.array((0.0, rig.data.bones[names[-1]].length, 0.0)))
    joints = [poses[name][..., :3, 3] for name in (bones[0], bones[-1], *filter(None, (chain.hock_bone,)))]
    joints.append(last[..., :3, 3] if chain.tip_bone else tail)
    links = np.diff(np.stack(np.broadcast_arrays(*joints), axis=-2), axis=-2)
    if chain.hock_bone:
        links = hock.sides(links, Hock(chain.hock))
    axis = cross(*np.moveaxis(unit(links), -2, 0))
    return transform.transform_vectors(np.swapaxes(transform.orientation(root[..., :3, :3]), -1, -2), axis)
