"""Two runs on one folder share the work: a shot that another run is at waits until all others are done."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event, Thread

import pytest
from bl_ext.user_default.two_bone_ik.blender.files import file_lock

from support.command import run
from support.waiting import wait_for

pytestmark = pytest.mark.once


def test_a_shot_that_another_run_is_at_goes_to_the_end(shot: Path, tmp_path: Path) -> None:
    for name in ("b", "c"):
        (tmp_path / f"{name}.blend").write_bytes(shot.read_bytes())
    (tmp_path / "season.toml").write_text('shot = [{file = "shot.blend"}, {file = "b.blend"}, {file = "c.blend"}]')
    out, has_lock = tmp_path / "out", Event()

    def other_run() -> None:
        with file_lock.locked(out / "shot.two_bone_ik.json"):
            has_lock.set()
            wait_for(lambda: (out / "c.blend").exists())

    thread = Thread(target=other_run)
    thread.start()
    has_lock.wait()
    line = ("bake", "--manifest", tmp_path / "season.toml", "--output-dir", out)
    assert run(*line, "--summary", tmp_path / "ended.jsonl") == 0
    thread.join()
    lines = (tmp_path / "ended.jsonl").read_text().splitlines()
    assert [json.loads(line)["shot"] for line in lines] == [2, 3, 1]
