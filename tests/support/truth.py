"""The right places of a chain's joints, by geometry over what Blender itself evaluates.

It uses nothing of the extension. Root, target and pole are read from the evaluated scene, frame by frame; the law of
cosines gives mid and tip; the joints that Blender evaluates from the keys are compared with these. Everything is found
by name, so that it still works after the file was saved and loaded.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Depsgraph, Object

Array = np.ndarray


def on_frame(frame: float) -> Depsgraph:
    """The scene as Blender evaluates it on this frame."""
    whole = int(np.floor(frame))
    bpy.context.scene.frame_set(whole, subframe=frame - whole)
    return bpy.context.evaluated_depsgraph_get()


def posed(rig: Object, *bones: str) -> Array:
    """(k, 4, 4) these bones in the world, as Blender evaluates them now."""
    evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return _float64([evaluated.matrix_world @ evaluated.pose.bones[bone].matrix for bone in bones])


def worlds(rig: Object, frames: Iterable[float], *bones: str) -> Array:
    """(n, k, 4, 4) the same on each frame."""
    return np.array([on_frame(frame) and posed(rig, *bones) for frame in frames])


def save_and_load() -> None:
    """Save the file and open it again, as a user does the next day; Python's references to the old file are dropped."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "shot.blend"))
        bpy.ops.wm.save_as_mainfile(filepath=path, check_existing=False)
        bpy.ops.wm.open_mainfile(filepath=path)


@dataclass(frozen=True, kw_only=True)
class Limb:
    """A chain by the names of its parts; without a pole it is aimed from its rest pose."""

    rig: str = "Rig"
    root: str = "upper"
    end: str = "lower"
    tip: str = ""
    target: str = "Target"
    subtarget: str = ""
    pole: str = ""

    def joints(self, depsgraph: Depsgraph | None = None) -> Array:
        """(3, 3) root, mid and tip in the world, as evaluated there, or now."""
        rig = _evaluated(self.rig, depsgraph)
        bones = rig.pose.bones
        tip = bones[self.tip].head if self.tip else bones[self.end].tail
        return _placed(rig.matrix_world, (bones[self.root].head, bones[self.end].head, tip))

    def goal(self, depsgraph: Depsgraph | None = None) -> Array:
        """(3,) the target in the world, as evaluated there, or now."""
        item = _evaluated(self.target, depsgraph)
        local = item.pose.bones[self.subtarget].head if self.subtarget else (0, 0, 0)
        return _placed(item.matrix_world, local)

    def off(self, depsgraph: Depsgraph | None = None) -> float:
        """The distance from the tip to the target in metres, as evaluated there, or now."""
        return _length(self.joints(depsgraph)[2] - self.goal(depsgraph))

    def offs(self, frames: Iterable[float]) -> Array:
        """(n,) the same on each of these frames."""
        return np.array([self.off(on_frame(frame)) for frame in frames])

    def played(self, frames: Iterable[float]) -> Array:
        """(n, 3, 3) root, mid and tip in the world on each of these frames."""
        return np.array([self.joints(on_frame(frame)) for frame in frames])

    def misses(self, frames: Iterable[float]) -> Array:
        """(n, 2) distances of mid and tip from their right places, as part of the chain's length.

        For chains that stay rigid: lengths are taken at rest, in the space of the root's parent.
        """
        save_and_load()
        return np.array([self._miss(on_frame(frame)) for frame in frames])

    def hits(self, frames: Iterable[float]) -> Array:
        """(n, 2) distance of the mid from the half-plane of the pole, and of the tip from the target; in metres.

        For targets within reach, whatever scale and shear do to the lengths in between.
        """
        save_and_load()
        return np.array([self._hit(on_frame(frame)) for frame in frames])

    def _miss(self, depsgraph: Depsgraph) -> tuple[float, float]:
        rest = self._rest_joints()
        to_rest = np.linalg.inv(self._carrier(depsgraph))
        root, mid, tip = _placed(to_rest, self.joints(depsgraph))
        aim = _placed(to_rest, self.goal(depsgraph)) - root
        side = _placed(to_rest, self._pole(depsgraph)) - root if self.pole else _swung(rest, aim)
        lengths = np.linalg.norm(np.diff(rest, axis=0), axis=-1)
        mid_wanted, tip_wanted = law_of_cosines(aim, side, *lengths)
        return _length(mid - root - mid_wanted) / lengths.sum(), _length(tip - root - tip_wanted) / lengths.sum()

    def _hit(self, depsgraph: Depsgraph) -> tuple[float, float]:
        root, mid, tip = self.joints(depsgraph)
        target = self.goal(depsgraph)
        direction = _unit(target - root)
        outwards = _unit(_beside(self._pole(depsgraph) - root, direction))
        offset = _beside(mid - root, direction)
        return _length(offset - outwards * _length(offset)), _length(tip - target)

    def _rest_joints(self) -> Array:
        """(3, 3) in armature space."""
        bones = bpy.data.objects[self.rig].data.bones
        tip = bones[self.tip].head_local if self.tip else bones[self.end].tail_local
        return _float64((bones[self.root].head_local, bones[self.end].head_local, tip))

    def _carrier(self, depsgraph: Depsgraph) -> Array:
        """(4, 4) matrix that takes the rest chain from armature space to the world, along with the root's parent."""
        rig = _evaluated(self.rig, depsgraph)
        parent = rig.pose.bones[self.root].parent
        if parent is None:
            return _float64(rig.matrix_world)
        return _float64(rig.matrix_world) @ _float64(parent.matrix) @ np.linalg.inv(_float64(parent.bone.matrix_local))

    def _pole(self, depsgraph: Depsgraph) -> Array:
        return _float64(_evaluated(self.pole, depsgraph).matrix_world.translation)


def law_of_cosines(aim: Array, side: Array, upper: float, lower: float) -> tuple[Array, Array]:
    """Mid and tip, relative to the root: of the circle about the line to the target, the mid is nearest to `side`."""
    reach = min(max(_length(aim), abs(upper - lower)), upper + lower)
    along = (reach**2 + upper**2 - lower**2) / (2 * reach)
    across = max(upper**2 - along**2, 0.0) ** 0.5
    direction = _unit(aim)
    return direction * along + _unit(_beside(side, direction)) * across, direction * reach


def _swung(rest: Array, aim: Array) -> Array:
    """The mid, relative to the root, after the rest pose was turned the shortest way towards the target."""
    root, mid, tip = rest
    start, end = _unit(tip - root), _unit(aim)
    axis = np.cross(start, end)
    turned = np.cross(axis, mid - root)
    return mid - root + turned + np.cross(axis, turned) / (1 + start @ end)


def _evaluated(name: str, depsgraph: Depsgraph | None) -> Object:
    return bpy.data.objects[name].evaluated_get(depsgraph or bpy.context.evaluated_depsgraph_get())


def _placed(matrix: Iterable, points: Iterable) -> Array:
    matrix = _float64(matrix)
    return _float64(points) @ matrix[:3, :3].T + matrix[:3, 3]


def _float64(values: Iterable) -> Array:
    return np.array(values, dtype=np.float64)


def _beside(vector: Array, direction: Array) -> Array:
    return vector - (vector @ direction) * direction


def _unit(vector: Array) -> Array:
    return vector / np.linalg.norm(vector)


def _length(vector: Array) -> float:
    return float(np.linalg.norm(vector))
