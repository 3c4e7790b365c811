"""Pin to Pole: elbow and tip, as Blender evaluates them, rest on pole target and target; what cannot be is refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.live import state
from bl_ext.user_default.two_bone_ik.blender.status.guides import guides
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import limb_states
from bpy.types import Object, PropertyGroup
from mathutils import Matrix, Vector

from support import rigs
from support.refused import refused
from support.truth import Limb, on_frame

FRAMES = (1, 12)
POLE = (0.55, 0.75, 1.4)
CLOSE = 1e-5
"""Metres, on an arm of some two: single precision, after the products of four matrices."""

WITH_HAND = Limb(tip="hand")
LIMB = ("upper", "lower")

TWISTED = (
    rigs.ARM[0],
    rigs.Bone("upper", (0, 0, 1), (0.5, 0.1, 1), "spine"),
    rigs.Bone("twist", (0.5, 0.1, 1), (1, 0.2, 1), "upper"),
    rigs.ARM[2]._replace(parent="twist"),
    rigs.ARM[3],
)
"""The arm with a bone between the two."""


def pinned_arm(pin: float = 1.0, *, bones: Sequence[rigs.Bone] = rigs.ARM, **fields: object) -> PropertyGroup:
    """An arm whose target goes through its reach, pinned to an empty "Pole"; scale is inherited aligned."""
    rig = rigs.armature(bones)
    for bone in rig.data.bones[2:]:
        bone.inherit_scale = "ALIGNED"
    fields = {"root_bone": "upper", "tip_bone": "hand"} | fields
    chain = rigs.chain(rig, "lower", target=(1.2, 0.6, 1.3), pole=POLE, **fields)
    chain.pole_pin, chain.max_stretch = pin, 2.0
    rigs.animate(chain.target, location={1: (1.2, 0.6, 1.3), 6: (1.3, -0.2, 0.9), 12: (1.3, 1.0, 1.9)})
    bpy.context.scene.frame_end = FRAMES[1]
    return chain


EVERY = range(FRAMES[0], FRAMES[1] + 1)


def joints(frames: Iterable[float] = EVERY) -> np.ndarray:
    """(n, 3, 3) root, mid and tip as evaluated."""
    return WITH_HAND.played(frames)


def scales(rig: Object) -> np.ndarray:
    """(n, 2) the parts of their rest lengths that both bones have, from the joints alone."""
    upper, lower, hand = (np.array(rig.data.bones[name].head_local) for name in ("upper", "lower", "hand"))
    return np.linalg.norm(np.diff(joints(), axis=1), axis=-1) / np.linalg.norm((lower - upper, hand - lower), axis=-1)


def test_an_elbow_rests_on_its_pole_and_the_hand_on_its_target() -> None:
    chain = pinned_arm()
    report = api.bake(chain.id_data, frames=FRAMES)
    np.testing.assert_allclose(joints()[:, 1], np.tile(POLE, (12, 1)), atol=CLOSE)
    assert WITH_HAND.offs(EVERY).max() < CLOSE
    told = report.chains[0]
    assert report.reached
    assert told.measured.all()
    assert not told.off_pole.any()
    shown = scales(chain.id_data)
    np.testing.assert_allclose(told.stretch, shown.max(axis=1), atol=CLOSE)
    np.testing.assert_allclose(told.least_stretch, shown.min(axis=1), atol=CLOSE)


@pytest.mark.parametrize(
    ("inherit", "use_rotation", "between"),
    [
        *(("NONE", False, False), ("ALIGNED", True, False), ("AVERAGE", False, False)),
        *(("NONE", True, False), ("AVERAGE", True, False), ("ALIGNED", False, True)),
    ],
)
def test_under_each_rule_of_inherited_scale_the_pin_holds(inherit: str, use_rotation: bool, between: bool) -> None:
    """Also with a bone between, which stretches along."""
    chain = pinned_arm(bones=TWISTED if between else rigs.ARM, use_rotation=use_rotation)
    for name in ("lower", "hand"):
        chain.id_data.data.bones[name].inherit_scale = inherit
    assert api.bake(chain.id_data, frames=(1, 12, 5.5)).reached
    np.testing.assert_allclose(joints((1, 6.5, 12))[:, 1], np.tile(POLE, (3, 1)), atol=CLOSE)


def test_a_rig_that_is_moved_turned_and_scaled_is_pinned_alike() -> None:
    chain = pinned_arm()
    rig = chain.id_data
    rig.location, rig.rotation_euler, rig.scale = (3, -2, 1), (0.3, 1.0, -0.4), (1.5, 1.5, 1.5)
    bpy.context.view_layer.update()
    chain.pole_target.matrix_world = rig.matrix_world @ chain.pole_target.matrix_world
    chain.target.parent = rig
    assert api.bake(rig, frames=FRAMES).reached
    pole = np.array(chain.pole_target.matrix_world.translation)
    np.testing.assert_allclose(joints()[:, 1] - pole, 0.0, atol=3 * CLOSE)


def test_beyond_its_limits_a_report_says_how_far_off_the_pole() -> None:
    chain = pinned_arm()
    chain.max_stretch = 1.05
    report = api.bake(chain.id_data, frames=FRAMES)
    told, off = report.chains[0], np.linalg.norm(joints()[:, 1] - POLE, axis=-1)
    assert report.posed
    np.testing.assert_allclose(told.off_pole, np.where(off > 2e-4, off, 0.0), atol=CLOSE)
    assert off.max() > 0.01
    assert any("off the pole by" in line for line in told.lines())
    shown = scales(chain.id_data)
    assert (shown <= 1.05 + CLOSE).all()
    assert (shown >= 1 / 1.05 - CLOSE).all()


@pytest.mark.parametrize("most", [1.0, 1.05, 1.15, 2.0])
def test_frames_off_the_pole_are_reached_in_no_words(most: float) -> None:
    """The first line counts frames as the list calls them."""
    chain = pinned_arm()
    chain.max_stretch = most
    report = api.bake(chain.id_data, frames=FRAMES)
    on_pole = np.linalg.norm(joints()[:, 1] - POLE, axis=-1) < 2e-4
    on_target = WITH_HAND.offs(EVERY) < CLOSE
    reached = np.count_nonzero(on_pole & on_target)
    assert report.lines()[0] == f"lower: {reached} of 12 frames reached"
    states = []
    for frame in EVERY:
        depsgraph = on_frame(frame)
        states.append(limb_states(chain.id_data, bpy.context.scene, depsgraph)["lower"].state)
    assert states.count("REACHED") == reached
    # What programs read tells of targets alone.
    assert report.chains[0].summary()["reached"] == np.count_nonzero(on_target)
    assert report.reached == on_target.all()


def nearest(joints: np.ndarray, limits: np.ndarray) -> float:
    """How near to the pole the elbow can be, of 250,000 pairs of lengths in the limits, in the pole's half plane."""
    root, _, tip = joints
    distance = np.linalg.norm(tip - root)
    ahead = (np.array(POLE) - root) @ (tip - root) / distance
    height = np.sqrt(np.linalg.norm(np.array(POLE) - root) ** 2 - ahead**2)
    first, second = np.meshgrid(*np.linspace(*limits, 500).T)
    along = (distance**2 + first**2 - second**2) / (2 * distance)
    across_sq = first**2 - along**2
    meet = across_sq >= 0.0
    return float(np.hypot(along[meet] - ahead, np.sqrt(across_sq[meet]) - height).min())


