"""How all bones of an armature move in the world, sampled as it plays."""

from dataclasses import dataclass

import numpy as np
from bpy.types import Scene

from ...skeleton.steps import run
from ...skeleton.values import Point
from ...solver.values import Array
from ..armatures import Rig
from ..scene import probe, sampling
from ..scene.need import SampleNeed


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Motion:
    """The bones over some frames.

    matrices : by bone (n, 4, 4), from the bone's space to the world
    """

    frames: Array
    matrices: dict[str, Array]


def sampled(scene: Scene, rig: Rig, frames: Array) -> Motion:
    """The motion of all bones on these frames (n,); Refused where something cannot be evaluated."""
    bones = [bone.name for bone in rig.data.bones]
    need = SampleNeed(objects=frozenset({rig}), bones=frozenset(Point(rig, name) for name in bones))
    with sampling.stage_for(scene, need) as shown:
        samples = run(probe.step(shown, need, frames))
    to_world = samples.to_world[rig]
    matrices = {name: to_world @ samples.pose[Point(rig, name)] for name in bones}
    shape = (len(frames), 4, 4)
    return Motion(frames=frames, matrices={name: np.broadcast_to(matrix, shape) for name, matrix in matrices.items()})
