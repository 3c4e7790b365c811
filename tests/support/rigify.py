"""Rigs of Blender's own Rigify, generated in a separate process.

If Rigify is enabled again and again and the scripts of its rigs run, Blender 4.2 crashes some time later.
"""

from __future__ import annotations

import os
import subprocess
import sys
from fcntl import LOCK_EX, flock
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import bpy
from bpy.types import Object

SECONDS = 300
GENERATED = ("human", "basic_human", "basic_quadruped", "cat", "wolf", "horse", "bird")


def metarig(name: str) -> Object:
    """A metarig, such as "human", added to the open file and active."""
    return _added(metarigs()[name])


def generated(name: str) -> Object:
    """The rig that Rigify generates from a metarig, without its face."""
    return _added(_made("generated")[name])


def metarigs() -> dict[str, Path]:
    """All metarigs that Rigify ships, each as a file."""
    return _made("metarigs")


def remove_face(metarig: Object) -> None:
    """Rigify takes 30 times as long with it, and no limb is in it."""
    bpy.ops.object.mode_set(mode="EDIT")
    bones = metarig.data.edit_bones
    if face := bones.get("face"):
        for bone in (*face.children_recursive, face):
            bones.remove(bone)
    bpy.ops.object.mode_set(mode="OBJECT")


def _remove_looks(rig: Object) -> None:
    """With the objects that show its controls, and the script of its panel, a rig takes twice as long to append."""
    for bone in rig.pose.bones:
        bone.custom_shape = None
    for text in list(bpy.data.texts):
        bpy.data.texts.remove(text)


def _added(path: Path) -> Object:
    with bpy.data.libraries.load(str(path)) as (_, wanted):
        wanted.objects = [path.stem]
    (rig,) = wanted.objects
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    return rig


@cache
def _made(kind: str) -> dict[str, Path]:
    """By name the files of one kind, which all processes of an environment share; anew where this file has changed."""
    folder = Path(sys.prefix, "rigify", sha256(Path(__file__).read_bytes()).hexdigest(), kind)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock, TemporaryDirectory(dir=folder.parent) as parent:
        flock(lock, LOCK_EX)
        if not folder.exists():
            whole = Path(parent, kind)
            whole.mkdir()
            # Without the folder of this file on the path, where it would stand for Rigify itself.
            subprocess.run([sys.executable, "-P", __file__, whole], check=True, timeout=SECONDS, capture_output=True)
            whole.rename(folder)
    return {path.stem: path for path in folder.iterdir()}


def _make(folder: Path) -> None:
    import addon_utils

    # It reads its preferences as it registers.
    assert addon_utils.enable("rigify", default_set=True)
    operators = [name for name in dir(bpy.ops.object) if name.endswith("_metarig_add")]
    for operator in operators:
        name = operator.removeprefix("armature_").removesuffix("_metarig_add")
        if folder.name == "generated" and name not in GENERATED:
            continue
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        getattr(bpy.ops.object, operator)()
        if folder.name == "generated":
            remove_face(bpy.context.object)
            bpy.ops.pose.rigify_generate()
            _remove_looks(bpy.context.object)
        bpy.context.object.name = name
        bpy.data.libraries.write(str(folder / f"{name}.blend"), {bpy.context.object})


if __name__ == "__main__":
    _make(Path(sys.argv[1]))
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers
