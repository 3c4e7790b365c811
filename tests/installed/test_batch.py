"""Blenders in processes of their own: the pool, and what is on the disk when one of them is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest

from support.waiting import SECONDS, wait_for

pytestmark = pytest.mark.usefixtures("enabled")


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}


def run(*argv: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(item) for item in argv], capture_output=True, text=True, timeout=SECONDS)


def rows(said: str) -> dict[int, list[str]]:
    """The table: state, file and what is said of each shot."""
    lines = [line.split(maxsplit=1) for line in said.splitlines() if line[:5].strip().isdigit() and ".blend" in line]
    return {int(number): [part.strip() for part in rest.split("  ") if part.strip()] for number, rest in lines}


def test_a_season_with_broken_shots_bakes_all_others(program: list[str], tmp_path: Path) -> None:
    from support import season

    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    manifest = season.make(folder)
    before = contents(folder)
    bake = [*program, "bake", "--manifest", manifest, "--setup", folder / "setup.toml", "--output-dir", out]
    first = run(*bake, "--jobs", 2)
    assert contents(folder) == before
    assert first.returncode == 5
    broken = {number for number in range(1, season.COUNT + 1) if season.kind(number) in season.BROKEN}
    good = sorted(set(range(1, season.COUNT + 1)) - broken)
    said = f"{len(broken)} of {season.COUNT} shots failed: {', '.join(map(str, sorted(broken)))}"
    assert first.stderr.splitlines()[-1:] == [f"two_bone_ik: {said}"]

    table = rows(first.stdout)
    assert sorted(table) == list(range(1, season.COUNT + 1))
    for number in broken:
        state, file, why = table[number]
        assert (state, file) == ("refused", str(folder / f"{number:03}_{season.kind(number)}.blend"))
        assert season.BROKEN[season.kind(number)] in why
    for number in good:
        assert table[number][0] == "done"
        assert table[number][2] == (
            "targets not always reached: arm" if season.kind(number) == season.FAR else "all targets reached"
        )

    names = {f"{number:03}_{season.kind(number)}" for number in range(1, season.COUNT + 1)}
    written = {f"{number:03}_{season.kind(number)}.blend" for number in good}
    assert {path.name for path in out.iterdir()} == written | {f"{name}.two_bone_ik.json" for name in names}
    for number in good:
        season.assert_baked(out / f"{number:03}_{season.kind(number)}.blend", reached=season.kind(number) != season.FAR)

    times = {path: path.stat().st_mtime_ns for path in out.iterdir()}
    mended = folder / "001_truncated.blend"
    season.make_shot(mended)
    second = run(*bake)
    table = rows(second.stdout)
    assert {number for number in table if table[number][0] == "done before"} == set(good)
    assert {number for number in table if table[number][0] == "done"} == {1}
    changed = {path.name for path in out.iterdir() if path.stat().st_mtime_ns != times.get(path)}
    assert changed == {"001_truncated.blend"} | {
        f"{number:03}_{season.kind(number)}.two_bone_ik.json" for number in broken
    }


@pytest.mark.versions
def test_a_process_writes_the_same_keys_as_the_api(program: list[str], tmp_path: Path) -> None:
    from bl_ext.user_default.two_bone_ik import api

    from support import season
    from support.two_bones import keyed_state

    shot, baked, setup = tmp_path / "shot.blend", tmp_path / "baked.blend", tmp_path / "setup.toml"
    season.make_shot(shot)
    setup.write_text('chain = [{end_bone = "lower", target = "Target"}]')
    done = run(*program, "bake", shot, "--setup", setup, "--output", baked)
    assert (done.returncode, done.stderr) == (0, "")
    bpy.ops.wm.open_mainfile(filepath=str(shot))
    rig = bpy.data.objects["Rig"]
    api.bake(rig, api.apply_setup(rig, api.load_setup(setup)))
    expected = keyed_state(rig)
    bpy.ops.wm.open_mainfile(filepath=str(baked))
    assert keyed_state(bpy.data.objects["Rig"]) == expected


def test_a_manifest_builds_each_of_its_files(program: list[str], tmp_path: Path) -> None:
    from support import season

    for number in (1, 2):
        season.make_shot(tmp_path / f"{number}.blend", number=number)
    (tmp_path / "setup.toml").write_text('chain = [{end_bone = "lower", target = "Target"}]')
    (tmp_path / "season.toml").write_text('shot = [{file = "1.blend"}, {file = "2.blend"}]')
    files = ["--manifest", tmp_path / "season.toml", "--setup", tmp_path / "setup.toml"]
    built = run(*program, "build", *files, "--output-dir", tmp_path / "out", "--jobs", 1)
    assert built.returncode == 0, built.stderr
    for number in (1, 2):
        season.assert_baked(tmp_path / "out" / f"{number}.blend")
        assert bpy.data.objects["Rig"].pose.bones["lower"]["IK"] == 1.0


@pytest.fixture
def pool(program: list[str], tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts a pool of one Blender for these shots; outputs go to the folder "out"."""
    (tmp_path / "setup.toml").write_text('chain = [{end_bone = "lower", target = "Target"}]')

    def start(shots: list[Path], *options: str) -> subprocess.Popen[str]:
        manifest = tmp_path / "season.toml"
        manifest.write_text("".join(f'[[shot]]\nfile = "{shot}"\nsetup = "setup.toml"\n' for shot in shots))
        command = [*program, "bake", "--manifest", manifest, "--output-dir", tmp_path / "out", "--jobs", "1", *options]
        pipe = subprocess.PIPE
        return subprocess.Popen(list(map(str, command)), stdout=pipe, stderr=pipe, text=True)

    return start


