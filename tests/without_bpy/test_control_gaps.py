"""Between which frames a limb has to be looked at, as curves may be elsewhere there; and which frames tell most."""

from __future__ import annotations

import numpy as np
from two_bone_ik.skeleton.switch.control_channels import gaps
from two_bone_ik.skeleton.switch.limb_pose import extremes
from two_bone_ik.skeleton.switch.switch_plan import CarriedBone, Setting, SwitchPlan
from two_bone_ik.skeleton.values import Bone

from support.plain_rig import about, matrix

COUNT = 21
SMOOTH = np.zeros(COUNT, dtype=np.bool_)
NAMES = ("upper", "lower", "hand")
BONES = tuple(
    Bone(name=name, path=f'pose.bones["{name}"]', length=1.0, has_parent=False, offset=np.eye(4)) for name in NAMES
)


def limb(*, ik: bool = False) -> SwitchPlan:
    """One that shows its FK controls, or an IK chain."""
    chain = tuple(
        CarriedBone(bone=bone, parents=(), follows=bone.name, offset=np.eye(4), moves=True) for bone in BONES[:2]
    )
    return SwitchPlan(
        name="Arm",
        shown=BONES,
        joints=tuple((name, (0.0, 0.0, 0.0)) for name in NAMES),
        before=tuple((name, np.eye(4)) for name in NAMES),
        source=frozenset(),
        switch=Setting(path='["IK_FK"]', group="", value=1.0),
        controls=(),
        chain=chain if ik else (),
        pole_on=np.zeros(COUNT, dtype=np.bool_),
    )


def poses(bend: float, roll: np.ndarray) -> dict[str, np.ndarray]:
    """By bone (n, 4, 4): the limb turns evenly as a whole, and its hand rolls about its own axis."""
    found: dict[str, list[np.ndarray]] = {name: [] for name in NAMES}
    for frame in range(COUNT):
        turned = about("Z", 0.01 * frame)
        below = turned @ about("X", bend)
        mid = turned @ (0, 1, 0)
        tip = mid + below @ (0, 1, 0)
        turns = turned, below, below @ about("Y", roll[frame])
        for name, head, pose in zip(NAMES, ((0, 0, 0), mid, tip), turns, strict=True):
            found[name].append(matrix(head, pose))
    return {name: np.array(matrices) for name, matrices in found.items()}


def test_a_straight_limb_moving_evenly_has_fk_gaps_at_its_ends() -> None:
    straight = poses(0.05, np.zeros(COUNT))
    assert gaps([limb()], straight, SMOOTH, SMOOTH).tolist() == [0, 1, COUNT - 3, COUNT - 2]
    assert len(gaps([limb(ik=True)], straight, SMOOTH, SMOOTH)) == COUNT - 1


def test_a_hand_that_begins_to_roll_has_some() -> None:
    roll = np.maximum(0.0, 0.3 * (np.arange(COUNT) - 10))
    assert {9, 10} <= set(gaps([limb()], poses(0.8, roll), SMOOTH, SMOOTH).tolist())


def test_more_gaps_lie_where_curves_turn_frame_by_frame() -> None:
    roll = np.maximum(0.0, 0.01 * (np.arange(COUNT) - 10))
    assert not {9, 10} & set(gaps([limb()], poses(0.8, roll), SMOOTH, SMOOTH).tolist())
    turning = np.arange(COUNT) == 10
    assert {9, 10} <= set(gaps([limb()], poses(0.8, roll), SMOOTH, turning).tolist())


def test_a_gap_lies_between_a_corner_and_an_end_of_the_range() -> None:
    """Of a limb that stands still: from its poses on the frames alone, all curves would be exact."""
    still = {name: pose[:1].repeat(COUNT, axis=0) for name, pose in poses(0.8, np.zeros(COUNT)).items()}
    for corner, rows in ((1, [0]), (10, []), (COUNT - 2, [COUNT - 2])):
        assert gaps([limb()], still, np.arange(COUNT) == corner, SMOOTH).tolist() == rows
    assert gaps([limb()], {name: pose[:1] for name, pose in still.items()}, SMOOTH[:1], SMOOTH[:1]).tolist() == []


def test_extremes_are_where_a_limb_is_straightest_bent_and_fast() -> None:
    angles = np.linspace(0.5, 0.6, COUNT)
    angles[[4, 11]] = 0.1, 1.5
    lower = np.stack((np.cos(angles), np.sin(angles), np.zeros(COUNT)), axis=-1)
    joints = np.zeros((COUNT, 3, 3))
    joints[:, 1:, 0] = 1.0
    joints[:, 2] += lower
    joints[16:] += (5.0, 0.0, 0.0)
    assert extremes(joints) == {4, 11, 16}
