"""Toes below planted feet: those that were captured stiff do not go into the ground at the end of a step."""

from __future__ import annotations

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.footsteps import LENGTHS
from support.truth import on_frame, worlds
from support.walker import Y_UP, captured, stairs, walker
from support.walker import shown as feet

COUNT = 61
TOLERANCE = 0.001 * LENGTHS.sum() + 1e-5
"""A tip may be in the ground by a thousandth of a leg, and by a hair for single precision."""
ROTATIONS = {"XYZ": "rotation_euler", "QUATERNION": "rotation_quaternion"}


def keyed_toes(rig: Object) -> None:
    """Key toes as they are at rest, as files of captures have it whose actors had no markers on them."""
    for side in "LR":
        bone = rig.pose.bones[f"toe.{side}"]
        for frame in (1, COUNT):
            bone.keyframe_insert(ROTATIONS[bone.rotation_mode], frame=frame)


def shown(rig: Object, count: int = COUNT) -> tuple[np.ndarray, np.ndarray]:
    """(n, 2) heights of the tips of toes, and (n, 2) degrees by which toes are turned from how they are at rest."""
    tips, turns = [], []
    for frame in range(1, count + 1):
        evaluated = rig.evaluated_get(on_frame(frame))
        toes = [evaluated.pose.bones[f"toe.{side}"] for side in "LR"]
        tips.append([(evaluated.matrix_world @ toe.tail).z for toe in toes])
        turns.append([np.degrees(toe.matrix_basis.to_quaternion().angle) for toe in toes])
    return np.array(tips), np.array(turns)


def while_stands(rig: Object, bone: str, contact: api.Contact) -> np.ndarray:
    """(n, 4, 4) of a bone in the world from frame to frame."""
    return worlds(rig, range(int(contact.start), int(contact.end) + 1), bone)[:, 0]


@pytest.mark.parametrize(("floor", "y_up"), [(None, False), (None, True), (0.0, True), (0.02, False)])
def test_tips_of_keyed_toes_stay_out_of_the_ground(floor: float | None, y_up: bool) -> None:
    rig = walker(captured("walk", 2.0), to_world=Y_UP if y_up else None)
    keyed_toes(rig)
    before = shown(rig)[0]
    api.plant(rig, floor=floor)
    tips, turns = shown(rig)
    ground = floor or 0.0
    # A floor that is found is off by some millimetres, as the whole body drifts, here upwards.
    assert before.min() < -0.03
    assert tips.min() > ground - TOLERANCE
    assert turns.max() < 70.0
    assert np.abs(np.diff(turns, axis=0)).max() < 20.0, "degrees a frame: feet roll as fast"


def test_toes_on_steps_lie_and_do_not_snap_at_edges() -> None:
    take = captured("stair")
    rig, count = walker(take), len(take.hips)
    keyed_toes(rig)
    api.plant(rig, floor=stairs())
    tips, turns = shown(rig, count)
    balls = feet(rig, count).points[:, :, 0]
    steps = 0.17 * np.clip(np.round(balls[..., 1] / 0.3), 0, 12)
    for column, side in enumerate("LR"):
        for one in api.contacts(rig, [f"Leg.{side}"]):
            rows = slice(int(one.start) - 1, int(one.end)), column
            assert one.bone != f"toe.{side}" or np.abs(tips[rows] - steps[rows]).max() < 0.002
    assert np.abs(np.diff(turns, axis=0)).max() < 20.0, "degrees a frame: feet roll as fast"


@pytest.mark.parametrize("keyed", [False, True], ids=["no keys", "keyed"])
def test_a_toe_is_at_rest_while_the_ball_stands(keyed: bool) -> None:
    rig = walker(captured("walk", 2.0))
    if keyed:
        keyed_toes(rig)
    rises = np.ptp(shown(rig)[0], axis=0)
    api.plant(rig, floor=0.0)
    for side, rise in zip("LR", rises, strict=True):
        stands = [one for one in api.contacts(rig, [f"Leg.{side}"]) if one.bone == f"toe.{side}"]
        turns = [while_stands(rig, f"toe.{side}", one)[:, :3, :3] for one in stands]
        turned = [np.ptp(axes, axis=0).max() for axes in turns]
        assert rise > 0.01, "the heel rises, and the toe with it as captured"
        assert max(turned) < 1e-4


def test_toes_that_a_constraint_poses_get_no_keys() -> None:
    rig = walker(captured("walk", 2.0))
    rig.pose.bones["toe.L"].constraints.new("LIMIT_ROTATION")
    api.plant(rig)
    keyed = {curve.data_path for curve in versions.curves(rig) if '"toe.' in curve.data_path}
    assert keyed == {'pose.bones["toe.R"].rotation_euler'}


def test_toes_whose_curves_are_locked_stay_as_captured() -> None:
    rig = walker(captured("walk", 2.0))
    keyed_toes(rig)
    for curve in versions.curves(rig):
        curve.lock = curve.data_path.startswith('pose.bones["toe.')
    report = api.plant(rig, floor=0.0)
    assert shown(rig)[1].max() < 1e-3
    assert "Toes that cannot be keyed go along with their feet: toe.L, toe.R" in report.notes


def test_a_toe_that_is_stood_on_does_not_turn_away() -> None:
    rig = walker(captured("walk", 2.0))
    keyed_toes(rig)
    place = (0.0, 0.7 * rig.data.bones["toe.L"].length, 0.0)
    found = [contact for contact in api.contacts(rig, ["Leg.L"]) if contact.bone == "toe.L"]
    contacts = [contact._replace(offset=place) for contact in found]
    api.plant(rig, contacts=contacts, floor=0.0)
    for contact in contacts:
        places = while_stands(rig, "toe.L", contact) @ (*place, 1.0)
        slid = np.ptp(places[:, :2], axis=0).max()
        assert slid < 1e-5


@pytest.mark.parametrize("longer", [0, 5])
def test_a_toe_that_would_dip_after_a_stand_lies_before(longer: int) -> None:
    """One who jumps; the ball is held for some frames longer, until the next stand is near."""
    rig = walker(captured("jump"))
    keyed_toes(rig)
    ends = [toe.head.z - toe.tail.z for toe in (rig.pose.bones[f"toe.{side}"] for side in "LR")]
    found = [one._replace(end=one.end + longer * one.bone.startswith("toe")) for one in api.contacts(rig)]
    report = api.plant(rig, contacts=found, floor=0.0)
    tips, balls = shown(rig)[0], feet(rig, COUNT).points[:, :, 0, 2]
    stands = np.zeros((COUNT, 2), dtype=bool)
    for column, side in enumerate("LR"):
        for one in found:
            if one.bone == f"toe.{side}":
                stands[int(one.start) - 1 : int(one.end), column] = True
        lies = balls[stands[:, column], column].min()
        assert balls[:, column].min() > lies - 0.001
        assert tips[:, column].min() > -TOLERANCE
        assert np.abs(tips[stands[:, column], column] - (lies - ends[column])).max() < 0.002, "as flat as at rest"
    assert any("Tips of toes are raised by up to" in note for note in report.notes) is (longer > 0)
