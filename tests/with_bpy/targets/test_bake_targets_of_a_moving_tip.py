"""The way back for a limb that stands still while its tip bone moves on it."""

from __future__ import annotations

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api

from support.rigs import animate, armature, empty
from support.truth import Limb, on_frame

FRAMES = range(1, 11)


@pytest.mark.parametrize("way", ["CURVES", "ISOLATED", "SCENE"])
@pytest.mark.parametrize("turns", [False, True])
def test_targets_follow_a_tip_that_moves_on_a_limb_at_rest(way: str, turns: bool) -> None:
    rig = armature()
    animate(rig.pose.bones["hand"], location={1: (0, 0, 0), 10: (0.1, -0.3, 0.2)})
    api.add_chain(rig, "lower", tip_bone="hand", use_rotation=turns, target=empty("Target"), pole_target=empty("Pole"))
    api.bake_targets(rig, frames=(1, 10), sampling=way)
    limb = Limb(tip="hand")
    off = [limb.joints(depsgraph)[2] - limb.goal(depsgraph) for depsgraph in map(on_frame, FRAMES)]
    assert np.abs(off).max() < 1e-5
