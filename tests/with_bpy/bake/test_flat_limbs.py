"""Limbs that a scale of zero squeezes flat, to a line or to a point: what is told of them is what Blender evaluates."""

from __future__ import annotations

from itertools import product

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.solver.values import Status
from bpy.types import Object

from support.rigs import ARM, animate, armature, chain
from support.truth import on_frame

FRAMES = range(1, 7)
CLOSE = 2e-5
"""Of lengths of some units, as Blender evaluates them in single precision."""
ZEROS = [(1, 1, 0), (0, 1, 1), (1, 0, 1), (0, 0, 1.3), (0, 1, 0), (0, 0, 0)]


def flattened(item: str, scale: tuple, seed: int, **fields: object) -> Object:
    """An arm on a turned spine, whose target goes about; this bone, or the rig, is scaled."""
    random = np.random.default_rng(seed)
    rig = armature(ARM)
    link = chain(rig, "lower", target=(1, 1, 1), **fields)
    animate(link.target, location={frame: random.uniform(-1, 1.4, 3) for frame in FRAMES})
    rig.rotation_euler, rig.location = random.uniform(-2, 2, 3), random.uniform(-1, 1, 3)
    for bone in ("spine", "upper", "lower"):
        rig.pose.bones[bone].rotation_quaternion = random.normal(size=4)
    if item == "turned":
        rig.pose.bones["spine"].scale, rig.scale = scale, (1.3, 0.7, 1.1)
    else:
        (rig if item == "rig" else rig.pose.bones[item]).scale = scale
    return rig


def truth(rig: Object) -> tuple[np.ndarray, np.ndarray]:
    """By frame how far the wrist is from the target, and from the shoulder to the target, as Blender evaluates it."""
    misses, distances = [], []
    for frame in FRAMES:
        on_frame(frame)
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        shoulder, wrist = shown.matrix_world @ shown.pose.bones["upper"].head, shown.pose.bones["lower"].tail
        goal = bpy.data.objects["Target"].matrix_world.translation
        misses.append((shown.matrix_world @ wrist - goal).length)
        distances.append((shoulder - goal).length)
    return np.array(misses), np.array(distances)


def assert_told(report: api.ChainReport, misses: np.ndarray) -> None:
    """The misses are told; where Blender poses bones otherwise that do not inherit what is flat, by how far."""
    told = CLOSE + report.off
    assert (np.abs(report.miss - misses) <= told).all()


@pytest.mark.parametrize(("seed", "scale"), list(enumerate(ZEROS)), ids=str)
@pytest.mark.parametrize(
    ("item", "inherit"),
    [*product(("spine", "turned"), ("FULL", "ALIGNED", "NONE", "FIX_SHEAR")), ("rig", "FULL"), ("rig", "NONE")],
)
def test_a_flat_limb_gives_its_true_miss(item: str, seed: int, scale: tuple, inherit: str) -> None:
    rig = flattened(item, scale, seed)
    rig.data.bones["lower"].inherit_scale = inherit
    (report,) = api.bake(rig, frames=(1, 6)).chains
    misses, distances = truth(rig)
    assert_told(report, misses)
    assert report.degenerate.all()
    assert (misses[report.status == Status.REACHED] < 1e-3).all()
    if inherit == "FULL" or item == "rig":
        assert not report.misposed.any()
        assert (misses <= distances + CLOSE).all(), "the bones could point along what is squeezed"


@pytest.mark.parametrize("scale", ZEROS, ids=str)
@pytest.mark.parametrize("inherit", ["ALIGNED", "NONE"])
def test_a_flat_limb_that_stretches_gives_its_true_miss(scale: tuple, inherit: str) -> None:
    rig = flattened("spine", scale, 0, unreachable="STRETCH")
    rig.data.bones["lower"].inherit_scale = inherit
    (report,) = api.bake(rig, frames=(1, 6)).chains
    assert_told(report, truth(rig)[0])


def test_frames_on_which_a_limb_is_hidden_by_scale_are_told() -> None:
    rig = flattened("spine", (1, 1, 1), 0)
    animate(rig.pose.bones["spine"], scale={1: (1, 1, 1), 3: (1, 1, 1), 4: (0, 0, 0)})
    (report,) = api.bake(rig, frames=(1, 6)).chains
    assert_told(report, truth(rig)[0])
    assert report.degenerate.tolist() == [False, False, False, True, True, True]


@pytest.mark.parametrize("scale", [(0, 0, 1.2), (1, 0, 0), (0, 1, 0)], ids=str)
@pytest.mark.parametrize("sampling", ["CURVES", "ISOLATED"])
def test_a_turned_bone_scaled_to_zero_keeps_its_turn(scale: tuple, sampling: str) -> None:
    rig = flattened("spine", (1, 1, 1), 0)
    animate(rig.pose.bones["spine"], scale={1: (1, 1, 1), 3: (1, 1, 1), 4: scale})
    for frame in (1, 6):
        on_frame(frame)
        (report,) = api.bake(rig, frames=(1, 6), sampling=sampling).chains
        assert not report.misposed.any()
        assert_told(report, truth(rig)[0])


def test_a_limb_scaled_to_zero_without_influence_is_told() -> None:
    rig = flattened("lower", (0, 0, 1), 0, influence=0.0)
    (report,) = api.bake(rig, frames=(1, 6)).chains
    assert not report.misposed.any()
    assert_told(report, truth(rig)[0])


@pytest.mark.parametrize("scale", ZEROS, ids=str)
def test_a_pose_that_a_flat_rig_does_not_keep_is_told(scale: tuple) -> None:
    rig = flattened("rig", scale, 0)
    on_frame(1)
    before = joints(rig)
    report = api.snap_targets(rig)
    api.solve(rig)
    bpy.context.view_layer.update()
    moved = np.linalg.norm(joints(rig) - before, axis=-1).max()
    assert moved < 1e-3 or any("does not keep its pose" in note for note in report.notes)


def joints(rig: Object) -> np.ndarray:
    """(3, 3) in the world, as evaluated."""
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    upper, lower = (shown.pose.bones[name] for name in ("upper", "lower"))
    return np.array([shown.matrix_world @ place for place in (upper.head, lower.head, lower.tail)])


@pytest.mark.parametrize("inherit", ["FULL", "NONE"])
def test_check_says_where_only_a_bake_measures_a_zero_scale(inherit: str) -> None:
    rig = flattened("spine", (1, 0, 0), 0)
    rig.data.bones["lower"].inherit_scale = inherit
    notes = api.check(rig, frames=(1, 6)).notes
    assert any("only a bake measures" in note for note in notes) == (inherit == "NONE")


@pytest.mark.parametrize("scale", ZEROS, ids=str)
@pytest.mark.parametrize("item", ["spine", "rig"])
def test_a_target_snaps_to_the_tip_of_a_flat_limb(item: str, scale: tuple) -> None:
    rig = flattened(item, scale, seed=5)
    on_frame(1)
    rig.two_bone_ik_chains["lower"].target.animation_data_clear()
    wrist = joints(rig)[2]

    api.snap_targets(rig)
    bpy.context.view_layer.update()

    goal = bpy.data.objects["Target"].matrix_world.translation
    np.testing.assert_allclose(goal, wrist, rtol=0, atol=CLOSE)
