"""Pictures of the walk, with limbs and targets: poses side by side, and one that moves."""

from __future__ import annotations

from pathlib import Path

import bpy
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from bpy.types import Object
from geometry import joints
from mathutils import Vector
from PIL import Image

_COLOURS = {"L": "#1f6fb4", "R": "#e07b39"}
_SPINE = [f"spine{suffix}" for suffix in ("", ".001", ".002", ".003", ".004", ".005", ".006")]


def draw(rig: Object, frames: list[int], picture: Path) -> None:
    """Side view of the poses on these frames, each a step to the right of the one before."""
    figure, axes = plt.subplots(figsize=(13, 3.7), layout="constrained")
    for place, frame in enumerate(frames):
        _pose(axes, rig, frame, 1.15 * place)
    _ground(axes, -0.6, 1.15 * len(frames) - 0.55)
    figure.savefig(picture, dpi=120)
    plt.close(figure)


def draw_moving(rig: Object, frames: range, picture: Path) -> None:
    """Side view that goes along with the walk, at the speed at which Blender plays it."""
    figure, axes = plt.subplots(figsize=(4.2, 4.4), layout="constrained")
    images: list[Image.Image] = []
    for frame in frames:
        axes.clear()
        _pose(axes, rig, frame, 0.0)
        passed = _forward(rig).dot(rig.matrix_world.translation)
        for stone in range(int(passed) - 3, int(passed) + 4):
            axes.plot([stone - passed, stone - passed + 0.1], [-0.04, -0.04], color="0.6", linewidth=2)
        _ground(axes, -1.05, 1.05)
        figure.canvas.draw()
        size = figure.canvas.get_width_height()
        images.append(Image.frombuffer("RGBA", size, figure.canvas.buffer_rgba()).convert("RGB"))
    plt.close(figure)
    # Few colors, the same in all, make a small file; all of them are in some of the images.
    some = Image.new("RGB", (images[0].width, images[0].height * 10))
    for place, image in enumerate(images[:: len(images) // 10][:10]):
        some.paste(image, (0, place * image.height))
    colors = some.quantize(32, method=Image.Quantize.MAXCOVERAGE)
    images = [image.quantize(palette=colors, dither=Image.Dither.NONE) for image in images]
    milliseconds = 1000 * frames.step / bpy.context.scene.render.fps
    images[0].save(picture, save_all=True, append_images=images[1:], duration=milliseconds, loop=0)


def _pose(axes: plt.Axes, rig: Object, frame: int, shift: float) -> None:
    """The character on this frame, so far to the right."""
    bpy.context.scene.frame_set(frame)
    forward, origin = _forward(rig), rig.matrix_world.translation

    def seen(point: Vector) -> tuple[float, float]:
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
    axes.text(shift, -0.12, f"{frame}", ha="center", va="top", color="0.4", fontsize=9)


def _forward(rig: Object) -> Vector:
    return rig.matrix_world.to_3x3() @ Vector((0.0, -1.0, 0.0))


def _ground(axes: plt.Axes, left: float, right: float) -> None:
    axes.axhline(0.0, color="0.8", linewidth=1, zorder=0)
    axes.set_aspect("equal")
    axes.set_ylim(-0.28, 2.3)
    axes.set_xlim(left, right)
    axes.axis("off")


def _body(axes: plt.Axes, rig: Object, seen) -> None:
    for name in [*_SPINE, *(f"{part}.{side}" for part in ("foot", "toe", "hand") for side in "RL")]:
        bone = rig.pose.bones[name]
        xs, zs = zip(*(seen(rig.matrix_world @ point) for point in (bone.head, bone.tail)), strict=True)
        width = 7 if name in _SPINE else 3.5
        axes.plot(xs, zs, "-", color="0.82" if name in _SPINE else "0.7", linewidth=width, solid_capstyle="round")
