"""Fewer keys on targets that follow the pose: within a tolerance between the keys, or where the bones have theirs."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, sin
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.skeleton import reduced_keys
from bpy.types import Object, PropertyGroup

from support import fk
from support.command import run
from support.refused import refused
from support.rigs import ARM, Bone, animate, armature, empty
from support.truth import Limb, on_frame

SPAN = (1, 25)
QUARTERS = np.arange(SPAN[0], SPAN[1] + 0.25, 0.25)
SINGLE = 1e-5
"""What single precision leaves of the positions of a limb of two metres, some metres from the origin."""


def swinging_arm(**fields: object) -> PropertyGroup:
    """An arm that moves in every way, and its hand too, with an empty for a target and one for a pole."""
    rig = armature(ARM)
    fk.swing(rig)
    fk.carry(rig)
    for frame in fk.KEYED:
        turn = (1, 0.4 * sin(frame / 5), 0.3 * cos(frame / 7), 0.2)
        animate(rig.pose.bones["hand"], rotation_quaternion={frame: turn})
    fields = {"target": empty("Target"), "pole_target": empty("Pole"), "tip_bone": "hand", **fields}
    return api.add_chain(rig, "lower", **fields)


def key_frames(item: Object) -> set[float]:
    return {key.co.x for curve in versions.curves(item) for key in curve.keyframe_points}


def joints() -> np.ndarray:
    return np.array([Limb(tip="hand").joints(on_frame(frame)) for frame in QUARTERS])


def of_tail(name: str) -> np.ndarray:
    return np.array([on_frame(f) and Limb(root="lower", end=name).joints(on_frame(f))[2] for f in QUARTERS])


def worlds(*names: str) -> np.ndarray:
    """(k, n, 3) where these objects are on every quarter frame, as Blender evaluates them."""
    found = []
    for frame in QUARTERS:
        depsgraph = on_frame(frame)
        found.append(
            [tuple(bpy.data.objects[name].evaluated_get(depsgraph).matrix_world.translation) for name in names]
        )
    return np.array(found).swapaxes(0, 1)


def farthest(left: np.ndarray, right: np.ndarray) -> float:
    return float(np.linalg.norm(left - right, axis=-1).max())


def plain(_chain: PropertyGroup) -> None:
    """Nothing carries the targets."""


def pole_on_target(chain: PropertyGroup) -> None:
    chain.pole_target.parent = chain.target


def bones(chain: PropertyGroup) -> None:
    """Bones of a scaled armature that moves, one carried by the other."""
    table = (Bone("control", (1, 1, 1), (1, 1.5, 1.2), roll=0.4), Bone("side", (0, 1, 0), (0, 1, 0.4), "control"))
    other = armature(table, "Other")
    other.scale = (0.1, 0.1, 0.1)
    animate(other, location={1: (0, 0, 0), 30: (1, 1, 1)})
    chain.target, chain.subtarget, chain.pole_target, chain.pole_subtarget = other, "control", other, "side"


@pytest.mark.parametrize(("interpolation", "tolerance"), [("BEZIER", 0.004), ("LINEAR", 0.04)])
@pytest.mark.parametrize("hang", [plain, pole_on_target])
def test_reduced_targets_stay_within_the_tolerance(
    hang: Callable[[PropertyGroup], None], interpolation: str, tolerance: float
) -> None:
    chain = swinging_arm()
    hang(chain)
    rig, tips = chain.id_data, joints()[:, 2]
    api.bake_targets(rig, frames=(*SPAN, 0.25))
    [exact] = worlds("Pole")
    report = api.bake_targets(rig, frames=SPAN, keys="REDUCED", tolerance=tolerance, interpolation=interpolation)
    target, pole = worlds("Target", "Pole")
    assert farthest(target, tips) < tolerance + SINGLE
    assert farthest(pole, exact) < tolerance + SINGLE
    frames = key_frames(chain.target)
    assert frames == key_frames(chain.pole_target)
    assert len(frames) < 0.8 * SPAN[1]
    assert f'Targets of chain "lower" have keys on {len(frames)} frames instead of {SPAN[1]}' in report.notes
    assert report.posed


@pytest.mark.parametrize("hang", [plain, bones])
def test_limbs_baked_from_reduced_targets_keep_the_motion(hang: Callable[[PropertyGroup], None]) -> None:
    chain, tolerance = swinging_arm(use_rotation=True), 0.004
    hang(chain)
    rig, before, fingers = chain.id_data, joints(), of_tail("hand")
    report = api.bake_targets(rig, frames=SPAN, keys="REDUCED", tolerance=tolerance)
    assert report.posed
    assert len(key_frames(chain.target)) < SPAN[1] or chain.subtarget
    fk.forget(rig, "upper", "lower", "hand")
    api.bake(rig, frames=(*SPAN, 0.25))
    assert farthest(joints(), before) < tolerance + SINGLE
    assert farthest(of_tail("hand"), fingers) < 2 * tolerance + SINGLE  # its head and its own turn


def test_a_smaller_tolerance_takes_more_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    chain, counts = swinging_arm(), []
    for tolerance in (0.1, 0.01, 0.001):
        api.bake_targets(chain.id_data, frames=SPAN, keys="REDUCED", tolerance=tolerance)
        counts.append(len(key_frames(chain.target)))
    assert counts == sorted(set(counts))
    counts = []
    chain.pole_target.parent = chain.target
    for rows in (1000, 16):
        monkeypatch.setattr(reduced_keys, "_AT_ONCE", rows)
        api.bake_targets(chain.id_data, frames=SPAN, keys="REDUCED", tolerance=0.01)
        counts.append(key_frames(chain.target))
    assert counts[0] == counts[1]


def test_a_target_on_the_target_of_another_limb_is_in_place() -> None:
    """What carries it plays between keys; it is keyed from there."""
    rig = fk.two_arms()
    bpy.data.objects["Target.L"].parent = bpy.data.objects["Target"]
    limb, tolerance = Limb(root="upper.L", end="lower.L"), 0.01
    tips = np.array([limb.joints(on_frame(frame))[2] for frame in QUARTERS])
    api.bake_targets(rig, frames=SPAN, keys="REDUCED", tolerance=tolerance)
    assert farthest(worlds("Target.L")[0], tips) < tolerance + SINGLE


def sparse_arm() -> PropertyGroup:
    """An arm whose bones have keys on frames 1, 8, 13 and 25, and a spine with others."""
    rig = armature(ARM)
    turns = {1: (1, 0, 0, 0), 8: (1, 0.4, 0, 0.2), 25: (1, -0.2, 0.3, 0)}
    animate(rig.pose.bones["upper"], rotation_quaternion=turns)
    animate(rig.pose.bones["lower"], rotation_quaternion={13: fk.hinge(rig, 0.8), 25: fk.hinge(rig, 0.1)})
    animate(rig.pose.bones["spine"], rotation_quaternion={4: (1, 0, 0, 0), 20: (1, 0.2, 0, 0)})
    return api.add_chain(rig, "lower", target=empty("Target"), pole_target=empty("Pole"))


def test_targets_get_keys_where_the_bones_have_theirs() -> None:
    chain = sparse_arm()
    tips = {frame: Limb().joints(on_frame(frame))[2] for frame in (1, 8, 13, 25)}
    bpy.ops.two_bone_ik.bake_targets(frame_start=1, frame_end=30, keys="SOURCE")
    for item in (chain.target, chain.pole_target):
        assert key_frames(item) == set(tips)
    for frame, tip in tips.items():
        evaluated = chain.target.evaluated_get(on_frame(frame))
        np.testing.assert_allclose(evaluated.matrix_world.translation, tip, atol=SINGLE)


def test_a_bake_keeps_to_the_frames_of_the_bones_own_keys() -> None:
    chain = sparse_arm()
    api.bake_targets(chain.id_data, frames=SPAN)
    report = api.bake(chain.id_data, frames=SPAN, keys="SOURCE")
    path = chain.id_data.pose.bones["lower"].path_from_id("rotation_quaternion")
    curves = [curve for curve in versions.curves(chain.id_data) if curve.data_path == path]
    assert {key.co.x for curve in curves for key in curve.keyframe_points} == {1, 8, 13, 25}
    assert report.posed


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"keys": "REDUCED", "tolerance": 0.0}, "tolerance = 0.0"),
        ({"keys": "REDUCED", "interpolation": "CONSTANT"}, 'Keys of "Target" cannot be reduced'),
        ({"keys": "SOURCE"}, 'Bones of chain "lower" have no keys from 1 to 25: bake every frame'),
    ],
    ids=str,
)
def test_keys_that_targets_cannot_have_are_refused(wrong: dict, match: str) -> None:
    rig = armature(ARM)
    if wrong["keys"] != "SOURCE":
        fk.swing(rig)
    api.add_chain(rig, "lower", target=empty("Target"), pole_target=empty("Pole"))
    with refused(match=match):
        api.bake_targets(rig, frames=SPAN, **wrong)


def test_the_command_line_snaps_with_few_keys(tmp_path: Path) -> None:
    swinging_arm()
    bpy.context.scene.frame_end = SPAN[1]
    shot, output = tmp_path / "shot.blend", tmp_path / "snapped.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    assert run("snap", shot, "--output", output, "--keys", "reduced", "--tolerance", "0.01") == 0
    bpy.ops.wm.open_mainfile(filepath=str(output))
    assert 1 < len(key_frames(bpy.data.objects["Target"])) < 0.8 * SPAN[1]
