"""IK constraints of three bones, whose third turns with one of the two others on all keyed frames: legs with a hock.

At rest that is always so, and says nothing. The constraint finds its pose in steps, so a moving leg seldom fits, unless
locks hold its third bone.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from bpy.types import KinematicConstraint, PoseBone, Scene

from ...skeleton import transform
from ...skeleton.values import Point
from ...solver import hock
from ...solver.values import Array, Hock
from ...solver.vectors import angle_about, product, rejection, unit
from .. import versions
from ..armatures import Rig
from ..curves.keys import key_frames
from ..messages.translation import frame_text, translated
from ..scene import probe, sampling
from ..scene.bone import rest
from ..scene.need import SampleNeed

_SAME = 1e-4
"""Radians by which the third bone may turn otherwise."""

_SAME_PLANE = 1e-3
"""Radians by which the pole angle may change: the constraint stops a little off."""


class _LegPose(NamedTuple):
    """In armature space: poses (n, 3, 4, 4) of the three bones, root first, and where the pole is (n, 3)."""

    poses: Array
    pole: Array


def leg_fields(constraint: KinematicConstraint, bones: Sequence[PoseBone], scene: Scene) -> dict[str, Any] | str:
    """What sets the chain of these bones, the third first, apart from one of two bones; or why none does the same."""
    third, end, root = bones
    rig = cast(Rig, third.id_data)
    path = constraint.path_from_id()
    animated = versions.ever_animated_paths(rig)
    if constraint.influence < 1.0 or any(owner.startswith(path) for owner in animated):
        return translated("takeover.three_animated")
    points = [Point(rig, bone.name) for bone in bones]
    if constraint.target:
        points.append(Point(constraint.target, constraint.subtarget))
    frames = np.unique(np.concatenate([*map(key_frames, points), [scene.frame_current_final]]))
    seen = _seen(rig, constraint, (root, end, third), scene, frames)
    turns = [
        product(transform.orientation(seen.poses[:, column, :3, :3]), rest(bone.bone)[:3, :3].T)
        for column, bone in enumerate((root, end, third))
    ]
    off = {
        kind: np.linalg.norm(turns[carrier] - turns[2], axis=(-2, -1)) / np.sqrt(2.0)
        for kind, carrier in hock.TURNS_WITH.items()
    }
    kept = [kind for kind, angles in off.items() if angles.max() <= _SAME]
    if len(kept) == len(off):
        return translated("takeover.three_still", bone=third.name)
    if not kept:
        nearest = min(off, key=lambda kind: float(off[kind].max()))
        worst = int(off[nearest].argmax())
        angle, frame = np.degrees(off[nearest][worst]), frame_text(frames[worst])
        return translated("takeover.three_bones", bone=third.name, angle=float(angle), frame=frame)
    fields = {"hock_bone": third.name, "hock": kept[0]}
    if not constraint.pole_target:
        return fields
    angles = _pole_angles(seen, kept[0], third.bone.length)
    if np.ptp(np.unwrap(angles)) > _SAME_PLANE:
        return translated("takeover.three_swivel")
    pole = {"pole_target": constraint.pole_target, "pole_subtarget": constraint.pole_subtarget}
    return fields | pole | {"pole_angle": float(angles[0])}


def _pole_angles(seen: _LegPose, kind: Hock, length: float) -> Array:
    """(n,) from the direction to the pole to that of the triangle's corner, about the line from root to tip."""
    tip = transform.transform_points(seen.poses[:, 2], np.array((0.0, length, 0.0)))
    joints = np.concatenate((seen.poses[..., :3, 3], tip[:, None]), axis=1)
    root, line = joints[:, 0], unit(tip - joints[:, 0])
    to_corner = hock.sides(np.diff(joints, axis=1), kind)[:, 0]
    return angle_about(line, rejection(seen.pole - root, line), rejection(to_corner, line))


def _seen(
    rig: Rig, constraint: KinematicConstraint, bones: Sequence[PoseBone], scene: Scene, frames: Array
) -> _LegPose:
    names, (pole, pole_bone) = [bone.name for bone in bones], (constraint.pole_target, constraint.pole_subtarget)
    need = SampleNeed(
        objects=frozenset({rig, *([pole] if pole else [])}),
        bones=frozenset({*(Point(rig, name) for name in names), *([Point(pole, pole_bone)] if pole_bone else [])}),
    )
    poses, places = [], []
    with sampling.stage_for(scene, need) as stage:
        for frame in frames.tolist():
            probe.set_frame(stage, frame)
            depsgraph = stage.view_layers[0].depsgraph
            shown = rig.evaluated_get(depsgraph)
            poses.append([np.array(shown.pose.bones[name].matrix, dtype=np.float64) for name in names])
            if pole:
                world = pole.evaluated_get(depsgraph)
                at = world.matrix_world @ world.pose.bones[pole_bone].matrix if pole_bone else world.matrix_world
                places.append(np.array(shown.matrix_world.inverted_safe() @ at, dtype=np.float64)[:3, 3])
    return _LegPose(np.array(poses), np.array(places))
