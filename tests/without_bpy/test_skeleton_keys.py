"""Reduced keys on a plain rig: played by plain interpolation, joints stay within the tolerance on every frame."""

from __future__ import annotations

from functools import partial
from math import pi

import numpy as np
import pytest
from two_bone_ik.skeleton.bone_channels import keyed_rows
from two_bone_ik.skeleton.reduced_keys import Fit, limb_points, reduce_channels
from two_bone_ik.skeleton.solve import solve_groups
from two_bone_ik.skeleton.steps import run
from two_bone_ik.skeleton.values import Channel, Plan, Point
from two_bone_ik.solver.values import Options, Unreachable

from support.plain_rig import PlainRig, arm, before, channels, path_of, plan

COUNT, STEP = 97, 4
TURN = np.linspace(0.0, 2.0 * pi, COUNT)
CIRCLE = np.column_stack((np.cos(TURN), np.sin(TURN), 0.5 * np.sin(2.0 * TURN)))
MODES = ["QUATERNION", "AXIS_ANGLE", "XYZ", "ZYX"]


def solved_keys(rig: PlainRig, tolerance: float, *, cubic: bool, **fields: object) -> tuple[Plan, list[Channel]]:
    whole = plan((rig.chain("upper", "lower", target=Point("Target"), **fields),), count=COUNT, step=STEP)
    (solved,) = solve_groups(whole, rig.samples(COUNT))
    (keys,) = channels(whole, [solved], before(whole))
    rows = keyed_rows(whole, [solved])["lower"]
    rig.play([] if len(rows) < COUNT else keys)
    points = partial(limb_points, solved.group, solved.samples.basis, [channel.path for channel in keys])
    return whole, run(reduce_channels(keys, rows, points, Fit(tolerance, cubic), step=STEP))


def played(channel: Channel, frames: np.ndarray) -> Channel:
    """The channel on all frames: cubics by their values and slopes, or else straight lines."""
    segment = np.clip(np.searchsorted(channel.frames, frames, side="right") - 1, 0, len(channel.frames) - 2)
    start, end = channel.frames[segment], channel.frames[segment + 1]
    part, length = ((frames - start) / (end - start))[:, None], (end - start)[:, None]
    first, last = channel.values[segment], channel.values[segment + 1]
    values = first + (last - first) * part
    if channel.slopes is not None:
        leaving, arriving = np.moveaxis(channel.slopes[segment], 1, 0) * length
        bend = part * (1 - part) * ((leaving - (last - first)) * (1 - part) - (arriving - (last - first)) * part)
        values = values + bend
        if channel.constant is not None:
            values = np.where(channel.constant[segment][:, None], first, values)
    return Channel(path=channel.path, group=channel.group, frames=frames, values=values)


def joints(rig: PlainRig) -> np.ndarray:
    poses = np.array([rig.to_world("lower", row) for row in range(COUNT)])
    return np.stack((poses[:, :3, 3], poses[:, :3, 3] + 0.8 * poses[:, :3, 1]), axis=1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("cubic", [False, True], ids=["linear", "cubic"])
def test_fewer_keys_keep_the_joints(mode: str, *, cubic: bool) -> None:
    """All channels have them on the same frames, and more of them the finer the tolerance is."""
    counts = []
    for tolerance in (0.1, 0.05, 0.01):
        rig = arm(CIRCLE, rotation_mode=mode)
        whole, (root, end) = solved_keys(rig, tolerance, cubic=cubic)
        every = joints(rig)
        np.testing.assert_array_equal(root.frames, end.frames)
        rig.play([played(channel, whole.frames) for channel in (root, end)])
        assert np.linalg.norm(joints(rig) - every, axis=-1).max() <= tolerance * (1 + 1e-9)
        counts.append(len(root.frames))
    assert counts == sorted(counts)
    assert counts[0] < counts[-1] < COUNT


def test_a_chain_that_skips_every_frame_keeps_no_key() -> None:
    rig = arm(CIRCLE)
    rig.objects["Target"] = path_of(50.0 * CIRCLE + 100.0)
    _, reduced = solved_keys(rig, 0.01, cubic=False, options=Options(unreachable=Unreachable.SKIP))
    assert [len(channel.frames) for channel in reduced] == [0, 0]
