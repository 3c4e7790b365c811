"""Live holds limbs on each frame, whatever else poses them or moves their targets; renders and exports show keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import rigs
from support.live import CLOSE, live_arm, pose_of
from support.truth import Limb, on_frame

PATH = {1: (1.2, 0.6, 1.3), 9: (0.9, -0.5, 1.8), 20: (1.1, 0.2, 0.4)}


@pytest.fixture
def rig() -> Object:
    """A live arm whose target moves."""
    rig = live_arm()
    rigs.animate(bpy.data.objects["Target"], location=PATH)
    on_frame(1)
    return rig


def keyed(rig: Object) -> None:
    rigs.animate(rig.pose.bones["upper"], rotation_quaternion={1: (1, 0, 0, 0), 20: (0.7, 0.5, 0.3, -0.4)})


def skipped(rig: Object) -> None:
    rig.two_bone_ik_chains[0].unreachable = "SKIP"


def constrained(rig: Object) -> None:
    bpy.data.objects["Target"].constraints.new("LIMIT_LOCATION").use_max_z = True


def constrained_limb(rig: Object) -> None:
    rig.pose.bones["lower"].constraints.new("LIMIT_ROTATION")


def driven(rig: Object) -> None:
    bpy.data.objects["Target"].driver_add("delta_location", 0).driver.expression = "0.01 * frame"


def stretched(rig: Object) -> None:
    bpy.context.scene.render.frame_map_new = 200


def hidden(rig: Object) -> None:
    target = bpy.data.objects["Target"]
    target.keyframe_insert("hide_viewport", frame=1)


def handled(rig: Object) -> None:
    """By a handler of another extension, which changes nothing."""
    bpy.app.handlers.depsgraph_update_post.append(lambda *_: None)


def leader(rig: Object) -> None:
    other = rigs.armature(name="Other")
    other.location.x = 0.4
    api.add_chain(other, "lower", target=rigs.empty("Second", (1.5, 0.4, 1.2)))
    other.two_bone_ik_live = True
    rig.two_bone_ik_chains[0].target, rig.two_bone_ik_chains[0].subtarget = other, "hand"


EDITS = (keyed, skipped, constrained, constrained_limb, driven, stretched, hidden, leader, handled)


@pytest.mark.parametrize("edit", EDITS)
def test_a_limb_is_held_whatever_acts_beside_live(rig: Object, edit: Callable[[Object], None]) -> None:
    edit(rig)
    bpy.context.view_layer.update()
    for frame in (2, 3, 9, 2, 20):
        on_frame(frame)
        chain = rig.two_bone_ik_chains[0]
        if edit is not constrained_limb:
            assert Limb(target=chain.target.name, subtarget=chain.subtarget).off() < CLOSE


@pytest.mark.parametrize("inherit", ["FULL", "FIX_SHEAR"])
def test_limbs_hold_on_a_spine_squeezed_on_some_frames(rig: Object, inherit: str) -> None:
    constrained(rig)
    rig.data.bones["lower"].inherit_scale = inherit
    plain, squeezed = (1.0, 1.0, 1.0), (1.2, 0.9, 1.1)
    rigs.animate(rig.pose.bones["spine"], scale={1: plain, 4: plain, 5: squeezed, 7: squeezed, 8: plain})
    rigs.animate(rig.pose.bones["spine"], rotation_quaternion={1: (1, 0, 0, 0), 9: (0.9, 0.2, -0.3, 0.1)})
    for frame in range(1, 10):
        on_frame(frame)
        assert Limb().off() < CLOSE
        shown = pose_of(rig)
        api.solve(rig)
        np.testing.assert_allclose(shown, pose_of(rig), atol=CLOSE)


@pytest.mark.parametrize("path", [PATH, {1: (1.2, 0.6, 1.3), 5: (float("inf"), 0.6, 1.3)}], ids=["keyed", "nowhere"])
def test_one_armature_does_not_take_others_along(rig: Object, path: dict[int, tuple[float, ...]]) -> None:
    if path == PATH:
        keyed(rig)
    rigs.animate(rigs.empty("Second"), location=path)
    other = rigs.armature(name="Other")
    api.add_chain(other, "lower", target=bpy.data.objects["Second"])
    other.two_bone_ik_live = True
    for frame in range(2, 12):
        on_frame(frame)
        assert Limb().off() < CLOSE
        assert path != PATH or Limb(rig="Other", target="Second").off() < CLOSE


def camera(settings: bpy.types.Scene, folder: Path) -> None:
    eye = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    settings.collection.objects.link(eye)
    settings.camera, settings.frame_end = eye, 6
    settings.render.engine, settings.cycles.samples = "CYCLES", 1
    settings.render.resolution_x = settings.render.resolution_y = 4
    settings.render.filepath = str(folder / "frame")
    settings.render.use_motion_blur = True


def test_a_render_after_frames_went_by_shows_what_is_keyed(rig: Object, tmp_path: Path) -> None:
    scene = bpy.context.scene
    camera(scene, tmp_path)
    for frame in (2, 3, 4, 5):
        on_frame(frame)
    before, seen = pose_of(rig), []
    bpy.app.handlers.render_post.append(lambda *_: seen.append(pose_of(rig)))
    try:
        bpy.ops.render.render(animation=True)
        bpy.ops.render.render()
    finally:
        bpy.app.handlers.render_post.clear()
    assert (len(seen), rig.two_bone_ik_live) == (7, True)
    assert all((pose == before).all() for pose in seen)
    for frame in (6, 2, 3):
        on_frame(frame)
        assert Limb().off() < CLOSE


@pytest.mark.skipif(not bpy.app.build_options.alembic, reason="this Blender exports no Alembic")
@pytest.mark.parametrize("modes", [("QUATERNION", "QUATERNION"), ("XYZ", "ZXY")], ids="".join)
def test_an_export_after_frames_went_by_shows_what_is_keyed(
    rig: Object, tmp_path: Path, modes: tuple[str, str]
) -> None:
    """Blender evaluates it as a render, and tells of that only once a frame is evaluated."""
    for name, mode in zip(("upper", "lower"), modes, strict=True):
        rig.pose.bones[name].rotation_mode = mode
    hand = bpy.data.objects.new("Thing", bpy.data.meshes.new("Thing"))
    bpy.context.scene.collection.objects.link(hand)
    hand.parent, hand.parent_type, hand.parent_bone = rig, "BONE", "lower"
    for frame in (2, 3, 4, 5):
        on_frame(frame)
    still = np.array(hand.matrix_world.translation)
    path = str(tmp_path / "shot.abc")
    bpy.ops.wm.alembic_export(filepath=path, start=1, end=9, evaluation_mode="RENDER", flatten=True)
    on_frame(7)
    assert Limb().off() < CLOSE
    rig.two_bone_ik_live = False
    present = set(bpy.data.objects)
    bpy.ops.wm.alembic_import(filepath=path, set_frame_range=False)
    [read] = [item for item in bpy.data.objects if item not in present and item.name.startswith("Thing")]
    for frame in (1, 3, 9):
        on_frame(frame)
        place = read.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation
        np.testing.assert_allclose(place, still, atol=1e-4)


def test_two_scenes_that_share_an_armature_show_their_own_frames(rig: Object) -> None:
    scene, other = bpy.context.scene, bpy.data.scenes.new("Other")
    for item in scene.objects:
        other.collection.objects.link(item)
    for frame in (2, 9, 3, 20):
        for each, number in ((scene, frame), (other, 21 - frame), (scene, frame + 1)):
            each.frame_set(number)
            graph = each.view_layers[0].depsgraph
            shown, target = rig.evaluated_get(graph), bpy.data.objects["Target"].evaluated_get(graph)
            np.testing.assert_allclose(shown.pose.bones["lower"].tail, target.matrix_world.translation, atol=CLOSE)


@pytest.mark.parametrize("left_out", [["Target"], ["Target", "Rig"]], ids=["the target", "all"])
def test_a_view_layer_that_leaves_things_out_spoils_no_other(rig: Object, left_out: list[str]) -> None:
    scene = bpy.context.scene
    apart = bpy.data.collections.new("Apart")
    scene.collection.children.link(apart)
    for name in left_out:
        scene.collection.objects.unlink(bpy.data.objects[name])
        apart.objects.link(bpy.data.objects[name])
    scene.view_layers.new("Other").layer_collection.children["Apart"].exclude = True
    for frame in (2, 3, 9, 2, 20):
        on_frame(frame)
        assert Limb().off() < CLOSE


def test_a_bone_renamed_between_two_frames_stops_no_limb(rig: Object, capfd: pytest.CaptureFixture[str]) -> None:
    for frame in (2, 3):
        on_frame(frame)
    rig.data.bones["lower"].name = "forearm"
    bpy.context.scene.frame_set(4)
    assert "Traceback" not in capfd.readouterr().err
    for frame in (5, 6):
        on_frame(frame)
        assert Limb(end="forearm").off() < CLOSE
