"""Limbs that are built into a rig, switched, baked and planted as those of any known rig."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object, PoseBone

from support import hocks, rigs, twisted
from support.built import CLOSE, FRAMES, carried, poses, scatter
from support.refused import refused
from support.truth import Limb, on_frame
from support.walker import captured, shown, walker

BONES = ("upper", "lower", "hand")
SEEN = 1e-4
"""Of a matrix: the target is found from a pose in single precision, and the pose from that again."""
PULL, ASIDE = np.array((-0.1, 0.05, 0.05)), np.array((0.3, -0.4, 0.5))


def on_objects() -> Object:
    rigs.arm(pole=(0.3, 3.0, 1.4))
    scatter(bpy.data.objects["Target"], seed=1, shoulder=(0, 0, 0), reach=1.6)
    return bpy.data.objects["Rig"]


def on_bones() -> Object:
    goal = rigs.Bone("goal", (1.2, 0.6, 1.3), (1.2, 0.9, 1.5), "spine")
    rig = rigs.armature((*rigs.ARM, goal, rigs.Bone("pole", (0.3, 3.0, 1.4), (0.3, 3.2, 1.4), "spine")))
    options = {"pole_target": rig, "pole_subtarget": "pole", "tip_bone": "hand", "use_rotation": True}
    api.add_chain(rig, "lower", target=rig, subtarget="goal", **options)
    rig.pose.bones["goal"].rotation_mode = "XYZ"
    rigs.animate(rig.pose.bones["goal"], location={1: (0, 0, 0), 20: (-0.6, 0.2, -0.3), 40: (-0.2, -0.3, 0.2)})
    rigs.animate(rig.pose.bones["goal"], rotation_euler={1: (0, 0, 0), 40: (1.0, 0.5, -2.0)})
    rigs.empty("Target")
    return rig


@pytest.fixture(params=[on_objects, on_bones], ids=["objects", "bones"])
def rig(request: pytest.FixtureRequest) -> Object:
    made: Callable[[], Object] = request.param
    rig = made()
    carried(rig, 1.2)
    for item in (bpy.data.objects["Target"], bpy.data.objects.get("Pole")):
        if item:
            item.parent_type, item.parent_bone = "BONE", "spine"
    assert api.build(rig).reached
    return rig


def goals(rig: Object) -> list[Object | PoseBone]:
    chain = rig.two_bone_ik_chains[0]
    pairs = (chain.target, chain.subtarget), (chain.pole_target, chain.pole_subtarget)
    return [item.pose.bones[bone] if item.type == "ARMATURE" else item for item, bone in pairs]


def switch_path(rig: Object) -> str:
    [limb] = api.known_limbs(rig)
    return f'pose.bones["{limb.switch_bone}"]["{limb.switch}"]'


def follows(rig: Object, frame: float) -> float:
    on_frame(frame)
    return float(rig.path_resolve(switch_path(rig)))


def test_to_fk_keys_what_the_built_limb_shows(rig: Object) -> None:
    before = poses(*BONES)
    report = api.switch(rig, "FK", frames=(1, 40))
    assert report.posed, report.lines()
    assert {follows(rig, frame) for frame in FRAMES} == {0.0}
    np.testing.assert_allclose(poses(*BONES), before, atol=CLOSE)
    api.unbuild(rig)
    np.testing.assert_allclose(poses(*BONES), before, atol=CLOSE)


def targets_elsewhere(rig: Object) -> np.ndarray:
    """The poses, which keys hold while the targets are somewhere else."""
    before = poses(*BONES)
    api.switch(rig, "FK", frames=(1, 40))
    for item in goals(rig):
        for frame in FRAMES:
            item.location = (3.0, -2.0, 0.1 * frame)
            item.keyframe_insert("location", frame=frame)
    np.testing.assert_allclose(poses(*BONES), before, atol=CLOSE)
    return before


def test_to_ik_moves_the_targets_to_where_the_keys_are(rig: Object) -> None:
    before = targets_elsewhere(rig)
    report = api.switch(rig, "IK", frames=(1, 40))
    assert report.posed, report.lines()
    assert {follows(rig, frame) for frame in FRAMES} == {1.0}
    np.testing.assert_allclose(poses(*BONES), before, atol=SEEN)


def test_nothing_moves_beside_the_frames_that_are_switched(rig: Object) -> None:
    before = poses(*BONES)
    api.switch(rig, "FK", frames=(10, 30))
    np.testing.assert_allclose(poses(*BONES), before, atol=CLOSE)
    assert (follows(rig, 9), follows(rig, 10), follows(rig, 30), follows(rig, 31)) == (1.0, 0.0, 0.0, 1.0)
    report = api.switch(rig, "IK", frames=(15, 20))
    assert report.posed, report.lines()
    np.testing.assert_allclose(poses(*BONES), before, atol=SEEN)
    assert (follows(rig, 14), follows(rig, 15), follows(rig, 20), follows(rig, 21)) == (0.0, 1.0, 1.0, 0.0)


def test_a_bake_of_built_limbs_refuses_reduced_keys(rig: Object) -> None:
    before = poses(*BONES)
    with refused("SWITCH_REDUCED", f'for "{rig.name}"', "Decimate"):
        api.bake(rig, frames=(1, 40), keys="REDUCED")
    np.testing.assert_array_equal(poses(*BONES), before)
    assert follows(rig, 1) == 1.0


def test_a_bake_of_built_limbs_is_plain_keys(rig: Object) -> None:
    before = poses(*BONES)
    report = api.bake(rig, frames=(1, 40))
    assert (report.operation, report.posed) == ("Bake", True), report.lines()
    assert {follows(rig, frame) for frame in FRAMES} == {0.0}
    np.testing.assert_allclose(poses(*BONES), before, atol=CLOSE)


@pytest.mark.parametrize("other", [False, True])
def test_a_bake_tells_how_far_built_limbs_are_off(*, other: bool) -> None:
    chain, rig = rigs.arm(), bpy.data.objects["Rig"]
    rigs.animate(chain.target, location={1: (1.2, 0.6, 1.3), 5: (2.5, -0.7, 2.6)})
    api.build(rig)
    if other:  # not the one that it was built for
        chain.target = rigs.empty("Target Too", (1.0, -1.0, 1.5))
    report = api.bake(rig, frames=(1, 5))
    [told] = report.chains
    off = Limb(target=chain.target.name).offs(told.frames)
    assert off.max() > 1.0
    assert (report.posed, report.reached) == (not other, False), report.lines()
    np.testing.assert_allclose(told.off if other else told.miss, off, atol=1e-5)


def test_the_targets_follow_a_captured_pose_without_a_jump(rig: Object) -> None:
    before = targets_elsewhere(rig)
    report = api.bake_targets(rig, frames=(1, 40))
    assert report.posed, report.lines()
    np.testing.assert_allclose(poses(*BONES), before, atol=CLOSE)
    owner, name = rig.pose.bones[api.known_limbs(rig)[0].switch_bone], "IK"
    for frame in FRAMES:
        owner[name] = 1.0
        owner.keyframe_insert(f'["{name}"]', frame=frame)
    np.testing.assert_allclose(poses(*BONES), before, atol=SEEN)


@pytest.mark.parametrize("value", [1.0, 0.5])
def test_a_pose_that_does_not_show_is_no_pose_for_targets(rig: Object, value: float) -> None:
    [limb] = api.known_limbs(rig)
    rig.pose.bones[limb.switch_bone][limb.switch] = value
    rig.update_tag()
    with refused(match=f'set "IK" of bone "{limb.switch_bone}" to 0 there'):
        api.bake_targets(rig, frames=(1, 40))


def test_to_ik_goes_by_the_properties_that_are_set_now() -> None:
    rigs.arm(pole=(0.3, 3.0, 1.4), softness=0.3, pole_angle=0.4)
    rig, target = bpy.data.objects["Rig"], bpy.data.objects["Target"]
    rigs.animate(target, location={1: (0.9, 0.6, 1.3), 40: (0.4, -0.6, 0.6)})
    api.build(rig)
    holder = rig.pose.bones["lower"]
    holder["Softness"], holder["Pole Angle"] = 0.15, -0.9
    rig.update_tag()
    before = poses("upper", "lower")
    api.switch(rig, "FK", frames=(1, 40))
    target.animation_data_clear()
    target.location = (3.0, 3.0, 3.0)
    assert api.switch(rig, "IK", frames=(1, 40)).posed
    np.testing.assert_allclose(poses("upper", "lower"), before, atol=SEEN)
    api.switch(rig, "FK", frames=(1, 40))
    holder.keyframe_insert('["Softness"]', frame=1)
    with refused(match='"Softness", which is animated on bone "lower"'):
        api.switch(rig, "IK", frames=(1, 40))


@pytest.mark.parametrize("kind", ["RIGID", "PARALLEL", "twist"])
def test_hocks_and_twist_bones_go_to_fk_and_back(kind: str) -> None:
    rig = (twisted.arm(turns=0.3) if kind == "twist" else hocks.leg(kind, tip_bone="toe")).id_data
    names = ("upper", "lower", "hand", *twisted.SHARES) if kind == "twist" else ("thigh", "shin", "hock", "toe")
    frames = twisted.ALL if kind == "twist" else range(1, 12)
    api.build(rig, frames=(1, frames[-1]))
    before = twisted.shown(rig, frames, names)
    for to in ("FK", "IK"):
        report = api.switch(rig, to, frames=(1, frames[-1]))
        assert report.posed, report.lines()
        np.testing.assert_allclose(twisted.shown(rig, frames, names), before, atol=SEEN)


def test_take_over_says_that_the_limb_is_built_already(rig: Object) -> None:
    with refused(match="lower are built into the rig already"):
        api.chains_from_constraints(rig)
    constraint = rig.pose.bones["lower"].constraints.new("IK")
    constraint.target, constraint.chain_count = goals(rig)[0].id_data, 2
    [found] = api.chains_from_constraints(rig)
    assert (found.chain, len(rig.two_bone_ik_chains)) == ("", 1)
    assert found.differs == ('It moves bones of chain "lower", which is built into the rig already',)


def test_other_limbs_are_baked_beside_a_built_one() -> None:
    leg = rigs.Bone("thigh", (0, 1, 1), (0, 1.2, 0.5)), rigs.Bone("shin", (0, 1.2, 0.5), (0, 1, 0), "thigh")
    rig = rigs.armature((*rigs.ARM, *leg))
    rigs.chain(rig, "lower", target=(1.2, 0.6, 1.3), pole=(0.3, 3.0, 1.4))
    scatter(bpy.data.objects["Target"], seed=1, reach=1.2)
    api.build(rig)
    api.add_chain(rig, "shin", target=bpy.data.objects["Target"])
    before = poses("upper", "lower")
    report = api.bake(rig, frames=(1, 40), new_action=True)
    assert [chain.name for chain in report.chains] == ["shin", "lower"]
    assert report.posed, report.lines()
    np.testing.assert_allclose(poses("upper", "lower"), before, atol=CLOSE)


@pytest.mark.parametrize("hanging", [False, True])
def test_a_built_finger_is_baked_on_an_arm_that_is_baked(*, hanging: bool) -> None:
    finger = (
        rigs.Bone("first", (2, 0, 1.1), (2.3, 0.1, 1.1), "hand"),
        rigs.Bone("second", (2.3, 0.1, 1.1), (2.6, 0, 1.15), "first"),
    )
    rig, target, touched = rigs.armature((*rigs.ARM, *finger)), rigs.empty("Target"), rigs.empty("Touched")
    rigs.animate(target, location={1: (1.2, 0.6, 1.3), 5: (1.0, 0.4, 1.5)})
    api.add_chain(rig, "lower", target=target, tip_bone="hand")
    api.add_chain(rig, "second", target=touched)
    if hanging:
        touched.parent, touched.parent_type, touched.parent_bone = rig, "BONE", "hand"
    touched.location = (0, 0.3, 0.05) if hanging else (1.2, 0.8, 1.3)
    bpy.context.view_layer.update()
    api.build(rig, ["second"])
    report = api.bake(rig, frames=(1, 5))
    for limb in (Limb(tip="hand"), Limb(root="first", end="second", target="Touched")):
        [told] = [chain for chain in report.chains if chain.name == limb.end]
        np.testing.assert_allclose(told.miss, limb.offs(range(1, 6)), atol=1e-5)
        assert told.posed


def test_detect_leaves_a_built_limb_its_chain() -> None:
    rig = rigs.armature(rigs.ARM)
    rigs.empty("Target")
    [limb] = api.add_detected(rig)
    rig.two_bone_ik_chains[0].target = bpy.data.objects["Target"]
    api.build(rig)
    [found] = api.detect(rig)
    assert (found.end_bone, found.chain) == (limb.end_bone, limb.chain)


def test_where_a_built_limb_is_pulled_its_target_goes(rig: Object) -> None:
    on_frame(5)
    start, upper = tip(), rig.pose.bones["upper"].rotation_quaternion.copy()
    places = [tuple(item.location) for item in goals(rig)]
    drag = api.drag(rig, "lower")
    drag.to(start + PULL)
    np.testing.assert_allclose(tip(), start + PULL, atol=5 * CLOSE)
    assert rig.pose.bones["upper"].rotation_quaternion == upper
    drag.restore()
    assert [tuple(item.location) for item in goals(rig)] == places
    drag = api.drag(rig, "lower", insert_keys=True)
    drag.to(start + PULL)
    assert drag.finish() == []
    on_frame(6)
    on_frame(5)
    np.testing.assert_allclose(tip(), start + PULL, atol=5 * CLOSE)


def test_pulled_by_its_elbow_a_built_limb_keeps_its_tip(rig: Object) -> None:
    on_frame(5)
    _, elbow, start = Limb().joints()
    drag = api.drag(rig, "lower")
    drag.bend_towards(elbow + ASIDE)
    bpy.context.view_layer.update()
    root, mid, end = Limb().joints()
    np.testing.assert_allclose(end, start, atol=5 * CLOSE)
    across = np.cross(start - root, elbow + ASIDE - root)
    assert abs((mid - root) @ across / np.linalg.norm(across)) < 1e-4


def tip() -> np.ndarray:
    bpy.context.view_layer.update()
    return Limb().joints()[2]


def test_a_capture_on_built_legs_is_planted_and_followed() -> None:
    rig = walker(captured("walk", 1.0))
    bpy.context.scene.frame_set(1)
    for side in "LR":
        api.add_chain(rig, f"shin.{side}", name=f"Leg.{side}", tip_bone=f"foot.{side}")
    api.create_targets(rig)
    for chain in rig.two_bone_ik_chains:
        chain.reference = "REST"
    api.build(rig, frames=(1, 5))
    for limb in api.known_limbs(rig):
        rig.pose.bones[limb.switch_bone][limb.switch] = 0.0
    rig.update_tag()
    report = api.plant(rig)
    assert report.posed, report.lines()
    planted = shown(rig, 31)
    report = api.switch(rig, "IK", frames=(1, 31))
    assert report.posed, report.lines()
    followed = shown(rig, 31)
    for part in ("points", "knees", "ankles"):
        np.testing.assert_allclose(getattr(followed, part), getattr(planted, part), atol=5e-4)
