"""A script may name one chain without a list around it, and give frames as a range of Python's."""

from __future__ import annotations

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rigs import animate, arm, keys
from support.truth import Limb

LAST = 12


@pytest.fixture
def rig(empty_file: None) -> Object:
    """An arm that follows a target with keys."""
    link = arm()
    animate(link.target, location={1: (1.2, 0.6, 1.3), LAST: (1.0, -0.6, 1.3)})
    return link.id_data


def chain_name(rig: Object) -> str:
    (found,) = rig.two_bone_ik_chains
    return found.name


@pytest.mark.parametrize("call", [api.solve, api.check, api.bake, api.bake_targets, api.snap_targets, api.flip_bend])
def test_one_chain_is_named_without_a_list(rig: Object, call: object) -> None:
    assert [chain.name for chain in call(rig, chain_name(rig)).chains] == [chain_name(rig)]


@pytest.mark.parametrize("frames", [range(1, LAST + 1), range(1, 4), range(2, LAST, 3), range(1, 10, 2), range(5, 6)])
def test_a_range_keys_its_own_frames(rig: Object, frames: range) -> None:
    (report,) = api.bake(rig, frames=frames).chains
    assert report.frames.tolist() == list(frames)
    assert Limb().misses(frames).max() < 1e-5


NUMPY = pytest.mark.parametrize("number", [np.float32, np.int64, np.uint32], ids=lambda number: number.__name__)


@NUMPY
def test_frames_may_be_numbers_of_numpy(rig: Object, number: type) -> None:
    for frames in ((number(2), number(5)), np.array([2, 5, 1], dtype=number)):
        assert api.check(rig, frames=frames).chains[0].frames.tolist() == [2, 3, 4, 5]
    api.bake(rig, frames=(number(2), number(5)), keys="REDUCED", tolerance=number(1))
    assert set(keys(rig.pose.bones["lower"])) <= {2, 3, 4, 5}


@NUMPY
def test_a_hold_takes_numbers_of_numpy(rig: Object, number: type) -> None:
    hand = rig.two_bone_ik_chains[0].target
    api.hold(rig, frames=(4, 7), at=5, ease=(1, 2))
    expected = keys(hand, "location")
    api.remove_hold(rig, chain_name(rig), number(0))
    for ease in (np.array([1, 2], dtype=number), [number(1), number(2)]):
        api.hold(rig, frames=(4, 7), at=number(5), ease=ease)
        assert keys(hand, "location") == expected
        api.remove_hold(rig, chain_name(rig))


@NUMPY
def test_a_contact_takes_numbers_of_numpy(rig: Object, number: type) -> None:
    animate(rig.pose.bones["upper"], rotation_quaternion={1: (1, 0, 0, 0), LAST: (1, 0.1, 0, 0)})
    stands = api.Contact("lower", number(1), number(LAST), "lower", (number(0), number(1), number(0)))
    report = api.plant(rig, "lower", contacts=[stands], floor=number(0))
    assert api.Report.from_json(report.to_json()).feet == report.feet
    (found,) = api.contacts(rig, "lower")
    assert found[:4] == ("lower", 1, LAST, "lower")
    assert tuple(found.offset) == (0, 1, 0)


@pytest.mark.parametrize("value", [True, False])
def test_a_flag_may_be_one_of_numpy(rig: Object, value: bool) -> None:
    chain = api.ensure_chain(rig, "lower", use_rotation=np.bool_(value), mute=np.bool_(value))
    assert (chain.use_rotation, chain.mute) == (value, value)
