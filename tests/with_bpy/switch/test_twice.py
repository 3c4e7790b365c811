"""A switch over frames on which others have switched before, or beside frames on which the limb shows both ways."""

from __future__ import annotations

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rigify import generated
from support.rigs import animate
from support.truth import on_frame
from support.walking import deforming, key_switch, off


@pytest.fixture
def rig(empty_file: None) -> Object:
    rig = generated("basic_human")
    animate(rig.pose.bones["foot_ik.L"], location={1: (0, 0, 0), 30: (0, 0.3, 0.1), 120: (0, 0.2, 0.1)})
    return rig


def switches(rig: Object, *frames: int) -> set[float]:
    found = set()
    for frame in frames:
        evaluated = rig.evaluated_get(on_frame(frame))
        found.add(float(evaluated.pose.bones["thigh_parent.L"]["IK_FK"]))
    return found


@pytest.mark.parametrize("end", [50, 64, 100])
def test_a_longer_switch_to_the_same_end_holds(rig: Object, end: int) -> None:
    """Keys behind some of these frames are rounded towards them."""
    key_switch(rig, {1: 0.0}, "BEZIER")
    before = deforming(rig, range(1, 121, 7))
    api.switch(rig, "FK", ["Leg.L"], frames=(10, end))
    api.switch(rig, "FK", ["Leg.L"], frames=(5, end))
    assert switches(rig, *range(5, 12), end // 2, end - 1, end) == {1.0}
    assert switches(rig, *range(1, 5), end + 1, end + 2, 120) == {0.0}
    assert off(deforming(rig, range(1, 121, 7)), before)[0] < 1e-4


def test_what_shows_later_stays(rig: Object) -> None:
    """FK shows on the frame behind the range, and IK again later on: its keys are not to move the foot there."""
    key_switch(rig, {1: 1.0, 21: 0.0}, "CONSTANT")
    outside = np.arange(21.0, 31.0)
    before = deforming(rig, outside)
    api.switch(rig, "IK", ["Leg.L"], frames=(1, 10))
    assert off(deforming(rig, outside), before)[0] < 2e-6
