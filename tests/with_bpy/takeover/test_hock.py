"""IK constraints of three bones become legs with a hock where they pose as one; otherwise they are told why not."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Constraint, Object

from support import rigs
from support.hocks import EVERY, FRAMES, LEG, angle, joints, leg, turn
from support.truth import on_frame

IN_PLANE = tuple(bone._replace(head=(0, *bone.head[1:]), tail=(0, *bone.tail[1:]), roll=0.0) for bone in LEG)
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
    found, turns = [], []
    for frame in EVERY:
        on_frame(frame)
        found.append(joints(rig, ""))
        turns.append([turn(rig, name) for name in ("thigh", "shin", "hock")])
    return np.array(found), np.array(turns)


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


def _halved(constraint: Constraint) -> None:
    constraint.influence = 0.5


def _still(constraint: Constraint) -> None:
    constraint.target.animation_data_clear()
    constraint.target.location = constraint.id_data.data.bones["hock"].tail_local


def _off_once(constraint: Constraint) -> None:
    """On one frame of eight the target leaves the circle."""
    rigs.animate(constraint.target, location={5: tuple(HIP - (0, 0, 1.5))})


@pytest.mark.parametrize(
    ("made", "change", "told"),
    [
        (constrained_leg, None, '"hock" turns neither with the first nor with the second as in a leg with a hock'),
        (swung_leg, _off_once, "degrees more on frame 5: set its Chain Length to 2"),
        (swung_leg, _halved, "something of it is animated or its Influence is below 1"),
        (constrained_leg, _still, 'on no keyed frame does "hock" show with which of the others it turns'),
    ],
    ids=["otherwise", "on one frame", "in part", "at rest"],
)
def test_what_is_no_such_leg_is_told(
    made: Callable[[], Constraint], change: Callable[[Constraint], None] | None, told: str
) -> None:
    constraint = made()
    rig = constraint.id_data
    if change:
        change(constraint)
    (takeover,) = api.chains_from_constraints(rig)
    assert not takeover.chain
    assert told in takeover.differs[0]
    assert not rig.two_bone_ik_chains
