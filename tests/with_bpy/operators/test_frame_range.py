"""The range of an operator is worked out when it is needed; a long bake says why, and goes on in small steps."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.session import session
from bpy.types import Object, PoseBone

from support.rigs import animate, arm, armature, chain, empty, keys


def keyed(bone: PoseBone) -> tuple[float, float]:
    frames = keys(bone)
    return min(frames), max(frames)


def two_arms() -> tuple[PoseBone, PoseBone]:
    """Two armatures, both selected, whose targets have keys on other frames; the first is active."""
    rigs = armature(), armature(name="Other")
    for rig, span in zip(rigs, ((3, 5), (8, 9)), strict=True):
        target = empty("Target", (1.2, 0.6, 1.3))
        animate(target, location=dict.fromkeys(span, (1.2, 0.6, 1.3)))
        chain(rig, "lower", target=target)
        rig.select_set(True)
    bpy.context.view_layer.objects.active = rigs[0]
    return rigs[0].pose.bones["lower"], rigs[1].pose.bones["lower"]


def test_target_keys_are_those_of_all_chains_that_are_baked() -> None:
    for lower in two_arms():
        bpy.ops.two_bone_ik.bake(frame_range="TARGET_KEYS")
        assert keyed(lower) == (3, 9)


def test_only_active_takes_target_keys_of_the_active_chain() -> None:
    lower, other = two_arms()
    bpy.ops.two_bone_ik.bake(frame_range="TARGET_KEYS", only_active=True)
    assert keyed(lower) == (3, 5)
    assert other.id_data.animation_data is None


@pytest.mark.parametrize(
    ("given", "preview", "frames"),
    [
        ({}, False, range(3, 9)),
        ({}, True, range(4, 7)),
        ({"frame_start": 5}, False, range(5, 9)),
        ({"frame_end": 5}, False, range(3, 6)),
        ({"frame_start": 5, "frame_range": "CUSTOM"}, False, range(5, 9)),
        ({"frame_end": 5, "frame_range": "CUSTOM"}, False, range(3, 6)),
        ({"frame_start": -1, "frame_end": 1, "frame_step": 0.5}, True, (-1, -0.5, 0, 0.5, 1)),
        ({"frame_range": "SCENE"}, True, range(3, 9)),
        ({"frame_range": "PREVIEW"}, True, range(4, 7)),
        ({"frame_range": "TARGET_KEYS"}, True, range(1, 21)),
        ({"frame_range": "PREVIEW", "frame_end": 10}, True, range(4, 11)),
    ],
    ids=str,
)
def test_frames_that_are_not_given_are_those_of_a_range(given: dict, preview: bool, frames: Sequence[float]) -> None:
    """Of the scene, its preview range, or the one that is named."""
    chain, scene = arm(), bpy.context.scene
    animate(chain.target, location=dict.fromkeys((1, 20), (1.2, 0.6, 1.3)))
    scene.frame_start, scene.frame_end, scene.use_preview_range = 3, 8, True
    scene.frame_preview_start, scene.frame_preview_end, scene.use_preview_range = 4, 6, preview
    bpy.ops.two_bone_ik.bake(**given)
    assert list(keys(chain.id_data.pose.bones["lower"])) == list(frames)


@pytest.mark.parametrize(
    ("last", "now", "end"),
    [(31, 5, 31), (301, 5, 301), (3, 5, 250), (31, 40, 250)],
    ids=["short", "long", "few", "over"],
)
def test_a_hold_goes_to_the_last_key_of_a_captured_target(last: int, now: int, end: int) -> None:
    target = arm().target
    animate(target, location=dict.fromkeys(range(1, last + 1), (1.2, 0.6, 1.3)))
    for curve in versions.curves(target):
        for key in curve.keyframe_points:
            key.select_control_point = False
    bpy.context.scene.frame_set(now)
    bpy.ops.two_bone_ik.hold()
    [hold] = target.two_bone_ik_holds
    assert (hold.frame_start, hold.frame_end) == (now, end)


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
