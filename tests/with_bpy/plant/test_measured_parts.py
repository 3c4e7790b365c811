"""Of a long take those frames are measured on which planted legs are likely to be off, and some from all its parts."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.footsteps import Capture
from support.rigs import empty
from support.walker import Shown, captured, shown, walker

SECONDS = 40.0


@pytest.fixture
def take() -> Capture:
    return captured("walk", SECONDS)


@pytest.fixture
def rig(take: Capture) -> Object:
    return walker(take)


def disturb(rig: Object, first: float, last: float) -> None:
    """Let the left shin turn aside from frame to frame, by what a driver reads from another object."""
    other = empty("Elsewhere", (3.0, 1.0, 2.0))
    other["push"] = 0.0
    bpy.context.preferences.edit.keyframe_new_interpolation_type = "CONSTANT"
    for frame, push in ((first - 1, 0.0), (first, 1.0), (last + 1, 0.0)):
        other["push"] = push
        other.keyframe_insert('["push"]', frame=frame)
    bpy.context.preferences.edit.keyframe_new_interpolation_type = "BEZIER"
    constraint = rig.pose.bones["shin.L"].constraints.new("DAMPED_TRACK")
    constraint.target = other
    driver = constraint.driver_add("influence").driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = other, '["push"]'
    driver.expression = variable.name


def misposed(report: api.Report) -> list[float]:
    [left] = [chain for chain in report.chains if chain.name == "Leg.L"]
    return left.frames[left.misposed].tolist()


@pytest.mark.parametrize("part", [0.05, 0.55, 0.74])
def test_a_shin_pushed_over_a_quarter_of_the_range_is_told(rig: Object, take: Capture, part: float) -> None:
    count = len(take.hips)
    first, last = round(part * count), round((part + 0.25) * count)
    disturb(rig, first, last)
    bpy.context.scene.frame_set(1)  # nothing pushes there yet, so the rig is not refused
    report = api.plant(rig)
    found = misposed(report)
    assert len(found) >= 5
    assert first <= found[0] < found[-1] <= last
    assert "Leg.L" in str(report)


def bend(now: Shown) -> np.ndarray:
    """(n,) cosine of the angle at the left knee, from straight on."""
    upper, lower = (
        each[:, 0] / np.linalg.norm(each[:, 0], axis=-1, keepdims=True)
        for each in (now.knees - now.hips, now.ankles - now.knees)
    )
    return np.sum(upper * lower, axis=-1)


def step(now: Shown) -> np.ndarray:
    """(n,) how far the left ankle goes from the frame before."""
    return np.linalg.norm(np.diff(now.ankles[:, 0], axis=0, prepend=now.ankles[:1, 0]), axis=-1)


@pytest.mark.parametrize(
    "worst",
    [lambda now: bend(now).argmax(), lambda now: bend(now).argmin(), lambda now: step(now).argmax()],
    ids=["straightest", "bent most", "fastest"],
)
def test_a_leg_that_is_off_only_where_it_is_extreme_is_told(
    rig: Object, take: Capture, worst: Callable[[Shown], np.intp]
) -> None:
    count = len(take.hips)
    api.plant(rig, measure="NONE")
    frame = 1.0 + float(worst(shown(rig, count)))
    request = api.plant.request(rig)
    for _ in request.prepare():
        pass
    disturb(rig, frame, frame)
    report = request.write()
    assert report.feet[0].measured < count / 5
    assert misposed(report) == [frame]