ASIDE = {"lower": (-0.9, -0.1, 0.9), "hand": (-0.7, 0.3, -0.5)}
"""By bone how far it is moved: most of the way to its head is at a right angle to the axis of the bone before."""
BESIDE = (-0.1, 0.2, 0.15)
"""So near to the axis that factors within their limits leave all lengths in the limits."""


@pytest.mark.parametrize(
    ("most", "aside"),
    [
        *((most, {bone: place}) for most in (1.3, 2.0) for bone, place in ASIDE.items()),
        *((most, ASIDE) for most in (1.3, 2.0)),
        *((1.2, {bone: BESIDE}) for bone in ("lower", "hand", "twist")),
    ],
    ids=str,
)
def test_joints_beside_come_as_near_as_factors_bring_them(most: float, aside: dict[str, tuple]) -> None:
    """Of the way to such a joint only the part along the axis is scaled, by half the least to twice the most."""
    chain = pinned_arm(bones=TWISTED if "twist" in aside else rigs.ARM)
    rig, chain.max_stretch, far = chain.id_data, most, most > 1.2
    for bone, place in aside.items():
        if bone == "twist":
            rig.pose.bones[bone].rotation_quaternion = (0.9, 0.2, 0.3, -0.1)
        else:
            rig.pose.bones[bone].matrix = Matrix.Translation(place) @ rig.pose.bones[bone].matrix
    bpy.context.view_layer.update()
    ways = np.diff(joints([1])[0], axis=0)
    lengths = np.linalg.norm(ways, axis=-1)
    along = np.array([rig.pose.bones[name].y_axis @ Vector(way) for name, way in zip(LIMB, ways, strict=True)])
    if "twist" in aside:
        along[0] = lengths[0]  # both parts of the way lie along bones that are scaled
    by_factor = [np.sqrt(lengths**2 + (factor**2 - 1.0) * along**2) for factor in (0.5 / most, 2.0 * most)]
    least, greatest = np.maximum(by_factor[0], lengths / most), np.minimum(by_factor[1], lengths * most)
    assert (least > lengths / most + 0.02).any() == far, "a joint does not come as near as its bone may shrink"
    told = api.bake(rig, frames=FRAMES).chains[0]
    found = joints()
    apart = np.linalg.norm(np.diff(found, axis=1), axis=-1)
    assert (apart > least - CLOSE).all()
    assert (apart < greatest + CLOSE).all()
    assert far or (apart / lengths).max() == pytest.approx(most, abs=CLOSE)
    reach = np.linalg.norm([WITH_HAND.goal(on_frame(frame)) for frame in EVERY] - found[:, 0], axis=-1)
    inner = max(0.0, *(least - greatest[::-1]))
    short = np.maximum(np.maximum(reach - greatest.sum(), inner - reach), 0.0)
    np.testing.assert_allclose(WITH_HAND.offs(EVERY), short, atol=CLOSE)
    off = np.linalg.norm(found[:, 1] - POLE, axis=-1)
    # Of far ones at full stretch, which no grid hits, there is one place for the elbow. The grid's steps are 1e-3.
    judged = (short == 0.0) | (not far)
    expected = [nearest(pose, (least, greatest)) for pose in found[judged]]
    np.testing.assert_allclose(off[judged], expected, atol=2e-3 if far else 1e-3)
    np.testing.assert_allclose(told.off_pole, np.where(off > 2e-4, off, 0.0), atol=CLOSE)
    np.testing.assert_allclose(told.stretch, (apart / lengths).max(axis=1), atol=CLOSE)
    np.testing.assert_allclose(told.least_stretch, (apart / lengths).min(axis=1), atol=CLOSE)


