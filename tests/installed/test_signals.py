"""Ctrl-C and the signal by which a farm ends a task: exit status 7, and nothing half written."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import bpy
import pytest

from support.waiting import SECONDS, wait_for

pytestmark = pytest.mark.usefixtures("enabled")


def shot(tmp_path: Path, vertices: int) -> Path:
    """A shot with a mesh; a heavy one takes a moment to save."""
    from support import season

    path = tmp_path / "in" / "shot.blend"
    path.parent.mkdir()
    (path.parent / "setup.toml").write_text('chain = [{end_bone = "lower", target = "Target"}]')
    season.make_shot(path)
    mesh = bpy.data.meshes.new("Big")
    mesh.vertices.add(vertices)
    mesh.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)
    return path


def start(program: list[str], *argv: object) -> subprocess.Popen[str]:
    command = [*program, *map(str, argv)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0)


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize(
    ("frames", "number"), [("1:8", signal.SIGINT), ("1:1000000", signal.SIGTERM)], ids=["saving", "baking"]
)
def test_an_interrupt_leaves_nothing_behind(program: list[str], tmp_path: Path, frames: str, number: int) -> None:
    out, path = tmp_path / "out", shot(tmp_path, vertices=4_000_000 if frames == "1:8" else 1)
    out.mkdir()
    setup = ("--setup", path.with_name("setup.toml"), "--frames", frames)
    process = start(program, "bake", path, *setup, "--output", out / "shot.blend", "--report", out / "shot.json")
    if frames == "1:8":
        wait_for(lambda: names(out) != set())
    else:
        assert process.stdout is not None
        wait_for(lambda: "blend" in (process.stdout.readline() or " blend"))  # it is open
        time.sleep(1.0)
    process.send_signal(number)
    _, said = process.communicate(timeout=SECONDS)
    assert (process.returncode, said.splitlines()[-1:]) == (7, ["two_bone_ik: interrupted"])
    assert names(out) == set()


# A farm ends its task; Ctrl-C reaches all of them.
@pytest.mark.parametrize(("to", "number", "jobs"), [("pool", signal.SIGTERM, 2), ("group", signal.SIGINT, 1)])
def test_an_interrupted_pool_takes_its_blenders_along(
    program: list[str], tmp_path: Path, to: str, number: int, jobs: int
) -> None:
    out, path = tmp_path / "out", shot(tmp_path, vertices=1_000_000)
    manifest = path.with_name("season.toml")
    shots = [f'[[shot]]\nfile = "shot.blend"\noutput = "{name}.blend"\n' for name in "abcdef"]
    shots[1] += 'frames = "1:1000000"\n'
    manifest.write_text("".join(shots))
    options = ("--setup", path.with_name("setup.toml"), "--output-dir", out, "--jobs", jobs)
    process = start(program, "bake", "--manifest", manifest, *options)
    wait_for(lambda: out.exists() and any(".partial" in name for name in names(out)))
    (os.killpg if to == "group" else os.kill)(process.pid, number)
    _, said = process.communicate(timeout=SECONDS)
    assert (process.returncode, said.splitlines()[-1:]) == (7, ["two_bone_ik: interrupted"])
    assert all(name.endswith((".blend", ".json")) and ".partial" not in name for name in names(out))
    assert "b.blend" not in names(out)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
