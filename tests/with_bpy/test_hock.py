"""Legs with a hock: the third bone turns with root bone or end bone, as Blender evaluates the keyed pose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import radians
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.bake.chain import undecided
from bl_ext.user_default.two_bone_ik.blender.live import state
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import State, limb_states
from bl_ext.user_default.two_bone_ik.blender.status.overlay import guides
from bpy.types import Object, PropertyGroup

from support import rigs
from support.rigify import generated, metarig
from support.truth import on_frame

FRAMES = (1, 8)
EVERY = range(FRAMES[0], FRAMES[1] + 1)
CLOSE = 1e-5
"""Metres and radians, on a leg of some two metres: single precision, after the products of five matrices."""

LEG = (
    rigs.Bone("spine", (0, 0.5, 2), (0, 0, 2)),
    rigs.Bone("thigh", (0, 0, 2), (0.05, -0.3, 1.3), "spine", 0.2),
    rigs.Bone("shin", (0.05, -0.3, 1.3), (-0.05, 0.35, 0.75), "thigh", -0.4),
    rigs.Bone("hock", (-0.05, 0.35, 0.75), (0.1, 0.1, 0.1), "shin", 1.0),
    rigs.Bone("toe", (0.1, 0.1, 0.1), (0.1, -0.1, 0.0), "hock"),
)
"""A hind leg that lies in no plane."""

BOTH = pytest.mark.parametrize("hock", ["RIGID", "PARALLEL"])
TIPS = pytest.mark.parametrize("tip_bone", ["toe", ""])

PATH = {1: (0.1, 0.1, 0.3), 4: (0.3, 0.6, 0.5), 8: (-0.1, -0.5, 0.35)}
"""Of the target, within reach."""


def leg(hock: str = "PARALLEL", *, tip_bone: str = "toe", name: str = "Rig", **fields: object) -> PropertyGroup:
    """The chain of a leg whose target goes along `PATH`; scale is inherited aligned."""
    rig = rigs.armature(LEG, name)
    for bone in rig.data.bones[2:]:
        bone.inherit_scale = "ALIGNED"
    fields = {"root_bone": "thigh", "tip_bone": tip_bone, "hock_bone": "hock", "hock": hock} | fields
    chain = rigs.chain(rig, "shin", target=PATH[1], **fields)
    rigs.animate(chain.target, location=PATH)
    bpy.context.scene.frame_end = FRAMES[1]
    return chain


def evaluated(rig: Object) -> Object:
    return rig.evaluated_get(bpy.context.evaluated_depsgraph_get())


def joints(rig: Object, tip_bone: str = "toe") -> np.ndarray:
    """(4, 3) root, knee, hock and tip in the world, as evaluated now."""
    found = evaluated(rig)
    bones = found.pose.bones
    tip = bones[tip_bone].head if tip_bone else bones["hock"].tail
    places = [*(bones[name].head for name in ("thigh", "shin", "hock")), tip]
    return np.array([found.matrix_world @ place for place in places])


def turn(rig: Object, name: str) -> np.ndarray:
    """(3, 3) how a bone is turned from rest in the armature, as evaluated now; its scale left out."""
    bone = evaluated(rig).pose.bones[name]
    posed, rest = (np.array(matrix.to_3x3().normalized()) for matrix in (bone.matrix, bone.bone.matrix_local))
    return posed @ rest.T


def angle(one: np.ndarray, other: np.ndarray) -> float:
    """Between two rotations, from the chord."""
    return 2 * float(np.arcsin(min(np.linalg.norm(one - other) / np.sqrt(8), 1)))


def sides(rig: Object, hock: str, tip_bone: str = "toe") -> np.ndarray:
    """(2, 3) at rest in the armature: what turns with the root bone, and what with the end bone."""
    bones = rig.data.bones
    tip = bones[tip_bone].head_local if tip_bone else bones["hock"].tail_local
    places = np.array([*(bones[name].head_local for name in ("thigh", "shin", "hock")), tip])
    a, b, c = np.diff(places, axis=0)
    return np.array((a + c, b) if hock == "PARALLEL" else (a, b + c))


def hinge_at_rest(rig: Object, hock: str) -> np.ndarray:
    normal = np.cross(*sides(rig, hock))
    return normal / np.linalg.norm(normal)


def assert_posed(chain: PropertyGroup, frames: Iterable[float] = EVERY, *, hock_angle: float = 0.0) -> None:
    """Tip on target, the third bone turned with its bone, and the end bone about the triangle's hinge alone.

    With the plane of the rest pose that leaves one pose of the leg but for its turn about the line to the target.
    """
    rig, hock = chain.id_data, chain.hock
    hinge = hinge_at_rest(rig, hock)
    for frame in frames:
        on_frame(frame)
        found = joints(rig, chain.tip_bone)
        np.testing.assert_allclose(found[3], chain.target.matrix_world.translation, atol=CLOSE)
        root, end, third = (turn(rig, name) for name in ("thigh", "shin", "hock"))
        carrier = root if hock == "PARALLEL" else end
        assert angle(carrier @ about(hinge, hock_angle), third) < CLOSE
        assert np.linalg.norm(root.T @ end @ hinge - hinge) < CLOSE


def about(axis: np.ndarray, turned: float) -> np.ndarray:
    """(3, 3) by Rodrigues' formula."""
    x, y, z = axis
    cross = np.array(((0, -z, y), (z, 0, -x), (-y, x, 0)))
    return np.eye(3) + np.sin(turned) * cross + (1 - np.cos(turned)) * cross @ cross


