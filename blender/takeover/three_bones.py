"""IK constraints of three bones as legs with a hock, whose third bone turns with one of the two others.

The keyed frames tell with which of them, or at rest the bones' directions. The constraint finds its pose in steps, so a
moving leg is a little off, unless locks fix its third bone.
"""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from bpy.types import KinematicConstraint, PoseBone, Scene

from ...skeleton import transform
from ...skeleton.values import Point
from ...solver import hock
from ...solver.values import Array, Hock
from ...solver.vectors import angle_about, norm, product, rejection, unit
from ..armatures import Rig
from ..chains import hock_fit
from ..curves.keys import key_frames
from ..messages.translation import frame_text, translated
from ..scene import sampling
from ..scene.need import SampleNeed
from .option_animation import acts_fully

_SAME = 1e-4
"""Radians: a third bone that turns by less otherwise does not."""

_SAME_PLANE = 1e-3
"""Radians by which the pole angle may change: the constraint stops a little off."""

_STRAIGHT = 1e-2
"""Sine of the angle between line and side of the triangle."""


def leg_fields(
    constraint: KinematicConstraint, bones: Sequence[PoseBone], scene: Scene, at_rest: Hock | None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What sets the chain of these bones, the third first, apart from one of two bones, and how it differs.

    at_rest : what they look like at rest, if that is a leg with a hock
    returns : without fields none can replace the constraint, and the sentence says why
    """
    third, end, root = bones
    rig = cast(Rig, third.id_data)
    if not acts_fully(constraint):
        return {}, (translated("takeover.three_animated"),)
    points = [*(Point(rig, bone.name) for bone in bones), Point(constraint.target, constraint.subtarget)]
    frames = np.unique([*key_frames(*points), scene.frame_current_final])
    leg = [bone.bone for bone in (root, end, third)]
    poses, pole = _seen(rig, constraint, [bone.name for bone in leg], scene, frames)
    apart = hock_fit.turned_apart(leg, poses)
    most = {kind: float(angles.max()) for kind, angles in apart.items()}
    still, kind = max(most.values()) <= _SAME, min(most, key=lambda kind: most[kind])
    worst = _worst(apart[kind], frames)
    if at_rest is None and (still or most[kind] > _SAME):
        return {}, (translated("takeover.three_still" if still else "takeover.three_bones", bone=third.name, **worst),)
    told = []
    if at_rest and still:
        kind = at_rest
        told.append(translated("takeover.leg_still", bone=third.name))
    elif most[kind] > _SAME:
        told.append(translated("takeover.leg_off", bone=third.name, **worst))
    fields: dict[str, Any] = {"hock_bone": third.name, "hock": kind}
    if constraint.pole_target:
        fields["pole_angle"], off = _pole_angle(poses, pole, kind, third.bone.length)
        told += [translated("takeover.three_swivel", **_worst(off, frames))] if off.max() > _SAME_PLANE else []
    return fields, tuple(told)


def _worst(off: Array, frames: Array) -> dict[str, float | str]:
    """The largest of the angles (n,), in degrees, and its frame, for a sentence."""
    return {"angle": float(np.degrees(off.max())), "frame": frame_text(frames[off.argmax()])}


def _pole_angle(poses: Array, pole: Array, kind: Hock, length: float) -> tuple[float, Array]:
    """From the direction to the pole to that of the triangle's corner, about the line from root to tip.

    returns : the mean of all frames, and (n,) by how much each is off
    """
    tip = transform.transform_points(poses[:, 2], np.array((0.0, length, 0.0)))
    joints = np.concatenate((poses[..., :3, 3], tip[:, None]), axis=1)
    root, line = joints[:, 0], unit(tip - joints[:, 0])
    to_corner = hock.sides(np.diff(joints, axis=1), kind)[:, 0]
    across = rejection(to_corner, line)
    turns = np.exp(1j * angle_about(line, rejection(pole - root, line), across))
    # A leg that is almost straight hardly shows where its corner lies.
    shows = norm(across) > _STRAIGHT * norm(to_corner)
    mean = np.angle((turns * norm(across)).sum())
    return float(mean), np.where(shows, np.abs(np.angle(turns * np.exp(-1j * mean))), 0.0)


def _seen(
    rig: Rig, constraint: KinematicConstraint, names: Sequence[str], scene: Scene, frames: Array
) -> tuple[Array, Array]:
    """In armature space: poses (n, 3, 4, 4) of the three bones, root first, and where the pole is (n, 3).

    Each is (1, ...) where it does not move.
    """
    leg = [Point(rig, name) for name in names]
    pole = Point(constraint.pole_target, constraint.pole_subtarget) if constraint.pole_target else Point(rig)
    samples = sampling.played_on(scene, SampleNeed.at([*leg, pole]), frames)
    poses = np.stack(np.broadcast_arrays(*(samples.pose[point] for point in leg)), axis=1)
    return poses, product(transform.inverse(samples.to_world[rig]), samples.world(pole))[:, :3, 3]
