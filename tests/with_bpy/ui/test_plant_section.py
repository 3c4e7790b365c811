"""The section Plant shows for characters that were captured, and for those with contacts."""

from __future__ import annotations

import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.plant import contact_keys
from bpy.types import Object

from support.rigs import animate, armature


@pytest.fixture
def rig() -> Object:
    return armature()


def turned(rig: Object, bone: str, count: int) -> None:
    rig.pose.bones[bone].rotation_mode = "XYZ"
    animate(rig.pose.bones[bone], rotation_euler={frame: (0.01 * frame, 0.0, 0.0) for frame in range(1, count + 1)})


@pytest.mark.parametrize("chains", [False, True])
@pytest.mark.parametrize(("count", "shows"), [(0, False), (10, False), (11, True)])
def test_it_shows_where_a_limb_has_more_than_ten_keys(rig: Object, chains: bool, count: int, shows: bool) -> None:
    if chains:
        api.add_chain(rig, "lower")
    turned(rig, "lower", count)
    assert contact_keys.is_captured(rig) == shows


def test_it_does_not_show_where_no_limb_has_them(rig: Object) -> None:
    api.add_chain(rig, "lower")
    turned(rig, "spine", 30)
    animate(rig, location={frame: (0.0, 0.0, frame) for frame in range(1, 31)})
    assert not contact_keys.is_captured(rig)


@pytest.mark.parametrize("chains", [False, True])
def test_it_shows_where_a_limb_has_a_contact(rig: Object, chains: bool) -> None:
    if chains:
        api.add_chain(rig, "lower")
    animate(rig.pose.bones["lower"], two_bone_ik_contact={5: "BOTH"})
    assert contact_keys.is_captured(rig)
