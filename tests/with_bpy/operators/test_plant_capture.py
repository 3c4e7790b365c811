"""A capture in one press: imported and planted, in the scene as it is, and gone again where that cannot be done."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.bake import report
from bl_ext.user_default.two_bone_ik.blender.takes import fit_scene
from bl_ext.user_default.two_bone_ik.blender.takes.import_take import READERS
from bpy.types import Action, Object

from support import file_data, odd_bvh
from support.captured_walk import UNIT, balls, imported_walk, skating_walk, text
from support.command import run
from support.empty_file import open_empty_file
from support.rigs import animate, arm, armature
from support.take_files import COUNT, HEIGHT, RATE, SUFFIXES, joints, take_file, the_armature

pytestmark = pytest.mark.versions

FRAMES = range(1, COUNT + 1)


def walk(folder: Path, rate: float = RATE) -> Path:
    """A second of a walk as a BVH file, and an empty file."""
    path = folder / "actor.bvh"
    path.write_text(text(skating_walk(seconds=1.0, rate=rate)))
    open_empty_file()
    return path


def plant_capture(path: Path, **options: object) -> None:
    assert bpy.ops.two_bone_ik.plant_capture(filepath=str(path), **options) == {"FINISHED"}


def refused(path: Path, words: str, **options: object) -> None:
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.two_bone_ik.plant_capture(filepath=str(path), **options)


def drop(path: Path) -> None:
    """As a mouse drops the file onto the 3D View."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    with bpy.context.temp_override(window=window, area=area, region=area.regions[-1]):
        bpy.ops.wm.drop_import_file(directory=str(path.parent), files=[{"name": path.name}])


def rate() -> float:
    render = bpy.context.scene.render
    return render.fps / render.fps_base


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_capture_is_planted_as_by_the_command_line(tmp_path: Path, suffix: str) -> None:
    path, _ = take_file(tmp_path, suffix)
    plant_capture(path, fps=RATE)
    rig = the_armature()
    assert rig.animation_data.action.two_bone_ik_source
    assert bpy.context.object == rig
    assert bpy.context.selected_objects == [rig]
    by_operator = balls(rig, FRAMES)
    assert run("plant", path, "--output", tmp_path / "planted.blend", "--import-fps", RATE) == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "planted.blend"))
    np.testing.assert_allclose(by_operator, balls(the_armature(), FRAMES), atol=1e-6 * HEIGHT / UNIT)


def test_a_file_dropped_onto_the_view_is_planted(tmp_path: Path) -> None:
    path = walk(tmp_path)
    drop(path)
    dropped = balls(the_armature(), FRAMES)
    open_empty_file()
    plant_capture(path)
    np.testing.assert_array_equal(dropped, balls(the_armature(), FRAMES))


def test_the_report_says_what_was_read(tmp_path: Path) -> None:
    path = walk(tmp_path)
    path.write_text(path.read_text().replace(f"Frames: {COUNT}", f"Frames: {COUNT - 1}"))
    plant_capture(path)
    told = report.last(the_armature())
    assert len(told.feet) == 2
    assert any(f"has {COUNT}: all of them were taken" in note for note in told.notes)


def test_what_is_told_names_the_fields_of_the_dialog(tmp_path: Path) -> None:
    path = tmp_path / "actor.bvh"
    path.write_text(odd_bvh.text(odd_bvh.z_up(odd_bvh.walk(seconds=1.0))))
    plant_capture(path)
    assert any(note.endswith("stands along z: Up chooses") for note in report.last(the_armature()).notes)
    refused(path, "leave out Animation$", take="Walk")
    path.write_text(odd_bvh.text(odd_bvh.walk(seconds=1.0), time=""))
    refused(path, "set one with Rate$")


def test_an_empty_scene_gets_rate_and_range(tmp_path: Path) -> None:
    path = walk(tmp_path, rate=60.0)
    armature()
    plant_capture(path)
    scene = bpy.context.scene
    assert (rate(), scene.frame_start, scene.frame_end) == (60.0, 1, 61)


def test_an_animated_scene_keeps_rate_and_range(tmp_path: Path) -> None:
    path = walk(tmp_path, rate=60.0)
    other = armature(name="Other")
    animate(other.pose.bones[0], location={1: (0, 0, 0), 9: (1, 0, 0)})
    plant_capture(path)
    scene = bpy.context.scene
    assert (rate(), scene.frame_start, scene.frame_end) == (24.0, 1, 250)
    [rig] = [item for item in scene.objects if item.type == "ARMATURE" and item != other]
    planted = balls(rig, range(1, 62))
    open_empty_file()
    plant_capture(path)
    np.testing.assert_array_equal(planted, balls(the_armature(), range(1, 62)))


