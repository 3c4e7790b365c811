"""Targets in another space: what carries them changes, and in the world they move as before, on all frames."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, sin

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.refused import refused
from support.rigs import ARM, Bone, animate, arm, armature, empty
from support.truth import on_frame

CLOSE = 1e-5
SPAN = (1, 20)
ALL = range(-5, 32)
"""Before and after all keys as well."""


def moving_prop(scale: tuple[float, float, float] = (1, 1, 1)) -> Object:
    prop = empty("Prop")
    prop.scale = scale
    for frame in range(4, 25, 5):
        turn = (0.2 * sin(frame), 0.1 * frame, 0.3)
        animate(prop, location={frame: (frame / 10, cos(frame), 0.5)}, rotation_euler={frame: turn})
    return prop


def reaching_arm(**fields: object) -> Object:
    """An arm whose target turns as it moves, from frame 3 to 16, with a pole that moves as well."""
    chain = arm(pole=(0.5, 2.0, 1.0), **fields)
    for frame in (3, 9, 16):
        place = (1.2 + 0.03 * frame, 0.5 * sin(frame), 1.3)
        animate(chain.target, location={frame: place}, rotation_euler={frame: (0.1 * frame, 0.3, -0.05 * frame)})
    animate(chain.pole_target, location={5: (0.5, 2.0, 1.0), 12: (0.3, 2.2, 1.4)})
    return chain.id_data


def worlds(*points: tuple[str, str]) -> np.ndarray:
    """(n, k, 4, 3) location and the axes' directions of objects and bones on all frames, as Blender evaluates them."""
    found = []
    for frame in ALL:
        depsgraph = on_frame(frame)
        rows = []
        for name, bone in points:
            item = bpy.data.objects[name].evaluated_get(depsgraph)
            matrix = np.array(item.matrix_world @ item.pose.bones[bone].matrix if bone else item.matrix_world)
            axes = matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=0)
            rows.append([matrix[:3, 3], *axes.T])
        found.append(rows)
    return np.array(found)


EMPTIES = (("Target", ""), ("Pole", ""))


def on_spine(rig: Object) -> tuple[Object, str]:
    turns = {2: (1, 0, 0, 0), 10: (1, 0.3, 0.1, 0), 18: (1, 0, 0, 0.4)}
    animate(rig.pose.bones["spine"], rotation_quaternion=turns)
    animate(rig, location={1: (0, 0, 0), 19: (1, 0.3, 0)})
    return rig, "spine"


SPACES = pytest.mark.parametrize(
    "space_of",
    [
        *(lambda _rig, scale=scale: moving_prop(scale) for scale in ((1, 1, 1), (0.1, 0.1, 0.1), (-2.0, 0.5, 1.0))),
        on_spine,
    ],
    ids=["prop", "scaled prop", "uneven mirror", "spine"],
)


@SPACES
def test_targets_move_as_before_and_along_with_their_space(space_of: Callable) -> None:
    rig = reaching_arm()
    space = space_of(rig)
    before = worlds(*EMPTIES)
    report = api.change_target_space(rig, frames=SPAN, space=space)
    item, bone = space if isinstance(space, tuple) else (space, "")
    for name, _ in EMPTIES:
        target = bpy.data.objects[name]
        assert (target.parent, target.parent_bone if bone else "") == (item, bone)
    np.testing.assert_allclose(worlds(*EMPTIES), before, atol=CLOSE)
    assert report.posed
    for curve in versions.curves(item):
        if curve.data_path == "location" and curve.array_index == 2:
            for key in curve.keyframe_points:
                key.co.y += 0.5
            curve.update()
    before[..., 0, 2] += 0.5
    np.testing.assert_allclose(worlds(*EMPTIES), before, atol=CLOSE)


def test_there_and_back_again_the_world_carries_them() -> None:
    rig = reaching_arm()
    prop = moving_prop((0.2, 0.2, 0.2))
    before = worlds(*EMPTIES)
    api.change_target_space(rig, frames=SPAN, space=prop)
    api.change_target_space(rig, frames=SPAN, space=None)
    assert bpy.data.objects["Target"].parent is None
    np.testing.assert_allclose(worlds(*EMPTIES), before, atol=CLOSE)
    bpy.data.objects["Pole"].parent = bpy.data.objects["Target"]
    before = worlds(*EMPTIES)
    api.change_target_space(rig, frames=SPAN, space=moving_prop())
    np.testing.assert_allclose(worlds(*EMPTIES), before, atol=CLOSE)


