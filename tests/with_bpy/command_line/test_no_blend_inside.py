"""A file is opened as a .blend only if it begins as one, packed or not: Blender would unpack all of any other."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import bpy
import pytest
import zstandard

from support.command import run

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
