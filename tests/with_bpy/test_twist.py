"""Spread Twist: twist bones turn by their shares, as Blender evaluates them; joints and hand are as without it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.live import ahead
from bpy.types import Object, PropertyGroup
from mathutils import Matrix, Quaternion, Vector

from support import rigs
from support.truth import on_frame
from support.walker import captured, walker

FRAMES = (1, 60)
CLOSE = 1e-5
"""Radians and metres: single precision, after the products of five matrices."""

UPPER, LOWER, HAND = rigs.ARM[1:]


def _along(bone: rigs.Bone, place: float, name: str, parent: str = "") -> rigs.Bone:
    """A short bone on another one's axis."""
    head, tail = Vector(bone.head), Vector(bone.tail)
    return rigs.Bone(name, head.lerp(tail, place), head.lerp(tail, place + 0.1), parent or bone.name, roll=0.4)


SIDE = (
    *rigs.ARM,
    _along(LOWER, 0.3, "lower_twist_a"),
    _along(LOWER, 0.7, "lower_twist_b"),
    _along(UPPER, 0.25, "upper_twist_a"),
    _along(UPPER, 0.75, "upper_twist_b"),
)
SHARES = {"lower_twist_a": 0.3, "lower_twist_b": 0.7, "upper_twist_a": -0.75, "upper_twist_b": -0.25}
"""By which part of its half's twist each bone turns against the bone that carries it."""


def arm(*, turns: float = 2.0, bones: Sequence[rigs.Bone] = SIDE, **fields: object) -> PropertyGroup:
    """An arm whose target stands while it turns so often about the forearm, over the frames."""
    rig = rigs.armature(bones)
    fields = {"root_bone": "upper", "tip_bone": "hand", "use_rotation": True, "use_twist": True} | fields
    chain = rigs.chain(rig, "lower", target=(1.2, 0.6, 1.3), pole=(0.5, 1.0, 2.5), **fields)
    bpy.context.scene.frame_end = FRAMES[1]
    turn(chain, turns)
    return chain


def turn(chain: PropertyGroup, turns: float, swing: Quaternion | None = None) -> None:
    """Key the target on every frame: it turns about the forearm as that lies in the pose without twist."""
    rig, target = chain.id_data, chain.target
    on = chain.use_twist, chain.use_rotation
    chain.use_twist = chain.use_rotation = False
    api.solve(rig)
    bpy.context.view_layer.update()
    pose = rig.pose.bones["lower"].matrix @ rig.data.bones["lower"].matrix_local.inverted()
    hand = (pose @ rig.data.bones["hand"].matrix_local).to_quaternion()
    line = (rig.pose.bones["hand"].head - rig.pose.bones["lower"].head).normalized()
    chain.use_twist, chain.use_rotation = on
    target.rotation_mode = "QUATERNION"
    for frame in range(FRAMES[0], FRAMES[1] + 1):
        angle = 2 * np.pi * turns * (frame - FRAMES[0]) / (FRAMES[1] - FRAMES[0])
        target.rotation_quaternion = Quaternion(line, angle) @ (swing or Quaternion()) @ hand
        target.keyframe_insert("rotation_quaternion", frame=frame)
    for bone in rig.pose.bones:
        bone.matrix_basis = Matrix()


def bone_turns(rig: Object, names: Iterable[str], frames: Iterable[float]) -> dict[str, np.ndarray]:
    """(n,) by name how far each bone has turned against what carries it, about the line of that half; no jumps."""
    lines = {"lower": ("lower", "hand"), "upper": ("upper", "lower")}
    found: dict[str, list[float]] = {name: [] for name in names}
    for frame in frames:
        evaluated = rig.evaluated_get(on_frame(frame))
        for name, angles in found.items():
            bone = rig.data.bones[name]
            start, end = (rig.data.bones[joint].head_local for joint in lines[name.split("_")[0]])
            line = bone.matrix_local.to_quaternion().inverted() @ (end - start)
            rest = bone.parent.matrix_local.to_quaternion().inverted() @ bone.matrix_local.to_quaternion()
            parent, own = (evaluated.pose.bones[each].matrix.to_quaternion() for each in (bone.parent.name, name))
            quaternion = (parent @ rest).inverted() @ own
            axis = Vector(quaternion[1:])
            assert axis.cross(line.normalized()).length < CLOSE
            angles.append(2 * np.arctan2(axis.dot(line.normalized()), quaternion.w))
    return {name: np.unwrap(angles) for name, angles in found.items()}


