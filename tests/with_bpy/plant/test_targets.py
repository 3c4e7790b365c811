"""Plant needs no targets and changes none; Create Targets and Bake from Pose let them follow planted limbs."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import fk
from support.held import everything
from support.rigs import animate, empty
from support.truth import on_frame
from support.walker import captured, shown, walker


@pytest.fixture
def rig() -> Object:
    return walker(captured("walk", 1.0))


def test_targets_are_neither_needed_nor_changed(rig: Object) -> None:
    target = empty("Target")
    animate(target, location={1: (0, 0, 0), 30: (1, 2, 3)})
    api.add_chain(rig, "shin.L", name="Left", tip_bone="foot.L", target=target, softness=0.5)
    fields = operator.attrgetter("end_bone", "target", "softness", "plane")
    said = fields(rig.two_bone_ik_chains[0])
    before = everything(target)
    report = api.plant(rig)
    assert [foot.name for foot in report.feet] == ["Left", "Leg.R"]
    assert [chain.name for chain in rig.two_bone_ik_chains] == ["Left"]
    assert fields(rig.two_bone_ik_chains[0]) == said
    assert everything(target) == before


def test_targets_follow_planted_limbs_by_bake_from_pose(rig: Object) -> None:
    """Baked from them, the limbs are posed as they were planted."""
    api.plant(rig)
    api.add_detected(rig, ["LEGS"])
    api.create_targets(rig)
    api.bake_targets(rig, frames=(1, 31))
    left, right = rig.two_bone_ik_chains
    planted = shown(rig, 31)
    for row, frame in enumerate(range(1, 32)):
        on_frame(frame)
        places = [tuple(chain.target.matrix_world.translation) for chain in (left, right)]
        np.testing.assert_allclose(places, planted.ankles[row], atol=1e-5)
    fk.forget(rig, *(f"{bone}.{side}" for bone in ("thigh", "shin", "foot") for side in "LR"))
    api.bake(rig, frames=(1, 31))
    # The plane of an aimed pole is found from the pose in single precision.
    assert np.abs(shown(rig, 31).points - planted.points).max() < 1e-4
