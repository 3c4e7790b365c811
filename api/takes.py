"""Captures: motion in files of other formats."""

from os import PathLike
from pathlib import Path

from bpy.types import Scene

from ..blender.takes.import_take import import_take as imported
from ..blender.takes.take import Import, Up


def import_take(
    path: str | PathLike[str],
    scene: Scene,
    *,
    fps: float | None = None,
    scale: float = 1.0,
    up: str | None = None,
    height: float | None = None,
    take: str = "",
) -> tuple[str, ...]:
    """Import a BVH, FBX, glTF or USD file into an empty scene, that of the context, as the command line does.

    The scene then has the rate of the capture and the range of its keys.

    fps : frames a second; None for those of the file
    scale : of all lengths
    up : Y or Z, of BVH; None for the axis along which the character stands
    height : of BVH, how high the character is to stand, in place of a scale
    take : of FBX and glTF, the animation to play; "" for the longest one that moves bones
    returns : sentences about how the file was read
    raises : Refused where it cannot be read

    >>> try:
    ...     api.import_take("walk.txt", rig.users_scene[0])
    ... except api.Refused as refused:
    ...     print(refused.kind)
    NO_FILE
    """
    asked = Import(Path(path), scene, fps, scale, None if up is None else Up(up), height, take)
    return tuple(imported(asked).notes)
