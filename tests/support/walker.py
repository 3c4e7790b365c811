"""An armature that is keyed as known footsteps were captured, and what Blender shows of it, frame by frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object
from mathutils import Matrix

from .footsteps import BALL, HEEL, LENGTHS, SIDES, Capture
from .held import everything
from .rigs import Bone, armature
from .takes import TAKES, disturbed
from .truth import on_frame

Y_UP = Matrix.Rotation(np.pi / 2, 4, "X")
"""From an armature whose y axis goes up."""

_BONES = ("thigh", "shin", "foot")


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What Blender evaluates in the world, a row a frame.

    points : (n, 2, 2, 3) ball and heel of each foot
    hips, knees, ankles : (n, 2, 3)
    """

    points: np.ndarray
    hips: np.ndarray
    knees: np.ndarray
    ankles: np.ndarray


@cache
def captured(name: str, seconds: float = 0.0) -> Capture:
    """One of the takes at 30 frames a second, with the faults that captures have; by default all of it."""
    # One who drifts off a stair does not stand on it any more.
    drift, details = 0.0 if name == "stair" else 0.008, {"seconds": seconds} if seconds else {}
    return disturbed(TAKES[name](30.0, **details), 0.002, seed=list(TAKES).index(name), drift=drift)


def strip(start: float, end: float, heights: tuple[float, float] = (0.0, 0.0)) -> list[tuple[float, float, float]]:
    """The corners of a face across the way, from one y to another."""
    (low, high), wide = heights, 3.0
    return [(-wide, start, low), (wide, start, low), (wide, end, high), (-wide, end, high)]


def ground(*faces: list[tuple[float, float, float]], name: str = "Ground") -> Object:
    """A mesh of these faces, which have as many corners each."""
    mesh, count = bpy.data.meshes.new(name), len(faces[0])
    rows = [range(count * row, count * (row + 1)) for row in range(len(faces))]
    mesh.from_pydata([corner for face in faces for corner in face], [], rows)
    item = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(item)
    return item


def stairs(steps: int = 13, deep: float = 0.3, high: float = 0.17) -> Object:
    """A mesh whose steps are where the take `stair` has them."""
    heights = {row: high * min(max(row, 0), steps - 1) for row in range(-6, steps + 6)}
    return ground(
        *(strip(deep * (row - 0.5), deep * (row + 0.5), (up, up)) for row, up in heights.items()), name="Stairs"
    )


def _rest(ratio: float) -> dict[str, np.ndarray]:
    """Head and tail of each bone in the world, with legs so much longer; the feet stand on z = 0, at y = 0."""
    found = {}
    ways = np.array(((0.0, 0.05, -1.0), (0.0, -0.05, -1.0)))
    thigh, shin = ratio * LENGTHS[:, None] * ways / np.linalg.norm(ways, axis=1, keepdims=True)
    for side, place in zip("LR", SIDES, strict=True):
        ankle = np.array((*place[:2], 0.09))
        knee, hip = ankle - shin, ankle - shin - thigh
        ball, heel, half = ankle + BALL, ankle + HEEL, np.array((0.03, 0.0, 0.0))
        for name, ends in (
            ("thigh", (hip, knee)),
            ("shin", (knee, ankle)),
            ("foot", (ankle, ball)),
            ("toe", (ball, ball + np.array((0.0, 0.07, -0.03)))),
            ("heel", (heel - half, heel + half)),
        ):
            found[f"{name}.{side}"] = np.array(ends)
    middle = (found["thigh.L"][0] + found["thigh.R"][0]) / 2
    return {"hips": np.array((middle, middle + np.array((0.0, 0.0, 0.2)))), **found}