def test_a_tip_arrives_beyond_an_elbow_far_beside_its_bone() -> None:
    """Half of a link of 1.08 m, nine tenths of which are at a right angle to the axis; it fell short by 0.15 m."""
    shoulder, elbow = (0, 0, 1), (0.149, -0.521, 1.011)
    rig = rigs.armature(
        (rigs.Bone("upper", shoulder, elbow), rigs.Bone("lower", elbow, (-0.969, -1.003, 0.926), "upper"))
    )
    rig.data.bones["lower"].inherit_scale = "ALIGNED"
    goal = (1.0, 1.1, 0.2)
    chain = rigs.chain(rig, "lower", target=goal, pole=(0, 0.8, 1.2))
    chain.pole_pin, chain.max_stretch = 1.0, 2.0
    lower = rig.pose.bones["lower"]
    lower.matrix = Matrix.Translation((-0.18, 0.0, 0.93)) @ lower.matrix
    bpy.context.view_layer.update()
    assert api.bake(rig, frames=(1, 2)).reached
    np.testing.assert_allclose(Limb().joints(on_frame(1))[2], goal, atol=CLOSE)


def test_a_pin_with_keys_goes_from_the_plain_limb_to_the_pole() -> None:
    chain = pinned_arm(0.0)
    api.bake(chain.id_data, frames=FRAMES)
    assert {curve.data_path.rpartition(".")[2] for curve in versions.curves(chain.id_data)} == {"rotation_quaternion"}
    plain = joints()
    rigs.animate(chain.id_data.pose.bones["lower"], two_bone_ik_pole_pin={1: 0.0, 4: 0.0, 10: 1.0})
    report = api.bake(chain.id_data, frames=FRAMES)
    found = joints()
    assert report.posed
    np.testing.assert_allclose(found[:4], plain[:4], atol=CLOSE)
    np.testing.assert_allclose(found[9:, 1], np.tile(POLE, (3, 1)), atol=CLOSE)
    assert WITH_HAND.offs(EVERY).max() < CLOSE
    assert np.linalg.norm(np.diff(found[:, 1], axis=0), axis=-1).max() < 0.5