def shown(rig: Object, frames: Iterable[float], names: Sequence[str] = ("lower", "hand")) -> np.ndarray:
    """(n, k, 4, 4) poses as evaluated."""
    poses = []
    for frame in frames:
        bones = rig.evaluated_get(on_frame(frame)).pose.bones
        poses.append([np.array(bones[name].matrix) for name in names])
    return np.array(poses)


def twist_of(rig: Object, bone: str, joint: str, frames: Iterable[float]) -> np.ndarray:
    """(n,) how far a bone has turned from rest against its parent, about its line to a joint; no jumps."""
    angles = []
    for frame in frames:
        evaluated, data = rig.evaluated_get(on_frame(frame)), rig.data.bones
        own = data[bone]
        parent = own.parent
        line = (data[joint].head_local - own.head_local).normalized()
        now = (
            evaluated.pose.bones[parent.name].matrix.to_quaternion().inverted()
            @ evaluated.pose.bones[bone].matrix.to_quaternion()
        )
        turned = parent.matrix_local.to_quaternion() @ now @ own.matrix_local.to_quaternion().inverted()
        angles.append(2 * np.arctan2(Vector(turned[1:]).dot(line), turned.w))
    return np.unwrap(angles, period=4 * np.pi)


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


LINE = (
    *rigs.ARM[:2],
    _along(UPPER, 0.4, "upper_line_a", "upper"),
    _along(UPPER, 0.8, "upper_line_b", "upper_line_a"),
    LOWER._replace(parent="upper_line_b"),
    _along(LOWER, 0.5, "lower_line", "lower"),
    HAND._replace(parent="lower_line"),
)
"""An arm whose twist bones carry each other."""

ALL = range(FRAMES[0], FRAMES[1] + 1)


@pytest.mark.parametrize("use_rotation", [True, False])
@pytest.mark.parametrize("bones", [SIDE, LINE], ids=["side", "line"])
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
    before = shown(rig, frames)
    chain.use_twist = True
    report = api.bake(rig, frames=(1, 12))
    assert report.posed
    np.testing.assert_allclose(shown(rig, frames), before, atol=4e-6)
    names = [bone.name for bone in bones if "_" in bone.name]
    assert not use_rotation or np.abs(shown(rig, [9], names) - shown(rig, [2], names)).max() > 0.01
    keys = all_keys(rig)
    api.bake(rig, frames=(1, 12))
    assert keys.keys() == all_keys(rig).keys()
    for place, values in all_keys(rig).items():
        np.testing.assert_allclose(values, keys[place], atol=CLOSE, err_msg=str(place))


def all_keys(rig: Object) -> dict[tuple[str, int], list[float]]:
    curves = versions.curves(rig)
    return {(curve.data_path, curve.array_index): [key.co.y for key in curve.keyframe_points] for curve in curves}


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


@pytest.mark.parametrize("keyed", [{}, {1: 0.0, 60: 1.0}, {1: 0.8, 29: 0.2, 31: -1.0}], ids=str)
def test_a_range_goes_on_from_the_keys_before_it(keyed: dict[int, float]) -> None:
    """By the shares that these had then, not by those of the current frame."""
    chain = arm()
    rig = chain.id_data
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


def test_solve_goes_on_from_the_pose_of_the_twist_bones() -> None:
    chain = arm()
    rig = chain.id_data
    for frame in (1, 11, 21, 31, 41):
        on_frame(frame)
        api.solve(rig)
        bpy.context.view_layer.update()
        expected = 0.3 * 4 * np.pi * (frame - 1) / 59
        turned = rig.pose.bones["lower_twist_a"].rotation_quaternion
        assert abs(abs(turned.w) - abs(np.cos(expected / 2))) < CLOSE


