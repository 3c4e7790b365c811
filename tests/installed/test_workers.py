"""A Blender of a pool stops with the pool, and one that hangs is stopped also where there is no pool."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import bpy
import pytest

from support.waiting import SECONDS, wait_for

pytestmark = pytest.mark.usefixtures("enabled")


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A shot on which Blender hangs; it writes its process number to the file "begun"."""
    from support import season

    path = tmp_path / "endless.blend"
    season.make_shot(path)
    script = bpy.data.texts.new("endless.py")
    script.use_module = True  # it runs when the file is opened
    begun = tmp_path / "begun"
    script.write(f"import os, time\nopen({str(begun)!r}, 'w').write(str(os.getpid()))\ntime.sleep(1e6)")
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    (tmp_path / "season.toml").write_text('shot = [{file = "endless.blend"}]')
    return path


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split(") ")[1][0] != "Z"
    except FileNotFoundError:
        return False


def test_the_blenders_of_a_killed_pool_end_too(program: list[str], endless: Path, tmp_path: Path) -> None:
    out, begun = tmp_path / "out", tmp_path / "begun"
    manifest = ("--manifest", tmp_path / "season.toml", "--output-dir", out, "--log-dir", tmp_path / "logs")
    line = [*program, "bake", *manifest, "--enable-autoexec"]
    pool = subprocess.Popen(list(map(str, line)), stdout=subprocess.DEVNULL)
    wait_for(lambda: begun.exists() and begun.read_text() != "")
    assert (tmp_path / "logs" / "endless.two_bone_ik.log").exists()
    pool.send_signal(signal.SIGKILL)
    pool.wait()
    worker = int(begun.read_text())
    try:
        wait_for(lambda: not is_running(worker))
    finally:
        if is_running(worker):
            os.kill(worker, signal.SIGKILL)
    assert not any(path.suffix == ".blend" for path in out.glob("*"))


def test_a_time_limit_stops_the_bake_of_one_file(program: list[str], endless: Path, tmp_path: Path) -> None:
    (tmp_path / "setup.toml").write_text('chain = [{end_bone = "lower", target = "Target"}]')
    outputs = ["--output", tmp_path / "baked.blend", "--report", tmp_path / "report.json"]
    line = [*program, "bake", endless, "--setup", tmp_path / "setup.toml", *outputs]

    def ended(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*map(str, line), *options], capture_output=True, text=True, timeout=SECONDS)

    stopped = ended("--time-limit", "2", "--enable-autoexec")
    assert stopped.returncode == 6, stopped.stdout + stopped.stderr
    assert "was stopped after 2 seconds" in stopped.stderr.splitlines()[-1]
    assert not (tmp_path / "baked.blend").exists()
    done = ended()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "lower: 8 of 8 frames reached" in done.stdout
