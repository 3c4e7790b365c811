"""Options that change over the range of a bake: limits that cross, half a pole, and targets made from the pose."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.settings.keyed_options import bone_field

from support import rigs
from support.truth import on_frame


@pytest.mark.parametrize("sampling", ["AUTO", "ISOLATED"])
def test_limits_that_cross_on_one_frame_are_refused(sampling: str) -> None:
    rig = rigs.arm(use_bend_limits=True, bend_min=0.0, bend_max=1.0).id_data
    bone = rig.pose.bones["lower"]
    for frame, value in ((1, 0.0), (11, 2.0)):
        bone.two_bone_ik_bend_min = value
        bone.keyframe_insert("two_bone_ik_bend_min", frame=frame)
    bpy.context.scene.frame_set(1)
    with pytest.raises(api.Refused, match=r'Bone "lower" of "Rig" has bend limits .* on frame \d+') as refusal:
        api.bake(rig, frames=(1, 11), sampling=sampling)
    assert refusal.value.kind == "CROSSED_LIMITS"


def test_limits_that_cross_elsewhere_are_no_obstacle() -> None:
    rig = rigs.arm(use_bend_limits=True, bend_min=0.0, bend_max=1.0).id_data
    bone = rig.pose.bones["lower"]
    for frame, value in ((1, 0.0), (11, 2.0)):
        bone.two_bone_ik_bend_min = value
        bone.keyframe_insert("two_bone_ik_bend_min", frame=frame)
    bpy.context.scene.frame_set(11)
    assert api.bake(rig, frames=(1, 4)).posed


def test_half_a_pole_poses_a_frame_as_any_range_does() -> None:
    """A pole that circles the arm: where the range begins must not count."""
    chain = rigs.arm(pole=(0, 0, 0), pole_influence=0.5)
    rig, pole = chain.id_data, chain.pole_target
    turns = np.linspace(0.2, 4 * np.pi, 41)
    rigs.animate(
        pole, location={frame: (0.5, 3 * np.cos(turn), 1 + 3 * np.sin(turn)) for frame, turn in enumerate(turns, 1)}
    )

    def elbow(frame: int) -> np.ndarray:
        bones = rig.evaluated_get(on_frame(frame)).pose.bones
        return np.array(bones["lower"].head)

    api.bake(rig, frames=(1, 41))
    whole = [elbow(frame) for frame in range(1, 42)]
    for start in (8, 15, 22, 29, 36):
        api.bake(rig, frames=(start, start + 3))
        np.testing.assert_allclose(
            [elbow(frame) for frame in range(start, start + 4)], whole[start - 1 : start + 3], atol=1e-5
        )
        bpy.context.scene.frame_set(start)
        api.solve(rig)
        bpy.context.view_layer.update()
        np.testing.assert_allclose(np.array(rig.pose.bones["lower"].head), whole[start - 1], atol=1e-5)
    rig.two_bone_ik_live = True
    rig.animation_data_clear()
    np.testing.assert_allclose([elbow(frame) for frame in range(1, 42)], whole, atol=1e-5)


@pytest.mark.parametrize("name", ["pole_angle", "softness", "bend_max"])
def test_targets_follow_a_pose_by_the_options_of_each_frame(name: str) -> None:
    """Bake, targets from the pose, and bake again: the same motion."""
    chain = rigs.arm(pole=(0.5, 2.0, 1.5), use_bend_limits=name == "bend_max")
    rig = chain.id_data
    rigs.animate(chain.target, location={1: (1.2, 0.6, 1.3), 11: (0.7, -0.5, 1.6)})
    for frame, value in ((1, 0.1), (11, 0.4)):
        value = 3.0 - value if name == "bend_max" else value
        setattr(rig.pose.bones["lower"], bone_field(name), value)
        rig.pose.bones["lower"].keyframe_insert(bone_field(name), frame=frame)

    def joints() -> np.ndarray:
        found = []
        for frame in range(1, 12):
            bones = rig.evaluated_get(on_frame(frame)).pose.bones
            found.append((*bones["lower"].head, *bones["lower"].tail))
        return np.array(found)

    api.bake(rig, frames=(1, 11))
    before = joints()
    api.bake_targets(rig, frames=(1, 11))
    api.bake(rig, frames=(1, 11))
    np.testing.assert_allclose(joints(), before, atol=1e-4)
