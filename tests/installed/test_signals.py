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


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    """A shot with a heavy mesh, which takes a moment to save."""
    from support import season

    path = tmp_path / "in" / "shot.blend"
    path.parent.mkdir()
    (path.parent / "setup.toml").write_text('chain = [{end_bone = "lower", target = "Target"}]')
    season.make_shot(path)
    mesh = bpy.data.meshes.new("Big")
    mesh.vertices.add(4_000_000)
    mesh.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)
    return path


def start(program: list[str], *argv: object) -> subprocess.Popen[str]:
    command = [*program, *map(str, argv)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0)


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize(
    ("frames", "number"),
    [("1:8", signal.SIGINT), ("1:1000000", signal.SIGTERM)],
    ids=["while it saves", "while it bakes"],
)
def test_an_interrupt_leaves_nothing_behind(
    program: list[str], shot: Path, tmp_path: Path, frames: str, number: int
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    setup = ("--setup", shot.with_name("setup.toml"), "--frames", frames)
    process = start(program, "bake", shot, *setup, "--output", out / "shot.blend", "--report", out / "shot.json")
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
@pytest.mark.parametrize(("to", "number"), [("pool", signal.SIGTERM), ("group", signal.SIGINT)])
def test_an_interrupted_pool_takes_its_blenders_along(
    program: list[str], shot: Path, tmp_path: Path, to: str, number: int
) -> None:
    out = tmp_path / "out"
    manifest = shot.with_name("season.toml")
    shots = [f'[[shot]]\nfile = "shot.blend"\noutput = "{name}.blend"\n' for name in "abcdef"]
    manifest.write_text(f'{shots[0]}frames = "1:1000000"\n{"".join(shots[1:])}')
    options = ("--setup", shot.with_name("setup.toml"), "--output-dir", out, "--jobs", 2)
    process = start(program, "bake", "--manifest", manifest, *options)
    wait_for(lambda: out.exists() and any(".partial" in name for name in names(out)))
    (os.killpg if to == "group" else os.kill)(process.pid, number)
    _, said = process.communicate(timeout=SECONDS)
    assert (process.returncode, said.splitlines()[-1:]) == (7, ["two_bone_ik: interrupted"])
    assert all(name.endswith((".blend", ".json")) and ".partial" not in name for name in names(out))
    assert "a.blend" not in names(out)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
