"""Rigs that nobody can install here, built of what is published: names of bones, properties, and what acts on what."""

from __future__ import annotations

from collections.abc import Iterator
from math import atan2

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik.blender.rigs import rig_files
from bl_ext.user_default.two_bone_ik.blender.rigs.wildcards import filled
from bpy.types import Constraint, Object
from mathutils import Euler, Vector

from .rigs import Bone, animate, armature
from .walking import pose_of

FRAMES = range(1, 16)
SIDES = {"auto_rig_pro": "l", "cloudrig": "L", "mixamo_control_rig": "Left", "mmd": "L"}
JOINTS = {
    "Arm": [Vector(place) for place in ((0.2, 0, 1.4), (0.5, 0.04, 1.4), (0.8, 0, 1.4), (0.95, 0, 1.4))],
    "Leg": [
        Vector(place) for place in ((0.1, 0, 0.9), (0.1, -0.04, 0.5), (0.1, 0, 0.1), (0.1, -0.15, 0), (0.1, -0.2, 0))
    ],
}
"""Root, mid, tip, and the ends of hand, or of foot and toes."""
HINGE = {"Arm": (0, 0, -0.7), "Leg": (0.7, 0, 0)}
"""By which the mid joint bends more, in the plane of the limb: IK bends it in no other."""


class Limb:
    """One limb of such a rig, by the names of its bones."""

    def __init__(self, kind: str, pattern: rig_files.KnownLimb) -> None:
        def named(names: tuple[str, ...]) -> list[str]:
            return [filled(name, [SIDES[kind]] * 2) for name in names]

        self.name, self.switch_bone, self.control, self.pole, self.toe_ik = named(
            (pattern.name, pattern.switch_bone, pattern.control, pattern.pole, pattern.toe_ik)
        )
        self.fk, self.ik, self.zero, self.kept = map(named, (pattern.fk, pattern.ik, pattern.zero, pattern.kept))
        (self.switch,) = named((pattern.switch,))
        self.taking_keys = self.control or f"control of {self.ik[2]}"
        self.ends = {"FK": pattern.fk_value, "IK": pattern.ik_value}
        self.joints = [Vector(place) for place in JOINTS[self.name[:3]]]
        self.one_layer = self.fk == self.ik
        self.deforming = self.fk if self.one_layer else [f"deforming {name}" for name in self.fk]
        if self.switch == "influence" and not self.one_layer:
            # The bone that copies IK deforms the character, and a property drives how far it does.
            self.deforming = [name.removeprefix("FK-") for name in self.fk]
            self.switch_bone, self.switch = "Properties", f"ik_left_{self.name[:3].lower()}"


def limbs(kind: str, *, build: int = 0) -> list[Limb]:
    """One limb of each that the kind has; of several builds that at this place, the newest and fullest first."""
    builds: dict[str, list[Limb]] = {}
    for limb in (Limb(kind, pattern) for name, pattern in rig_files.layouts() if name == kind):
        builds.setdefault(limb.name, []).append(limb)
    return [found[build] for name, found in builds.items() if not name.endswith("R")]


def published(kind: str, *, build: int = 0) -> Object:
    """The rig of this kind, at rest, and showing IK."""
    found = limbs(kind, build=build)
    bones = {bone.name: bone for limb in reversed(found) for bone in _bones(limb)}
    rig = armature([Bone("hips", (0, 0, 1), (0, 0, 1.2)), *bones.values()], kind)
    for limb in found:
        _tie(rig, limb)
    bpy.context.view_layer.update()
    return rig


def _bones(limb: Limb) -> Iterator[Bone]:
    yield from _layer(limb, limb.fk)
    yield from _ik_controls(limb)
    if not limb.one_layer:
        yield from _layer(limb, limb.deforming)
        yield from _layer(limb, limb.ik[:2])
        for name in limb.kept:
            yield Bone(name, limb.joints[3], limb.joints[4], limb.deforming[2])
    if limb.switch_bone == "Properties":
        yield Bone("Properties", (0, 0, 2), (0, 0, 2.1))


def _layer(limb: Limb, names: list[str]) -> Iterator[Bone]:
    above = "hips"
    for index, name in enumerate(names):
        yield Bone(name, limb.joints[index], limb.joints[index + 1], above)
        above = name


