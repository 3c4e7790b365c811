"""Live holds the tip on its target, whatever keys the limb's own bones have and whatever else happens to them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.live import live as follow
from bl_ext.user_default.two_bone_ik.blender.status import limb_state
from bpy.types import Object
from mathutils import Quaternion

from support import rigs
from support.auto_keying import auto_keying
from support.live import rotate_by_hand
from support.truth import Limb, on_frame, save_and_load

FRAMES = range(1, 11)
CLOSE = 1e-5  # of a chain of 1.8 m: single precision of some products of matrices
KEYS = {1: (1, 0, 0, 0), 5: (0.7, 0.5, 0.3, -0.4), 10: (0.6, -0.2, 0.7, 0.1)}
PLACES = {
    "still": {1: (1.2, 0.6, 1.3)},
    "moving": {1: (1.2, 0.6, 1.3), 5: (0.9, -0.5, 1.8), 10: (1.1, 0.2, 0.4)},
}


@pytest.fixture(params=[("REST", "still"), ("POSE", "moving")], ids=" ".join)
def rig(request: pytest.FixtureRequest, empty_file: None) -> Object:
    """A live arm, the bones of which have keys of their own."""
    reference, places = request.param
    rig = rigs.arm(reference=reference).id_data
    for bone in ("upper", "lower"):
        rigs.animate(rig.pose.bones[bone], rotation_quaternion=KEYS)
    rigs.animate(bpy.data.objects["Target"], location=PLACES[places])
    rig.two_bone_ik_live = True
    on_frame(1)
    return rig


def off(**names: str) -> float:
    """How far the tip is from the target, both as Blender evaluates them now."""
    return Limb(**names).off()


def test_keys_on_the_limb_pull_it_off_its_target_on_no_frame(rig: Object) -> None:
    for frame in (*FRAMES, *reversed(FRAMES), 5, 5):
        on_frame(frame)
        assert off() < CLOSE, frame


@pytest.mark.parametrize(("bone", "angles"), [("spine", (0.1, 0.2, 0.3)), ("lower", (0.5, 0.5, 1.0))])
def test_a_bone_that_is_turned_moves_no_tip(rig: Object, bone: str, angles: tuple[float, ...]) -> None:
    """One above the limb takes its root along alone, and one of the limb springs back."""
    on_frame(5)
    for angle in angles:
        rig.pose.bones[bone].rotation_quaternion = Quaternion((1, 0, 0), angle)
        assert off() < CLOSE


def test_undo_and_redo_leave_the_tip_on_its_target(rig: Object) -> None:
    on_frame(5)
    bpy.ops.ed.undo_push(message="Live")
    rig.pose.bones["spine"].rotation_quaternion = Quaternion((1, 0, 0), 0.3)
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Bend")
    for step in (bpy.ops.ed.undo, bpy.ops.ed.redo, bpy.ops.ed.undo):
        step()
        assert off() < CLOSE


def test_a_file_that_is_opened_has_the_tip_on_its_target(rig: Object) -> None:
    on_frame(5)
    save_and_load()
    assert off() < CLOSE
    for frame in FRAMES:
        on_frame(frame)
        assert off() < CLOSE, frame


def test_a_limb_set_live_where_keys_hold_it_is_held_at_once(rig: Object) -> None:
    rig.two_bone_ik_live = False
    on_frame(7)
    rig.two_bone_ik_live = True
    assert off() < CLOSE


@pytest.mark.parametrize("first", ["Rig", "Another"])
def test_a_limb_that_follows_another_armature_is_held(rig: Object, first: str) -> None:
    """Whichever of both Blender lists first."""
    other = rigs.armature(name="Other" if first == "Rig" else "Another")
    rigs.animate(other.pose.bones["upper"], rotation_quaternion=KEYS)
    other.location = (0.4, 0.2, 0.0)
    rigs.chain(other, "lower", target=rig, subtarget="hand")
    other.two_bone_ik_live = True
    for frame in FRAMES:
        on_frame(frame)
        assert off() < CLOSE, frame
        assert off(rig=other.name, target="Rig", subtarget="hand") < CLOSE, frame


def test_all_armatures_that_follow_one_are_held(rig: Object) -> None:
    others = [rigs.armature(name=name) for name in ("Another", "Other", "Third")]
    for number, other in enumerate(others):
        other.location = (0.4, 0.2 * number, 0.0)
        rigs.chain(other, "lower", target=rig, subtarget="hand")
        other.two_bone_ik_live = True
    for frame in (2, 2, 7):
        on_frame(frame)
        assert max(off(rig=other.name, target="Rig", subtarget="hand") for other in others) < CLOSE


def following_each_other(rig: Object) -> Object:
    """Another live arm, each of which reaches for the hand of the other."""
    other = rigs.armature(name="Other")
    other.location.x = 0.3
    rigs.chain(other, "lower", target=rig, subtarget="hand")
    rig.two_bone_ik_chains[0].target, rig.two_bone_ik_chains[0].subtarget = other, "hand"
    other.two_bone_ik_live = True
    on_frame(5)
    return other


def kinds(*owners: Object) -> set[str]:
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found = [limb_state.limb_states(owner, bpy.context.scene, depsgraph)["lower"] for owner in owners]
    return {each.refusal.kind if each.refusal else each.state.name for each in found}


def test_limbs_that_follow_each_other_stay_and_say_why(rig: Object) -> None:
    other = following_each_other(rig)
    assert kinds(rig, other) == {"LIVE_CIRCLE"}
    for owner in (rig, other):
        keyed = owner.animation_data is not None
        for name, turn in (("upper", KEYS[5]), ("lower", KEYS[5])):
            wanted = Quaternion(turn).normalized().to_matrix() if keyed else np.eye(3)
            shown = owner.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[name]
            np.testing.assert_allclose(shown.matrix_basis.to_3x3(), wanted, atol=CLOSE)


def test_limbs_that_stay_cost_no_evaluation(rig: Object, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.animation_data_clear()
    following_each_other(rig)
    evaluated = []
    monkeypatch.setattr(follow, "_evaluate", evaluated.append)
    for _ in range(3):
        rig.update_tag()
        bpy.context.view_layer.update()
    assert evaluated == []


def test_limbs_are_posed_once_they_follow_each_other_no_more(rig: Object) -> None:
    other = following_each_other(rig)
    rig.two_bone_ik_chains[0].target, rig.two_bone_ik_chains[0].subtarget = bpy.data.objects["Target"], ""
    bpy.context.view_layer.update()
    bpy.context.view_layer.update()
    assert off() < CLOSE
    assert off(rig="Other", target="Rig", subtarget="hand") < CLOSE
    assert "LIVE_CIRCLE" not in kinds(rig, other)


def test_auto_keying_keys_the_pose_that_shows(rig: Object) -> None:
    on_frame(5)
    rotate_by_hand(rig, "lower")
    bone = rig.pose.bones["lower"]
    keyed = [rigs.keys(bone, index=index)[5] for index in range(4)]
    turn = Quaternion(keyed).rotation_difference(bone.rotation_quaternion)
    assert min(turn.angle, 2 * np.pi - turn.angle) < 1e-3  # single precision of a cosine near 1
    for frame in (5, 6, 5):
        assert off() < CLOSE
        on_frame(frame)


def test_auto_keying_passes_over_a_curve_without_an_element(
    empty_file: None, capfd: pytest.CaptureFixture[str]
) -> None:
    rig = rigs.arm().id_data
    bone = rig.pose.bones["lower"]
    bone.rotation_mode = "XYZ"
    rigs.animate(bone, rotation_euler={1: (0, 0, 0), 10: (0.3, 0, 0)})
    path = bone.path_from_id("rotation_euler")
    curve = versions.new_curve(versions.ensure_channelbag(rig), path, 3, bone.name)
    rig.two_bone_ik_live = True
    on_frame(5)
    before = versions.curves(rig)[0].evaluate(5)
    curve.keyframe_points.insert(5, 1.0)
    rotate_by_hand(rig, "lower")
    assert versions.curves(rig)[0].evaluate(5) != before
    assert curve.evaluate(5) == 1.0
    assert off() < CLOSE
    assert "Error" not in capfd.readouterr().err  # Blender goes on after a handler that fails


def test_auto_keying_of_another_bone_leaves_the_keys_of_a_limb(rig: Object) -> None:
    on_frame(5)
    rotate_by_hand(rig, "spine")
    assert off() < CLOSE
    keyed = [rigs.keys(rig.pose.bones["lower"], index=index)[5] for index in range(4)]
    np.testing.assert_allclose(keyed, KEYS[5])


def test_auto_keying_of_a_target_leaves_the_keys_of_a_limb(rig: Object) -> None:
    on_frame(5)
    auto_keying()
    for x in (1.0, 0.9, 0.8):
        bpy.data.objects["Target"].location.x = x
        assert off() < CLOSE
    keyed = [rigs.keys(rig.pose.bones["lower"], index=index)[5] for index in range(4)]
    np.testing.assert_allclose(keyed, KEYS[5])


@pytest.mark.parametrize("live", [True, False])
def test_auto_keying_leaves_the_keys_of_a_bake_alone(live: bool) -> None:
    """Live cannot hold the pose of another frame, as this bake does where the target is out of reach."""
    chain = rigs.arm(unreachable="HOLD")
    rig = chain.id_data
    rigs.animate(chain.target, location={1: (1.2, 0.6, 1.3), 10: (9.0, 0.6, 1.3)})
    rig.two_bone_ik_live = live
    on_frame(10)
    rotate_by_hand(rig, "upper")
    api.bake(rig, frames=(1, 10))
    bpy.context.view_layer.update()
    keyed = [rigs.keys(rig.pose.bones["upper"], index=index) for index in range(4)]
    assert all(one[10] == pytest.approx(one[9], abs=1e-6) for one in keyed)


def test_a_check_that_plays_the_scene_leaves_the_limb_held(rig: Object) -> None:
    on_frame(5)
    api.check(rig, frames=(1, 10), sampling="SCENE")
    assert off() < CLOSE


def test_current_pose_keeps_the_roll_that_keys_give() -> None:
    """A turn of the lower bone about its own length moves no joint."""
    rig = rigs.arm(reference="POSE").id_data
    rolls = []
    for angle in (0.0, 0.8):
        rig.pose.bones["lower"].rotation_quaternion = Quaternion((0, 1, 0), angle)
        rig.two_bone_ik_live = True
        assert off() < CLOSE
        posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["lower"].matrix
        rolls.append(np.array(posed.col[0][:3]))
    assert np.arccos(rolls[0] @ rolls[1]) == pytest.approx(0.8, abs=1e-3)


def all_keys(rig: Object) -> list[dict[float, float]]:
    return [rigs.keys(rig.pose.bones[bone], index=index) for bone in ("upper", "lower") for index in range(4)]


def test_a_script_that_goes_through_frames_changes_no_key(rig: Object) -> None:
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    before = all_keys(rig)
    for frame in range(1, 11):
        bpy.context.scene.frame_current = frame
        bpy.context.view_layer.update()
    assert all_keys(rig) == before


def test_another_action_keeps_its_keys(rig: Object) -> None:
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    first, rig.two_bone_ik_live = rig.animation_data.action, False
    other = rig.animation_data.action = first.copy()
    for bone in ("upper", "lower"):
        rigs.animate(rig.pose.bones[bone], rotation_quaternion={5: (0.9, 0.1, 0.3, 0.2)})
    before = all_keys(rig)
    rig.animation_data.action, rig.two_bone_ik_live = first, True
    on_frame(5)
    rig.animation_data.action = other
    bpy.context.view_layer.update()
    assert all_keys(rig) == before


def test_a_key_that_is_moved_past_the_frame_keeps_its_value(rig: Object) -> None:
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    on_frame(4)
    curve = next(curve for curve in versions.curves(rig) if "lower" in curve.data_path)
    values = [key.co.y for key in curve.keyframe_points]
    for frame in (4.5, 4.0, 3.5):
        curve.keyframe_points[1].co.x = frame
        curve.update()
        rig.animation_data.action.update_tag()
        bpy.context.view_layer.update()
    assert [key.co.y for key in curve.keyframe_points] == values
