"""Frames that leave a direction open, and what is too small or not a number: told as they are, and never keyed."""

from __future__ import annotations

import json

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.bake import markers
from bl_ext.user_default.two_bone_ik.blender.curves import write
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import limb_states
from bl_ext.user_default.two_bone_ik.skeleton.values import Channel
from bl_ext.user_default.two_bone_ik.solver.values import Status

from support import file_data
from support.rigs import Bone, animate, arm, armature, chain
from support.truth import Limb, on_frame

EQUAL = (Bone("upper", (0, 0, 0), (0.8, 0.6, 0)), Bone("lower", (0.8, 0.6, 0), (1.6, 0, 0), "upper"))
PLACES = ((1.0, 0.2, 0.1), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.5, 0.2, 0.1))


def through_the_root(bones: tuple[Bone, ...] = EQUAL) -> api.Report:
    link = chain(armature(bones), "lower", target=PLACES[0])
    animate(link.target, location=dict(enumerate(PLACES, start=1)))
    return api.bake(link.id_data, frames=(1, 4))


def test_degenerate_frames_that_reach_count_as_reached() -> None:
    report = through_the_root()
    assert report.reached
    assert report.lines()[:2] == ["lower: 4 of 4 frames reached", "  degenerate on 2 frames (2-3), all reached"]
    for frame, place in enumerate(PLACES, start=1):
        np.testing.assert_allclose(Limb().joints(on_frame(frame))[2], place, atol=1e-5)


def test_degenerate_frames_that_miss_count_as_missed() -> None:
    longer = (EQUAL[0], Bone("lower", (0.8, 0.6, 0), (2.4, -0.6, 0), "upper"))
    report = through_the_root(longer)
    assert not report.reached
    assert "  too close on 3 frames (2-4), by up to 1 m" in report.lines()
    assert "  degenerate on 2 frames (2-3), none reached" in report.lines()
    np.testing.assert_allclose([np.linalg.norm(Limb().joints(on_frame(frame))[2]) for frame in (2, 3)], 1, atol=1e-5)


def test_json_holds_status_and_degenerate_side_by_side() -> None:
    (told,) = json.loads(through_the_root().to_json())["chains"]
    assert told["status"] == [0, 0, 0, 0]
    assert told["degenerate"] == [False, True, True, False]


def test_of_an_older_report_the_miss_tells_what_reached() -> None:
    fields = json.loads(through_the_root().to_json())
    (told,) = fields["chains"]
    del told["degenerate"]
    told["status"], told["miss"] = [0, 3, 3, 1], [0.0, 0.0, 0.7, 0.2]
    (found,) = api.Report.from_dict(fields).chains
    assert list(found.status) == [Status.REACHED, Status.REACHED, Status.TOO_CLOSE, Status.TOO_FAR]
    assert list(found.degenerate) == [False, True, True, False]
    assert "  degenerate on 2 frames (2-3), 1 of them reached" in found.lines()


def test_markers_show_degenerate_frames_that_fall_short() -> None:
    link = arm(target=(0, 0, 1))
    report = api.check(link.id_data, frames=(1, 1))
    markers.replace(bpy.context.scene, report)
    assert [marker.name for marker in bpy.context.scene.timeline_markers] == ["Too Close: Rig, lower"]


def test_the_list_tells_a_folded_limb_on_the_root_reached() -> None:
    link = chain(armature(EQUAL), "lower", target=(0, 0, 0))
    bpy.context.view_layer.update()
    api.solve(link.id_data)
    bpy.context.view_layer.update()
    look = limb_states(link.id_data, bpy.context.scene, bpy.context.view_layer.depsgraph)
    assert look["lower"].state == "REACHED"


@pytest.mark.parametrize("way", ["bake", "solve"])
@pytest.mark.parametrize("limit", [0.0, 1e-9, 0.7])
def test_equal_bend_limits_pose_limbs_of_all_lengths(way: str, limit: float) -> None:
    rng = np.random.default_rng(1)
    rig = armature([bone for index in range(16) for bone in random_arm(index, rng)])
    for index in range(16):
        bend = {"use_bend_limits": True, "bend_min": limit, "bend_max": limit}
        api.add_chain(rig, f"lower{index}", target=chain_target(), **bend)
    api.bake(rig, frames=(1, 2)) if way == "bake" else api.solve(rig)
    depsgraph = on_frame(1) if way == "bake" else bpy.context.evaluated_depsgraph_get()
    for index in range(16):
        root, mid, tip = Limb(root=f"upper{index}", end=f"lower{index}").joints(depsgraph)
        first, second = mid - root, tip - mid
        angle = np.arctan2(np.linalg.norm(np.cross(first, second)), first @ second)
        assert angle == pytest.approx(limit, abs=1e-3)


def random_arm(index: int, rng: np.random.Generator) -> tuple[Bone, Bone]:
    root, first, second = np.array((0.0, 3.0 * index, 0.0)), *rng.normal(size=(2, 3))
    head, mid, tail = (tuple(point.tolist()) for point in (root, root + first, root + first + second))
    return Bone(f"upper{index}", head, mid), Bone(f"lower{index}", mid, tail, f"upper{index}")


def chain_target() -> bpy.types.Object:
    return bpy.data.objects.get("Target") or bpy.data.objects.new("Target", None)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_no_pose_is_set_where_one_value_is_not_a_number(bad: float) -> None:
    rig = arm().id_data
    before = file_data.dump()
    good = np.array(((0.5, 0.5, 0.5, 0.5),))
    channels = [
        Channel(path=f'pose.bones["{bone}"].rotation_quaternion', group=bone, frames=np.ones(1), values=values)
        for bone, values in (("upper", good), ("lower", bad * good))
    ]
    with pytest.raises(ValueError, match=r'pose.bones\["lower"\].rotation_quaternion: .* must be finite'):
        write.pose(rig, channels)
    assert not file_data.changed(before)


def test_a_rig_scaled_to_next_to_nothing_bakes_as_one_of_no_size() -> None:
    link = arm(target=(0.5, 0.6, 1.3))
    link.id_data.scale = (1e-30,) * 3
    link.id_data.pose.bones["spine"].scale = (1e-35,) * 3
    report = api.bake(link.id_data, frames=(1, 2))
    assert report.chains[0].degenerate.all()
    assert np.isfinite(report.chains[0].miss).all()
    for frame in (1, 2):
        np.testing.assert_allclose(Limb().joints(on_frame(frame)), 0, atol=1e-20)