@pytest.mark.parametrize("options", [{"fps": 60.0, "scale": 0.5, "up": "Z"}, {"height": 1.75}], ids=["scale", "height"])
def test_options_are_those_of_the_command_line(tmp_path: Path, options: dict[str, object]) -> None:
    path = tmp_path / "actor.bvh"
    path.write_text(odd_bvh.text(odd_bvh.walk(seconds=1.0)))
    plant_capture(path, **options)
    by_operator = joints(the_armature(), FRAMES)
    assert rate() == options.get("fps", RATE)
    line = [word for name, value in options.items() for word in (f"--import-{name}", value)]
    assert run("plant", path, "--output", tmp_path / "planted.blend", *line) == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "planted.blend"))
    np.testing.assert_array_equal(by_operator, joints(the_armature(), FRAMES))


@pytest.mark.parametrize("suffix", ["bvh", "fbx", "glb", "usda"])
def test_a_scene_is_fitted_to_a_capture(tmp_path: Path, suffix: str) -> None:
    path, _ = take_file(tmp_path, suffix)
    other = armature(name="Other")
    animate(other.pose.bones[0], location={1: (0, 0, 0), 9: (1, 0, 0)})
    plant_capture(path)
    rig, scene = bpy.context.object, bpy.context.scene
    first, last = frames_with_keys(rig)
    assert last - first == COUNT - 1
    assert fit_scene.misfit(rig, scene) == (first, last, RATE)
    bpy.ops.two_bone_ik.fit_scene()
    assert (rate(), scene.frame_start, scene.frame_end) == (RATE, first, last)
    assert fit_scene.misfit(rig, scene) is None


def frames_with_keys(rig: Object) -> tuple[int, int]:
    frames = [key.co.x for curve in versions.curves(rig) for key in curve.keyframe_points]
    return round(min(frames)), round(max(frames))


@pytest.mark.parametrize("suffix", ["fbx", "glb"])
def test_actions_of_the_file_are_no_animations_of_the_capture(tmp_path: Path, suffix: str) -> None:
    path, _ = take_file(tmp_path, suffix)
    other = imported_walk(tmp_path, skating_walk(seconds=4.0))
    longer = other.animation_data.action
    plant_capture(path)
    rig = bpy.context.object
    assert rig != other
    source: Action = rig.animation_data.action.two_bone_ik_source
    assert source != longer
    assert source.frame_range[1] - source.frame_range[0] == pytest.approx(COUNT - 1)
    assert not any("Animation" in note for note in report.last(rig).notes)


def no_legs(folder: Path) -> Path:
    path = folder / "none.bvh"
    path.write_text(
        "HIERARCHY\nROOT Prop\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.04\n0 0 0\n1 0 0\n"
    )
    return path


def half(folder: Path) -> Path:
    path = folder / "half.bvh"
    path.write_text(text(skating_walk(seconds=1.0)).rpartition(" ")[0])
    return path


def no_capture(folder: Path) -> Path:
    path = folder / "notes.txt"
    path.write_text("none")
    return path


def no_fbx(folder: Path) -> Path:
    path = folder / "broken.fbx"
    path.write_text("none")
    return path


@pytest.mark.parametrize(
    ("make", "words"),
    [(no_legs, "No legs are found"), (half, "half.bvh"), (no_capture, ", ".join(READERS)), (no_fbx, "broken.fbx")],
)
def test_what_is_refused_leaves_no_trace(tmp_path: Path, make: object, words: str) -> None:
    path = make(tmp_path)
    chain = arm()
    bone = chain.id_data.pose.bones["lower"]
    animate(bone, location={1: (0, 0, 0), 9: (1, 0, 0)})
    bone.location = (0.25, 0.5, 0.75)  # an edit without a key
    before = file_data.dump()
    refused(path, words)
    assert file_data.changed(before) == set()
    assert tuple(bone.location) == (0.25, 0.5, 0.75)


def test_edits_without_a_key_stay(tmp_path: Path) -> None:
    path = walk(tmp_path)
    bone = arm().id_data.pose.bones["lower"]
    animate(bone, location={1: (0, 0, 0), 9: (1, 0, 0)})
    bone.location = (0.25, 0.5, 0.75)
    plant_capture(path)
    assert tuple(bone.location) == (0.25, 0.5, 0.75)


@pytest.mark.parametrize("mode", ["POSE", "EDIT"])
def test_it_begins_in_other_modes_as_well(tmp_path: Path, mode: str) -> None:
    path = walk(tmp_path)
    rig = arm().id_data
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode=mode)
    before = {item.name for item in bpy.data.objects}
    refused(no_legs(tmp_path), "No legs")
    assert rig.mode == mode
    plant_capture(path)
    assert rig.mode == "OBJECT"
    assert {item.name for item in bpy.data.objects} - before == {bpy.context.object.name}
