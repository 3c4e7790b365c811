"""A target that is disabled in viewports is sampled, and is left as it was: nothing evaluates it again."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import rigs


@pytest.fixture
def target(empty_file: None) -> Object:
    """On frame 3, where it is between its keys."""
    target = rigs.arm().target
    rigs.animate(target, location={1: (1.2, 0.6, 1.3), 6: (1.0, -0.6, 1.3)})
    bpy.context.scene.frame_set(3)
    target.hide_viewport = True
    return target


@pytest.mark.parametrize("request_of", [api.check, api.bake])
def test_a_hidden_target_stays_on_the_current_frame(target: Object, request_of: object) -> None:
    before = tuple(target.location)
    request_of(bpy.data.objects["Rig"], frames=(5, 6), sampling="SCENE")
    assert tuple(target.location) == before


def test_a_hidden_target_keeps_an_edit_without_a_key(target: Object) -> None:
    target.location = (1.0, 0.0, 1.0)
    api.bake(bpy.data.objects["Rig"], frames=(5, 6), sampling="SCENE")
    assert tuple(target.location) == (1.0, 0.0, 1.0)
