"""Results in the formats of other programs, read again: the joints are those of the .blend file."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.takes import bvh
from bl_ext.user_default.two_bone_ik.blender.takes.import_take import import_take
from bl_ext.user_default.two_bone_ik.blender.takes.take import Import
from bl_ext.user_default.two_bone_ik.command_line.formats import FORMATS

from support.bvh import imported
from support.command import run
from support.empty_file import open_empty_file
from support.take_files import COUNT, HEIGHT, RATE, dressed_walk, joints, take_file, the_armature

pytestmark = pytest.mark.versions

FRAMES = range(1, COUNT + 1)
READ_AGAIN = [suffix for suffix in FORMATS if suffix not in (".blend", ".bvh", ".npz")]


def opened(path: Path) -> bpy.types.Object:
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return the_armature()


def planted(source: Path, output: Path, *options: object) -> np.ndarray:
    """(n, 4, 3) the joints of the walk that was planted to `output`, as a .blend file of the same has them."""
    blend = output.with_name("truth.blend")
    assert run("plant", source, "--output", blend, "--import-fps", RATE, *options) == 0
    assert run("plant", source, "--output", output, "--import-fps", RATE, *options) == 0
    return joints(opened(blend), FRAMES)


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    """The walk with a mesh, and things beside it that are no part of it, in a .blend file."""
    rig = dressed_walk(tmp_path)
    rig.location, rig.rotation_euler = (50, 20, 10), (0, 0, 1)
    bpy.ops.mesh.primitive_cube_add()
    bpy.data.armatures.new("Other")
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Other", bpy.data.armatures["Other"]))
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 5, 9
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "walk.blend"))
    return tmp_path / "walk.blend"


@pytest.mark.parametrize("suffix", READ_AGAIN)
def test_a_result_read_again_moves_as_the_blend_file(walk: Path, tmp_path: Path, suffix: str) -> None:
    output = tmp_path / f"planted{suffix}"
    for path in (blend := tmp_path / "truth.blend", output):
        assert run("plant", walk, "--rig", "actor", "--output", path) == 0
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    truth = joints(bpy.data.objects["actor"], FRAMES)
    open_empty_file()
    import_take(Import(output, bpy.context.scene, RATE))
    rig = the_armature()
    # Single precision, in centimetres.
    np.testing.assert_allclose(joints(rig, FRAMES), truth, atol=1e-5 * HEIGHT)
    assert "Body" in bpy.data.objects
    curves = versions.curves(rig)
    assert np.unique([key.co.x for curve in curves for key in curve.keyframe_points]).tolist() == [*FRAMES]
    # The captured action is not brought along.
    assert len(bpy.data.actions) == 1
    assert not any(item.name in ("Cube", "Other") for item in bpy.data.objects)


def stands(rig: bpy.types.Object) -> np.ndarray:
    """(n, 2, 2) whether ball and heel of the left foot and of the right stand, by the scale of two bones."""
    # USD has no dots in names.
    names = [name for name in rig.pose.bones.keys() if name.replace("_", ".") in ("contact.Leg.L", "contact.Leg.R")]
    found = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        found.append([rig.pose.bones[name].scale[:] for name in names])
    scales = np.array(found)
    # What FBX, glTF and the half precision of USD keep of 1 and 2.
    np.testing.assert_allclose(scales, np.rint(scales), atol=1e-5)
    assert (scales[..., 2] < 1.5).all()
    return scales[..., :2] > 1.5


def test_engines_read_contacts_by_the_scale_of_bones(tmp_path: Path) -> None:
    source, _ = take_file(tmp_path, "bvh")
    written = ["plant", source, "--import-fps", RATE, "--frames", "3:26", "--output-dir", tmp_path / "out"]
    assert run(*written, "--format", "fbx,glb,usdc,npz,bvh,blend") == 0
    rig = opened(tmp_path / "out/actor.blend")
    assert not [bone.name for bone in rig.data.bones if "contact" in bone.name]
    assert "contact" not in (tmp_path / "out/actor.bvh").read_text()
    truth = np.zeros((COUNT, 2, 2), dtype=bool)
    for frame in range(3, 27):
        bpy.context.scene.frame_set(frame)
        kinds = [rig.pose.bones[f"{side}Leg"].two_bone_ik_contact for side in ("Left", "Right")]
        truth[frame - 1] = [(kind in ("BALL", "BOTH"), kind in ("HEEL", "BOTH")) for kind in kinds]
    assert truth.any(axis=0).all()
    for suffix in ("fbx", "glb", "usdc"):
        open_empty_file()
        import_take(Import(tmp_path / f"out/actor.{suffix}", bpy.context.scene, RATE))
        np.testing.assert_array_equal(stands(the_armature()), truth, suffix)
    with np.load(tmp_path / "out/actor.npz", allow_pickle=False) as file:
        np.testing.assert_array_equal(file["contacts"], truth @ (1, 2))
    # Planted again, they are no part of any limb.
    assert run("plant", tmp_path / "out/actor.fbx", "--output", tmp_path / "again.npz") == 0
    with np.load(tmp_path / "again.npz", allow_pickle=False) as file:
        assert [*file["limbs"]] == ["Leg.L", "Leg.R"]


def test_a_character_of_a_library_tells_contacts_too(walk: Path, tmp_path: Path) -> None:
    open_empty_file()
    with bpy.data.libraries.load(str(walk), link=True) as (_, linked):
        linked.objects = ["actor"]
    bpy.context.scene.collection.objects.link(linked.objects[0])
    rig = linked.objects[0].override_create(remap_local_usages=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert run("plant", tmp_path / "shot.blend", "--output", tmp_path / "shot.fbx") == 0
    rig = bpy.data.objects["actor", None]
    assert (rig.data.library.filepath, [*rig.animation_data.drivers]) == ("//walk.blend", [])
    assert not any("contact" in bone.name for bone in rig.pose.bones)
    open_empty_file()
    import_take(Import(tmp_path / "shot.fbx", bpy.context.scene))
    assert stands(the_armature()).any(axis=0).all()


def test_a_bvh_has_the_skeleton_of_its_source(tmp_path: Path) -> None:
    source, _ = take_file(tmp_path, "bvh")
    planted(source, tmp_path / "planted.bvh")
    before, after = bvh.read(source), bvh.read(tmp_path / "planted.bvh")
    assert (after.skeleton.strip(), after.frame_time) == (before.skeleton.strip(), "0.0333333333")
    assert after.rows.shape == before.rows.shape
    # What Plant does not touch: the arms and what is above the hips.
    assert np.abs(after.rows[:, 6:21] - before.rows[:, 6:21]).max() < 1e-4
    assert np.abs(after.rows[:, 21:] - before.rows[:, 21:]).max() > 0.5


MOVED = "import bpy\nrig = bpy.data.objects['actor']\nrig.location.x = 30\nrig.rotation_euler.z = 0.5\n"


@pytest.mark.parametrize(("scale", "script"), [(1.0, ""), (0.01, ""), (1.0, MOVED)], ids=["as is", "scaled", "moved"])
def test_a_bvh_read_again_moves_as_the_blend_file(tmp_path: Path, scale: float, script: str) -> None:
    source, _ = take_file(tmp_path, "bvh")
    (tmp_path / "move.py").write_text(script)
    options = ("--import-scale", scale, "--python-before", tmp_path / "move.py")
    truth = planted(source, tmp_path / "planted.bvh", *options)
    again = imported(tmp_path, (tmp_path / "planted.bvh").read_text())
    np.testing.assert_allclose(scale * joints(again, FRAMES), truth, atol=1e-6 * scale * HEIGHT)


def with_other_channels(source: Path) -> Path:
    """The walk with the channels of each joint in another order, and positions for all of the left leg."""
    lines, named, columns = [], "", 0
    order: list[int] = []
    for line in source.read_text().splitlines():
        words = line.split()
        if words[0] in ("ROOT", "JOINT"):
            named = words[1]
        if words[0] == "OFFSET" and "Left" in named:
            place = words[1:]
        if words[0] == "CHANNELS":
            order += [columns + channel for channel in range(int(words[1]))]
            columns += int(words[1])
            if "Left" in named and "Leg" in named:
                line = "CHANNELS 6 Zrotation Yrotation Xrotation Yposition Zposition Xposition"
                order += [place[axis] for axis in (1, 2, 0)]
        elif len(words) == columns and columns and words[0][0] in "-.0123456789":
            line = " ".join(words[item] if isinstance(item, int) else item for item in order)
        lines.append(line)
    path = source.with_name("other.bvh")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_bvh_keeps_positions_of_more_joints(tmp_path: Path) -> None:
    first, _ = take_file(tmp_path, "bvh")
    source = with_other_channels(first)
    truth = planted(source, tmp_path / "planted.bvh")
    assert "CHANNELS 6 Zrotation Yrotation Xrotation Yposition" in (tmp_path / "planted.bvh").read_text()
    again = imported(tmp_path, (tmp_path / "planted.bvh").read_text())
    np.testing.assert_allclose(joints(again, FRAMES), truth, atol=1e-6 * HEIGHT)


def test_arrays_are_read_in_three_lines(tmp_path: Path) -> None:
    source, _ = take_file(tmp_path, "bvh")
    truth = planted(source, tmp_path / "planted.npz")
    rig = the_armature()
    with np.load(tmp_path / "planted.npz", allow_pickle=False) as file:
        found = {name: file[name] for name in file.files}
    count, bones = COUNT, len(rig.data.bones)
    shapes = dict.fromkeys(("heads", "tails"), (count, bones, 3))
    shapes |= {"frames": (count,), "rotations": (count, bones, 4)}
    shapes |= {"version": (), "fps": (), "metres": (), "bones": (bones,), "parents": (bones,), "limbs": (2,)}
    shapes |= dict.fromkeys(("contacts", "miss", "status"), (count, 2))
    shapes["angles"] = (count, 2, 2)
    assert {name: values.shape for name, values in found.items()} == shapes
    assert {name: values.dtype.kind for name, values in found.items() if values.dtype.kind != "f"} == {
        **dict.fromkeys(("version", "parents", "status"), "i"),
        **dict.fromkeys(("bones", "limbs"), "U"),
        "contacts": "u",
    }
    assert (found["version"], found["fps"], [*found["frames"]]) == (1, RATE, [*FRAMES])
    places = [[*found["bones"]].index(name) for name in ("Hips", "LeftFoot", "RightToeBase", "LeftHand")]
    np.testing.assert_allclose(found["heads"][:, places], truth, atol=1e-6 * HEIGHT)
    foot = rig.pose.bones["LeftFoot"]
    bpy.context.scene.frame_set(9)
    np.testing.assert_allclose(found["tails"][8, places[1]], rig.matrix_world @ foot.tail, atol=1e-6 * HEIGHT)
    turn = (rig.matrix_world @ foot.matrix).to_quaternion()
    np.testing.assert_allclose(abs(np.dot(found["rotations"][8, places[1]], turn)), 1.0, atol=1e-6)
    parents = [bone.parent.name if bone.parent else None for bone in rig.data.bones]
    assert [found["bones"][parent] if parent >= 0 else None for parent in found["parents"]] == parents
    assert [*found["limbs"]] == ["Leg.L", "Leg.R"]
    assert set(np.unique(found["contacts"])) <= {0, 1, 2, 3}
    assert found["contacts"].any(axis=0).all()
    assert (found["status"] >= 0).all()
    assert np.isfinite(found["miss"]).all()
    # The knee's, from the joints in the file.
    hip, knee, foot = ([*found["bones"]].index(name) for name in ("LeftUpLeg", "LeftLeg", "LeftFoot"))
    thigh, shin = (np.diff(found["heads"][:, pair].astype(float), axis=1)[:, 0] for pair in ((hip, knee), (knee, foot)))
    truth = np.arctan2(np.linalg.norm(np.cross(thigh, shin), axis=-1), np.einsum("ij,ij->i", thigh, shin))
    np.testing.assert_allclose(np.abs(found["angles"][:, 0, 1]), truth, atol=1e-3)


BETWEEN = {
    "halves": ("10.5:20.5", np.arange(10.5, 21.0)),
    # Each third of these is a whole frame but for some 1e-7, and has the keys of it.
    "thirds": ("2:20:0.3333333", np.arange(6, 61) / 3.0),
    "every other": ("2:20:2", np.arange(2.0, 21.0, 2.0)),
}


@pytest.mark.parametrize("case", BETWEEN)
def test_arrays_have_the_frames_of_the_report(tmp_path: Path, case: str) -> None:
    source, _ = take_file(tmp_path, "bvh")
    asked, truth = BETWEEN[case]
    line = ["plant", source, "--import-fps", RATE, f"--frames={asked}", "--report", tmp_path / "report.json"]
    assert run(*line, "--output", tmp_path / "planted.npz") == 0
    [report] = json.loads((tmp_path / "report.json").read_text())["reports"]
    with np.load(tmp_path / "planted.npz") as file:
        found = {name: file[name] for name in file.files}
    # The whole frames of the motion, and those between them that were asked for; as far as the step is rounded.
    np.testing.assert_allclose(found["frames"], np.unique([*FRAMES, *truth]), atol=1e-5)
    asked_for = np.isclose(found["frames"][:, None], truth, rtol=0.0, atol=1e-5).any(axis=1)
    np.testing.assert_array_equal(found["status"] >= 0, np.stack([asked_for] * 2, axis=1))
    np.testing.assert_array_equal(np.isfinite(found["miss"]), np.stack([asked_for] * 2, axis=1))
    np.testing.assert_array_equal(found["miss"][asked_for].T, [chain["miss"] for chain in report["chains"]])
    assert run(*line[:-2], "--output", tmp_path / "planted.blend") == 0
    rig = opened(tmp_path / "planted.blend")
    foot = [*found["bones"]].index("LeftFoot")
    for frame, head in zip(found["frames"], found["heads"][:, foot], strict=True):
        bpy.context.scene.frame_set(int(frame // 1), subframe=frame % 1)
        np.testing.assert_allclose(head, rig.matrix_world @ rig.pose.bones["LeftFoot"].head, atol=1e-5 * HEIGHT)


def test_files_lie_where_they_are_named_after_a_usdz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take_file(tmp_path, "bvh")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("PWD", str(tmp_path))  # as who starts a program in another folder leaves it
    assert run("plant", *tmp_path.glob("*.bvh"), "--output", "planted.usdz", "--report", "report.json") == 0
    assert {path.name for path in (tmp_path / "here").iterdir()} == {"planted.usdz", "report.json"}


def test_the_report_has_the_hash_of_the_output(tmp_path: Path) -> None:
    source, _ = take_file(tmp_path, "bvh")
    output, report = tmp_path / "planted.fbx", tmp_path / "report.json"
    assert run("plant", source, "--output", output, "--report", report) == 0
    record = json.loads(report.read_text())
    assert record["outputs"] == [str(output)]
    assert record["sha256"] == [sha256(output.read_bytes()).hexdigest()]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("plant walk.blend --rig actor --output x.gltf", ['"x.gltf" has the suffix of no format', *FORMATS]),
        ("plant walk.blend --rig actor --output x", ['"x" has the suffix of no format']),
        ("plant walk.blend --rig actor --output x.bvh", ["if the file that was read is a .bvh"]),
        ("plant walk.blend --rig hidden --output x.fbx", ['"hidden" is hidden']),
        ("plant walk.blend --rig actor --rig hidden --output x.npz", ["holds one armature, and there are 2"]),
    ],
)
def test_what_cannot_be_written_is_refused(
    walk: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    line: str,
    words: list,
) -> None:
    monkeypatch.chdir(tmp_path)
    hidden = bpy.data.objects["actor"].copy()
    hidden.name = "hidden"
    bpy.context.scene.collection.objects.link(hidden)
    hidden.hide_viewport = True
    bpy.ops.wm.save_as_mainfile(filepath=str(walk))
    before = {path.name for path in tmp_path.iterdir()}
    assert run(*line.split()) == 5
    said = capsys.readouterr().err
    assert [word for word in words if word not in said] == []
    assert {path.name for path in tmp_path.iterdir()} == before
