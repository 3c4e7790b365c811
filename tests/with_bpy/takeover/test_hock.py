"""IK constraints of three bones become legs with a hock, and it is told by how much the constraint poses otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import degrees, radians

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Constraint, Object

from support import rigs
from support.hocks import EVERY, FRAMES, LEG, angle, evaluated, joints, leg, turn
from support.rigify import metarig
from support.truth import on_frame

IN_PLANE = tuple(bone._replace(head=(0, *bone.head[1:]), tail=(0, *bone.tail[1:]), roll=0.0) for bone in LEG)
KINDS = {"PARALLEL": 0, "RIGID": 1}
"""Which of the bones the third one turns with."""
BONES = ("thigh", "shin", "hock")
HIP = np.array(LEG[1].head)
SWING = np.linspace(-0.5, 0.9, len(EVERY))
"""Radians from straight down to the target, on each frame."""


def constrained_leg(*, locked: bool = False, in_plane: bool = False) -> Constraint:
    """The leg under an IK constraint of three bones, whose third one may be locked; its target has keys."""
    chain = leg("RIGID", tip_bone="", bones=IN_PLANE if in_plane else LEG)
    rig, target = chain.id_data, chain.target
    rig.two_bone_ik_chains.remove(0)
    bone = rig.pose.bones["hock"]
    constraint = bone.constraints.new("IK")
    constraint.target, constraint.chain_count, constraint.use_stretch = target, 3, False
    pole = (0.0, -3.0, 1.3) if in_plane else (1.0, -3.0, 2.0)
    constraint.pole_target, constraint.iterations = rigs.empty("Pole", pole), 500
    bone.lock_ik_x = bone.lock_ik_y = bone.lock_ik_z = locked
    return constraint


def swung_leg() -> Constraint:
    """The leg whose target goes in a circle about the hip, on which the constraint keeps the third bone parallel.

    In the plane and with a pole, its pose depends on the target's distance alone, and the angle from the thigh to the
    third bone goes through zero on the way from 0.9 to 1.2: found by bisection, in Blender.
    """
    constraint = constrained_leg(in_plane=True)
    rig, target = constraint.id_data, constraint.target
    target.animation_data_clear()

    def apart(distance: float) -> float:
        target.location = HIP - (0, 0, distance)
        bpy.context.view_layer.update()
        return float(np.linalg.det(np.stack((turn(rig, "thigh")[1:, 1], turn(rig, "hock")[1:, 1]))))

    near, far = 0.9, 1.2
    assert apart(near) * apart(far) < 0
    for _ in range(24):
        middle = (near + far) / 2
        near, far = (middle, far) if apart(middle) * apart(near) > 0 else (near, middle)
    circle = HIP + near * np.stack((0 * SWING, np.sin(SWING), -np.cos(SWING)), axis=-1)
    rigs.animate(target, location=dict(zip(EVERY, map(tuple, circle), strict=True)))
    return constraint


def poses(rig: Object) -> tuple[np.ndarray, np.ndarray]:
    """(n, 4, 3) joints and (n, 3, 3, 3) turns of the three bones from rest, as Blender evaluates them on all frames."""
    shown = [(on_frame(frame) and joints(rig, ""), [turn(rig, name) for name in BONES]) for frame in EVERY]
    return tuple(map(np.array, zip(*shown, strict=True)))


@pytest.mark.parametrize(
    ("hock", "carrier", "made"),
    [("RIGID", 1, lambda: constrained_leg(locked=True)), ("PARALLEL", 0, swung_leg)],
    ids=["RIGID", "PARALLEL"],
)
def test_a_leg_is_taken_over_as_it_is_posed(hock: str, carrier: int, made: Callable[[], Constraint]) -> None:
    rig = made().id_data
    before, turns = poses(rig)
    off = [[angle(turned[bone], turned[2]) for turned in turns] for bone in (carrier, 1 - carrier)]
    assert max(off[0]) < 1e-4
    assert max(off[1]) > 0.3
    (takeover,) = api.chains_from_constraints(rig)
    (chain,) = rig.two_bone_ik_chains
    assert (takeover.chain, chain.end_bone, chain.hock_bone, chain.hock) == (chain.name, "shin", "hock", hock)
    assert api.bake(rig, frames=FRAMES).reached
    after, turns = poses(rig)
    # The constraint stops a little off; two ten-thousandths of the leg are allowed for two bones as well.
    np.testing.assert_allclose(after, before, atol=1e-3)
    assert max(angle(turned[carrier], turned[2]) for turned in turns) < 1e-5


def _still(constraint: Constraint) -> None:
    constraint.target.animation_data_clear()
    constraint.target.location = constraint.id_data.data.bones["hock"].tail_local


def _off_once(constraint: Constraint) -> None:
    """On one frame of eight the target leaves the circle."""
    rigs.animate(constraint.target, location={5: tuple(HIP - (0, 0, 1.5))})


@pytest.mark.parametrize(
    ("made", "change", "hock", "told"),
    [
        (swung_leg, _off_once, "PARALLEL", "degrees otherwise, as on frame 5; the chain turns it as its Hock says"),
        (constrained_leg, _still, "PARALLEL", "the chain has the Hock that its rest pose fits better"),
    ],
    ids=["on one frame", "at rest"],
)
def test_a_leg_that_is_posed_otherwise_is_taken_and_told(
    made: Callable[[], Constraint], change: Callable[[Constraint], None], hock: str, told: str
) -> None:
    constraint = made()
    change(constraint)
    (takeover,) = api.chains_from_constraints(constraint.id_data)
    assert told in takeover.differs[0]
    assert constraint.id_data.two_bone_ik_chains[takeover.chain].hock == hock


@pytest.mark.parametrize("influence", [0.5, 1.0], ids=["in part", "keyed"])
def test_a_leg_that_is_pulled_in_part_is_left_alone(influence: float) -> None:
    constraint = swung_leg()
    constraint.influence = influence
    if influence == 1.0:
        constraint.keyframe_insert("influence", frame=1)
    (takeover,) = api.chains_from_constraints(constraint.id_data)
    assert not takeover.chain
    assert "something of it is animated or its Influence is below 1" in takeover.differs[0]
    assert not constraint.id_data.two_bone_ik_chains


STEPS = range(1, 32, 3)


def stepping(animal: str, third: str, *, pole: bool) -> tuple[Object, tuple[str, str, str]]:
    """The metarig with Blender's own IK of three bones on one leg, which steps; and its bones, the third last."""
    rig = metarig(animal)
    bone = rig.pose.bones[third]
    end, root = bone.parent, bone.parent.parent
    tip = np.array(rig.matrix_world @ bone.tail)
    constraint = bone.constraints.new("IK")
    constraint.target, constraint.chain_count = rigs.empty("Target", tuple(tip)), 3
    if pole:
        bent = end.head - (root.head + bone.tail) / 2
        bent.x = 0.0
        constraint.pole_target = rigs.empty("Pole", rig.matrix_world @ (end.head + 2.0 * bent.normalized()))
        constraint.pole_angle = radians(-90.0)
    for frame in STEPS:
        phase = 2 * np.pi * frame / 30
        step = bone.length * np.array((0, 0.35 * np.sin(phase), 0.25 * max(0, np.cos(phase))))
        rigs.animate(constraint.target, location={frame: tuple(tip + step)})
    return rig, (root.name, end.name, third)