def test_keys_outside_the_range_are_converted_as_well() -> None:
    rig = reaching_arm()
    before = worlds(*EMPTIES)
    report = api.change_target_space(rig, frames=(8, 10), space=moving_prop())
    np.testing.assert_allclose(worlds(*EMPTIES), before, atol=CLOSE)
    assert "Frames 3 to 24 are keyed, because there are keys before or after the range" in report.notes
    assert report.title.startswith("Change Target Space, frames 3-24")


def test_few_keys_keep_the_motion_within_the_tolerance() -> None:
    rig = reaching_arm()
    prop = moving_prop()
    before = worlds(*EMPTIES)
    style = api.KeyStyle(keys="REDUCED", tolerance=0.01)
    report = api.change_target_space(rig, frames=SPAN, space=prop, style=style)
    off = np.linalg.norm(worlds(*EMPTIES)[..., 0, :] - before[..., 0, :], axis=-1)
    assert off.max() < 0.01 + CLOSE
    assert any("instead of" in note for note in report.notes)


CONTROLS = (Bone("hips", (0, 0, 0), (0, 0.3, 0.2)), Bone("control", (1, 0, 1), (1, 0.4, 1.1), roll=0.3))


def arm_on_bones() -> Object:
    rig = armature((*ARM, *CONTROLS, Bone("side", (0.5, 2, 1), (0.5, 2.3, 1))))
    for name in ("control", "side"):
        bone = rig.pose.bones[name]
        turns = {3: (1, 0, 0, 0), 9: (1, 0.3, 0.1, 0), 16: (1, 0, 0.2, 0.1)}
        animate(bone, location={3: (0, 0, 0), 16: (0.2, 0.3, 0.1)}, rotation_quaternion=turns)
    turns = {1: (1, 0, 0, 0), 20: (1, 0.2, 0.1, -0.3)}
    animate(rig.pose.bones["hips"], rotation_quaternion=turns, location={1: (0, 0, 0), 20: (0.1, 0.2, 0.3)})
    api.add_chain(rig, "lower", target=rig, subtarget="control", pole_target=rig, pole_subtarget="side")
    return rig


@pytest.mark.parametrize("inherit", ["FULL", "ALIGNED"])
def test_target_bones_get_another_parent_bone(inherit: str) -> None:
    rig = arm_on_bones()
    rig.data.bones["control"].inherit_scale = inherit
    rig.pose.bones["hips"].scale = (1.3, 1.3, 1.3)
    points = (("Rig", "control"), ("Rig", "side"))
    before = worlds(*points)
    api.change_target_space(rig, frames=SPAN, space=(rig, "hips"))
    assert rig.data.bones["control"].parent == rig.data.bones["hips"]
    np.testing.assert_allclose(worlds(*points), before, atol=CLOSE)
    api.change_target_space(rig, frames=SPAN, space=rig)
    assert rig.data.bones["control"].parent is None
    np.testing.assert_allclose(worlds(*points), before, atol=CLOSE)


@pytest.mark.parametrize("space", [None, "Prop"])
def test_target_bones_do_not_leave_their_armature(space: str | None) -> None:
    rig = arm_on_bones()
    moving_prop()
    with refused(match='is a bone and stays in its armature: take "Rig" or a bone of it'):
        api.change_target_space(rig, frames=SPAN, space=bpy.data.objects.get(space or ""))


@pytest.mark.parametrize(
    ("bone", "match"),
    [
        ("hand", '"Rig, hand", which follows that chain'),
        ("spin", 'cannot hang on bone "spin", which it does not have: the nearest is "spine"'),
        ("", '"Prop", which follows that chain or its targets'),
    ],
)
def test_a_space_that_cannot_carry_the_target_is_refused(bone: str, match: str) -> None:
    rig, prop = reaching_arm(), moving_prop()
    prop.parent = bpy.data.objects["Target"]
    with refused(match=match):
        api.change_target_space(rig, frames=SPAN, space=(rig, bone) if bone else prop)


def test_the_operator_takes_the_space_by_name() -> None:
    rig = reaching_arm()
    moving_prop()
    before = worlds(*EMPTIES)
    assert bpy.ops.two_bone_ik.change_target_space(space="Prop", frame_start=1, frame_end=20) == {"FINISHED"}
    np.testing.assert_allclose(worlds(*EMPTIES), before, atol=CLOSE)
    assert rig.two_bone_ik_chains[0].target.parent.name == "Prop"
    with pytest.raises(RuntimeError, match='There is no object "Porp" for targets to hang on: the nearest is "Prop"'):
        bpy.ops.two_bone_ik.change_target_space(space="Porp")
