"""Takes straight from the command line: files of other formats, written by Blender's own exporters."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.takes import frame_rate
from bl_ext.user_default.two_bone_ik.blender.takes.import_take import READERS, import_take
from bl_ext.user_default.two_bone_ik.blender.takes.take import Import

from support.captured_walk import UNIT, balls, imported_walk, skating_walk, text
from support.command import run
from support.empty_file import open_empty_file
from support.take_files import COUNT, HEIGHT, RATE, SUFFIXES, dressed_walk, joints, take_file, the_armature, write

FRAMES = range(1, COUNT + 1)
LACKS_USD = not hasattr(bpy.utils, "expose_bundled_modules")
"""Whether this wheel has no USD library for Python."""


def imported(path: Path, fps: float | None = None, scale: float = 1.0) -> list[str]:
    open_empty_file()
    return [*import_take(Import(path, bpy.context.scene, fps, scale)).notes]


def frames_of(suffix: str) -> range:
    """Blender's exporter lets an action in FBX begin at the time 0, and in glTF at its first frame."""
    return range(COUNT) if suffix == "fbx" else FRAMES


def key_frames() -> np.ndarray:
    curves = versions.curves(the_armature())
    return np.unique([key.co.x for curve in curves for key in curve.keyframe_points])


@pytest.mark.versions
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_take_is_imported_as_it_was_exported(tmp_path: Path, suffix: str) -> None:
    path, truth = take_file(tmp_path, suffix)
    frames = frames_of(suffix)
    fps = RATE if LACKS_USD and suffix in ("usdc", "usdz") else None
    assert imported(path, fps) == []
    scene = bpy.context.scene
    assert scene.render.fps / scene.render.fps_base == pytest.approx(RATE, rel=1e-6)
    assert (scene.frame_start, scene.frame_end) == (frames[0], frames[-1])
    np.testing.assert_array_equal(key_frames(), frames)
    # The formats hold single precision.
    np.testing.assert_allclose(joints(the_armature(), frames), truth, atol=2e-6 * HEIGHT)


@pytest.mark.parametrize("suffix", ["fbx", "glb", "gltf", "usda"])
def test_a_take_may_have_a_rate_of_television(tmp_path: Path, suffix: str) -> None:
    path, truth = take_file(tmp_path, suffix, base=1.001)
    imported(path)
    render = bpy.context.scene.render
    assert render.fps / render.fps_base == pytest.approx(30000 / 1001, rel=1e-6)
    frames = frames_of(suffix)
    np.testing.assert_allclose(key_frames(), frames, atol=1e-6)
    np.testing.assert_allclose(joints(the_armature(), frames), truth, atol=2e-6 * HEIGHT)


@pytest.mark.versions
@pytest.mark.parametrize("suffix", ["fbx", "glb"])
def test_keys_keep_their_times_where_another_rate_is_given(tmp_path: Path, suffix: str) -> None:
    path, _ = take_file(tmp_path, suffix, base=1.001)
    imported(path, 60.0)
    # A key next to a whole frame is put on it.
    np.testing.assert_allclose(key_frames(), np.array(frames_of(suffix)) * 60 * 1.001 / 30, atol=0.0101)


@pytest.mark.parametrize(
    ("written", "rate"),
    [
        *(("0.0416667", 24), ("0.04", 25), ("0.0333333", 30), ("0.033333", 30), ("0.0208333", 48), ("0.016667", 60)),
        *(("0.0083333", 120), ("0.00416667", 240), ("0.041708", 24000 / 1001), ("0.0333667", 30000 / 1001)),
        *(("0.0166834", 60000 / 1001), ("0.027027027", 37), ("0.03333", 1 / 0.03333)),
    ],
)
def test_digits_that_a_file_leaves_out_make_no_rate(tmp_path: Path, written: str, rate: float) -> None:
    path, truth = take_file(tmp_path, "bvh")
    path.write_text(re.sub(r"Frame Time: \S+", f"Frame Time: {written}", path.read_text()))
    imported(path)
    render = bpy.context.scene.render
    # Blender keeps the base of the rate in single precision.
    assert render.fps / render.fps_base == pytest.approx(rate, rel=1e-7)
    assert (render.fps_base == 1.0) == (rate == round(rate))
    np.testing.assert_allclose(joints(the_armature(), FRAMES), truth, atol=2e-6 * HEIGHT)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_scale_and_rate_are_those_that_are_given(tmp_path: Path, suffix: str) -> None:
    path, truth = take_file(tmp_path, suffix)
    imported(path, 60.0, 0.01)
    scene, rig = bpy.context.scene, the_armature()
    assert scene.render.fps == 60
    # FBX and glTF say when, the others on which frame.
    step = 2 if suffix in ("fbx", "glb", "gltf") else 1
    start = round(key_frames()[0])
    frames = range(start, start + step * COUNT, step)
    assert (scene.frame_start, scene.frame_end) == (frames[0], frames[-1])
    np.testing.assert_allclose(joints(rig, frames), 0.01 * truth, atol=2e-6 * 0.01 * HEIGHT)


