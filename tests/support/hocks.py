"""A hind leg for tests of the hock, and where Blender has its joints and bones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object, PropertyGroup

from . import rigs
from .truth import on_frame

FRAMES = (1, 8)
EVERY = range(FRAMES[0], FRAMES[1] + 1)
CLOSE = 1e-5
"""Metres and radians, on a leg of some two metres: single precision, after the products of five matrices."""

LEG = (
    rigs.Bone("spine", (0, 0.5, 2), (0, 0, 2)),
    rigs.Bone("thigh", (0, 0, 2), (0.05, -0.3, 1.3), "spine", 0.2),
    rigs.Bone("shin", (0.05, -0.3, 1.3), (-0.05, 0.35, 0.75), "thigh", -0.4),
    rigs.Bone("hock", (-0.05, 0.35, 0.75), (0.1, 0.1, 0.1), "shin", 1.0),
    rigs.Bone("toe", (0.1, 0.1, 0.1), (0.1, -0.1, 0.0), "hock"),
)
"""A hind leg that lies in no plane."""

TWISTING = (*LEG, rigs.Bone("shin_twist", (0.0, 0.0, 1.05), (-0.02, 0.05, 1.0), "shin"))
"""With a twist bone at the side of the shin."""

PATH = {1: (0.1, 0.1, 0.3), 4: (0.3, 0.6, 0.5), 8: (-0.1, -0.5, 0.35)}
"""Of the target, within reach."""


def leg(
    hock: str = "PARALLEL",
    *,
    tip_bone: str = "toe",
    name: str = "Rig",
    bones: Sequence[rigs.Bone] = LEG,
    **fields: object,
) -> PropertyGroup:
    """The chain of a leg whose target goes along `PATH`; scale is inherited aligned."""
    rig = rigs.armature(bones, name)
    for bone in rig.data.bones[2:]:
        bone.inherit_scale = "ALIGNED"
    fields = {"root_bone": "thigh", "tip_bone": tip_bone, "hock_bone": "hock", "hock": hock} | fields
    chain = rigs.chain(rig, "shin", target=PATH[1], **fields)
    rigs.animate(chain.target, location=PATH)
    bpy.context.scene.frame_end = FRAMES[1]
    return chain


def evaluated(rig: Object) -> Object:
    """The armature as Blender evaluates it now."""
    return rig.evaluated_get(bpy.context.evaluated_depsgraph_get())


def joints(rig: Object, tip_bone: str = "toe") -> np.ndarray:
    """(4, 3) root, knee, hock and tip in the world, as evaluated now."""
    found = evaluated(rig)
    bones = found.pose.bones
    tip = bones[tip_bone].head if tip_bone else bones["hock"].tail
    places = [*(bones[name].head for name in ("thigh", "shin", "hock")), tip]
    return np.array([found.matrix_world @ place for place in places])


def turn(rig: Object, name: str) -> np.ndarray:
    """(3, 3) how a bone is turned from rest in the armature, as evaluated now; its scale left out."""
    bone = evaluated(rig).pose.bones[name]
    posed, rest = (np.array(matrix.to_3x3().normalized()) for matrix in (bone.matrix, bone.bone.matrix_local))
    return posed @ rest.T


def angle(one: np.ndarray, other: np.ndarray) -> float:
    """Between two rotations, from the chord."""
    return 2 * float(np.arcsin(min(np.linalg.norm(one - other) / np.sqrt(8), 1)))


def sides(rig: Object, hock: str, tip_bone: str = "toe") -> np.ndarray:
    """(2, 3) at rest in the armature: what turns with the root bone, and what with the end bone."""
    bones = rig.data.bones
    tip = bones[tip_bone].head_local if tip_bone else bones["hock"].tail_local
    places = np.array([*(bones[name].head_local for name in ("thigh", "shin", "hock")), tip])
    a, b, c = np.diff(places, axis=0)
    return np.array((a + c, b) if hock == "PARALLEL" else (a, b + c))


def hinge_at_rest(rig: Object, hock: str) -> np.ndarray:
    """(3,) the unit normal of the triangle at rest."""
    normal = np.cross(*sides(rig, hock))
    return normal / np.linalg.norm(normal)


def assert_posed(chain: PropertyGroup, frames: Iterable[float] = EVERY, *, hock_angle: float = 0.0) -> None:
    """Tip on target, the third bone turned with its bone, and the end bone about the triangle's hinge alone.

    With the plane of the rest pose that leaves one pose of the leg but for its turn about the line to the target.
    """
    rig, hock = chain.id_data, chain.hock
    hinge = hinge_at_rest(rig, hock)
    for frame in frames:
        on_frame(frame)
        found = joints(rig, chain.tip_bone)
        np.testing.assert_allclose(found[3], chain.target.matrix_world.translation, atol=CLOSE)
        root, end, third = (turn(rig, name) for name in ("thigh", "shin", "hock"))
        carrier = root if hock == "PARALLEL" else end
        assert angle(carrier @ about(hinge, hock_angle), third) < CLOSE
        assert np.linalg.norm(root.T @ end @ hinge - hinge) < CLOSE


def about(axis: np.ndarray, turned: float) -> np.ndarray:
    """(3, 3) by Rodrigues' formula."""
    x, y, z = axis
    cross = np.array(((0, -z, y), (z, 0, -x), (-y, x, 0)))
    return np.eye(3) + np.sin(turned) * cross + (1 - np.cos(turned)) * cross @ cross


def keys(rig: Object) -> dict[tuple[str, int], list[float]]:
    """The values of all keys, by path and index."""
    return {
        (curve.data_path, curve.array_index): [key.co.y for key in curve.keyframe_points]
        for curve in versions.curves(rig)
    }