def keys(rig: Object) -> dict[tuple[str, int], list[float]]:
    return {
        (curve.data_path, curve.array_index): [key.co.y for key in curve.keyframe_points]
        for curve in versions.curves(rig)
    }


@BOTH
@TIPS
def test_third_bone_and_tip_are_where_the_hock_has_them(hock: str, tip_bone: str) -> None:
    chain = leg(hock, tip_bone=tip_bone)
    report = api.bake(chain.id_data, frames=FRAMES)
    assert_posed(chain)
    assert report.reached
    assert report.chains[0].measured.all()
    before = keys(chain.id_data)
    assert {path.split('"')[1] for path, _ in before} == {"thigh", "shin", "hock"}
    api.bake(chain.id_data, frames=FRAMES)
    after = keys(chain.id_data)
    for curve, values in before.items():
        np.testing.assert_allclose(after[curve], values, atol=1e-6)


@BOTH
def test_a_leg_of_a_rig_that_is_moved_turned_and_scaled_is_posed_alike(hock: str) -> None:
    chain = leg(hock, use_rotation=True)
    rig = chain.id_data
    rig.location, rig.rotation_euler, rig.scale = (3, -2, 1), (0.3, 1.0, -0.4), (1.5, 1.5, 1.5)
    rig.pose.bones["spine"].rotation_quaternion = (0.9, 0.2, -0.1, 0.3)
    rig.pose.bones["spine"].location = (0.1, 0, 0)
    chain.target.parent = rig
    chain.pole_target = rigs.empty("Pole", (2.0, -3.0, 2.0))
    assert api.bake(rig, frames=FRAMES).reached
    assert_posed(chain)
    for frame in EVERY:
        on_frame(frame)
        root, knee, shank, tip = joints(rig)
        corner = knee + tip - shank if hock == "PARALLEL" else knee
        aim, towards = tip - root, np.array(chain.pole_target.matrix_world.translation) - root
        normal = np.cross(aim, towards)
        assert abs((corner - root) @ normal) < 1e-4 * np.linalg.norm(normal)
        assert np.cross(aim, corner - root) @ normal > 0
        toe, target = (np.array(matrix.to_3x3().normalized()) for matrix in _turned(rig, chain))
        assert angle(toe, target) < 1e-4


