"""Rigs far from the origin or as deep as Blender lets them, frames beyond what Blender and memory hold."""

from __future__ import annotations

import tracemalloc

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import file_data
from support.rigs import ARM, Bone, animate, arm, armature, chain, empty, keys
from support.truth import Limb

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
def test_the_last_frames_are_keyed_and_a_long_scene_posed(frames: tuple[int, int]) -> None:
    rig = moving_arm()
    assert api.bake(rig, frames=frames).reached
    assert list(keys(rig.pose.bones["upper"])) == [frames[0], frames[0] + 1, frames[1]]
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = -LAST, LAST
    assert api.solve(rig).reached
    assert api.target_keys(rig) == [1.0, 10.0]


@pytest.mark.parametrize(
    ("frame", "way"),
    [((-7, 0.25), "ISOLATED"), ((-7, 0.25), "SCENE"), ((-1, 0.9), "SCENE"), ((-3, 0.0), "SCENE"), ((0, 0.5), "SCENE")],
)
def test_the_current_frame_stays_as_it_is(frame: tuple[int, float], way: str) -> None:
    rig = moving_arm()
    scene = bpy.context.scene
    scene.frame_set(frame[0], subframe=frame[1])
    held = scene.frame_current, scene.frame_subframe
    api.bake(rig, frames=(-3, 5), sampling=way)
    assert (scene.frame_current, scene.frame_subframe) == pytest.approx(held, abs=1e-7)
    assert scene.frame_current_final == pytest.approx(sum(frame), abs=1e-6)


DEEP = 1500
"""More than Python would let a function call itself."""


@pytest.mark.parametrize("way", ["CURVES", "ISOLATED"])
def test_a_chain_at_the_end_of_a_rope_reaches(way: str) -> None:
    joints = [(0, 0, index / DEEP) for index in range(DEEP + 1)]
    rope = [Bone(f"rope {i}", joints[i], joints[i + 1], f"rope {i - 1}") for i in range(DEEP)]
    limb = (ARM[1]._replace(parent=rope[-1].name), ARM[2])
    link = chain(armature((*rope, *limb)), "lower", target=(1.2, 0.6, 1.3), pole=(1, 3, 1))
    animate(link.id_data.pose.bones["rope 0"], rotation_quaternion={1: (1, 0, 0, 0), 4: (1, 0.1, 0, 0.1)})
    api.bake(link.id_data, frames=(1, 4), sampling=way)
    # The products of so many float32 matrices add up.
    assert Limb(pole="Pole").misses(range(1, 5)).max() < 1e-3


def test_a_target_at_the_end_of_a_rope_of_objects_is_followed() -> None:
    link = chain(armature(), "lower", target=(1.2, 0.6, 1.3), pole=(1, 3, 1))
    above = None
    for index in range(DEEP):
        item = empty(f"Link {index}")
        item.parent, above = above, item
    link.target.parent = above
    animate(bpy.data.objects["Link 0"], location={1: (0, 0, 0), 4: (-0.3, 0.1, 0.2)})
    api.bake(link.id_data, frames=(1, 4), sampling="CURVES")
    assert Limb(pole="Pole").misses(range(1, 5)).max() < 1e-5


COUNT = 100


def report_at(place: tuple[float, float, float], scale: float, beyond: float) -> api.ChainReport:
    """Of targets in random directions, `beyond` farther than full reach of an arm that stands at `place`."""
    chain = arm()
    rig, target = chain.id_data, chain.target
    rig.location, rig.scale = place, (scale,) * 3
    bpy.context.view_layer.update()
    bones = rig.data.bones
    root = np.array(rig.matrix_world @ bones["upper"].head_local)
    length = scale * sum(float((bones[n].tail_local - bones[n].head_local).length) for n in ("upper", "lower"))
    directions = np.random.default_rng(14).normal(size=(COUNT, 3))
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    places = root + directions * (length + beyond)
    for frame, location in enumerate(places, 1):
        target.location = location
        target.keyframe_insert("location", frame=frame)
    (found,) = api.check(rig, frames=(1, COUNT)).chains
    return found


@pytest.mark.parametrize("scale", [1.0, 0.02])
@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (1000.0, 0.0, 0.0), (-700.0, 800.0, 300.0)])
def test_full_reach_is_reached_wherever_the_rig_stands(place: tuple[float, float, float], scale: float) -> None:
    found = report_at(place, scale, 0.0)
    assert np.count_nonzero(found.status) == 0
    assert found.miss.max() <= 4 * np.spacing(np.float32(max(1.0, *map(abs, place))))  # as exact as places are held


# At the origin a hundred thousandth of a reach of 2 m; 1 km away single precision has steps of 0.06 mm.
@pytest.mark.parametrize(("place", "beyond"), [((0.0, 0.0, 0.0), 2e-5), ((1000.0, 0.0, 0.0), 1e-3)])
def test_what_rounding_does_not_explain_is_out_of_reach(place: tuple[float, float, float], beyond: float) -> None:
    found = report_at(place, 1.0, beyond)
    assert (found.status == 1).all()
    np.testing.assert_allclose(found.miss, beyond, atol=0.3 * beyond)


NUMBER = 8
"""Bytes."""


@pytest.fixture
def rig() -> Object:
    chain = arm(pole=(0.5, 2.0, 1.0))
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 2000: (0.5, -0.8, 1.5)})
    animate(bpy.data.objects["Pole"], location={1: (0.5, 2.0, 1.0), 2000: (0.8, 2.0, 1.0)})
    return chain.id_data


def held(rig: Object, last: int) -> int:
    """Bytes once the search for keys begins."""
    request = api.bake.request(rig, frames=(1, last), keys="REDUCED")
    tracemalloc.start()
    try:
        next(done for done in request.prepare() if done >= 0.5)
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
        request.close()


def test_while_keys_are_reduced_it_holds_values_and_little_else(rig: Object) -> None:
    """Of a frame that is asked for, it solves four: with places of target and pole that would be over 350 numbers."""
    held(rig, 10)  # what is read once for all bakes
    of_a_frame = (held(rig, 2000) - held(rig, 1000)) / 1000
    # On four frames their time and place, and two quaternions, once more for the search; on one the solution.
    assert of_a_frame < NUMBER * (4 * (2 + 2 * 8) + 70)