def posed(rig: Object, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """(n, 4, 3) joints and (n, 3, 3, 3) turns of the three bones, in the armature, on the keyed frames."""
    found, turns = [], []
    for frame in STEPS:
        on_frame(frame)
        bones = [evaluated(rig).pose.bones[name] for name in names]
        found.append([*(bone.head.copy() for bone in bones), bones[-1].tail.copy()])
        turns.append([turn(rig, name) for name in names])
    return np.array(found), np.array(turns)


@pytest.mark.parametrize("pole", [False, True], ids=["without a pole", "with a pole"])
@pytest.mark.parametrize(
    ("animal", "third", "name", "hock"),
    [
        ("horse", "hind_foot.L", "Hind Leg.L", "PARALLEL"),
        ("horse", "forefoot.L", "Front Leg.L", "RIGID"),
        ("wolf", "foot.L", "Hind Leg.L", "PARALLEL"),
        ("wolf", "front_foot.L", "Front Leg.L", "RIGID"),
    ],
)
def test_legs_of_animals_are_taken_over(animal: str, third: str, name: str, hock: str, pole: bool) -> None:
    """By how many degrees the constraint turns the third bone otherwise is told, and joints are off by no more."""
    rig, names = stepping(animal, third, pole=pole)
    before, turns = posed(rig, names)
    off = {kind: [angle(turned[bone], turned[2]) for turned in turns] for kind, bone in KINDS.items()}
    assert max(off[hock]) == min(map(max, off.values()))
    (takeover,) = api.chains_from_constraints(rig)
    chain = rig.two_bone_ik_chains[name]
    assert (takeover.chain, chain.hock_bone, chain.hock) == (name, third, hock)
    told, frame = re.search(r"up to ([\d.]+) degrees otherwise, as on frame (\d+)", takeover.differs[0]).groups()
    # Reports have three digits.
    assert float(told) == pytest.approx(degrees(max(off[hock])), rel=5e-3)
    assert off[hock][STEPS.index(int(frame))] == pytest.approx(max(off[hock]), abs=1e-6)
    assert api.bake(rig, frames=(STEPS[0], STEPS[-1])).reached
    after, turns = posed(rig, names)
    length = np.linalg.norm(np.diff(before[0], axis=0), axis=-1).sum()
    assert max(angle(turned[KINDS[hock]], turned[2]) for turned in turns) < 1e-5
    apart = np.linalg.norm(after - before, axis=-1).max(axis=0) / length
    # The constraint itself stops where its step gets small.
    assert max(apart[[0, 3]]) < 2e-5
    assert max(apart) < max(off[hock]) / 4
