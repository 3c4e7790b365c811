"""A made-up walk as BVH files of all kinds that people have, and where its joints are by forward kinematics.

Channels are written in letters: "xyzZXY" are three positions, then three rotations. `heads` multiplies matrices of one
axis each in that order, so that it shares no code with what reads the files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

THIGH, SHIN, ANKLE = 0.43, 0.43, 0.08
TO_BLENDER = np.array(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)))
"""From y up to z up."""

_ARM = (("Arm", 0.28), ("ForeArm", 0.25), ("Hand", 0.08))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Joint:
    """A joint: its parent by name, where it is from there at rest, and its End Site if it has one."""

    parent: str | None
    offset: np.ndarray
    end: np.ndarray | None = None
    channels: str = "ZXY"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Walk:
    """Joints by name, parents first; of each the angles (n,) in degrees by axis, and of the first its places (n, 3)."""

    joints: Mapping[str, Joint]
    angles: Mapping[str, Mapping[str, np.ndarray]]
    places: np.ndarray
    rate: float

    def with_channels(self, **channels: str) -> Walk:
        """The same angles in other channels; `others` for joints that are not named."""
        others = channels.pop("others", None)
        changed = {
            name: replace(joint, channels=channels.get(name, others or joint.channels))
            for name, joint in self.joints.items()
        }
        return replace(self, joints=changed)


def walk(unit: float = 100.0, seconds: float = 2.0, rate: float = 30.0, speed: float = 0.9) -> Walk:
    """One goes along z, y being up; feet stand still for three fifths of the time, and slide by nothing."""
    times = np.arange(round(seconds * rate) + 1) / rate
    joints = {
        "Hips": Joint(parent=None, offset=np.zeros(3), channels="xyzZXY"),
        "Spine": Joint(parent="Hips", offset=np.array((0.0, 0.2, -0.02))),
        "Head": Joint(parent="Spine", offset=np.array((0.0, 0.4, 0.0)), end=np.array((0.0, 0.2, 0.0))),
    }
    angles = {"Spine": {"X": 3 * np.sin(5 * times), "Y": 8 * np.cos(6 * times), "Z": 2 * np.sin(3 * times)}}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        joints |= _limb(side, "Spine", np.array((sign * 0.18, 0.3, 0.0)), _ARM, np.array((sign, 0.0, 0.0)))
        leg = (("UpLeg", THIGH), ("Leg", SHIN), ("Foot", 0.0), ("ToeBase", 0.0))
        joints |= _limb(side, "Hips", np.array((sign * 0.1, -0.05, 0.0)), leg, np.array((0.0, -1.0, 0.0)))
        toe = replace(joints[f"{side}ToeBase"], offset=np.array((0.0, -0.06, 0.14)), end=np.array((0.0, 0.0, 0.06)))
        joints[f"{side}ToeBase"] = toe
        angles[f"{side}Arm"] = {"Z": -sign * 70 + 0 * times, "Y": 20 * np.sin(5.7 * times), "X": 5 * np.cos(4 * times)}
        angles[f"{side}ForeArm"] = {"Y": -sign * (20 + 10 * np.sin(5.7 * times))}
        ahead, height = _ankle(times + (0.0 if sign > 0 else 0.55), speed)
        thigh, shin = _leg_angles(ahead - speed * (times + (0.0 if sign > 0 else 0.55)), height - 0.87)
        angles |= {f"{side}UpLeg": {"X": thigh}, f"{side}Leg": {"X": shin}, f"{side}Foot": {"X": -thigh - shin}}
    scaled = {
        name: replace(joint, offset=unit * joint.offset, end=None if joint.end is None else unit * joint.end)
        for name, joint in joints.items()
    }
    places = unit * np.stack((0 * times, 0.92 + 0 * times, speed * times), axis=-1)
    return Walk(joints=scaled, angles=angles, places=places, rate=rate)


def _limb(side: str, parent: str, first: np.ndarray, bones: tuple, along: np.ndarray) -> dict[str, Joint]:
    made, offset = {}, first
    for bone, length in bones:
        made[f"{side}{bone}"] = Joint(parent=parent, offset=offset)
        parent, offset = f"{side}{bone}", length * along
    made[parent] = replace(made[parent], end=offset if offset.any() else None)
    return made


def _ankle(times: np.ndarray, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """(n,) ahead and height of an ankle that stands for 0.66 of 1.1 s, under the hips in the middle of that."""
    step = np.floor(times / 1.1 + 0.3)
    part = np.clip((times / 1.1 + 0.3 - step - 0.6) / 0.4, 0.0, 1.0)
    return speed * 1.1 * (step + part**2 * (3 - 2 * part)), ANKLE + 0.1 * np.sin(np.pi * part) ** 2


def _leg_angles(ahead: np.ndarray, up: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n,) degrees of thigh and knee about x, for an ankle that is so far ahead of the hip and above it."""
    far = np.hypot(ahead, up)
    inner = np.arccos((THIGH**2 + SHIN**2 - far**2) / (2 * THIGH * SHIN))
    lean = np.arccos((THIGH**2 + far**2 - SHIN**2) / (2 * THIGH * far))
    return np.degrees(np.arctan2(-ahead, -up) - lean), np.degrees(np.pi - inner)


