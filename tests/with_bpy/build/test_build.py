"""Limbs that are built into the rig, against geometry over what Blender evaluates, without a key and without Live."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import file_data, rigs
from support.built import CLOSE, FRAMES, assert_as_baked, carried, poses, scatter
from support.refused import refused
from support.truth import Limb, on_frame

POLE = (0.3, 3.0, 1.4)


@pytest.mark.parametrize(
    ("scale", "pole", "mirrored"),
    [
        (0.3, None, True),
        (0.3, POLE, False),
        (1.0, None, False),
        (1.0, POLE, True),
        (5.0, None, True),
        (5.0, POLE, True),
    ],
)
def test_a_built_limb_follows_its_target_as_geometry_says(scale: float, pole: object, mirrored: bool) -> None:
    rigs.arm(pole=pole)
    rig = bpy.data.objects["Rig"]
    scatter(bpy.data.objects["Target"], seed=1)
    if pole:
        scatter(bpy.data.objects["Pole"], seed=2)
    carried(rig, scale, mirrored=mirrored)
    report = api.build(rig)
    assert report.posed, report.lines()
    assert Limb(pole="Pole" if pole else "").misses(FRAMES).max() < CLOSE


OPTIONS = [
    {"plane": "AIM", "bend": "NEGATIVE"},
    {"plane": "AIM", "softness": 0.3},
    {"plane": "REST"},
    {"plane": "REST", "bend": "NEGATIVE", "softness": 0.2},
    {"bend": "NEGATIVE"},
    {"bend": "POSITIVE", "pole_angle": 0.7},
    {"softness": 0.15, "pole_angle": -2.5},
    {"pole_influence": 0.4, "pole_angle": 1.5},
    {"pole_influence": 0.7},
    {"influence": 0.35},
    {"unreachable": "STRETCH", "max_stretch": 1.4},
    {"unreachable": "STRETCH", "softness": 0.2, "influence": 0.6},
    {"plane": "REST", "unreachable": "STRETCH", "softness": 0.2},
    {"influence": 0.0},
    {"use_bend_limits": True, "bend_min": 0.4, "bend_max": 2.0},
    {"use_bend_limits": True, "bend_min": -1.5, "bend_max": -0.2, "softness": 0.2},
    {"hinge_axis": "NEG_X"},
    {"hinge_axis": "Z", "plane": "AIM"},
    {"hinge_axis": "NEG_X", "unreachable": "STRETCH", "max_stretch": 1.5},
]


@pytest.mark.parametrize(
    ("options", "straight"),
    # What a rest pose that is straight does not decide, planes and axes, and of all others every second.
    [(each, False) for each in OPTIONS]
    + [(each, True) for number, each in enumerate(OPTIONS) if {"plane", "hinge_axis"} & {*each} or number % 2],
    ids=str,
)
def test_a_built_limb_is_posed_as_the_solver_poses_it(options: dict[str, object], straight: bool) -> None:
    bones = (rigs.Bone("spine", (0, 0, 0), (0, 0, 1)), rigs.Bone("upper", (0, 0, 1), (1, 0, 1), "spine", 0.4))
    bones += (rigs.Bone("lower", (1, 0, 1), (1.8, 0, 1), "upper", 0.9),)
    rig = rigs.armature(bones if straight else rigs.ARM)
    pole = None if options.get("plane") in ("REST", "AIM") else (0.3, 3.0, 1.4)
    rigs.chain(rig, "lower", target=(1.2, 0.6, 1.3), pole=pole, **options)
    for number, item in enumerate(filter(None, map(bpy.data.objects.get, ("Target", "Pole")))):
        scatter(item, seed=number)
    carried(rig, 1.7)
    rig.data.bones["lower"].inherit_scale = "ALIGNED"
    for number, bone in enumerate(("upper", "lower")):
        turn = np.random.default_rng(number).normal(size=4)
        rig.pose.bones[bone].rotation_quaternion = turn / np.linalg.norm(turn)
    assert_as_baked(rig, "upper", "lower")


@pytest.mark.parametrize("inherit", ["NONE", "ALIGNED", "AVERAGE", "NONE_LEGACY"])
def test_a_limb_stretches_however_its_end_inherits_scale(inherit: str) -> None:
    rigs.arm(unreachable="STRETCH", max_stretch=3.0)
    rig = bpy.data.objects["Rig"]
    rig.data.bones["lower"].inherit_scale = inherit
    scatter(bpy.data.objects["Target"], seed=3, reach=4.0)
    carried(rig, 0.7)
    assert_as_baked(rig, "upper", "lower", "hand", close=3 * CLOSE)


def test_a_limb_blends_from_the_length_of_its_own_pose() -> None:
    rigs.arm(unreachable="STRETCH", influence=0.4)
    rig = bpy.data.objects["Rig"]
    rig.data.bones["lower"].inherit_scale = "ALIGNED"
    rig.pose.bones["upper"].scale.y = 0.7
    report, lengths = api.build(rig), []
    assert not report.posed, "a bake takes such a length for that of an earlier bake"
    for part in (0.0, 0.4, 1.0):
        rig.pose.bones["lower"]["IK"] = part
        rig.update_tag()
        bpy.context.view_layer.update()
        lengths.append(rig.pose.bones["upper"].length)
    own, blended, solved = lengths
    assert own == pytest.approx(0.7 * solved, rel=1e-5)
    assert blended == pytest.approx(0.6 * own + 0.4 * solved, rel=1e-5)


@pytest.mark.parametrize(
    ("mirrored", "options", "goal"),
    [
        *((False, options, "") for options in ({}, {"rotation_influence": 0.3}, {"influence": 0.4})),
        *((True, options, "goal") for options in ({}, {"rotation_influence": 0.3}, {"influence": 0.4})),
        (True, {}, ""),
        (False, {}, "goal"),
    ],
    ids=str,
)
def test_the_hand_follows_the_rotation_of_the_target(mirrored: bool, options: dict[str, float], goal: str) -> None:
    rig = rigs.armature((*rigs.ARM, rigs.Bone("goal", (1.2, 0.6, 1.3), (1.2, 0.9, 1.5))))
    target = rig if goal else rigs.empty("Target")
    api.add_chain(rig, "lower", tip_bone="hand", target=target, subtarget=goal, use_rotation=True, **options)
    turning = rig.pose.bones["goal"] if goal else target
    turning.rotation_mode = "XYZ"
    rigs.animate(turning, rotation_euler={1: (0, 0, 0), 40: (2.0, 1.0, -3.0)})
    if goal:
        rigs.animate(turning, location={1: (0, 0, 0), 40: (-0.6, 0.5, -0.3)})
        rigs.empty("Target")
    else:
        scatter(target, seed=4)
    carried(rig, 1.2, mirrored=mirrored)
    if mirrored and not goal:
        with pytest.raises(api.Refused, match="object is mirrored on frame 1: let a bone of"):
            api.build(rig)
        return
    assert_as_baked(rig, "upper", "lower", "hand", close=3 * CLOSE)


@pytest.mark.parametrize("bones", [rigs.ARM, rigs.ARM[1:]], ids=["on a spine", "on its own"])
def test_a_built_limb_follows_its_pole_when_bones_are_renamed(bones: Sequence[rigs.Bone]) -> None:
    rig = rigs.armature(bones)
    rigs.chain(rig, "lower", target=(1.2, 0.6, 1.3), pole=(0.3, 3.0, 1.4))
    bpy.context.scene.frame_end = FRAMES[-1]
    scatter(bpy.data.objects["Target"], seed=1)
    scatter(bpy.data.objects["Pole"], seed=2)
    rig.scale.x = -1.0
    api.build(rig)
    for name in {"spine", "hand", "IK-aim-upper", "IK-base-upper"} & set(rig.data.bones.keys()):
        rig.data.bones[name].name = f"{name} renamed"
    assert Limb(pole="Pole").misses(FRAMES).max() < CLOSE
    assert api.unbuild(bpy.data.objects["Rig"]).notes
    assert len(bpy.data.objects["Rig"].data.bones) == len(bones)


def test_built_again_and_removed_nothing_is_left() -> None:
    options = {"tip_bone": "hand", "use_rotation": True, "softness": 0.2, "pole_angle": 1.0}
    chain = rigs.arm(pole=POLE, **options)
    rig = bpy.data.objects["Rig"]
    for bone in ("lower", "hand"):
        rig.data.bones[bone].inherit_scale = "ALIGNED"
    chain.unreachable = "STRETCH"
    bpy.context.view_layer.update()
    before = file_data.dump()
    api.build(rig)
    first = file_data.dump()
    api.build(rig)
    assert file_data.changed(first) == set()
    chain.softness = 0.1
    api.build(rig)
    assert rig.pose.bones["lower"]["Softness"] == pytest.approx(0.1)
    chain.softness = 0.2
    api.unbuild(rig)
    assert not {"IK", "Softness", "Stretch", "Pole Angle"} & set(rig.pose.bones["lower"].keys())
    assert file_data.changed(before) == set()


def test_two_chains_of_one_armature_are_built_together() -> None:
    sides, bones = {"L": 1.0, "R": -1.0}, [rigs.Bone("hips", (0, 0, 2), (0, 0, 2.5))]
    for side, x in sides.items():
        bones.append(rigs.Bone(f"thigh.{side}", (x, 0, 2), (x, -0.1, 1), "hips"))
        bones.append(rigs.Bone(f"shin.{side}", (x, -0.1, 1), (x, 0, 0), f"thigh.{side}"))
    rig = rigs.armature(bones)
    for side, x in sides.items():
        target = rigs.empty(f"Foot.{side}")
        scatter(target, seed=len(bpy.data.objects), shoulder=(x, 0, 2))
        api.add_chain(rig, f"shin.{side}", target=target)
    bpy.context.scene.frame_end = FRAMES[-1]
    on_frame(1)
    before = file_data.dump()
    api.build(rig)
    for side in "LR":
        limb = Limb(root=f"thigh.{side}", end=f"shin.{side}", target=f"Foot.{side}")
        assert limb.misses(FRAMES).max() < CLOSE
    assert len(api.unbuild(bpy.data.objects["Rig"], ["shin.L"]).notes) == 1
    assert [bone.name for bone in bpy.data.objects["Rig"].pose.bones if "IK" in bone] == ["shin.R"]
    assert Limb(root="thigh.R", end="shin.R", target="Foot.R").misses(FRAMES).max() < CLOSE
    api.unbuild(bpy.data.objects["Rig"])
    on_frame(1)
    assert file_data.changed(before) == set()


def test_all_drivers_play_without_python() -> None:
    rigs.arm(pole=(0.3, 3.0, 1.4), softness=0.1, pole_angle=0.3, pole_influence=0.5, use_bend_limits=True, bend_max=2.0)
    rig = bpy.data.objects["Rig"]
    api.build(rig)
    drivers = [curve.driver for curve in rig.animation_data.drivers]
    assert len(drivers) == 7
    assert all(driver.is_simple_expression and driver.is_valid for driver in drivers)


def test_properties_are_on_a_target_bone_and_can_be_overridden() -> None:
    bones = (*rigs.ARM, rigs.Bone("goal", (1.2, 0.6, 1.3), (1.2, 0.6, 1.5)))
    rig = rigs.armature(bones)
    api.add_chain(rig, "lower", target=rig, subtarget="goal", softness=0.2)
    api.build(rig)
    goal = rig.pose.bones["goal"]
    assert (goal["IK"], goal["Softness"]) == (1.0, pytest.approx(0.2))
    assert goal.id_properties_ui("IK").as_dict()["max"] == 1.0
    assert goal.is_property_overridable_library('["IK"]')
    assert Limb(target="Rig", subtarget="goal").misses([1]).max() < CLOSE


def test_the_switch_lets_the_bones_be_posed_by_themselves() -> None:
    rigs.arm()
    rig = bpy.data.objects["Rig"]
    own = poses("upper", "lower")
    api.build(rig)
    assert np.abs(poses("upper", "lower") - own).max() > 0.1
    rig.pose.bones["lower"]["IK"] = 0.0
    rig.update_tag()
    np.testing.assert_array_equal(poses("upper", "lower"), own)


def scaled(bone: str, *scale: float) -> Callable[[Object], None]:
    """A bone of this name, or the object itself, has this scale."""
    return lambda rig: setattr(rig.pose.bones[bone] if bone else rig, "scale", scale)


def unscaled_end(rig: Object) -> None:
    rig.data.bones["lower"].inherit_scale = "NONE"
    rig.pose.bones["spine"].scale = (1.5, 1.5, 1.5)


def moved_root(rig: Object) -> None:
    rigs.animate(rig.pose.bones["upper"], location={1: (0, 0, 0), 5: (0.1, 0, 0)})


def moved_end(rig: Object) -> None:
    rig.pose.bones["lower"].location = (0.1, 0, 0)


def constrained_end(rig: Object) -> None:
    rig.pose.bones["lower"].constraints.new("LIMIT_ROTATION").name = "Limit"


def other_ik(rig: Object) -> None:
    rig.pose.bones["hand"].constraints.new("IK").name = "Other"


def driven_root(rig: Object) -> None:
    rig.pose.bones["upper"].driver_add("rotation_quaternion", 1)


def shared(rig: Object) -> None:
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Twin", rig.data))


def hanging_target(rig: Object) -> None:
    target = bpy.data.objects["Target"]
    target.parent, target.parent_type, target.parent_bone = rig, "BONE", "lower"


def own_property(rig: Object) -> None:
    rig.pose.bones["lower"]["IK"] = 3.0


def keyed_option(rig: Object) -> None:
    rig.pose.bones["lower"].keyframe_insert("two_bone_ik_softness", frame=1)


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (scaled("spine", 1.0, 1.05, 1.0), "is scaled unevenly on frame 1, along one axis 0.9524 times"),
        (scaled("", 1.0, 1.0, 1.3), "is scaled unevenly on frame 1, along one axis 0.7692 times"),
        (scaled("spine", 1.0, -1.0, 1.0), "A bone above chain .* is mirrored on frame 1"),
        (unscaled_end, "or do not inherit the scale above: .* let them inherit that scale"),
        (moved_root, "are moved or scaled themselves on frame 2"),
        (scaled("upper", 1.2, 1.2, 1.2), "are moved or scaled themselves on frame 1"),
        (moved_end, "are moved or scaled themselves on frame 1"),
        (scaled("lower", 1.0, 1.0, -1.0), "are moved or scaled themselves on frame 1"),
        (constrained_end, 'while constraint "Limit" of bone "lower" moves its bones'),
        (other_ik, 'while constraint "Other" of bone "hand" moves its bones'),
        (driven_root, 'while a driver turns bone "upper"'),
        (shared, 'armature "Rig" with "Twin"|shares'),
        (hanging_target, "moves its own target"),
        (own_property, 'bone "lower" has a custom property "IK" of its own'),
        (keyed_option, "has keys or a driver on Softness"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_cannot_be_built_is_refused_and_nothing_changes(spoil: Callable[[Object], None], sentence: str) -> None:
    rigs.arm()
    rig = bpy.data.objects["Rig"]
    spoil(rig)
    with refused(match=sentence):
        api.build(rig)


@pytest.mark.parametrize("unreachable", ["STRETCH", "CLAMP"])
@pytest.mark.parametrize(("moved", "bone"), [("lower", "upper"), ("hand", "lower")])
def test_joints_beside_a_bone_are_built_unless_it_stretches(moved: str, bone: str, unreachable: str) -> None:
    chain = rigs.arm(tip_bone="hand", unreachable=unreachable)
    rig = chain.id_data
    for name in ("lower", "hand"):
        rig.data.bones[name].inherit_scale = "ALIGNED"
    with rigs.editing(rig) as bones:
        bones[moved].use_connect = False
        bones[moved].head.x += 0.01
    if unreachable == "STRETCH":
        with refused(match=f'the joint after bone "{bone}" is not on the axis of that bone: set .* to Closest Pose'):
            api.build(rig, frames=(1, 2))
    else:
        assert api.build(rig, frames=(1, 2), measure="ALL").posed


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"bend": "NEAREST"}, "has Bend Nearest, which no .* gives: set it to Rest, Positive, Negative"),
        ({"unreachable": "HOLD"}, "has Out of Reach Hold, .*: set it to Closest Pose, Stretch"),
        ({"reference": "POSE"}, "has Reference Current Pose"),
        ({"use_extension_limit": True}, "has Limit Extension on"),
        ({"pole_smoothing": 0.5}, "has Pole Smoothing 0.5"),
        ({"pole_pin": 0.5}, "has Pin to Pole 0.5"),
    ],
    ids=str,
)
def test_options_that_cannot_be_built_are_named(options: dict[str, object], sentence: str) -> None:
    rigs.arm(pole=(0.3, 3.0, 1.4), **options)
    bpy.data.objects["Rig"].data.bones["lower"].inherit_scale = "ALIGNED"
    with refused(match=sentence):
        api.build(bpy.data.objects["Rig"])


@pytest.mark.versions
def test_the_limb_is_exact_within_a_hair_of_its_rest_pose() -> None:
    rigs.arm(pole=(1.0, 0.5, 1.0))
    rig, target, pole = (bpy.data.objects[name] for name in ("Rig", "Target", "Pole"))
    rest = rig.data.bones["lower"].tail_local
    random = np.random.default_rng(7)
    for frame in FRAMES:
        for item, place in ((target, rest), (pole, (1.0, 0.5, 1.0))):
            item.location = np.array(place) + 10.0 ** random.uniform(-6, -3) * random.normal(size=3)
            item.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_end = FRAMES[-1]
    api.build(rig)
    misses = Limb(pole="Pole").misses(FRAMES)
    assert misses.max() < CLOSE


def test_a_limb_comes_back_after_it_was_scaled_to_nothing() -> None:
    rigs.arm(softness=0.2)
    rig = bpy.data.objects["Rig"]
    api.build(rig)
    bpy.context.view_layer.update()
    before = poses("upper", "lower")
    for scale in (0.0, 1.0):
        rig.scale = (scale,) * 3
        bpy.context.view_layer.update()
    np.testing.assert_allclose(poses("upper", "lower"), before, atol=1e-6)