def _turned(rig: Object, chain: PropertyGroup) -> Sequence[object]:
    found = evaluated(rig)
    return found.matrix_world @ found.pose.bones["toe"].matrix, chain.target.matrix_world


def test_rigid_is_a_chain_with_the_toe_as_tip_bone() -> None:
    chain = leg("RIGID")
    api.bake(chain.id_data, frames=FRAMES)
    other = leg("RIGID", name="Other", hock_bone="")
    api.bake(other.id_data, frames=FRAMES)
    found, plain = keys(chain.id_data), keys(other.id_data)
    for curve, values in plain.items():
        np.testing.assert_allclose(found[curve], values, atol=1e-9)
    third = np.array([found['pose.bones["hock"].rotation_quaternion', index] for index in range(4)])
    np.testing.assert_allclose(third, np.tile([[1], [0], [0], [0]], len(EVERY)), atol=1e-7)


@BOTH
def test_the_hock_angle_turns_the_third_bone_first(hock: str) -> None:
    chain = leg(hock)
    chain.hock_angle = 0.3
    assert api.bake(chain.id_data, frames=FRAMES).reached
    assert_posed(chain, hock_angle=0.3)
    rigs.animate(chain.id_data.pose.bones["shin"], two_bone_ik_hock_angle={1: 0.0, 5: 0.4})
    api.bake(chain.id_data, frames=FRAMES)
    assert_posed(chain, [1], hock_angle=0.0)
    assert_posed(chain, [5, 6], hock_angle=0.4)


@BOTH
@pytest.mark.parametrize("inherit", ["ALIGNED", "NONE"])
def test_a_stretch_scales_the_third_bone_with_the_one_it_turns_with(hock: str, inherit: str) -> None:
    chain = leg(hock, unreachable="STRETCH", softness=0.1)
    rig = chain.id_data
    rigs.animate(chain.target, location={1: (0.1, 0.1, 0.3), 4: (0.3, 1.6, -0.9), 8: (-0.1, -2.5, 1.35)})
    for name in ("shin", "hock", "toe"):
        rig.data.bones[name].inherit_scale = inherit
    lengths = [rig.data.bones[name].length for name in ("thigh", "shin", "hock")]
    assert api.bake(rig, frames=FRAMES).reached
    assert_posed(chain)
    on_frame(8)
    factors = np.linalg.norm(np.diff(joints(rig), axis=0), axis=-1) / lengths
    assert factors.min() > 1.1
    np.testing.assert_allclose(factors[2], factors[0 if hock == "PARALLEL" else 1], atol=CLOSE)


@BOTH
def test_solve_live_and_drag_pose_the_leg_as_the_bake_does(hock: str) -> None:
    chain = leg(hock)
    rig = chain.id_data
    api.bake(rig, frames=FRAMES)
    baked = {}
    for frame in EVERY:
        on_frame(frame)
        baked[frame] = joints(rig)
    rig.animation_data_clear()
    on_frame(6)
    assert api.solve(rig).reached
    bpy.context.view_layer.update()
    np.testing.assert_allclose(joints(rig), baked[6], atol=CLOSE)
    rig.two_bone_ik_live = True
    for frame in (2, 7, 3):
        on_frame(frame)
        np.testing.assert_allclose(joints(rig), baked[frame], atol=CLOSE)
        assert limb_states(rig, bpy.context.scene, bpy.context.view_layer.depsgraph)["shin"].state == State.REACHED
    rig.two_bone_ik_live = False
    pull = api.drag(rig, "shin")
    pull.to((0.2, 0.3, 0.4))
    bpy.context.view_layer.update()
    np.testing.assert_allclose(joints(rig)[3], (0.2, 0.3, 0.4), atol=CLOSE)
    assert angle(turn(rig, "hock"), turn(rig, "thigh" if hock == "PARALLEL" else "shin")) < CLOSE
    pull.restore()