def _ik_controls(limb: Limb) -> Iterator[Bone]:
    """What IK reaches for, with what it hangs on, the toes and the pole."""
    root, mid, tip, end = limb.joints[:4]
    above = ""
    # Where nothing is published that takes keys, there is something all the same.
    for name in (limb.taking_keys, *limb.zero) if limb.taking_keys != limb.ik[2] else ():
        yield Bone(name, tip, tip + Vector((0, 0.1, 0)), above)
        above = name
    if not limb.one_layer:
        yield Bone(limb.ik[2], tip, end, above)
    for name in limb.ik[3:] if not limb.one_layer else ():
        yield Bone(name, end, limb.joints[4], limb.ik[2])
    if limb.toe_ik:
        yield Bone(limb.toe_ik, end, end + Vector((0, 0, 0.1)), limb.control)
    if limb.pole:
        place = mid + 0.6 * (mid - (root + tip) / 2).normalized()
        yield Bone(limb.pole, place, place + Vector((0, 0.1, 0)))


def _tie(rig: Object, limb: Limb) -> None:
    posed = rig.pose.bones
    reach = posed[limb.ik[1]].constraints.new("IK")
    reach.target, reach.subtarget, reach.chain_count = rig, limb.control or limb.ik[2], 2
    reach.iterations = 500
    if not limb.one_layer:
        reach.subtarget = limb.ik[2]
        posed[limb.switch_bone][limb.switch] = limb.ends["IK"]
    if limb.toe_ik:
        aim = posed[limb.fk[2]].constraints.new("IK")
        aim.target, aim.subtarget, aim.chain_count = rig, limb.toe_ik, 1
    if limb.pole:
        reach.pole_target, reach.pole_subtarget, reach.pole_angle = rig, limb.pole, _pole_angle(rig, limb)
    for name, *layers in zip(limb.deforming, limb.fk, limb.ik, strict=True) if not limb.one_layer else ():
        for layer in layers:
            copied = posed[name].constraints.new("COPY_TRANSFORMS")
            copied.target, copied.subtarget = rig, layer
        _drive(rig, copied, limb)


def _drive(rig: Object, copied: Constraint, limb: Limb) -> None:
    driver = copied.driver_add("influence").driver
    variable = driver.variables.new()
    variable.targets[0].id = rig
    variable.targets[0].data_path = f'pose.bones["{limb.switch_bone}"]["{limb.switch}"]'
    driver.expression = variable.name if limb.ends["IK"] else f"1 - {variable.name}"


def _pole_angle(rig: Object, limb: Limb) -> float:
    """With which the constraint keeps the rest pose."""
    root, mid, tip = limb.joints[:3]
    axis = (tip - root).normalized()
    bend, x = (
        (each - each.dot(axis) * axis) for each in (mid - root, rig.data.bones[limb.ik[0]].matrix_local.to_3x3().col[0])
    )
    return atan2(axis.dot(bend.cross(x)), bend.dot(x))


def move(rig: Object, kind: str, layer: str, *, build: int = 0) -> None:
    """The limbs move by the controls of this layer, which shows."""
    posed = rig.pose.bones
    for frame in FRAMES[::7]:
        part = (frame - 1) / 14.0
        animate(posed["hips"], location={frame: (0, 0.03 * part, 0)})
        for limb in limbs(kind, build=build):
            if layer == "FK":
                turns = ((-0.4, 0.1, 0.2), HINGE[limb.name[:3]], (0.2, 0.1, 0), (0.2, 0, 0))
                for name, turn in zip(limb.fk, turns, strict=False):
                    animate(posed[name], rotation_quaternion={frame: Euler(np.multiply(turn, part)).to_quaternion()})
                continue
            animate(posed[limb.taking_keys], location={frame: (-0.05 * part, 0.05, 0.1 * part)})
            if limb.pole:
                animate(posed[limb.pole], location={frame: (0.1 * part, 0, 0.1)})
            for name in (*limb.zero[:1], *limb.ik[3:]):
                animate(posed[name], rotation_quaternion={frame: Euler((0.3 * part, 0, 0)).to_quaternion()})
    for limb in limbs(kind, build=build):
        show(rig, limb, layer)


def show(rig: Object, limb: Limb, layer: str) -> None:
    """Set the limb's switch."""
    if limb.one_layer:
        for name in (limb.switch_bone, *limb.fk[2:3] * bool(limb.toe_ik)):
            rig.pose.bones[name].constraints["IK"].influence = limb.ends[layer]
    else:
        rig.pose.bones[limb.switch_bone][limb.switch] = limb.ends[layer]
    rig.update_tag()


def deforming(rig: Object, found: list[Limb]) -> np.ndarray:
    """(frames, bones, 4, 4) of what deforms the character, as Blender evaluates it."""
    return pose_of(rig, [name for limb in found for name in limb.deforming], FRAMES)
