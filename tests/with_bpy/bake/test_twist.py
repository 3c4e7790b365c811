"""Spread Twist: twist bones turn by their shares, as Blender evaluates them; joints and hand are as without it."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import PropertyGroup
from mathutils import Matrix, Quaternion, Vector

from support import rigs
from support.oracles import rotation_angle
from support.truth import on_frame
from support.twisted import (
    ALL,
    CLOSE,
    FRAMES,
    LINE,
    SHARES,
    SIDE,
    all_keys,
    arm,
    bone_turns,
    keyed_poses,
    shown,
    twist_of,
)
from support.walker import captured, walker


def test_two_turns_of_a_hand_are_spread_evenly() -> None:
    chain = arm()
    rig, frames = chain.id_data, range(FRAMES[0], FRAMES[1] + 1)
    assert api.bake(rig, frames=FRAMES).reached
    found = bone_turns(rig, SHARES, frames)
    even = np.linspace(0, 4 * np.pi, 60)
    for name in ("lower_twist_a", "lower_twist_b"):
        np.testing.assert_allclose(found[name], SHARES[name] * even, atol=CLOSE)
    above = twist_of(rig, "upper", "lower", frames)
    for name in ("upper_twist_a", "upper_twist_b"):
        np.testing.assert_allclose(found[name], SHARES[name] * above, atol=CLOSE)


@pytest.mark.parametrize(("bones", "use_rotation"), [(SIDE, True), (LINE, True), (LINE, False)])
@pytest.mark.parametrize("fields", [{}, {"plane": "AIM", "pole_target": None}, {"reference": "POSE"}], ids=str)
def test_joints_and_hand_are_as_without_the_option(
    bones: Sequence[rigs.Bone], use_rotation: bool, fields: dict[str, object]
) -> None:
    frames = range(1, 13)
    chain = arm(bones=bones, use_rotation=use_rotation, use_twist=False, **{k: v for k, v in fields.items() if v})
    if "pole_target" in fields:
        chain.pole_target = None
    rig = chain.id_data
    hand = rig.pose.bones["hand"]
    hand.rotation_quaternion = Quaternion((0.2, 1.0, 0.3), 1.2)
    api.bake(rig, frames=(1, 12))
    before = keyed_poses(rig)
    chain.use_twist = True
    report = api.bake(rig, frames=(1, 12))
    assert report.posed
    # By the keys, whose own rounding is all that is left.
    keyed = keyed_poses(rig)
    np.testing.assert_allclose(keyed[..., :3, 3], before[..., :3, 3], atol=1e-6)
    turns = zip(keyed[..., :3, :3].reshape(-1, 3, 3), before[..., :3, :3].reshape(-1, 3, 3), strict=True)
    assert max(rotation_angle(*pair) for pair in turns) < 1e-6
    # Blender shows them, and rounds to single precision with each bone.
    rounding = np.finfo(np.float32).eps * len(hand.parent_recursive) * np.abs(keyed).max()
    np.testing.assert_allclose(shown(rig, frames), keyed, atol=rounding)
    names = [bone.name for bone in bones if "_" in bone.name]
    assert not use_rotation or np.abs(shown(rig, [9], names) - shown(rig, [2], names)).max() > 0.01
    keys = all_keys(rig)
    api.bake(rig, frames=(1, 12))
    assert keys.keys() == all_keys(rig).keys()
    for place, values in all_keys(rig).items():
        np.testing.assert_allclose(values, keys[place], atol=CLOSE, err_msg=str(place))


def test_bones_in_line_carry_the_next() -> None:
    chain = arm(bones=LINE)
    rig = chain.id_data
    assert api.bake(rig, frames=FRAMES).reached
    found = bone_turns(rig, ["lower_line"], ALL)
    np.testing.assert_allclose(found["lower_line"], 0.5 * np.linspace(0, 4 * np.pi, 60), atol=CLOSE)
    above = twist_of(rig, "upper", "lower", ALL)
    np.testing.assert_allclose(above, 0.0, atol=CLOSE)
    parts = bone_turns(rig, ["upper_line_a", "upper_line_b"], ALL)
    chain.use_twist = False
    rig.animation_data_clear()
    for bone in rig.pose.bones:
        bone.matrix_basis = Matrix()
    api.bake(rig, frames=FRAMES)
    whole = twist_of(rig, "upper", "lower", ALL)
    assert np.abs(whole).min() > 0.1
    for angles in parts.values():
        np.testing.assert_allclose(angles, 0.5 * whole, atol=CLOSE)


def test_past_a_swing_of_180_degrees_the_twist_goes_on_evenly() -> None:
    chain = arm(turns=0.0)
    rig, hand = chain.id_data, chain.target.rotation_quaternion.copy()
    across = (rig.data.bones["lower"].tail_local - rig.data.bones["lower"].head_local).orthogonal()
    for frame in ALL:
        # It turns by a degree beside, so that it passes near the pole of the twist, not through it.
        turn_over = Quaternion(across, np.radians(5.0 * (frame - 1))) @ Quaternion((1, 0, 0), 0.02)
        chain.target.rotation_quaternion = turn_over @ hand
        chain.target.keyframe_insert("rotation_quaternion", frame=frame)
    report = api.bake(rig, frames=FRAMES)
    told = report.chains[0]
    line = (rig.data.bones["hand"].head_local - rig.data.bones["lower"].head_local).normalized()
    rest = rig.data.bones["lower"].matrix_local.to_quaternion()
    swings = []
    for frame in ALL:
        lower, own = (rig.evaluated_get(on_frame(frame)).pose.bones[name] for name in ("lower", "hand"))
        at_rest = rig.data.bones["hand"].matrix_local.to_quaternion()
        turned = rest @ lower.matrix.to_quaternion().inverted() @ own.matrix.to_quaternion() @ at_rest.inverted()
        along = Vector(turned[1:]).dot(line)
        swings.append(2 * np.arccos(min(1.0, np.hypot(turned.w, along))))
    np.testing.assert_array_equal(told.undecided_twist, np.array(swings) > np.radians(150))
    assert 3 < np.count_nonzero(told.undecided_twist) < 20
    assert any("a bone swings by more than 150 degrees" in line for line in told.lines())
    for name in ("lower_twist_a", "lower_twist_b"):
        [angles] = bone_turns(rig, [name], ALL).values()
        assert np.abs(np.diff(angles)).max() < np.radians(30)
        between = np.flatnonzero(told.undecided_twist)
        steps = np.diff(angles[between[0] - 1 : between[-1] + 2])
        np.testing.assert_allclose(steps, steps.mean(), atol=CLOSE)


def test_shares_by_hand_can_be_keyed() -> None:
    chain = arm(turns=0.5)
    rig = chain.id_data
    rigs.animate(rig.pose.bones["lower_twist_a"], two_bone_ik_twist={1: 0.0, 60: 1.0})
    rig.pose.bones["upper_twist_a"].two_bone_ik_twist = 1.0
    for bone, mode in (("lower_twist_a", "XYZ"), ("lower_twist_b", "AXIS_ANGLE")):
        rig.pose.bones[bone].rotation_mode = mode
    assert api.bake(rig, frames=FRAMES).reached
    found, half = bone_turns(rig, SHARES, ALL), np.linspace(0, np.pi, 60)
    shares = [rig.evaluated_get(on_frame(frame)).pose.bones["lower_twist_a"].two_bone_ik_twist for frame in ALL]
    np.testing.assert_allclose(found["lower_twist_a"], shares * half, atol=CLOSE)
    np.testing.assert_allclose(found["lower_twist_b"], 0.7 * half, atol=CLOSE)
    np.testing.assert_allclose(found["upper_twist_a"], 0.0, atol=CLOSE)


@pytest.mark.parametrize(
    ("bones", "turns", "keyed"),
    [(SIDE, 2.0, {}), (SIDE, 2.0, {1: 0.0, 60: 1.0}), (SIDE, 2.0, {1: 0.8, 29: 0.2, 31: -1.0}), (LINE, 1.5, {})],
    ids=["by place", "keyed", "keyed otherwise", "in line"],
)
def test_a_range_goes_on_from_the_keys_before_it(
    bones: Sequence[rigs.Bone], turns: float, keyed: dict[int, float]
) -> None:
    """By the shares that these had then, not by those of the current frame."""
    rig = arm(bones=bones, turns=turns).id_data
    if keyed:
        rigs.animate(rig.pose.bones["lower_twist_a"], two_bone_ik_twist=keyed)
    api.bake(rig, frames=FRAMES)
    keys = all_keys(rig)
    for frames, current in (((31, 60), 1), ((31, 60), 60), (FRAMES, 1)):
        on_frame(current)
        api.bake(rig, frames=frames)
        for place, values in all_keys(rig).items():
            np.testing.assert_allclose(values, keys[place], atol=CLOSE, err_msg=str((frames, place)))


@pytest.mark.parametrize("bones", [SIDE, LINE], ids=["side", "line"])
def test_reduced_keys_hold_their_tolerance_for_twist_bones(bones: Sequence[rigs.Bone]) -> None:
    chain = arm(turns=1.0, bones=bones)
    rig, between = chain.id_data, np.arange(1, 30, 0.5)
    names = [bone.name for bone in bones if bone.name not in ("spine",)]
    api.bake(rig, frames=(1, 30, 0.5))
    every = shown(rig, between, names)
    report = api.bake(rig, frames=(1, 30), keys="REDUCED", tolerance=0.002)
    assert report.posed
    few = shown(rig, between, names)
    for row, name in enumerate(names):
        length = rig.data.bones[name].length
        place = np.array((0.25 * length, length, 0.0, 1.0))
        off = np.linalg.norm((few[:, row] - every[:, row]) @ place, axis=-1)
        assert off.max() < 0.002 + CLOSE
        assert len(rigs.keys(rig.pose.bones[name])) <= 30


def test_no_whole_turns_are_guessed_from_a_pose() -> None:
    """Solve turns a hand by half a turn at most, however twist bones are posed or keyed later."""
    chain = arm()
    rig = chain.id_data
    for name in SHARES:
        bone = rig.pose.bones[name]
        bone.rotation_quaternion = Quaternion((0.0, 1.0, 0.0), 2.0)
        bone.keyframe_insert("rotation_quaternion", frame=70)
    for frame in (1, 11, 21, 31, 41, 51, 60, 60):
        on_frame(frame)
        api.solve(rig)
        bpy.context.view_layer.update()
        whole = 4 * np.pi * (frame - 1) / 59
        for name in ("lower_twist_a", "lower_twist_b"):
            expected = SHARES[name] * (whole - 2 * np.pi * np.round(whole / (2 * np.pi)))
            assert abs(abs(rig.pose.bones[name].rotation_quaternion.w) - abs(np.cos(expected / 2))) < CLOSE


@pytest.mark.parametrize("bones", [SIDE, LINE], ids=["side", "line"])
def test_live_poses_as_a_bake_does(bones: Sequence[rigs.Bone]) -> None:
    """Whole turns go on from the frame that Live has posed before; Solve keeps them."""
    names = [bone.name for bone in bones]
    chain = arm(bones=bones)
    rig = chain.id_data
    rig.animation_data_clear()
    on_frame(1)
    rig.two_bone_ik_live = True
    live = shown(rig, ALL, names)
    api.solve(rig)
    np.testing.assert_allclose(shown(rig, ALL[-1:], names)[0], live[-1], atol=CLOSE)
    rig.two_bone_ik_live = False
    for bone in rig.pose.bones:
        bone.matrix_basis = Matrix()
    api.bake(rig, frames=FRAMES)
    np.testing.assert_allclose(live, shown(rig, ALL, names), atol=CLOSE)


def test_bones_that_others_turn_are_left_alone_as_they_are() -> None:
    """Also by a constraint on a bone below, and by one whose influence something may raise."""
    chain = arm(bones=LINE, turns=0.0)
    rig = chain.id_data
    bones = rig.pose.bones

    def left_alone() -> list[str]:
        notes = [note for note in api.check(rig, frames=(1, 2)).notes if "left alone" in note]
        return sorted(notes[0].partition("left alone: ")[2].split(", ")) if notes else []

    # It turns the hand and the bone above it.
    pull = bones["hand"].constraints.new("IK")
    pull.target, pull.chain_count = chain.target, 2
    assert left_alone() == ["lower_line"]
    pull.influence = 0.0
    assert left_alone() == []
    rigs.animate(pull, influence={1: 0.0})
    assert left_alone() == ["lower_line"]
    pull.mute = True
    bones["upper_line_a"].constraints.new("LIMIT_SCALE")
    bones["upper_line_a"].driver_add("rotation_euler", 1)  # not the property that turns it
    assert left_alone() == []
    bones["upper_line_a"].rotation_mode = "XYZ"
    assert left_alone() == ["upper_line_a"]


def test_bones_at_the_side_need_not_inherit_rotation() -> None:
    """They lie on the root bone as it is once bones in line have its twist, and turn as those that inherit it."""
    names = [bone.name for bone in SIDE if "twist" in bone.name]
    rig, frames = arm(bones=[*LINE, *SIDE[len(rigs.ARM) :]], turns=0.5).id_data, range(1, 13)
    api.bake(rig, frames=(1, 12))
    inheriting = shown(rig, frames, names)
    assert np.abs(inheriting[9] - inheriting[2]).max() > 0.01
    for name in names:
        rig.data.bones[name].use_inherit_rotation = False
    api.bake(rig, frames=(1, 12))
    np.testing.assert_allclose(shown(rig, frames, names), inheriting, atol=CLOSE)


def test_without_influence_a_stretching_limb_is_told_as_it_is() -> None:
    """Also if bones in line are turned across the limb."""
    chain = arm(bones=LINE, turns=0.0)
    rig = chain.id_data
    for bone in rig.data.bones:
        bone.inherit_scale = "ALIGNED"
    chain.unreachable, chain.influence = "STRETCH", 0.0
    rig.pose.bones["upper_line_a"].rotation_quaternion = Quaternion((0.5, -0.4, -0.3), 0.6)
    bpy.context.view_layer.update()
    names = [bone.name for bone in LINE]
    before = shown(rig, [1], names)
    report = api.bake(rig, frames=(1, 2))
    assert report.posed
    tip = rig.pose.bones["hand"].head
    np.testing.assert_allclose(report.chains[0].miss, (tip - chain.target.matrix_world.translation).length, atol=CLOSE)
    np.testing.assert_allclose(shown(rig, [1], names), before, atol=CLOSE)


def test_drag_bake_from_pose_check_and_influence_have_it() -> None:
    chain = arm(bones=LINE, turns=0.5)
    rig, frames = chain.id_data, range(1, 13)
    api.bake(rig, frames=(1, 12))
    pose = shown(rig, frames, ["upper_line_b", "lower", "hand"])
    chain.pole_target.location = chain.target.location = (9, 9, 9)
    report = api.bake_targets(rig, frames=(1, 12))
    assert not [note for note in report.notes if "does not keep its pose" in note]
    api.bake(rig, frames=(1, 12))
    np.testing.assert_allclose(shown(rig, frames, ["upper_line_b", "lower", "hand"]), pose, atol=5 * CLOSE)
    assert api.check(rig, frames=(1, 12)).reached
    on_frame(5)
    [before] = shown(rig, [5], ["lower", "hand"])
    pull = api.drag(rig, "lower")
    pull.to(rig.pose.bones["hand"].head)
    bpy.context.view_layer.update()
    bones = rig.pose.bones
    now = [np.array(bones[name].matrix) for name in ("lower", "hand")]
    pull.finish()
    np.testing.assert_allclose(now, before, atol=5 * CLOSE)
    chain.influence = 0.0
    kept = all_keys(rig)
    api.bake(rig, frames=(1, 12))
    assert all_keys(rig) == kept


def test_feet_that_are_planted_spread_their_twist() -> None:
    """The knee's and the ankle's twist, from the joints alone: bones at the side have their shares of it."""
    rig = walker(captured("walk", 1.0))
    with rigs.editing(rig) as bones:
        for place in (0.3, 0.6):
            bone = bones.new(f"lower_{place}")
            head, tail = bones["shin.L"].head, bones["foot.L"].head
            bone.head, bone.tail, bone.parent = head.lerp(tail, place), head.lerp(tail, place + 0.1), bones["shin.L"]
    api.add_chain(rig, "shin.L", tip_bone="foot.L", use_twist=True)
    assert api.plant(rig, floor=0.0).posed
    names = ["lower_0.3", "lower_0.6"]
    turned = np.array(
        [[rig.pose.bones[name].rotation_quaternion[:] for name in names] for _ in map(on_frame, range(2, 20))]
    )
    angles = 2 * np.arctan2(np.linalg.norm(turned[..., 1:], axis=-1), np.abs(turned[..., 0]))
    assert angles.max() > 0.01
    np.testing.assert_allclose(angles[:, 1], 2 * angles[:, 0], atol=1e-4)


@pytest.mark.parametrize("swing", [None, (1.0, 0.0, 0.0)], ids=["straight", "swung"])
@pytest.mark.parametrize(
    ("above", "own", "rule", "aside"),
    [
        ((-1, 1, 1), (1, 1, 1), "FULL", (0, 0, 0)),
        ((1, -1, 1), (1.5, 1.5, 1.5), "FULL", (0, 0, 0)),
        ((1, 1, -1), (1, 1, 1), "FULL", (0, 0, 0)),
        ((0.6, 1.0, 1.5), (1.5, 1.5, 1.5), "FULL", (0, 0, 0)),
        ((1, 1, 1), (1.0, 2.0, 1.0), "ALIGNED", (-0.1, 0.1, 0.1)),
    ],
    ids=str,
)
def test_bones_in_line_move_no_limb_below_other_scales(
    above: Sequence[float], own: Sequence[float], rule: str, aside: Sequence[float], swing: Sequence[float] | None
) -> None:
    chain = arm(bones=LINE, use_twist=False)
    bones = chain.id_data.pose.bones
    for bone in bones:
        bone.bone.inherit_scale = rule
    bones["spine"].scale, bones["lower"].scale, bones["hand"].location = above, own, aside
    if swing and rule == "FULL":
        bones["upper_line_a"].rotation_quaternion = Quaternion(swing, 0.5)
    assert_no_limb_moves(chain)


def assert_no_limb_moves(chain: PropertyGroup, close: float = CLOSE) -> api.Report:
    """With Spread Twist it is posed as without it."""
    rig, frames = chain.id_data, range(1, 13)
    chain.use_twist = False
    api.bake(rig, frames=(1, 12))
    before = shown(rig, frames)
    chain.use_twist = True
    report = api.bake(rig, frames=(1, 12))
    assert report.posed
    np.testing.assert_allclose(shown(rig, frames), before, atol=close)
    return report


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
    report = api.bake(rig, frames=(1, 12, 5.5))
    assert report.reached
    assert report.posed
    for frame, [hand] in zip((1, 6.5, 12), shown(rig, (1, 6.5, 12), ["hand"]), strict=True):
        goal = np.array(target.evaluated_get(on_frame(frame)).matrix_world)
        np.testing.assert_allclose(hand[:3, 3], goal[:3, 3], atol=CLOSE)
        np.testing.assert_allclose(hand[:3, 1] / np.linalg.norm(hand[:3, 1]), goal[:3, 1], atol=CLOSE)


@pytest.mark.parametrize("still", ["upper_line_a", "upper_line_b", "lower_line"])
def test_bones_in_line_that_do_not_turn_along_are_left_alone(still: str) -> None:
    chain = arm(bones=LINE, use_twist=False)
    chain.id_data.data.bones[still].use_inherit_rotation = False
    report = assert_no_limb_moves(chain)
    alone = [bone.name for bone in LINE if bone.name.startswith(f"{still[:5]}_line")]
    assert any(note.endswith(f"inherits no rotation, are left alone: {', '.join(alone)}") for note in report.notes)
    assert not any(f'"{name}"' in path for path, _ in all_keys(chain.id_data) for name in alone)