@BOTH
@pytest.mark.parametrize("part", [0.0, 0.5])
def test_influence_leaves_a_part_of_the_own_pose(hock: str, part: float) -> None:
    chain = leg(hock)
    rig = chain.id_data
    own, solved = [], []
    for name, turned in (("thigh", (0.95, 0.1, 0.2, 0)), ("shin", (0.9, -0.2, 0, 0.1)), ("hock", (0.8, 0.3, 0, 0.2))):
        rig.pose.bones[name].rotation_quaternion = turned
        own.append(rig.pose.bones[name].rotation_quaternion.normalized().to_matrix())
    start = {name: rig.pose.bones[name].rotation_quaternion.copy() for name in ("thigh", "shin", "hock")}
    api.solve(rig)
    solved = [rig.pose.bones[name].rotation_quaternion.to_matrix() for name in start]
    for name, values in start.items():
        rig.pose.bones[name].rotation_quaternion = values
    chain.influence = part
    bpy.context.view_layer.update()
    api.solve(rig)
    for name, one, other in zip(start, own, solved, strict=True):
        found = np.array(rig.pose.bones[name].rotation_quaternion.to_matrix())
        whole = angle(np.array(one), np.array(other))
        assert angle(np.array(one), found) == pytest.approx(part * whole, abs=1e-3)


@BOTH
def test_reduced_keys_hold_their_tolerance_at_knee_hock_and_tip(hock: str) -> None:
    chain = leg(hock)
    rig, frames = chain.id_data, np.arange(1, 8.01, 0.25)
    api.bake(rig, frames=(1, 8, 0.25))
    every = []
    for frame in frames:
        on_frame(frame)
        every.append(joints(rig))
    api.bake(rig, frames=FRAMES, keys="REDUCED", tolerance=0.002)
    for frame, right in zip(frames, every, strict=True):
        on_frame(frame)
        assert np.linalg.norm(joints(rig) - right, axis=-1).max() < 0.002 + CLOSE
    assert len(rigs.keys(rig.pose.bones["hock"])) < 8


@BOTH
@TIPS
def test_targets_from_the_pose_keep_the_leg(hock: str, tip_bone: str) -> None:
    chain = leg(hock, tip_bone=tip_bone, pole_target=rigs.empty("Pole", (1.0, -3.0, 2.0)))
    rig = chain.id_data
    api.bake(rig, frames=FRAMES)
    pose = []
    for frame in EVERY:
        on_frame(frame)
        pose.append(joints(rig, tip_bone))
    chain.target.animation_data_clear()
    chain.target.location = chain.pole_target.location = (9, 9, 9)
    report = api.bake_targets(rig, frames=FRAMES)
    assert report.reached
    api.bake(rig, frames=FRAMES)
    for frame, right in zip(EVERY, pose, strict=True):
        on_frame(frame)
        np.testing.assert_allclose(joints(rig, tip_bone), right, atol=2 * CLOSE)


def test_a_pose_that_the_hock_does_not_allow_is_told_by_bake_from_pose() -> None:
    chain = leg("PARALLEL")
    rig = chain.id_data
    rigs.animate(rig.pose.bones["hock"], rotation_quaternion={1: (1, 0, 0, 0), 8: (0.9, 0.4, 0, 0)})
    notes = api.bake_targets(rig, frames=FRAMES).notes
    assert any("does not keep its pose on 7 frames (2-8)" in note for note in notes)


def test_the_overlay_shows_knee_and_hock() -> None:
    chain = leg("PARALLEL")
    rig = chain.id_data
    on_frame(4)
    api.solve(rig)
    bpy.context.view_layer.update()
    now = bpy.context.scene, bpy.context.view_layer.depsgraph
    found = limb_states(rig, *now)["shin"]
    np.testing.assert_allclose(found.joints, joints(rig), atol=CLOSE)
    other = np.array(guides(state.update(rig, *now), "shin").other)
    shown = joints(rig)
    np.testing.assert_allclose(other[[0, 3]], shown[[0, 3]], atol=CLOSE)
    for links in (other, shown):
        lengths = np.linalg.norm(np.diff(links, axis=0), axis=-1)
        rest = [rig.data.bones[name].length for name in ("thigh", "shin", "hock")]
        np.testing.assert_allclose(lengths, rest, atol=CLOSE)
    api.flip_bend(rig)
    bpy.context.view_layer.update()
    np.testing.assert_allclose(joints(rig), other, atol=CLOSE)


