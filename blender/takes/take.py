"""What is asked of an import, and how it was carried out."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bpy.types import Scene

from ..options import Word


class Up(Word):
    """The axis of a file that points up."""

    Y = "Y"
    Z = "Z"


class Import(NamedTuple):
    """What to import, and how.

    fps : frames a second; None for those of the file
    scale : of all lengths
    up : of BVH; None for the axis along which the character stands
    height : of BVH how high the character is to stand, in place of a scale
    take : of FBX and glTF the name of the animation to play, "" for the longest one that moves bones
    """

    path: Path
    scene: Scene
    fps: float | None = None
    scale: float = 1.0
    up: Up | None = None
    height: float | None = None
    take: str = ""


class Intake(NamedTuple):
    """What an import has read.

    notes : sentences for the report
    scale, up : of BVH those that were found or given
    """

    notes: Sequence[str] = ()
    scale: float = 1.0
    up: Up = Up.Y
