"""A crane with a hook: a limb whose tip bone lies askew at rest, and a target that turns at random within its reach."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from bpy.types import Object, PropertyGroup
from mathutils import Matrix, Quaternion, Vector

from . import rigs
from .rigs import Bone
from .truth import on_frame, worlds

CRANE = (
    Bone("base", (0, 0, 0), (0, 0, 1)),
    Bone("boom", (0, 0, 1), (0.1, -0.2, 2.0), "base", 0.3),
    Bone("jib", (0.1, -0.2, 2.0), (0.9, 0.1, 1.9), "boom", -0.7),
    Bone("hook", (0.9, 0.1, 1.9), (1.0, 0.2, 1.5), "jib", 1.1),
)
LENGTHS = tuple((Vector(bone.tail) - Vector(bone.head)).length for bone in CRANE[1:])
SIZE = sum(LENGTHS[:2])
FRAMES = (1, 12)
EVERY = range(1, 13)
CLOSE = 1e-6
"""Part of the limb's length."""


def crane(
    seed: int, *, reach: float = 0.9, hook: float = 1.0, bones: Sequence[Bone] = CRANE, **fields: object
) -> PropertyGroup:
    """The chain of a crane "Rig" whose hook goes to an empty "Target", which is elsewhere and turned on each frame.

    reach : the greatest distance of the joint from the root, as part of the limb's length
    hook : the length of the hook as posed, as part of that at rest
    """
    rig, rng = rigs.armature(bones), np.random.default_rng(seed)
    target = rigs.empty("Target")
    target.rotation_mode = "QUATERNION"
    places, turns = {}, {}
    for frame in EVERY:
        turn = Quaternion(rng.normal(size=4).tolist()).normalized()
        aim = Vector(rng.normal(size=3).tolist()).normalized()
        joint = Vector(CRANE[1].head) + aim * SIZE * float(rng.uniform(0.3, reach))
        places[frame] = tuple(joint + turn @ Vector((0.0, hook * LENGTHS[2], 0.0)))
        turns[frame] = tuple(turn)
    rigs.animate(target, location=places, rotation_quaternion=turns)
    options = {"tip_bone": "hook", "use_rotation": True, "reach_with": "TAIL"}
    return rigs.chain(rig, "jib", target=target, **options | fields)


def with_joint(chain: PropertyGroup) -> None:
    """Let the chain reach with its joint, for an empty that is a hook's length behind the target and turns along."""
    joint = rigs.empty("Joint", (0.0, -LENGTHS[2], 0.0))
    joint.parent = chain.target
    chain.target, chain.reach_with = joint, "JOINT"


def played(rig: Object) -> np.ndarray:
    """(n, k, 4, 4) the bones in the world as Blender evaluates them."""
    return worlds(rig, EVERY, *rig.pose.bones.keys())


def off_target(chain: PropertyGroup) -> tuple[float, float]:
    """World units from the tail to the target, and the greatest difference of the bone's axes, on the current frame."""
    graph = bpy.context.evaluated_depsgraph_get()
    rig, target = (item.evaluated_get(graph) for item in (chain.id_data, chain.target))
    hook = rig.pose.bones[chain.tip_bone]
    goal = target.matrix_world @ target.pose.bones[chain.subtarget].matrix if chain.subtarget else target.matrix_world
    tail = rig.matrix_world @ hook.tail
    axes = [np.array(_turn(matrix)) for matrix in (rig.matrix_world @ hook.matrix, goal)]
    return (tail - goal.translation).length, float(np.abs(axes[0] - axes[1]).max())


def assert_on_target(chain: PropertyGroup, size: float = SIZE, *, close: float = CLOSE) -> None:
    """On every frame the tail is on the target, and the bone is turned as that is."""
    for frame in EVERY:
        on_frame(frame)
        off, turned = off_target(chain)
        assert off < close * size, frame
        assert turned < 2.0 * close, frame


def _turn(matrix: Matrix) -> Matrix:
    """As a bone is turned that keeps the direction of its y axis, and x as nearly as it can."""
    x, y = (matrix.to_3x3().col[axis].normalized() for axis in (0, 1))
    z = x.cross(y).normalized()
    return Matrix((y.cross(z), y, z))