def z_up(walk: Walk, *, rest: bool = True) -> Walk:
    """The walk in a file whose z is up; without `rest` the skeleton still has y up, and its root turns it."""
    if not rest:
        angles = dict(walk.angles) | {"Hips": {"X": np.full(len(walk.places), 90.0)}}
        return replace(walk, angles=angles, places=walk.places @ TO_BLENDER.T)
    turned = {
        name: replace(
            joint,
            offset=TO_BLENDER @ joint.offset,
            end=None if joint.end is None else TO_BLENDER @ joint.end,
            channels=joint.channels.translate(str.maketrans("YZ", "ZY")),
        )
        for name, joint in walk.joints.items()
    }
    angles = {
        name: {
            {"Y": "Z", "Z": "Y"}.get(axis, axis): -values if axis == "Z" else values for axis, values in each.items()
        }
        for name, each in walk.angles.items()
    }
    return replace(walk, joints=turned, angles=angles, places=walk.places @ TO_BLENDER.T)


def pair(walk: Walk) -> Walk:
    """Two characters in one file, who go alike; the joints of the second have a 2 before their names."""
    aside = np.array((100.0, 0.0, 0.0))
    other = {
        f"2{name}": replace(joint, parent=joint.parent and f"2{joint.parent}", offset=joint.offset)
        for name, joint in walk.joints.items()
    }
    other["2Hips"] = replace(other["2Hips"], offset=aside)
    angles = {f"2{name}": angles for name, angles in walk.angles.items()}
    return replace(walk, joints={**walk.joints, **other}, angles={**walk.angles, **angles})


def heads(walk: Walk) -> dict[str, np.ndarray]:
    """(n, 3) of each joint, in the axes of the file; `_end` behind a name is its End Site."""
    places: dict[str, np.ndarray] = {}
    turns: dict[str, np.ndarray] = {}
    count = len(walk.places)
    for name, joint in walk.joints.items():
        turn = np.tile(np.eye(3), (count, 1, 1))
        for axis in filter(str.isupper, joint.channels):
            turn = turn @ _about("XYZ".index(axis), np.radians(walk.angles.get(name, {}).get(axis, np.zeros(count))))
        if joint.parent is None:
            places[name], turns[name] = walk.places, turn
        else:
            places[name] = places[joint.parent] + turns[joint.parent] @ joint.offset
            turns[name] = turns[joint.parent] @ turn
        if joint.end is not None:
            places[f"{name}_end"] = places[name] + turns[name] @ joint.end
    return places


def _about(axis: int, angles: np.ndarray) -> np.ndarray:
    j, k = (axis + 1) % 3, (axis + 2) % 3
    turn = np.tile(np.eye(3), (len(angles), 1, 1))
    turn[:, j, j] = turn[:, k, k] = np.cos(angles)
    turn[:, k, j], turn[:, j, k] = np.sin(angles), -np.sin(angles)
    return turn


def text(
    walk: Walk,
    *,
    offset: Callable[[str, np.ndarray], np.ndarray] = lambda name, offset: offset,
    place: Callable[[str, np.ndarray], np.ndarray] = lambda name, offset: offset,
    name: Callable[[str], str] = str,
    frames: str = "Frames: {count}\n",
    time: str = "Frame Time: {time:.9g}\n",
    layout: Callable[[str], str] = str,
) -> str:
    """The file. `offset` and `place` give what it has as OFFSET of a joint, and in channels of its position."""
    lines, rows = ["HIERARCHY"], []
    words = {axis: f"{axis.upper()}{'rotation' if axis.isupper() else 'position'}" for axis in "xyzXYZ"}

    def add(bone: str) -> None:
        joint = walk.joints[bone]
        lines.append(
            f"{'JOINT' if joint.parent else 'ROOT'} {name(bone)}\n{{\nOFFSET {_row(offset(bone, joint.offset))}"
        )
        lines.append(f"CHANNELS {len(joint.channels)} {' '.join(words[axis] for axis in joint.channels)}")
        at = np.tile(place(bone, joint.offset), (len(walk.places), 1)) if joint.parent else walk.places
        for axis in joint.channels:
            own = walk.angles.get(bone, {}).get(axis, np.zeros(len(walk.places)))
            rows.append(own if axis.isupper() else at[:, "xyz".index(axis)])
        for child in (child for child, other in walk.joints.items() if other.parent == bone):
            add(child)
        if joint.end is not None:
            lines.append(f"End Site\n{{\nOFFSET {_row(joint.end)}\n}}")
        lines.append("}")

    for bone in (bone for bone, joint in walk.joints.items() if joint.parent is None):
        add(bone)
    lines.append(f"MOTION\n{frames.format(count=len(walk.places))}{time.format(time=1 / walk.rate)}")
    return layout("\n".join(lines) + "\n".join(map(_row, np.stack(rows, axis=1))) + "\n")


def _row(values: np.ndarray) -> str:
    return " ".join(f"{value:.9g}" for value in values)
