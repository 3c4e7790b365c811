"""A file that Blender opens although it says that it is damaged: the command line says so too.

A file is opened as a .blend only if it begins as one, packed or not: Blender would unpack all of any other.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import bpy
import pytest
import zstandard

from support.command import run
from support.empty_file import open_empty_file
from support.rigs import animate, arm


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A shot with a mesh that was overwritten on the disk."""
    animate(arm().target, location={1: (1.2, 0.6, 1.3), 5: (0.5, -0.8, 1.5)})
    bpy.context.scene.frame_end = 5
    prop = bpy.data.objects.new("Prop", bpy.data.meshes.new("Prop"))
    bpy.context.scene.collection.objects.link(prop)
    path = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)
    content = path.read_bytes()
    # The head of the block with the mesh, whose name stands a little behind it.
    (start,) = [head.start() for head in re.finditer(rb"ME\0\0", content) if b"MEProp\0" in content[head.end() :][:200]]
    path.write_bytes(content[:start] + b"XX" + content[start + 2 :])
    open_empty_file()
    return path


@pytest.mark.versions
def test_damage_is_said_on_stderr_and_in_the_report(damaged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = damaged.with_name("report.json")
    assert run("bake", damaged, "--output", damaged.with_name("baked.blend"), "--report", report) == 0
    found = capsys.readouterr()
    (said,) = found.err.splitlines()
    assert said.startswith(f'two_bone_ik: "{damaged}" is damaged')
    assert "Prop lost data" in said
    assert "Prop lost data" in found.out, "what Blender says is still said"
    record = json.loads(report.read_text())
    assert record["damage"] in record["reports"][0]["notes"]
    assert "Prop lost data" in record["damage"]


@pytest.mark.versions
def test_a_strict_bake_of_a_damaged_file_is_refused(damaged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("bake", damaged, "--strict", "--output", damaged.with_name("baked.blend")) == 5
    (said,) = capsys.readouterr().err.splitlines()
    assert "Prop lost data" in said
    assert list(damaged.parent.iterdir()) == [damaged]


@pytest.mark.versions
def test_a_file_of_a_newer_blender_is_no_small_thing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shot, baked = tmp_path / "shot.blend", tmp_path / "baked.blend"
    arm(target=(1.2, 0.6, 1.3))
    bpy.ops.wm.save_as_mainfile(filepath=str(shot), compress=False)
    head, version, rest = re.fullmatch(rb"(BLENDER\D*(?:17-01v)?)(\d+)(.*)", shot.read_bytes(), re.DOTALL).groups()
    shot.write_bytes(head + str(int(version) + 1).encode().rjust(len(version), b"0") + rest)
    assert run("bake", shot, "--frames", "1:2", "--output", baked) == 0
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(f'two_bone_ik: "{shot}" was saved by a newer Blender')
    baked.unlink()
    assert run("bake", shot, "--frames", "1:2", "--strict", "--output", baked) == 5
    assert not baked.exists()


@pytest.mark.versions
def test_damage_is_said_of_each_shot_in_every_run(damaged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest, out = damaged.with_name("season.toml"), damaged.with_name("out")
    manifest.write_text('shot = [{file = "shot.blend"}]')
    for strict, status in ((), 0), ((), 0), (("--strict",), 5):
        assert run("bake", "--manifest", manifest, "--output-dir", out, *strict) == status
        said = capsys.readouterr()
        assert "Prop lost data" in (said.out if status else said.err)


ZEROS = bytes(1 << 26)
PACKED = {
    "text": b"what is this\n",
    "nothing": b"",
    "gzip": gzip.compress(ZEROS),
    "zstd": zstandard.ZstdCompressor().compress(ZEROS),
    "damaged gzip": b"\x1f\x8b" + bytes(range(100)),
    "damaged zstd": b"\x28\xb5\x2f\xfd" + bytes(range(200, 100, -1)),
}


@pytest.mark.parametrize("kind", PACKED)
def test_what_is_no_blend_inside_is_refused(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    path, report = tmp_path / "shot.blend", tmp_path / "report.json"
    path.write_bytes(PACKED[kind])
    assert run("check", path, "--report", report) == 5
    assert f'"{path}" cannot be opened: it is no .blend file inside' in capsys.readouterr().err
    assert json.loads(report.read_text())["error"]["kind"] == "UNREADABLE"


@pytest.mark.parametrize("kind", ["plain", "zstd", "gzip"])
def test_a_packed_blend_is_opened(shot: Path, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "packed.blend"
    bpy.ops.wm.open_mainfile(filepath=str(shot))
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=kind == "zstd")
    if kind == "gzip":
        path.write_bytes(gzip.compress(path.read_bytes()))
    assert path.read_bytes().startswith(b"BLENDER") == (kind == "plain")
    assert run("check", path) == 0
