"""BVH files as text: a skeleton of joints, and a row of channels for each frame.

Joints turn about axes that are parallel to those of the file at rest. Channels apply as they are listed, the first one
farthest from the joint: "Zrotation Yrotation Xrotation" is the matrix Z Y X.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...solver.values import Array
from ..files import atomic_write
from ..messages.refused import Refused

_MOTION = re.compile(
    r"^\s*MOTION\s*?^\s*Frames:\s*(\d+)\s*?^\s*Frame\s+Time:\s*(\S+)[^\n]*\n?", re.IGNORECASE | re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """A joint of the skeleton.

    name : the name that Blender's importer gives its bone
    parent : the place of its parent in the list of joints; None for a root
    channels : (axis, whether it is a position), in their order; the axis is 0, 1 or 2
    """

    name: str
    parent: int | None
    channels: tuple[tuple[int, bool], ...]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BvhFile:
    """What a BVH file says.

    skeleton : its text from HIERARCHY to before MOTION
    joints : in the order of the file, parents first
    frame_time : seconds, as it is written
    rows : (n, c)    all channels on each frame; lengths in the unit of the file, angles in degrees
    """

    skeleton: str
    joints: tuple[Joint, ...]
    frame_time: str
    rows: Array


def read(path: Path) -> BvhFile:
    """The contents of the file.

    raises : Refused where it has fewer rows than it says, or cannot be read; ValueError if it is no such file
    """
    with atomic_write.opened(path) as file:
        text = file.read().decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    motion = _MOTION.search(text)
    if not motion:
        raise ValueError
    skeleton, count = text[: motion.start()], int(motion[1])
    try:
        joints = _joints(skeleton)
    except IndexError:  # a bracket too many, or channels of no joint
        raise ValueError from None
    width = sum(len(joint.channels) for joint in joints)
    values = np.array(text[motion.end() :].split(), dtype=np.float64)
    whole = len(values) // width if width else 0
    if whole < count:
        raise Refused("BVH_ROWS", value=str(path), count=count, rows=whole)
    return BvhFile(
        skeleton=skeleton, joints=joints, frame_time=motion[2], rows=values[: count * width].reshape(count, width)
    )


def _joints(skeleton: str) -> tuple[Joint, ...]:
    """The joints of the skeleton; IndexError or ValueError where it is none."""
    joints: list[Joint] = []
    names: set[str] = set()
    # What encloses the line; None stands for an End Site.
    enclosing: list[int | None] = []
    for words in map(str.split, skeleton.splitlines()):
        kind = words[0].lower() if words else ""
        if kind in ("root", "joint"):
            parent = enclosing[-1] if enclosing else None
            enclosing.append(len(joints))
            names.add(name := _unused("_".join(words[1:]), names))
            joints.append(Joint(name=name, parent=parent, channels=()))
        elif kind == "end":
            enclosing.append(None)
        elif kind == "channels":
            channels = tuple(("xyz".index(word[0].lower()), word.lower().endswith("position")) for word in words[2:])
            joints[-1] = Joint(name=joints[-1].name, parent=joints[-1].parent, channels=channels)
        elif kind == "}":
            enclosing.pop()
    return tuple(joints)


def _unused(name: str, names: set[str]) -> str:
    """The name, with a number behind it where another joint has that name."""
    number, unused = 0, name
    while unused in names:
        number += 1
        unused = f"{name}.{number:03}"
    return unused
