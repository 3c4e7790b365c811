"""A script may name one chain without a list around it, and give frames as a range of Python's."""

from __future__ import annotations

import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rigs import animate, arm
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


def test_a_wrong_name_is_refused_whole(rig: Object) -> None:
    with pytest.raises(api.Refused) as refused:
        api.bake(rig, "leg.L")
    assert (refused.value.kind, refused.value.value) == ("UNKNOWN_CHAIN", "leg.L")


@pytest.mark.parametrize("frames", [range(1, LAST + 1), range(1, 4), range(2, LAST, 3), range(1, 10, 2), range(5, 6)])
def test_a_range_keys_its_own_frames(rig: Object, frames: range) -> None:
    (report,) = api.bake(rig, frames=frames).chains
    assert report.frames.tolist() == list(frames)
    assert Limb().misses(frames).max() < 1e-5


@pytest.mark.parametrize("call", [api.check, api.bake, api.bake_targets, api.pin])
@pytest.mark.parametrize("frames", [range(5, 5), range(9, 1)])
def test_a_range_without_frames_is_refused(rig: Object, call: object, frames: range) -> None:
    with pytest.raises(api.Refused):
        call(rig, frames=frames)