def test_against_the_knee_the_side_is_asked_for() -> None:
    """A third bone that is longer than the thigh and leads backwards: the triangle bends where the knee does not."""
    chain = leg("PARALLEL")
    rig = chain.id_data
    assert undecided(rig, chain) is None
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    bones["hock"].tail = bones["toe"].head = (0.1, 2.4, 1.6)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert undecided(rig, chain) > radians(3)
    assert any("against the knee" in line for line in api.check(rig, frames=FRAMES).notes)
    api.decide_side(rig, axis="NEG_X")
    assert undecided(rig, chain) is None


def _not_below(chain: PropertyGroup) -> None:
    chain.hock_bone = "spine"


def _no_bone(chain: PropertyGroup) -> None:
    chain.hock_bone = "hok"


def _not_above(chain: PropertyGroup) -> None:
    chain.tip_bone = "hock"


def _pinned(chain: PropertyGroup) -> None:
    chain.pole_target, chain.pole_pin = rigs.empty("Pole"), 0.5


def _sheared(chain: PropertyGroup) -> None:
    chain.unreachable, chain.id_data.data.bones["hock"].inherit_scale = "STRETCH", "FULL"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_not_below, 'Hock bone "spine" of "Rig" is not below end bone "shin": choose one of its children'),
        (_no_bone, 'no bone "hok": choose its hock bone; the nearest is "hock"'),
        (_not_above, 'Hock bone "hock" of "Rig" is not above tip bone "hock"'),
        (_pinned, "set Hock to Rigid, or Pin to Pole to 0"),
        (_sheared, 'Stretch would shear bone "hock"'),
    ],
)
def test_what_makes_no_leg_is_refused(change: object, sentence: str) -> None:
    chain = leg("PARALLEL")
    change(chain)
    with pytest.raises(api.Refused, match=sentence):
        api.bake(chain.id_data, frames=FRAMES)


def test_setup_files_and_renamed_bones_keep_the_hock(tmp_path: Path) -> None:
    chain = leg("RIGID")
    chain.hock_angle = 0.25
    path = tmp_path / "leg.toml"
    api.save_setup(chain.id_data, path)
    other = rigs.armature(LEG, "Other")
    api.apply_setup(other, api.load_setup(path))
    (taken,) = other.two_bone_ik_chains
    assert (taken.hock_bone, taken.hock, other.pose.bones["shin"].two_bone_ik_hock_angle) == ("hock", "RIGID", 0.25)
    other.pose.bones["hock"].name = "cannon"
    api.solve(other)
    assert taken.hock_bone == "cannon"


PARTS = ("thigh", "lower_leg", "hind_foot", "r_toe")
STEPS = range(1, 32)


@pytest.fixture
def horse() -> Object:
    """The generated rig of Rigify's horse, which steps with one hind leg by IK that stretches no bone."""
    rig = generated("horse")
    bones = rig.pose.bones
    for bone in bones:
        bone.ik_stretch = 0.0
    for frame in STEPS[::3]:
        phase = 2 * np.pi * frame / 30
        step = (0, 0.2 * np.sin(phase), 0.05 + 0.05 * np.cos(phase))
        rigs.animate(bones["hind_foot_ik.L"], location={frame: step})
        rigs.animate(bones["torso"], location={frame: (0, 0, -0.04 + 0.02 * np.cos(2 * phase))})
    return rig


