"""Small shots with one arm each; most of them are broken on purpose, or out of reach."""

from __future__ import annotations

from math import cos, sin
from pathlib import Path

import bpy
import numpy as np

from .empty_file import open_empty_file
from .rigs import animate, armature, empty
from .truth import Limb, on_frame

COUNT = 8
END = 8
"""The last frame."""

BROKEN = {
    "truncated": "cannot be opened",
    "missing": "No such file",
    "without_target": 'no such object: the nearest is "Targ"',
    "without_rig": "has no armature",
    "linked": '"Rig" is linked',
}
"""Kinds of broken shots, and words of the message for each; there is one shot of each kind."""

FAR = "out_of_reach"
GOOD = "good"


def kind(number: int) -> str:
    """The kind of the shot with this number, from 1 to COUNT: each other one first, and then good ones."""
    kinds = (*BROKEN, FAR)
    return kinds[number - 1] if number <= len(kinds) else GOOD


def make(folder: Path) -> Path:
    """Writes shots, setup file and manifest, and returns the path of the manifest."""
    open_empty_file()
    library = folder / "library" / "rig.blend"
    library.parent.mkdir()
    bpy.data.libraries.write(str(library), {armature()})
    (folder / "setup.toml").write_text('chain = [{name = "arm", end_bone = "lower", target = "Target"}]')
    names = [f"{number:03}_{kind(number)}.blend" for number in range(1, COUNT + 1)]
    for number, name in enumerate(names, 1):
        make_shot(folder / name, kind(number), number, library)
    manifest = folder / "season.toml"
    manifest.write_text("".join(f'[[shot]]\nfile = "{name}"\n' for name in names))
    return manifest


def make_shot(path: Path, kind: str = GOOD, number: int = 1, library: Path | None = None) -> None:
    """Write one shot; each has a motion of its own."""
    open_empty_file()
    if kind == "linked":
        with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
            wanted.objects = ["Rig"]
        bpy.context.scene.collection.objects.link(wanted.objects[0])
    elif kind != "without_rig":
        armature()
    reach = 5.0 if kind == FAR else 1.0
    angles = {frame: 0.03 * number + frame / END for frame in (1, END // 2, END)}
    target = empty("Targ" if kind == "without_target" else "Target")
    animate(target, location={frame: (reach * cos(angle), reach * sin(angle), 1.4) for frame, angle in angles.items()})
    bpy.context.scene.frame_end = END
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    if kind == "truncated":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif kind == "missing":
        path.unlink()


def assert_baked(path: Path, *, reached: bool = True) -> None:
    """On every frame of the saved file, the tip is at its place by geometry."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    limb = Limb()
    rig = bpy.data.objects["Rig"]
    length = sum(rig.data.bones[name].length for name in ("upper", "lower"))
    for frame in range(1, END + 1):
        depsgraph = on_frame(frame)
        root, _, tip = limb.joints(depsgraph)
        aim = limb.goal(depsgraph) - root
        expected = root + aim * min(1.0, length / np.linalg.norm(aim))
        np.testing.assert_allclose(tip, expected, atol=1e-5 * length)
        assert (np.linalg.norm(aim) < length) == reached
