"""Ranges beyond what Blender and memory hold, frames below zero with a fraction."""

from __future__ import annotations

import tracemalloc

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import file_data
from support.rigs import animate, arm, keys

LAST = 1_048_574


def moving_arm() -> Object:
    rig = arm().id_data
    animate(bpy.data.objects["Target"], location={1: (1.2, 0.6, 1.3), 10: (0.5, -0.8, 1.5)})
    return rig


TOO_MUCH = (
    ((1, 1e9), "FRAME_LIMIT", str(LAST)),
    ((-1e30, 1), "FRAME_LIMIT", str(LAST)),
    ((1, LAST + 1), "FRAME_LIMIT", str(LAST)),
    ((-LAST - 1, 1), "FRAME_LIMIT", str(LAST)),
    ((1e30, 1e30), "FRAME_LIMIT", str(LAST)),
    ((1, LAST, 0.1), "TOO_MANY_FRAMES", "2000000"),
    ((-LAST, LAST), "TOO_MANY_FRAMES", "2000000"),
    ((LAST - 9, LAST, 0.01), "FRAME_STEP", "0.0625"),
)


@pytest.mark.parametrize("request_made", [api.bake, api.check, api.bake_targets], ids=lambda f: f.__name__)
def test_more_than_blender_or_memory_holds_is_refused(request_made: object) -> None:
    rig = moving_arm()
    before = file_data.dump()
    tracemalloc.start()
    try:
        for frames, kind, limit in TOO_MUCH:
            with pytest.raises(api.Refused, match=limit) as refused:
                request_made(rig, frames=frames)
            assert refused.value.kind == kind, frames
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 200e6, "bytes"
    assert not file_data.changed(before)


@pytest.mark.parametrize("frames", [(LAST - 2, LAST), (-LAST, -LAST + 2)])
def test_the_last_frames_that_blender_has_are_keyed(frames: tuple[int, int]) -> None:
    rig = moving_arm()
    assert api.bake(rig, frames=frames).reached
    assert list(keys(rig.pose.bones["upper"])) == [frames[0], frames[0] + 1, frames[1]]


def test_a_long_scene_does_not_keep_from_posing_one_frame() -> None:
    rig = moving_arm()
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = -LAST, LAST
    assert api.solve(rig).reached
    assert api.target_keys(rig) == [1.0, 10.0]


@pytest.mark.parametrize("frame", [(-7, 0.25), (-1, 0.9), (-3, 0.0), (5, 0.1), (0, 0.5)])
@pytest.mark.parametrize("way", ["ISOLATED", "SCENE"])
def test_the_current_frame_stays_as_it_is(frame: tuple[int, float], way: str) -> None:
    rig = moving_arm()
    scene = bpy.context.scene
    scene.frame_set(frame[0], subframe=frame[1])
    held = scene.frame_current, scene.frame_subframe
    api.bake(rig, frames=(-3, 5), sampling=way)
    assert (scene.frame_current, scene.frame_subframe) == pytest.approx(held, abs=1e-7)
    assert scene.frame_current_final == pytest.approx(sum(frame), abs=1e-6)