def shown(rig: Object) -> tuple[np.ndarray, np.ndarray]:
    """(n, 4, 3) heads of the bones that show the leg, and (n, 3, 3) the third bone, on all steps."""
    heads, thirds = [], []
    for frame in STEPS:
        on_frame(frame)
        bones = evaluated(rig).pose.bones
        heads.append([bones[f"ORG-{part}.L"].head.copy() for part in PARTS])
        thirds.append(bones["ORG-hind_foot.L"].matrix.to_3x3().normalized())
    return np.array(heads), np.array(thirds)


@pytest.mark.parametrize(("hock", "fits"), [("PARALLEL", True), ("RIGID", False)])
def test_a_horse_that_walks_by_ik_has_the_leg_that_is_parallel(horse: Object, hock: str, fits: bool) -> None:
    """Rigify finds its hock by three iterative solvers, one upon the other; ours by one triangle."""
    api.add_detected(horse)
    chain = horse.two_bone_ik_chains["Hind Leg.L"]
    assert (chain.hock_bone, chain.tip_bone, chain.subtarget) == ("hind_foot_fk.L", "r_toe_fk.L", "MCH-r_toe_ik_out.L")
    chain.hock = hock
    heads, thirds = shown(horse)
    assert api.bake(horse, [chain.name], frames=(STEPS[0], STEPS[-1])).reached
    horse.pose.bones["thigh_parent.L"]["IK_FK"] = 1.0
    horse.update_tag()
    found, found_thirds = shown(horse)
    length = np.linalg.norm(np.diff(heads[0], axis=0), axis=-1).sum()
    knee, hocks, tip = (np.linalg.norm(found - heads, axis=-1).max(axis=0) / length)[1:]
    off = max(angle(*pair) for pair in zip(found_thirds, thirds, strict=True))
    assert tip < CLOSE
    assert bool(knee < 1e-3 and hocks < 2e-3 and off < radians(0.2)) is fits


HOCKS = {"horse": ("hind_foot", "r_toe"), "cat": ("foot", "r_toe"), "wolf": ("foot", "toe")} | {
    "basic_quadruped": ("foot", "toe"),
    "human": (),
    "bird": (),
}


@pytest.mark.parametrize("name", HOCKS)
def test_only_hind_legs_of_animals_are_found_with_a_hock(name: str) -> None:
    found = {limb.name: limb for limb in api.detect(metarig(name)) if limb.hock_bone}
    bones = HOCKS[name]
    assert {limb: (found[limb].hock_bone, found[limb].tip_bone) for limb in found} == (
        {f"Hind Leg.{side}": tuple(f"{bone}.{side}" for bone in bones) for side in "LR"} if bones else {}
    )
    assert all("as in a leg with a hock" in limb.why for limb in found.values())


def test_a_planted_paw_has_a_ball_and_no_heel() -> None:
    """The third bone keeps the angle to the shin that was captured; the paw stands where it was put down."""
    chain = leg("PARALLEL")
    rig = chain.id_data
    chain.name = "Hind Leg"
    rigs.animate(chain.target, location={1: (0.1, 0.0, 0.1), 4: (0.1, 0.02, 0.1), 8: (0.12, -0.02, 0.1)})
    api.bake(rig, frames=FRAMES)
    ball = ("toe", (0.0, rig.data.bones["toe"].length, 0.0))
    contact = api.Contact("Hind Leg", 2, 7, *ball)
    thirds = rigs.keys(rig.pose.bones["hock"])
    assert {found[3:] for found in api.contacts(rig, ["Hind Leg"], frames=FRAMES)} == {ball}
    api.plant(rig, ["Hind Leg"], frames=FRAMES, contacts=[contact])
    places = []
    for frame in range(2, 8):
        on_frame(frame)
        places.append(evaluated(rig).pose.bones["toe"].tail.copy())
    assert np.ptp(np.array(places), axis=0).max() < 1e-4
    assert rigs.keys(rig.pose.bones["hock"]) == thirds