def test_solve_and_drag_pose_as_the_bake_does() -> None:
    chain = pinned_arm()
    rig = chain.id_data
    on_frame(6)
    assert api.solve(rig).reached
    bpy.context.view_layer.update()
    np.testing.assert_allclose(joints([6])[0, 1], POLE, atol=CLOSE)
    on_frame(1)
    api.solve(rig)
    bpy.context.view_layer.update()
    pull = api.drag(rig, "lower")
    pull.to((1.3, 0.3, 1.2))
    shown = WITH_HAND.joints()
    pull.finish()
    np.testing.assert_allclose(shown[1], POLE, atol=CLOSE)
    np.testing.assert_allclose(shown[2], (1.3, 0.3, 1.2), atol=CLOSE)


def test_reduced_keys_hold_their_tolerance_between_keys() -> None:
    chain = pinned_arm()
    report = api.bake(chain.id_data, frames=FRAMES, keys="REDUCED", tolerance=0.002)
    frames = np.arange(1, 12.01, 0.25)
    assert np.linalg.norm(joints(frames)[:, 1] - POLE, axis=-1).max() < 0.002 + CLOSE
    assert WITH_HAND.offs(frames).max() < 0.002 + CLOSE
    assert report.posed
    assert len(rigs.keys(chain.id_data.pose.bones["lower"])) <= 12


def test_snap_and_bake_from_pose_put_the_pole_on_the_elbow() -> None:
    chain = pinned_arm()
    rig = chain.id_data
    api.bake(rig, frames=FRAMES)
    pose = joints()
    chain.pole_target.location = (9, 9, 9)
    on_frame(6)
    api.snap_targets(rig)
    np.testing.assert_allclose(chain.pole_target.location, POLE, atol=CLOSE)
    chain.pole_target.location = (9, 9, 9)
    api.bake_targets(rig, frames=FRAMES)
    np.testing.assert_allclose(joints(), pose, atol=CLOSE)
    for frame in range(1, 13):
        on_frame(frame)
        np.testing.assert_allclose(chain.pole_target.location, POLE, atol=CLOSE)


def test_limits_that_the_pin_passes_are_told() -> None:
    chain = pinned_arm(use_bend_limits=True, use_extension_limit=True)
    chain.bend_max = 0.2
    report = api.bake(chain.id_data, frames=FRAMES)
    told = report.chains[0]
    found = joints()
    first, second = np.moveaxis(np.diff(found, axis=1), 1, 0)
    bend = np.arctan2(np.linalg.norm(np.cross(first, second), axis=-1), np.sum(first * second, axis=-1))
    np.testing.assert_allclose(told.past_bend, np.maximum(bend - 0.2, 0.0), atol=1e-4)
    assert any("past its bend limits for the pole" in line for line in told.lines())
    np.testing.assert_allclose(found[:, 1], np.tile(POLE, (12, 1)), atol=CLOSE)


