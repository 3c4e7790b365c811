"""Feet that are to lie flat where ball and heel stand, as Blender shows them."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object
from mathutils import Matrix

from support.footsteps import CLEARANCE, LENGTHS
from support.truth import on_frame
from support.walker import Y_UP, captured, walker

COUNT = 61
TILT = 0.08
"""Radians by which all feet are captured with their toes too high, or too low."""

BENDS = 4
"""Frames ahead of one on which a toe has to be raised, in which it begins to be."""


class Feet(NamedTuple):
    """What Blender shows, a row a frame: normals of soles, toes (head and tail), orientations of feet, points."""

    soles: np.ndarray
    toes: np.ndarray
    turns: np.ndarray
    points: np.ndarray


def shown(rig: Object) -> Feet:
    rows: list[list] = [[], [], [], []]
    for frame in range(1, COUNT + 1):
        evaluated = rig.evaluated_get(on_frame(frame))
        bones, to_world = evaluated.pose.bones, np.array(evaluated.matrix_world)
        found: list[list] = [[], [], [], []]
        for side in "LR":
            foot, toe, heel = (bones[f"{name}.{side}"] for name in ("foot", "toe", "heel"))
            turn = np.array(foot.matrix) @ np.linalg.inv(np.array(foot.bone.matrix_local))
            turn = to_world[:3, :3] @ turn[:3, :3] @ np.linalg.inv(to_world[:3, :3])
            places = [
                to_world[:3, :3] @ place + to_world[:3, 3] for place in (toe.head, toe.tail, heel.head, heel.tail)
            ]
            found[0].append(turn[:, 2])
            found[1].append(places[:2])
            found[2].append(turn)
            found[3].append((places[0], (places[2] + places[3]) / 2))
        for row, each in zip(rows, found, strict=True):
            row.append(each)
    return Feet(*map(np.array, rows))


def flat_rows(rig: Object) -> np.ndarray:
    """(n, 2) True while ball and heel of a foot stand, as the keys of the planted action say."""
    stands = np.zeros((COUNT, 2, 2), dtype=bool)
    for contact in api.contacts(rig):
        heel, side = contact.bone.startswith("heel"), contact.chain == "Leg.R"
        stands[int(contact.start) - 1 : int(contact.end), int(side), int(heel)] = True
    return stands.all(axis=-1)


def tilted(rig: Object, angle: float) -> None:
    """Turn the feet of the captured action about the axis across them, on all frames."""
    for side in "LR":
        bone = rig.pose.bones[f"foot.{side}"]
        rest = np.array(bone.bone.matrix_local)[:3, :3]
        turn = Matrix(rest.T @ np.array(Matrix.Rotation(angle, 3, "X")) @ rest)
        mode = "rotation_euler" if bone.rotation_mode == "XYZ" else "rotation_quaternion"
        curves = [curve for curve in versions.curves(rig) if curve.data_path == bone.path_from_id(mode)]
        for frame in range(COUNT):
            on_frame(frame + 1)
            now = bone.matrix_basis.to_3x3() @ turn
            before = getattr(bone, mode).copy()
            value = now.to_euler("XYZ", before) if mode == "rotation_euler" else now.to_quaternion()
            if mode == "rotation_quaternion":
                value.make_compatible(before)
            for curve in curves:
                curve.keyframe_points[frame].co.y = value[curve.array_index]
    on_frame(1)


@pytest.mark.parametrize("angle", [0.0, TILT, -TILT], ids=["noise", "toes high", "toes low"])
def test_soles_are_level_while_ball_and_heel_stand(angle: float) -> None:
    rig = walker(captured("walk", 2.0))
    if angle:
        tilted(rig, angle)
    before = shown(rig)
    feet = api.plant(rig, flat_feet=True, measure="ALL").feet
    after, flat = shown(rig), flat_rows(rig)
    tilt, was = (np.linalg.norm(each.soles[..., :2], axis=-1)[flat] for each in (after, before))
    print(f"{flat.sum()} flat rows, tilt {np.median(was):.3f} before, {tilt.max():.1e} after")
    print(f"slides by up to {1e3 * max(foot.after[1] for foot in feet):.4f} mm a frame")
    assert flat.sum() > 30
    assert np.median(was) > 0.005
    # Rotations of four bones in single precision.
    assert tilt.max() < 2e-6
    assert max(foot.after[1] for foot in feet) < 1e-4


@pytest.mark.parametrize("angle", [TILT, -TILT], ids=["toes high", "toes low"])
def test_toes_are_at_rest_on_the_ground_and_do_not_dig_in(angle: float) -> None:
    rig = walker(captured("walk", 2.0))
    tilted(rig, angle)
    before = shown(rig)
    api.plant(rig, flat_feet=True)
    after, flat = shown(rig), flat_rows(rig)
    toes = [np.diff(each.toes, axis=2)[:, :, 0] for each in (before, after)]
    steps = np.abs(np.diff(toes[1], axis=0))[flat[1:] & flat[:-1]]
    print(f"{flat.sum()} flat rows, turned by up to {steps.max():.1e}, down to {toes[1][flat][..., 2].min():.4f}")
    assert flat.sum() >= 30
    assert steps.max() < 1e-6
    # At rest a toe goes down by 3 cm. Noise of a thousandth of a leg does not raise it.
    ground = min(-0.03, np.median(toes[0][flat][..., 2]))
    assert toes[1][flat][..., 2].min() > ground - 0.001 * LENGTHS.sum()


@pytest.mark.parametrize("kind", ["height", "mesh"])
@pytest.mark.parametrize("angle", [0.0, TILT, -TILT], ids=["noise", "toes high", "toes low"])
def test_flat_soles_are_on_the_floor(angle: float, kind: str) -> None:
    rig = walker(captured("walk", 2.0))
    if angle:
        tilted(rig, angle)
    floor: object = 0.01
    if kind == "mesh":
        bpy.ops.mesh.primitive_plane_add(size=20, location=(0, 0, 0.01))
        floor = bpy.context.object
    api.plant(rig, floor=floor, flat_feet=True)
    after, flat = shown(rig), flat_rows(rig)
    above = (after.points[..., 2] - CLEARANCE)[flat] - 0.01
    print(f"{flat.sum()} rows, from {1e3 * above.min():.2f} to {1e3 * above.max():.2f} mm above")
    assert flat.sum() > 20
    assert (np.abs(above) < 1e-5).all()


def test_flat_feet_of_an_armature_whose_y_axis_goes_up() -> None:
    rig = walker(captured("walk", 2.0), to_world=Matrix.Scale(0.01, 4) @ Y_UP)
    for curve in [curve for curve in versions.curves(rig) if "toe" in curve.data_path]:
        versions.ensure_channelbag(rig).fcurves.remove(curve)
    api.plant(rig, flat_feet=True)
    after, flat = shown(rig), flat_rows(rig)
    assert flat.sum() > 30
    assert np.linalg.norm(after.soles[..., :2], axis=-1)[flat].max() < 2e-6


def test_soles_are_level_only_on_request() -> None:
    rig = walker(captured("walk", 2.0))
    before = shown(rig)
    api.plant(rig)
    after = shown(rig)
    # Feet at rest turn by as much as noise has turned them, and by no more.
    moved = np.linalg.norm(after.turns - before.turns, axis=(-2, -1))
    assert 1e-3 < moved.max() < 0.15
    assert np.median(np.abs(after.soles[..., 2] - 1.0)) > 1e-6


def test_toes_that_a_constraint_poses_get_no_keys() -> None:
    rig = walker(captured("walk", 2.0))
    rig.pose.bones["toe.L"].constraints.new("LIMIT_ROTATION")
    api.plant(rig, flat_feet=True)
    keyed = {curve.data_path for curve in versions.curves(rig) if '"toe.' in curve.data_path}
    assert keyed == {'pose.bones["toe.R"].rotation_euler'}
    assert bpy.context.object == rig


def test_toes_stay_as_captured_where_the_rest_pose_lies() -> None:
    """A rest pose on its back says nothing of how toes lie on the ground."""
    rig = walker(captured("walk", 2.0))
    before, hips = shown(rig), rig.pose.bones["hips"]
    bases = {frame: (on_frame(frame), hips.matrix_basis.copy())[1] for frame in range(1, COUNT + 1)}
    lying, rest = Matrix.Rotation(np.pi / 2, 4, "X"), hips.bone.matrix_local
    rig.matrix_world = lying
    for frame, basis in bases.items():
        hips.matrix_basis = rest.inverted() @ lying.inverted() @ rest @ basis
        for path in ("location", "rotation_quaternion"):
            hips.keyframe_insert(path, frame=frame)
    np.testing.assert_allclose(shown(rig).toes, before.toes, atol=1e-5)
    api.plant(rig, flat_feet=True)
    after, flat = shown(rig), flat_rows(rig)
    rise = [np.diff(each.toes, axis=2)[:, :, 0, 2][flat] for each in (before, after)]
    print(f"toes rise by {rise[0].max():.3f} at most, then {rise[1].max():.3f}")
    assert flat.any()
    assert np.abs(rise[1] - rise[0]).max() < 0.02