@pytest.mark.parametrize("suffix", ["bvh", "glb"])
def test_a_take_is_planted_as_its_import_is(tmp_path: Path, suffix: str) -> None:
    path, _ = take_file(tmp_path, suffix)
    assert run("plant", path, "--output", tmp_path / "planted.blend", "--import-fps", RATE) == 0
    imported(path, RATE)
    rig = the_armature()
    bpy.context.view_layer.objects.active = rig
    bpy.ops.two_bone_ik.plant()
    by_operator = balls(rig, FRAMES)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "planted.blend"))
    np.testing.assert_allclose(balls(the_armature(), FRAMES), by_operator, atol=1e-6 * HEIGHT / UNIT)


@pytest.mark.parametrize("rate", [24, 120, 30000 / 1001])
def test_the_rate_of_gltf_is_that_of_the_scene(tmp_path: Path, rate: float) -> None:
    dressed_walk(tmp_path, round(rate))
    bpy.context.scene.render.fps_base = round(rate) / rate
    write(tmp_path / "actor.glb")
    assert frame_rate.of_gltf(tmp_path / "actor.glb") == pytest.approx(rate, rel=1e-9)


# Some programs drop keys which others interpolate: on frames 0, 7, 8 and 50.
@pytest.mark.parametrize("frames", [range(31), (0, 7, 8, 50)], ids=["all", "few"])
@pytest.mark.parametrize("rate", [24, 25, 30, 50, 60, 100, 120, 30000 / 1001])
def test_the_rate_of_gltf_is_found_by_its_keys(tmp_path: Path, rate: float, frames: Sequence[int]) -> None:
    times = (np.array(frames) / rate).astype("<f4")
    (tmp_path / "keys.bin").write_bytes(times.tobytes())
    content = {
        "buffers": [{"uri": "keys.bin", "byteLength": times.nbytes}],
        "bufferViews": [{"buffer": 0, "byteLength": times.nbytes}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": len(times), "type": "SCALAR"}],
        "animations": [{"samplers": [{"input": 0, "output": 0}], "channels": []}],
    }
    (tmp_path / "keys.gltf").write_text(json.dumps(content))
    assert frame_rate.of_gltf(tmp_path / "keys.gltf") == pytest.approx(rate, rel=1e-9)


@pytest.mark.versions
@pytest.mark.parametrize("suffix", ["usdc", "usdz"])
def test_the_report_says_whether_a_rate_was_assumed(tmp_path: Path, suffix: str) -> None:
    path, _ = take_file(tmp_path, suffix)
    line = ("plant", path, "--output", tmp_path / "planted.blend", "--report", tmp_path / "report.json")
    assert run(*line) == 0
    [report] = json.loads((tmp_path / "report.json").read_text())["reports"]
    assert any("24 frames a second were assumed" in note for note in report["notes"]) == LACKS_USD
    assert run(*line, "--import-fps", "30", "--force") == 0
    [report] = json.loads((tmp_path / "report.json").read_text())["reports"]
    assert not any("assumed" in note for note in report["notes"])


def test_detect_and_bake_take_a_capture(tmp_path: Path) -> None:
    path, _ = take_file(tmp_path, "bvh")
    setup, output = tmp_path / "actor.toml", tmp_path / "baked.blend"
    assert run("detect", path, "--output", setup) == 0
    assert run("check", path, "--setup", setup) == 0
    for command in ("bake", "snap"):
        assert run(command, path, "--setup", setup, "--output", output, "--force") == 0
        bpy.ops.wm.open_mainfile(filepath=str(output))
        assert len(the_armature().two_bone_ik_chains) == 4


def cut_off(folder: Path) -> Path:
    path = folder / "cut.bvh"
    path.write_text(text(skating_walk(seconds=1.0)).rpartition("\n")[0].rpartition("\n")[0])
    return path


def no_bvh(folder: Path) -> Path:
    (folder / "no.bvh").write_text("what is this\n")
    return folder / "no.bvh"


def no_armature(folder: Path) -> Path:
    bpy.ops.mesh.primitive_cube_add()
    write(folder / "cube.glb")
    return folder / "cube.glb"


def unknown(folder: Path) -> Path:
    (folder / "take.c3d").write_text("what is this\n")
    return folder / "take.c3d"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (cut_off, ["says that it has 31 frames, and has 30"]),
        (no_bvh, ["is no BVH file, as it has no HIERARCHY"]),
        (no_armature, ["has no armature in a scene"]),
        (unknown, ["cannot be opened", ".blend", *READERS]),
    ],
)
def test_what_is_no_take_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], make: object, words: list[str]
) -> None:
    path = make(tmp_path)
    open_empty_file()
    assert run("plant", path, "--output", tmp_path / "planted.blend") == 5
    said = capsys.readouterr().err.splitlines()[-1]
    assert [word for word in words if word not in said] == []
    assert not (tmp_path / "planted.blend").exists()


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("switch --to FK actor.bvh --output fk.blend", 5, "no rig of a known kind"),
        ("plant actor.bvh --in-place", 64, "nothing is written in its place"),
        ("plant actor.bvh --output x.blend --import-fps 0", 64, "above 0"),
        ("switch --to FK actor.bvh --output fk.blend --import-fps 30", 64, "unrecognized"),
    ],
)
def test_what_takes_cannot_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    line: str,
    status: int,
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    imported_walk(tmp_path)
    assert run(*line.split()) == status
    assert words in capsys.readouterr().err