@pytest.mark.parametrize(
    ("full", "fields", "kind"),
    [
        ("lower", {}, "SHEAR"),
        ("hand", {"use_rotation": True}, "SHEAR"),
        ("", {"pole_target": None}, "PIN_WITHOUT_POLE"),
        ("", {"plane": "AIM"}, "PIN_WITHOUT_POLE"),
    ],
    ids=["end bone", "hand", "no pole", "plane"],
)
@pytest.mark.parametrize("keyed", [False, True])
def test_what_cannot_be_pinned_is_refused(full: str, fields: dict[str, object], kind: str, keyed: bool) -> None:
    chain = pinned_arm()
    if keyed:
        rigs.animate(chain.id_data.pose.bones["lower"], two_bone_ik_pole_pin={1: 1.0, 5: 0.0})
        on_frame(5)
    if full:
        chain.id_data.data.bones[full].inherit_scale = "FULL"
    for name, value in fields.items():
        setattr(chain, name, value)
    with refused(kind):
        api.bake(chain.id_data, frames=FRAMES)


@pytest.mark.parametrize("inherit", ["NONE", "FULL"])
def test_bones_between_that_do_not_stretch_are_refused(inherit: str) -> None:
    """With None the factors that would be keyed are 2.135 and 1 where the limb is 1.568 times as long."""
    chain = pinned_arm(0.0, bones=TWISTED, unreachable="STRETCH")
    chain.id_data.data.bones["twist"].inherit_scale = inherit
    with pytest.raises(api.Refused, match='Bone "twist" of "Rig" lies between bones that stretch'):
        api.bake(chain.id_data, frames=FRAMES)
    assert api.set_aligned(chain.id_data) == ["twist"]
    api.bake(chain.id_data, frames=FRAMES)


def test_reach_is_drawn_and_refused_by_the_limits_of_both_bones() -> None:
    """Lengths of 1.02 and 0.83, each from 1 / 1.1 to 1.1 times as long."""
    chain = pinned_arm(unreachable="ERROR")
    rig = chain.id_data
    chain.max_stretch = 1.1
    lengths = [rig.data.bones[name].length for name in ("upper", "lower")]
    outer = 1.1 * sum(lengths)
    inner = lengths[0] / 1.1 - lengths[1] * 1.1
    on_frame(1)
    found = guides(state.update(rig, bpy.context.scene, bpy.context.view_layer.depsgraph), "lower")
    radii = [np.linalg.norm(np.subtract(circle, (0.0, 0.0, 1.0)), axis=-1) for circle in found.reach]
    np.testing.assert_allclose(radii, np.repeat((inner, outer), 3)[:, None] * np.ones(65), rtol=1e-4)
    rigs.animate(chain.target, location={6: (3.0, 0.0, 1.0)})
    with pytest.raises(api.Refused, match=f"from {inner:.3g} m to {outer:.3g} m"):
        api.bake(rig, frames=FRAMES)


@pytest.mark.parametrize(("bones", "sampling"), [(rigs.ARM, "SCENE"), (TWISTED, "AUTO")])
def test_a_pinned_limb_with_keys_of_scale_is_baked_again(bones: Sequence[rigs.Bone], sampling: str) -> None:
    rig, frames = pinned_arm(bones=bones).id_data, (1, 6.5, 12)
    for name in ("upper", "hand"):
        for frame, scale in ((1, 1.0), (7, 1.2)):
            rig.pose.bones[name].scale.y = scale
            rig.pose.bones[name].keyframe_insert("scale", frame=frame)
    for _ in "ab":
        assert api.bake(rig, frames=(1, 12, 5.5), sampling=sampling).reached
        np.testing.assert_allclose(joints(frames)[:, 1], np.tile(POLE, (3, 1)), atol=CLOSE)
        assert WITH_HAND.offs(frames).max() < CLOSE