@pytest.mark.parametrize("bones", [SIDE, LINE], ids=["side", "line"])
def test_live_poses_as_a_bake_does(bones: Sequence[rigs.Bone], monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames that are known ahead, too: whole turns go on from the twist bones as they are."""
    ahead_shown: list[bool] = []
    shows = ahead.shows
    monkeypatch.setattr(ahead, "shows", lambda *args: ahead_shown.append(shows(*args)) or ahead_shown[-1])
    names = [bone.name for bone in bones]
    chain = arm(bones=bones)
    rig = chain.id_data
    rig.animation_data_clear()
    on_frame(1)
    rig.two_bone_ik_live = True
    live = shown(rig, ALL, names)
    assert all(ahead_shown)
    assert len(ahead_shown) > 50
    rig.two_bone_ik_live = False
    for bone in rig.pose.bones:
        bone.matrix_basis = Matrix()
    api.bake(rig, frames=FRAMES)
    np.testing.assert_allclose(live, shown(rig, ALL, names), atol=CLOSE)


def test_what_is_refused_and_what_is_told() -> None:
    chain = arm(turns=0.0)
    rig = chain.id_data
    api.bake(rig, frames=(1, 2))
    told = rig.pose.bones["lower_twist_a"].constraints.new("COPY_ROTATION")
    told.target = chain.target
    driver = rig.pose.bones["upper_twist_b"].driver_add("rotation_quaternion", 1)
    driver.driver.expression = "0.1"
    report = api.bake(rig, frames=(1, 2))
    note = 'Twist bones of chain "lower" that constraints or drivers turn are left alone: upper_twist_b, lower_twist_a'
    assert note in report.notes
    other = api.add_chain(rig, "lower_twist_b", target=chain.target, root_bone="lower")
    other.name = "other"
    with pytest.raises(api.Refused, match='both pose bone "lower'):
        api.bake(rig, frames=(1, 2))
    rig.two_bone_ik_chains.remove(1)
    chain.tip_bone, chain.use_rotation = "", False
    api.bake(rig, frames=(1, 2))
    chain.unreachable = "STRETCH"
    rig.data.bones["lower"].inherit_scale = "ALIGNED"
    with pytest.raises(api.Refused, match='Stretch would shear bone "upper_twist_a"'):
        api.bake(rig, frames=(1, 2))
    assert api.set_aligned(rig) == ["upper_twist_a"]
    bare = rigs.armature(name="Bare")
    api.add_chain(bare, "lower", target=chain.target, use_twist=True)
    assert 'Chain "lower" has no twist bones to spread its twist over' in api.bake(bare, frames=(1, 2)).notes


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
    beside = [bone for bone in SIDE if "twist" in bone.name]
    chain = arm(bones=[*LINE, *beside], turns=0.5)
    rig, frames, names = chain.id_data, range(1, 13), [bone.name for bone in beside]
    api.bake(rig, frames=(1, 12))
    inheriting = shown(rig, frames, names)
    assert np.abs(inheriting[9] - inheriting[2]).max() > 0.01
    for name in names:
        rig.data.bones[name].use_inherit_rotation = False
    api.bake(rig, frames=(1, 12))
    np.testing.assert_allclose(shown(rig, frames, names), inheriting, atol=CLOSE)


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


def test_copy_settings_and_setup_files_take_it_along(tmp_path: Path) -> None:
    chain = arm(turns=0.0)
    rig = chain.id_data
    path = tmp_path / "arm.toml"
    api.save_setup(rig, path)
    other = rigs.armature(SIDE, name="Other")
    [applied] = api.apply_setup(other, api.load_setup(path))
    assert other.two_bone_ik_chains[applied].use_twist
    beside = api.add_chain(rig, "hand", target=chain.target)
    api.copy_settings(rig, chain.name, sections=["BONES"])
    assert (beside.use_twist, beside.tip_bone) == (True, "")


def test_feet_that_are_planted_spread_their_twist() -> None:
    """The knee's and the ankle's twist, from the joints alone: bones at the side have their shares of it."""
    rig = walker(captured("walk", 1.0))
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    for place in (0.3, 0.6):
        bone = bones.new(f"lower_{place}")
        head, tail = bones["shin.L"].head, bones["foot.L"].head
        bone.head, bone.tail, bone.parent = head.lerp(tail, place), head.lerp(tail, place + 0.1), bones["shin.L"]
    bpy.ops.object.mode_set(mode="OBJECT")
    api.add_chain(rig, "shin.L", tip_bone="foot.L", use_twist=True)
    assert api.plant(rig, floor=0.0).posed
    names = ["lower_0.3", "lower_0.6"]
    turned = np.array(
        [[rig.pose.bones[name].rotation_quaternion[:] for name in names] for _ in map(on_frame, range(2, 20))]
    )
    angles = 2 * np.arctan2(np.linalg.norm(turned[..., 1:], axis=-1), np.abs(turned[..., 0]))
    assert angles.max() > 0.01
    np.testing.assert_allclose(angles[:, 1], 2 * angles[:, 0], atol=1e-4)
