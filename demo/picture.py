"""A picture of the walk: poses side by side, with limbs and targets."""

from __future__ import annotations

from pathlib import Path

import bpy
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from bpy.types import Object
from geometry import joints
from mathutils import Vector

_COLOURS = {"L": "#1f6fb4", "R": "#e07b39"}
_SPINE = [f"spine{suffix}" for suffix in ("", ".001", ".002", ".003", ".004", ".005", ".006")]


def draw(rig: Object, frames: list[int], picture: Path) -> None:
    """Side view of the poses on these frames, each a step to the right of the one before."""
    figure, axes = plt.subplots(figsize=(13, 3.7), layout="constrained")
    forward = rig.matrix_world.to_3x3() @ Vector((0.0, -1.0, 0.0))
    for place, frame in enumerate(frames):
        bpy.context.scene.frame_set(frame)
        origin = rig.matrix_world.translation

        def seen(point: Vector, origin: Vector = origin, shift: float = 1.15 * place) -> tuple[float, float]:
            return (point - origin).dot(forward) + shift, point.z

        _body(axes, rig, seen)
        # The far side first, so that the near one lies over it.
        for name, limb in sorted(joints(rig).items(), key=lambda item: item[0].endswith("L")):
            colour = _COLOURS[name[-1]]
            xs, zs = zip(*map(seen, (limb.root, limb.mid, limb.tip)), strict=True)
            axes.plot(xs, zs, "-", color=colour, linewidth=4.5, solid_capstyle="round", solid_joinstyle="round")
            axes.plot(xs[1], zs[1], "o", color="white", markersize=3)
            missed = (limb.target - limb.tip).length > 1e-3
            axes.plot(*seen(limb.target), "x" if missed else "+", color="#c0202a" if missed else "0.25", markersize=9)
        axes.text(1.15 * place, -0.12, f"{frame}", ha="center", va="top", color="0.4", fontsize=9)
    axes.axhline(0.0, color="0.8", linewidth=1, zorder=0)
    axes.set_aspect("equal")
    axes.set_ylim(-0.28, 2.3)
    axes.set_xlim(-0.6, 1.15 * len(frames) - 0.55)
    axes.axis("off")
    figure.savefig(picture, dpi=120)
    plt.close(figure)


def _body(axes: plt.Axes, rig: Object, seen) -> None:
    for name in [*_SPINE, *(f"{part}.{side}" for part in ("foot", "toe", "hand") for side in "RL")]:
        bone = rig.pose.bones[name]
        xs, zs = zip(*(seen(rig.matrix_world @ point) for point in (bone.head, bone.tail)), strict=True)
        width = 7 if name in _SPINE else 3.5
        axes.plot(xs, zs, "-", color="0.82" if name in _SPINE else "0.7", linewidth=width, solid_capstyle="round")