def test_help_names_the_formats(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("plant", "--help") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert " ".join(READERS) in said


def several_animations(path: Path, wave: str = "Wave") -> np.ndarray:
    """A T-pose, a walk and a wave that is shorter in a file; returns (n, 4, 3) the joints of the walk."""
    rig = dressed_walk(path.parent)
    truth, walk = joints(rig, FRAMES), rig.animation_data.action
    walk.name = "Walk"
    actions = []
    for name, frames, turn in (("A T-Pose", 90, 0.0), (wave, 12, 1.0)):
        rig.animation_data.action = bpy.data.actions.new(name)
        actions.append(rig.animation_data.action)
        for frame in (1, frames):
            rig.pose.bones["LeftArm"].rotation_euler.z = turn * frame
            rig.pose.bones["LeftArm"].keyframe_insert("rotation_euler", frame=frame)
    if path.suffix == ".fbx":
        options = {"bake_anim_use_all_actions": True, "bake_anim_use_nla_strips": False}
        bpy.ops.export_scene.fbx(filepath=str(path), bake_anim_simplify_factor=0.0, **options)
    else:
        for action in (actions[0], walk, actions[1]):
            track = rig.animation_data.nla_tracks.new()
            track.name = action.name
            track.strips.new(action.name, 1, action)
        bpy.ops.export_scene.gltf(filepath=str(path), export_animation_mode="ACTIONS")
    return truth


@pytest.mark.versions
@pytest.mark.parametrize("suffix", ["fbx", "glb"])
def test_the_longest_animation_that_moves_bones_is_taken(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"actor.{suffix}"
    truth = several_animations(path)
    [note] = imported(path, RATE)
    assert note == f'Animation "Walk" was taken; "{path}" also has "A T-Pose", "Wave": --import-take chooses'
    frames = frames_of(suffix)
    scene = bpy.context.scene
    assert (scene.frame_start, scene.frame_end) == (frames[0], frames[-1])
    np.testing.assert_allclose(joints(the_armature(), frames), truth, atol=2e-6 * HEIGHT)


@pytest.mark.parametrize("suffix", ["fbx", "glb"])
def test_an_animation_is_chosen_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str) -> None:
    path = tmp_path / f"actor.{suffix}"
    several_animations(path)
    line = ("plant", path, "--output", tmp_path / "planted.npz", "--import-fps", RATE)
    assert run(*line, "--import-take", "Wave") == 0
    with np.load(tmp_path / "planted.npz") as file:
        assert len(file["frames"]) == 12
    assert run(*line, "--import-take", "Walks", "--force") == 5
    assert 'has no animation "Walks" of its armature: the nearest is "Walk"' in capsys.readouterr().err


@pytest.mark.parametrize("suffix", ["fbx", "glb"])
def test_a_pattern_gives_a_result_for_each_animation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    several_animations(tmp_path / f"actor.{suffix}", "Wave: left/right")
    (tmp_path / f"broken.{suffix}").write_bytes(b"Kaydara FBX Binary, glTF")
    out = tmp_path / "out"
    line = ["plant", *sorted(tmp_path.glob(f"*.{suffix}")), "--import-take", "W*", "--import-fps", RATE]
    line += ["--output-dir", out, "--format", "npz"]

    def states() -> list[str]:
        return [row[7:18].strip() for row in capsys.readouterr().out.splitlines() if row[:5].strip().isdigit()]

    assert run(*line, "--dry-run") == 0
    assert states() == ["to do"] * 3
    assert run(*line) == 5
    assert states() == ["done", "done", "refused"]
    for name, count in (("Walk", COUNT), ("Wave_ left_right", 12)):
        [report] = out.rglob(f"actor_{name}.two_bone_ik.json")
        assert not any("also has" in note for note in json.loads(report.read_text())["reports"][0]["notes"])
        with np.load(report.with_name(f"actor_{name}.npz")) as file:
            assert len(file["frames"]) == count
    told = [json.loads(report.read_text())["name"] for report in sorted(out.rglob("*.two_bone_ik.json"))]
    assert told == ["actor_Walk", "actor_Wave_ left_right", "broken"]
    assert run(*line) == 5
    assert capsys.readouterr().out.count("done before") == 2
    for where in (("--in-place",), ("--output", tmp_path / "planted.npz")):
        assert run(*line[:2], "--import-take", "W*", *where) == 64
        assert f"{where[0]} goes with one file" in capsys.readouterr().err


def test_a_shot_of_a_manifest_may_be_several_animations(tmp_path: Path) -> None:
    path = tmp_path / "actor.fbx"
    several_animations(path)
    shots = ('name = "pose"\nimport_take = "A T-Pose"', 'name = "intro"', 'output = "end"\nformats = ["npz"]')
    rows = "".join(f'[[shot]]\nfile = "actor.fbx"\n{shot}\n' for shot in shots)
    (tmp_path / "takes.toml").write_text(f'[defaults]\nimport_take = "*W*"\n{rows}import_take = "*v*"\n')
    line = ["plant", "--manifest", tmp_path / "takes.toml", "--output-dir", tmp_path / "out", "--format", "npz"]
    assert run(*line, "--shot", "intro_Wave,4") == 0
    reports = [json.loads(path.read_text()) for path in sorted((tmp_path / "out").glob("*.json"))]
    assert [(each["name"], each["request"]["import_take"]) for each in reports] == [
        ("intro_Wave", "Wave"),
        ("actor_Wave", "Wave"),
    ]


def test_an_animation_is_named_as_its_stack(tmp_path: Path) -> None:
    # As most programs name layers, where Blender names them as the stack.
    path = tmp_path / "actor.fbx"
    truth = several_animations(path)
    layers = re.compile(rb"[^\0]{4}\0\x01AnimLayer")
    path.write_bytes(layers.sub(b"Base\0\x01AnimLayer", path.read_bytes()))
    [note] = imported(path, RATE)
    assert note.startswith('Animation "Walk" was taken;')
    np.testing.assert_allclose(joints(the_armature(), frames_of("fbx")), truth, atol=2e-6 * HEIGHT)


@pytest.mark.versions
def test_animations_that_no_skeleton_of_usd_plays_are_named(tmp_path: Path) -> None:
    path, truth = take_file(tmp_path, "usda")
    text = re.sub("(?=def SkelAnimation)", 'def SkelAnimation "Wave"\n{\n}\n', path.read_text())
    path.write_text(text.replace("endTimeCode = 31", "endTimeCode = 300"))
    notes = imported(path)
    assert [f'to which the skeleton is bound; "{path}" also has "Wave"' in note for note in notes] == [True] * (
        not LACKS_USD
    )
    assert bpy.context.scene.frame_end == COUNT
    np.testing.assert_allclose(joints(the_armature(), FRAMES), truth, atol=2e-6 * HEIGHT)


def test_a_file_of_one_animation_has_none_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, _ = take_file(tmp_path, "bvh")
    assert run("plant", path, "--output", tmp_path / "planted.npz", "--import-take", "Walk") == 5
    assert "leave out --import-take" in capsys.readouterr().err
    assert run("plant", path, "--output-dir", tmp_path / "out", "--import-take", "*") == 0