def _triad(direction: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """(..., 3, 3) of a direction, and a normal that is made orthogonal to it."""
    direction = direction / np.linalg.norm(direction, axis=-1, keepdims=True)
    normal = normal - np.sum(normal * direction, axis=-1, keepdims=True) * direction
    normal = normal / np.linalg.norm(normal, axis=-1, keepdims=True)
    return np.stack((direction, normal, np.cross(direction, normal)), axis=-1)


def walker(take: Capture, ratio: float = 1.0, to_world: Matrix | None = None, name: str = "Walker") -> Object:
    """An armature keyed with the rotations of the capture and the location of its hips, with legs so much longer.

    It plays the action "Captured" from frame 1 on.
    """
    to_world = to_world or Matrix()
    parents = {"hips": "", "thigh": "hips", "shin": "thigh", "foot": "shin", "toe": "foot", "heel": "foot"}
    rest, back = _rest(ratio), np.array(to_world.inverted())
    bones = []
    for bone, (head, tail) in rest.items():
        kind, dot, side = bone.partition(".")
        parent = parents[kind] + (dot + side if parents[kind] not in ("", "hips") else "")
        head, tail = (back[:3, :3] @ place + back[:3, 3] for place in (head, tail))
        bones.append(Bone(bone, tuple(head), tuple(tail), parent))
    rig = armature(bones, name)
    rig.matrix_world = to_world
    bpy.context.scene.render.fps = round(take.rate)
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ" if bone.name.endswith(".R") else "QUATERNION"
    key_capture(rig, take, rest)
    return rig


def key_capture(rig: Object, take: Capture, rest: dict[str, np.ndarray]) -> None:
    """Let the armature play the capture from frame 1 on, in an action "Captured".

    rest : head and tail of hips, thighs and shins in the world, by name
    """
    rig.animation_data_create().action = bpy.data.actions.new("Captured")
    _key(rig, _poses(rig, rest, take))
    bpy.context.scene.frame_end = len(take.hips)
    on_frame(1)


def _poses(rig: Object, rest: dict[str, np.ndarray], take: Capture) -> dict[str, np.ndarray]:
    """(n, 4, 4) by bone, in armature space."""
    turn = np.array(rig.matrix_world)[:3, :3]
    scale = np.linalg.norm(turn[:, 0])
    turn, back = turn / scale, np.array(rig.matrix_world.inverted())
    aside = take.hips[:, 1] - take.hips[:, 0]
    yaw = (
        _triad(aside, np.broadcast_to((0.0, 0.0, 1.0), aside.shape))
        @ _triad(np.array((1.0, 0, 0)), np.array((0, 0, 1.0))).T
    )
    middle = np.mean([rest[f"thigh.{side}"][0] for side in "LR"], axis=0)
    worlds = {"hips": (yaw, take.hips.mean(axis=1) + yaw @ (rest["hips"][0] - middle))}
    for row, side in enumerate("LR"):
        joints = np.stack((take.hips, take.knees, take.ankles), axis=2)[:, row]
        links, resting = np.diff(joints, axis=1), [np.diff(rest[f"{bone}.{side}"], axis=0)[0] for bone in _BONES[:2]]
        normal, rest_normal = np.cross(links[:, 0], links[:, 1]), np.cross(*resting)
        for bone, link, ahead in zip(_BONES, np.moveaxis(links, 1, 0), resting, strict=False):
            worlds[f"{bone}.{side}"] = _triad(link, normal) @ _triad(ahead, rest_normal).T, None
        worlds[f"foot.{side}"] = take.feet[:, row], None
    poses = {}
    for bone in rig.data.bones:
        if bone.name not in worlds:
            continue
        rotation, place = worlds[bone.name]
        matrix = np.tile(np.eye(4), (len(take.hips), 1, 1))
        matrix[:, :3, :3] = turn.T @ rotation @ turn @ np.array(bone.matrix_local)[:3, :3]
        if bone.parent:
            above = (
                poses[bone.parent.name]
                @ np.linalg.inv(np.array(bone.parent.matrix_local))
                @ np.array(bone.matrix_local)
            )
            matrix[:, :3, 3] = above[:, :3, 3]
        else:
            matrix[:, :3, 3] = place @ back[:3, :3].T + back[:3, 3]
        poses[bone.name] = matrix
    return poses


def _key(rig: Object, poses: dict[str, np.ndarray]) -> None:
    for bone in (rig.pose.bones[name] for name in poses):
        local, above = np.array(bone.bone.matrix_local), np.eye(4)
        if bone.parent:
            above = poses[bone.parent.name] @ np.linalg.inv(np.array(bone.parent.bone.matrix_local))
        basis = [Matrix(matrix) for matrix in np.linalg.inv(above @ local) @ poses[bone.name]]
        if bone.rotation_mode == "XYZ":
            values = [basis[0].to_euler("XYZ")]
            for matrix in basis[1:]:
                values.append(matrix.to_euler("XYZ", values[-1]))
            channels = {"rotation_euler": np.array(values)}
        else:
            values = [basis[0].to_quaternion()]
            for matrix in basis[1:]:
                values.append(matrix.to_quaternion())
                values[-1].make_compatible(values[-2])
            channels = {"rotation_quaternion": np.array(values)}
        if not bone.parent:
            channels["location"] = np.array([matrix.translation for matrix in basis])
        for name, found in channels.items():
            key_values(rig, bone.path_from_id(name), found)


def key_values(rig: Object, path: str, values: np.ndarray) -> None:
    """Key a property without keys from frame 1 on: a row a frame."""
    frames, channelbag = np.arange(1.0, len(values) + 1), versions.ensure_channelbag(rig)
    for index, column in enumerate(values.T):
        curve = channelbag.fcurves.new(path, index=index)
        curve.keyframe_points.add(len(values))
        curve.keyframe_points.foreach_set("co", np.column_stack((frames, column)).ravel())
        curve.update()


def shown(rig: Object, count: int) -> Shown:
    """What Blender shows on the first so many frames."""
    rows: dict[str, list] = {"points": [], "hips": [], "knees": [], "ankles": []}
    name = rig.name
    for frame in range(1, count + 1):
        evaluated = bpy.data.objects[name].evaluated_get(on_frame(frame))
        bones, to_world = evaluated.pose.bones, evaluated.matrix_world
        for part, bone in (("hips", "thigh"), ("knees", "shin"), ("ankles", "foot")):
            rows[part].append([to_world @ bones[f"{bone}.{side}"].head for side in "LR"])
        heels = [(bones[f"heel.{side}"].head + bones[f"heel.{side}"].tail) / 2 for side in "LR"]
        balls = [bones[f"toe.{side}"].head for side in "LR"]
        rows["points"].append([[to_world @ place for place in both] for both in zip(balls, heels, strict=True)])
    return Shown(**{part: np.array(found, dtype=np.float64) for part, found in rows.items()})


def file_of(rig: Object) -> tuple:
    """What there is in the file, and all keys of the armature, to the bit."""
    blocks = [sorted(block.name for block in found) for found in (bpy.data.objects, bpy.data.actions, bpy.data.scenes)]
    return blocks, everything(rig), versions.played(rig)
