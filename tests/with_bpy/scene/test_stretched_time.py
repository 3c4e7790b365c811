"""In a scene that stretches time nothing is keyed over a range, and all else goes by what shows on a frame."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import PropertyGroup

from support import file_data
from support.rigs import animate, arm, keys
from support.truth import Limb, on_frame

FRAMES = np.arange(1, 21)


@pytest.fixture
def chain(empty_file: None) -> PropertyGroup:
    """An arm whose target goes out of reach; time runs half as fast as keys have it."""
    chain = arm()
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 10: (3.0, 0.6, 1.3)})
    render = bpy.context.scene.render
    render.frame_map_old, render.frame_map_new = 100, 200
    return chain


def reached(frame: int) -> bool:
    """True where the target is nearer than the arm is long, as Blender evaluates both."""
    depsgraph = on_frame(frame)
    joints = Limb().joints(depsgraph)
    return np.linalg.norm(Limb().goal(depsgraph) - joints[0]) < np.linalg.norm(np.diff(joints, axis=0), axis=1).sum()


@pytest.mark.parametrize("bake", [api.bake, api.bake_targets], ids=lambda act: act.__name__)
def test_a_bake_is_refused_with_what_to_do(chain: PropertyGroup, bake: Callable) -> None:
    before = file_data.dump()
    with pytest.raises(api.Refused, match=r"from 100 to 200.*set both to the same") as refused:
        bake(chain.id_data, frames=(1, 20))
    assert refused.value.kind == "TIME_STRETCHING"
    assert not file_data.changed(before)


@pytest.mark.parametrize("sampling", ["CURVES", "ISOLATED", "SCENE"])
def test_a_check_tells_of_the_frames_that_show(chain: PropertyGroup, sampling: str) -> None:
    report = api.check(chain.id_data, frames=(1, 20), sampling=sampling)
    expected = [reached(frame) for frame in FRAMES.tolist()]
    assert 0 < sum(expected) < len(FRAMES)
    assert (report.chains[0].status == 0).tolist() == expected


def test_under_stretched_time_a_solves_key_plays_on_its_frame(chain: PropertyGroup) -> None:
    on_frame(4)
    api.solve(chain.id_data, insert_keys=True)
    assert list(keys(chain.id_data.pose.bones["upper"])) == [2.0]
    on_frame(1)
    depsgraph = on_frame(4)
    np.testing.assert_allclose(Limb().joints(depsgraph)[2], Limb().goal(depsgraph), atol=1e-5)


def test_a_target_snaps_to_the_pose(chain: PropertyGroup) -> None:
    chain.target.animation_data_clear()
    api.snap_targets(chain.id_data)
    depsgraph = on_frame(4)
    np.testing.assert_allclose(Limb().goal(depsgraph), Limb().joints(depsgraph)[2], atol=1e-5)


def test_a_live_limb_follows(chain: PropertyGroup) -> None:
    chain.id_data.two_bone_ik_live = True
    for frame in (2, 6):
        on_frame(frame)
        bpy.context.view_layer.update()
        depsgraph = bpy.context.evaluated_depsgraph_get()
        np.testing.assert_allclose(Limb().joints(depsgraph)[2], Limb().goal(depsgraph), atol=1e-5)


def test_a_drag_pulls_the_tip(chain: PropertyGroup) -> None:
    tip = Limb().joints(on_frame(4))[2]
    assert bpy.ops.two_bone_ik.drag(offset=(-0.1, 0.05, 0.1)) == {"FINISHED"}
    bpy.context.view_layer.update()
    after = Limb().joints(bpy.context.evaluated_depsgraph_get())[2]
    np.testing.assert_allclose(after, np.add(tip, (-0.1, 0.05, 0.1)), atol=1e-5)
