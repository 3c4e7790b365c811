"""A captured walk as other programs hand it over: in files of all formats, written by Blender's own exporters."""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Object

from .captured_walk import imported_walk, skating_walk
from .empty_file import open_empty_file
from .truth import worlds

SUFFIXES = ("bvh", "fbx", "glb", "gltf", "usda", "usdc", "usdz")
RATE = 30
COUNT = 31
JOINTS = ("Hips", "LeftFoot", "RightToeBase", "LeftHand")
HEIGHT = 150.0
"""Of the walker, about, in the unit of the capture."""


def dressed_walk(folder: Path, rate: float = RATE) -> Object:
    """A second of a walk, with a mesh that follows it, on frames 1 to `rate` + 1."""
    rig = imported_walk(folder, skating_walk(seconds=1.0, rate=rate))
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata([(0, 0, 0), (10, 0, 0), (0, 10, 0)], [], [(0, 1, 2)])
    body = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(body)
    body.parent = rig
    body.vertex_groups.new(name="Hips").add([0, 1, 2], 1.0, "ADD")
    body.modifiers.new("Armature", "ARMATURE").object = rig
    return rig


def write(path: Path) -> None:
    """Write the open file to `path` in the format of its suffix; a .bvh is there already."""
    name = str(path)
    if path.suffix == ".fbx":
        # Without the loss that FBX has by default, so that the truth is known.
        bpy.ops.export_scene.fbx(filepath=name, bake_anim_simplify_factor=0.0)
    elif path.suffix in (".glb", ".gltf"):
        render = bpy.context.scene.render
        # Blender's glTF multiplies by the base, by which it has to divide.
        render.fps_base = 1.0 / render.fps_base
        bpy.ops.export_scene.gltf(filepath=name, export_format="GLB" if path.suffix == ".glb" else "GLTF_SEPARATE")
        render.fps_base = 1.0 / render.fps_base
    elif path.suffix != ".bvh":
        bpy.ops.wm.usd_export(filepath=name, export_animation=True)


def take_file(folder: Path, suffix: str, *, base: float = 1.0) -> tuple[Path, np.ndarray]:
    """The walk in a file of this format, actor.suffix; and (n, 4, 3) its joints in the world.

    base : what Blender divides the frame rate by
    """
    made, truth = _made(suffix, base)
    shutil.copytree(made, folder, dirs_exist_ok=True)
    open_empty_file()
    return folder / f"actor.{suffix}", truth


@cache
def _made(suffix: str, base: float) -> tuple[Path, np.ndarray]:
    """The folder of the file, and the joints; written once for all tests."""
    folder = Path(tempfile.mkdtemp(dir=os.environ["BLENDER_USER_RESOURCES"]))
    rig = dressed_walk(folder)
    bpy.context.scene.render.fps_base = base
    truth = joints(rig, range(1, COUNT + 1))
    write(folder / f"actor.{suffix}")
    return folder, truth


def joints(rig: Object, frames: range, names: tuple[str, ...] = JOINTS) -> np.ndarray:
    """(n, j, 3) heads of these bones in the world, as Blender evaluates them."""
    return worlds(rig, frames, *names)[..., :3, 3]


def the_armature() -> Object:
    """The one armature of the open file."""
    (rig,) = (item for item in bpy.data.objects if item.type == "ARMATURE")
    return rig
