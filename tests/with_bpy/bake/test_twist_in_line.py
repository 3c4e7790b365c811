"""Twist bones in line: the limb that they carry stays, or reaches with the lengths that it then has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from mathutils import Quaternion

from support.truth import on_frame
from support.twisted import CLOSE, FRAMES, LINE, all_keys, arm, shown


@pytest.mark.parametrize("swing", [None, (1.0, 0.0, 0.0)], ids=["straight", "swung"])
@pytest.mark.parametrize("own", [1.0, 1.5], ids=["", "larger"])
@pytest.mark.parametrize("scale", [(-1, 1, 1), (1, -1, 1), (1, 1, -1), (0.6, 1.0, 1.5)], ids=str)
def test_bones_in_line_move_no_limb_below_other_scales(
    scale: tuple[float, ...], own: float, swing: tuple[float, ...]
) -> None:
    chain, frames = arm(bones=LINE, use_twist=False), range(1, 13)
    rig = chain.id_data
    rig.pose.bones["spine"].scale, rig.pose.bones["lower"].scale = scale, [own] * 3
    if swing:
        rig.pose.bones["upper_line_a"].rotation_quaternion = Quaternion(swing, 0.5)
    api.bake(rig, frames=(1, 12))
    before = shown(rig, frames)
    chain.use_twist = True
    assert api.bake(rig, frames=(1, 12)).posed
    np.testing.assert_allclose(shown(rig, frames), before, atol=1e-5)


def test_bones_in_line_move_no_limb_where_scale_is_aligned() -> None:
    chain, frames = arm(bones=LINE, use_twist=False), range(1, 13)
    rig = chain.id_data
    for bone in rig.data.bones:
        bone.inherit_scale = "ALIGNED"
    rig.pose.bones["lower"].scale, rig.pose.bones["hand"].location = (1.0, 2.0, 1.0), (-0.1, 0.1, 0.1)
    api.bake(rig, frames=(1, 12))
    before = shown(rig, frames)
    chain.use_twist = True
    assert api.bake(rig, frames=(1, 12)).posed
    np.testing.assert_allclose(shown(rig, frames), before, atol=1e-5)


@pytest.mark.parametrize(
    "aligned", [["lower"], ["upper_line_b", "lower_line"], ["upper_line_a", "lower", "hand"]], ids=str
)
def test_a_limb_reaches_though_its_twist_changes_its_lengths(aligned: Sequence[str]) -> None:
    chain = arm(bones=LINE)
    rig, target = chain.id_data, chain.target
    rig.pose.bones["spine"].scale, rig.pose.bones["hand"].location = (0.6, 1.0, 1.5), (0.1, -0.05, 0.08)
    rig.pose.bones["upper_line_a"].rotation_quaternion = Quaternion((1.0, 0.3, 0.4), 0.6)
    target.location = (0.7, 0.5, 1.2)
    for name in aligned:
        rig.data.bones[name].inherit_scale = "ALIGNED"
    report = api.bake(rig, frames=(1, 12))
    assert report.reached
    assert report.posed
    for frame, [hand] in zip(range(1, 13), shown(rig, range(1, 13), ["hand"]), strict=True):
        goal = np.array(target.evaluated_get(on_frame(frame)).matrix_world)
        np.testing.assert_allclose(hand[:3, 3], goal[:3, 3], atol=CLOSE)
        np.testing.assert_allclose(hand[:3, 1] / np.linalg.norm(hand[:3, 1]), goal[:3, 1], atol=CLOSE)


@pytest.mark.parametrize("still", ["upper_line_a", "upper_line_b", "lower_line"])
def test_bones_in_line_that_do_not_turn_along_are_left_alone(still: str) -> None:
    chain, frames = arm(bones=LINE, use_twist=False), range(1, 13)
    rig = chain.id_data
    rig.data.bones[still].use_inherit_rotation = False
    api.bake(rig, frames=(1, 12))
    before = shown(rig, frames)
    chain.use_twist = True
    report = api.bake(rig, frames=(1, 12))
    assert report.posed
    np.testing.assert_allclose(shown(rig, frames), before, atol=CLOSE)
    alone = [bone.name for bone in LINE if bone.name.startswith(f"{still[:5]}_line")]
    assert any(note.endswith(f"inherits no rotation, are left alone: {', '.join(alone)}") for note in report.notes)
    assert not any(f'"{name}"' in path for path, _ in all_keys(rig) for name in alone)


def test_a_range_goes_on_from_whole_turns_of_bones_in_line() -> None:
    rig = arm(bones=LINE, turns=1.5).id_data
    api.bake(rig, frames=FRAMES)
    keys = all_keys(rig)
    api.bake(rig, frames=(31, 60))
    for place, values in all_keys(rig).items():
        np.testing.assert_allclose(values, keys[place], atol=CLOSE, err_msg=str(place))
