"""Solve and the way back look at what they have done as well, and users get to the frame that is worst."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import PropertyGroup

from support.rigs import animate, arm, empty
from support.truth import Limb, on_frame


@pytest.fixture
def chain(empty_file: None) -> PropertyGroup:
    chain = arm(pole=(1, 3, 1))
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 12: (0.9, -0.3, 1.5)})
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 12
    return chain


def track(chain: PropertyGroup) -> None:
    chain.id_data.pose.bones["lower"].constraints.new("DAMPED_TRACK").target = empty("Elsewhere", (0.2, -1.5, 0.4))


def miss(frame: float) -> float:
    depsgraph = on_frame(frame)
    return float(np.linalg.norm(Limb().joints(depsgraph)[2] - Limb().goal(depsgraph)))


@pytest.mark.parametrize("insert_keys", [False, True])
def test_a_solve_tells_how_far_off_the_pose_shows(chain: PropertyGroup, insert_keys: bool) -> None:
    bpy.context.scene.frame_set(5)
    assert api.solve(chain.id_data, insert_keys=insert_keys).posed
    track(chain)
    report = api.solve(chain.id_data, insert_keys=insert_keys)
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    truth = np.linalg.norm(Limb().joints(depsgraph)[2] - Limb().goal(depsgraph))
    assert truth > 0.1
    assert report.worst == pytest.approx((5.0, truth), abs=1e-5)
    assert not report.reached
    assert report.chains[0].off_bone == "lower"


def test_a_solve_that_shows_is_measured(chain: PropertyGroup) -> None:
    bpy.context.scene.frame_set(3, subframe=0.5)
    report = api.solve(chain.id_data)
    assert report.chains[0].measured.tolist() == [True]
    assert report.chains[0].off.max() < 1e-5
    assert report.posed


def test_a_solve_skipped_out_of_reach_is_not_compared(chain: PropertyGroup) -> None:
    chain.target.animation_data_clear()
    chain.target.location, chain.unreachable = (9, 0, 1), "SKIP"
    report = api.solve(chain.id_data)
    assert not report.chains[0].measured.any()
    assert report.posed


@pytest.mark.parametrize("way", ["CURVES", "ISOLATED", "SCENE"])
def test_targets_that_are_where_the_pose_is_are_found_so(chain: PropertyGroup, way: str) -> None:
    api.bake(chain.id_data, frames=(1, 12))
    report = api.bake_targets(chain.id_data, frames=(1, 12), sampling=way)
    assert report.chains[0].measured.all()
    assert report.chains[0].off.max() < 1e-5
    assert report.posed


def test_targets_that_play_elsewhere_are_told(chain: PropertyGroup) -> None:
    """Their action is added to what a strip plays."""
    api.bake(chain.id_data, frames=(1, 12))
    animation = chain.target.animation_data
    action = bpy.data.actions.new("Strip")
    kept, animation.action = animation.action, action
    animate(chain.target, location={1: (0, 0, 0.3), 12: (0, 0, 0.4)})
    animation.action = kept
    animation.nla_tracks.new().strips.new("Strip", 1, action)
    animation.action_blend_type = "ADD"
    places = [Limb().joints(on_frame(frame))[2] for frame in range(1, 13)]
    report = api.bake_targets(chain.id_data, frames=(1, 12))
    truth = [
        np.linalg.norm(Limb().goal(on_frame(frame)) - tip) for frame, tip in zip(range(1, 13), places, strict=True)
    ]
    assert max(truth) > 0.2
    np.testing.assert_allclose(report.chains[0].off, truth, atol=1e-5)
    assert report.worst == pytest.approx((1.0 + np.argmax(truth), max(truth)), abs=1e-5)
    assert report.chains[0].off_bone == "Target"


def test_the_status_bar_says_first_that_it_is_not_posed_so(
    chain: PropertyGroup, capfd: pytest.CaptureFixture[str]
) -> None:
    track(chain)
    bpy.context.view_layer.objects.active = chain.id_data
    bpy.ops.two_bone_ik.bake(frame_start=1, frame_end=12)
    last = capfd.readouterr().out.splitlines()[-1]
    assert last.startswith("Warning: Done, but not posed so: lower.")


def test_the_button_goes_to_the_worst_frame(chain: PropertyGroup) -> None:
    track(chain)
    bpy.context.view_layer.objects.active = chain.id_data
    bpy.ops.two_bone_ik.bake(frame_start=1, frame_end=12, frame_step=0.5)
    misses = {frame: miss(frame) for frame in np.arange(1, 12.5, 0.5)}
    bpy.context.scene.frame_set(1)
    bpy.ops.two_bone_ik.worst_frame()
    assert misses[bpy.context.scene.frame_current_final] == pytest.approx(max(misses.values()), abs=1e-5)


def test_there_is_no_worst_frame_where_all_is_posed_so(chain: PropertyGroup) -> None:
    bpy.context.view_layer.objects.active = chain.id_data
    assert not bpy.ops.two_bone_ik.worst_frame.poll()
    bpy.ops.two_bone_ik.bake(frame_start=1, frame_end=12)
    assert not bpy.ops.two_bone_ik.worst_frame.poll()


def test_the_operator_hands_on_what_to_measure(chain: PropertyGroup) -> None:
    bpy.context.view_layer.objects.active = chain.id_data
    track(chain)
    bpy.ops.two_bone_ik.bake(frame_start=1, frame_end=12, measure="NONE")
    assert not bpy.ops.two_bone_ik.worst_frame.poll()
    bpy.ops.two_bone_ik.bake(frame_start=1, frame_end=12, measure="ALL")
    assert bpy.ops.two_bone_ik.worst_frame.poll()


def test_live_limbs_do_not_measure(chain: PropertyGroup) -> None:
    """A frame more or less of an evaluation: the probe of a measurement would be in the file meanwhile."""
    chain.id_data.two_bone_ik_live = True
    seen: list[int] = []

    def count(*_: object) -> None:
        seen.append(len(bpy.data.objects))

    bpy.app.handlers.depsgraph_update_post.append(count)
    try:
        before = len(bpy.data.objects)
        chain.pole_target.location.x += 0.1
        bpy.context.view_layer.update()
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(count)
    assert seen
    assert set(seen) == {before}
