"""A bake that takes long says why, goes on in small steps, and shows nothing of its helpers."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.session import session
from bpy.types import Object

from support.rigs import animate, arm, empty


@pytest.fixture
def rig() -> Object:
    chain = arm()
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 40: (0.5, -0.8, 1.5)})
    bpy.context.view_layer.update()
    return chain.id_data


def reason(rig: Object, **settings: object) -> str:
    request = api.bake.request(rig, frames=(1, 5), **settings)
    for _ in request.prepare():
        pass
    request.close()
    return request.slow


def test_what_is_read_from_curves_is_not_slow(rig: Object) -> None:
    assert reason(rig) == ""


def test_a_constrained_target_is_named(rig: Object) -> None:
    target = rig.two_bone_ik_chains[0].target
    target.constraints.new("COPY_LOCATION").target = empty("Leader")
    assert f'"{target.name}" has constraints' in reason(rig)


def test_a_script_on_frame_changes_is_named(rig: Object) -> None:
    bpy.app.handlers.frame_change_post.append(lambda *_: None)
    try:
        assert "The whole scene is played: " in reason(rig)
        assert "a script acts on frame changes" in reason(rig)
    finally:
        bpy.app.handlers.frame_change_post.pop()


@pytest.mark.parametrize(("way", "words"), [("SCENE", "whole scene"), ("ISOLATED", "surroundings")])
def test_a_way_that_was_asked_for_is_said_to_be(rig: Object, way: str, words: str) -> None:
    told = reason(rig, sampling=way)
    assert words in told
    assert told.endswith("as Sampling says")


def test_reducing_keys_tells_how_far_it_is(rig: Object) -> None:
    request = api.bake.request(rig, frames=(1, 40), keys="REDUCED", tolerance=1e-4)
    steps = list(request.prepare())
    request.close()
    assert len(steps) > 3
    assert steps == sorted(steps)
    # Sampling is the first half.
    assert 0.0 <= steps[0] < 0.5 <= steps[-1] < 1.0


def test_what_makes_blender_evaluate_is_drawn_in_no_view(rig: Object) -> None:
    request = api.bake.request(rig, frames=(1, 5), sampling="SCENE")
    next(request.prepare())
    assert session.samplings
    helpers = [item for item in bpy.context.scene.objects if "probe" in item.name]
    shown = [(item.show_empty_image_orthographic, item.show_empty_image_perspective) for item in helpers]
    assert [item.empty_display_type for item in helpers] == ["IMAGE"]
    assert shown == [(False, False)]
    request.close()