def kill_worker(pool: subprocess.Popen[str]) -> None:
    threads = Path(f"/proc/{pool.pid}/task").iterdir()
    (worker,) = [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    os.kill(worker, signal.SIGKILL)


def test_a_crash_or_hang_costs_only_its_own_shot(pool: Callable, tmp_path: Path) -> None:
    from support import season

    shots = [tmp_path / f"{name}.blend" for name in ("first", "killed", "endless", "last")]
    for shot in shots[::3]:
        season.make_shot(shot)
    endless = bpy.data.texts.new("endless.py")
    endless.use_module = True  # it runs when the file is opened
    endless.write("import bpy, time\nopen(bpy.data.filepath + '.begun', 'w').close()\ntime.sleep(1e6)")
    for shot in shots[1:3]:
        bpy.ops.wm.save_as_mainfile(filepath=str(shot))

    process = pool(shots, "--enable-autoexec", "--time-limit", "15")
    wait_for((tmp_path / "killed.blend.begun").exists)
    kill_worker(process)
    said, error = process.communicate(timeout=SECONDS)
    assert process.returncode == 6
    assert error.splitlines()[-1:] == ["two_bone_ik: 2 of 4 shots failed: 2, 3"]
    table = rows(said)
    assert [table[number][0] for number in (1, 2, 3, 4)] == ["done", "crashed", "timed out", "done"]
    assert "ended with signal 9" in table[2][2]
    assert "was stopped after 15 seconds" in table[3][2]
    reports = {f"{shot.stem}.two_bone_ik.json" for shot in shots}
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"first.blend", "last.blend", *reports}


def test_a_kill_while_writing_leaves_the_old_output(pool: Callable, tmp_path: Path) -> None:
    from support import season

    out = tmp_path / "out"
    out.mkdir()
    (out / "big.blend").write_bytes(b"old")
    season.make_shot(tmp_path / "big.blend")
    mesh = bpy.data.meshes.new("Big")
    mesh.vertices.add(4_000_000)
    mesh.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "big.blend"), compress=False)
    process = pool([tmp_path / "big.blend"])
    wait_for(lambda: any(path.stat().st_size > 1_000_000 for path in out.glob(".big.*")))
    kill_worker(process)
    said, _ = process.communicate(timeout=SECONDS)
    assert rows(said)[1][0] == "crashed"
    assert json.loads((out / "big.two_bone_ik.json").read_text())["state"] == "crashed"
    (out / "big.two_bone_ik.json").unlink()
    assert contents(out) == {out / "big.blend": b"old"}


@pytest.mark.versions
@pytest.mark.parametrize("compress", [True, False])
def test_a_full_disk_leaves_nothing_behind(program: list[str], tmp_path: Path, compress: bool) -> None:
    from support import season

    shot, out = tmp_path / "shot.blend", tmp_path / "out"
    season.make_shot(shot)
    bpy.ops.wm.save_as_mainfile(filepath=str(shot), compress=compress)
    (tmp_path / "setup.toml").write_text('chain = [{end_bone = "lower", target = "Target"}]')
    limit = f"ulimit -f 1; exec {' '.join(program)} bake {shot} --setup {tmp_path}/setup.toml --output {out}/shot.blend"
    done = run("bash", "-c", limit)
    assert done.returncode == 5
    assert "cannot be written: File too large" in done.stderr
    assert list(out.iterdir()) == []
