"""BVH files as text: a skeleton of joints, and a row of channels for each frame.

Joints turn about axes that are parallel to those of the file at rest. Channels apply as they are listed, the first one
farthest from the joint: "Zrotation Yrotation Xrotation" is the matrix Z Y X. Positions are places in the parent's axes.
People write the format in many ways, so it is read by its words and not by its lines.
"""

import itertools
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...solver.values import Array
from ..files import atomic_write
from ..messages.refused import Refused
from ..messages.translation import translated

_LONGEST_NAME = 63
"""Bytes of a bone's name in Blender."""

_CODINGS = {"latin-1": r"[\x80-\x9f]|[^\x00-\x7f]{2}", "cp932": "[\uff61-\uff9f]", "gb18030": "$^"}
"""What text that is no UTF-8 is tried as, and what it then does not have: letters beyond ASCII one after another, or
katakana of half width, as which Chinese would be read."""

_COMMENT = re.compile(r"^[ \t]*(?:#|//|;)[^\n]*", re.MULTILINE)
_BEGIN = re.compile(r"^\s*HIERARCHY\b", re.IGNORECASE | re.MULTILINE)
_PART = re.compile(
    r"""\b(?:ROOT|JOINT)\s+(?P<joint>[^\n{}]*) | (?P<end>\bEND\b[^\n{}]*) | \bMOTION\b(?P<motion>)
    | \bOFFSET(?P<offset>(?:\s+[^\s{}]+){3})
    | \bCHANNELS\s+(?P<count>\d+)(?P<channels>(?:\s+[XYZ](?:position|rotation))*)
    | (?P<open>\{) | (?P<close>\}) | (?P<other>\S+)""",
    re.IGNORECASE | re.VERBOSE,
)
_HEAD = re.compile(r"\s*(?:Frames\s*:\s*(\d+)\s+)?(?:Frame\s*Time\s*:\s*(\S+))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """A joint of the skeleton.

    name : the name of its bone: that of the joint with underscores for blanks, unique, and as long as Blender has it
    parent : the place of its parent in the list of joints; None for a root
    offset : from its parent to it at rest, in the unit of the file
    end : from it to its End Site, if it has one
    channels : (whether it is a position, axis), in their order; the axis is 0, 1 or 2
    """

    name: str
    parent: int | None
    offset: tuple[float, ...] = (0.0, 0.0, 0.0)
    end: tuple[float, ...] | None = None
    channels: tuple[tuple[bool, int], ...] = ()

    @property
    def order(self) -> str:
        """The axes of its rotations, farthest first; a joint that lacks some turns about the others alone."""
        axes = [axis for is_position, axis in self.channels if not is_position]
        return "".join("XYZ"[axis] for axis in (*axes, *(axis for axis in range(3) if axis not in axes)))


@dataclass(frozen=True, eq=False, kw_only=True)
class BvhFile:
    """What a BVH file says.

    skeleton : its text from the beginning to before MOTION
    encoding : of the file, as Python names it
    joints : in the order of the file, parents first
    frame_time : seconds, as it is written; "" if it is not
    rows : (n, c)    all channels on each frame; lengths in the unit of the file, angles in degrees
    channels : (c, 3)    of each of them the joint, by its place in the list, whether it is a position, and the axis
    notes : sentences for the report
    """

    skeleton: str
    encoding: str
    joints: tuple[Joint, ...]
    frame_time: str
    rows: Array
    channels: NDArray[np.intp]
    notes: tuple[str, ...]


def read(path: Path) -> BvhFile:
    """The contents of the file.

    raises : Refused where it is no such file, or was cut off, with the line
    """
    with atomic_write.opened(path) as file:
        text, encoding, notes = _decoded(path, file.read())
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Each comment keeps its length, so that places in the text stay.
    bare = _COMMENT.sub(lambda comment: " " * len(comment[0]), text)
    begin = _BEGIN.search(bare)
    if not begin:
        raise Refused("NO_BVH.other", value=str(path))
    joints, motion = _joints(path, bare, begin.end())
    head = _HEAD.match(bare, motion + len("MOTION"))
    assert head  # all of it may be missing
    channels = [(number, *channel) for number, joint in enumerate(joints) for channel in joint.channels]
    count = int(head[1] or 0)
    rows = _rows(path, bare, head.end(), count, len(channels))
    if head[1] and len(rows) > count:
        notes += (translated("report.bvh_rows", file=path, count=count, rows=len(rows)),)
    return BvhFile(
        skeleton=text[:motion],
        encoding=encoding,
        joints=joints,
        frame_time=head[2] or "",
        rows=rows,
        channels=np.array(channels, np.intp).reshape(-1, 3),
        notes=notes,
    )


def _decoded(path: Path, data: bytes) -> tuple[str, str, tuple[str, ...]]:
    """The text, its encoding, and a sentence if that was guessed."""
    if data.startswith((BOM_UTF16_BE, BOM_UTF16_LE)):
        return data.decode("utf-16", "replace"), "utf-16", ()
    if b"\0" in data[:2]:
        encoding = "utf-16-le" if data[1] == 0 else "utf-16-be"
        return data.decode(encoding, "replace"), encoding, ()
    try:
        return data.decode("utf-8-sig"), "utf-8-sig" if data[:1] == b"\xef" else "utf-8", ()
    except UnicodeDecodeError:
        encoding = next((name for name, unlikely in _CODINGS.items() if _is_in(data, name, unlikely)), "latin-1")
    note = translated("report.bvh_encoding", file=path, value=encoding)
    return data.decode(encoding), encoding, (note,)


def _is_in(data: bytes, encoding: str, unlikely: str) -> bool:
    try:
        return not re.search(unlikely, data.decode(encoding))
    except UnicodeDecodeError:
        return False


def _joints(path: Path, text: str, start: int) -> tuple[tuple[Joint, ...], int]:
    """The joints of the skeleton that begins at `start`, and where MOTION begins; Refused where it is none."""
    joints: list[dict[str, Any]] = []
    names: set[str] = set()
    # What encloses this part; None stands for an End Site.
    enclosing: list[int | None] = []
    for part in _PART.finditer(text, start):
        kind, inner = part.lastgroup, enclosing[-1] if enclosing else None
        try:
            if kind == "motion" and joints:
                return tuple(Joint(**joint) for joint in joints), part.start()
            if kind == "joint":
                enclosing.append(len(joints))
                names.add(name := _unused("_".join(part["joint"].split()) or "Bone", names))
                joints.append({"name": name, "parent": inner})
            elif kind == "end":
                enclosing.append(None)
            elif kind == "offset":
                joint, key = (joints[enclosing[-2] or 0], "end") if inner is None else (joints[inner], "offset")
                joint[key] = _numbers(part["offset"])
            elif kind == "channels" and inner is not None:
                joints[inner]["channels"] = _channels(part["channels"], int(part["count"]))
            elif kind == "close":
                del enclosing[-1:]  # one too many does no harm
            elif kind != "open":
                raise ValueError
        except (IndexError, ValueError):
            line, words = _line(text, part.start()), " ".join(part[0].split())
            raise Refused("NO_BVH.line", value=str(path), line=line, words=words) from None
    raise Refused("NO_BVH.motion", value=str(path))


def _numbers(words: str) -> tuple[float, ...]:
    numbers = tuple(map(float, words.split()))
    if not np.isfinite(numbers).all():
        raise ValueError
    return numbers


def _channels(words: str, count: int) -> tuple[tuple[bool, int], ...]:
    channels = tuple((word.endswith("position"), "xyz".index(word[0])) for word in words.lower().split())
    if not len(channels) == len(set(channels)) == count:
        raise ValueError
    return channels


def _unused(name: str, names: set[str]) -> str:
    """The name as long as bones have it, with a number behind it where another joint has that name."""
    endings = itertools.chain(("",), (f".{number:03}" for number in itertools.count(1)))
    cut = (name.encode()[: _LONGEST_NAME - len(ending)].decode("utf-8", "ignore") + ending for ending in endings)
    return next(unused for unused in cut if unused not in names)


def _rows(path: Path, text: str, start: int, count: int, width: int) -> Array:
    """(n, width) the numbers from `start` on; words behind the last row are a comment.

    count : of the rows, as the file says; 0 if it does not, and as programs write that fill it in later
    """
    words, leading = text[start:].split(), list[float]()
    with suppress(ValueError):
        leading.extend(map(float, words))
    values = np.array(leading)
    whole, rest = divmod(len(values), width) if width else (0, 0)
    if (rest or whole < (count or 1)) and len(values) < len(words):
        place = next(itertools.islice(re.finditer(r"\S+", text[start:]), len(values), None))
        raise Refused("NO_BVH.line", value=str(path), line=_line(text, start + place.start()), words=place[0])
    if whole < (count or 1):
        raise Refused("BVH_ROWS.few", value=str(path), count=count or 1, rows=whole)
    # Rows may be broken over lines if their number is right; if there are more of them, each has a line of its own.
    if rest or (count and whole > count and not _are_lines(text[start:], whole, width)):
        raise Refused("BVH_ROWS.odd", value=str(path), count=len(values), width=width)
    return values.reshape(whole, width)


def _are_lines(text: str, count: int, width: int) -> bool:
    return [len(line.split()) for line in text.splitlines() if line.strip()][:count] == [width] * count


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1
