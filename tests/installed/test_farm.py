"""The Open Job Description template and the lines for Dask: run for real on files, also if a worker is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.manual import blocks
from support.waiting import SECONDS, wait_for

pytestmark = pytest.mark.usefixtures("enabled")

TEMPLATE = Path(__file__).parents[2] / "farm" / "two_bone_ik.openjd.yaml"
THERE = "/studio/season"
"""Where the shots lie for whoever wrote the manifest."""
OPENJD = Path(sys.executable).with_name("openjd")
DASK = Path(sys.prefix).with_name("dask") / "bin/dask"


def openjd(*argv: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, [OPENJD, *argv])), capture_output=True, text=True, timeout=240)


@pytest.fixture(scope="module")
def blender(program: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What stands in for the program where there is only its module: it knows no option before --command."""
    return stand_in(tmp_path_factory.mktemp("bin"), program)


def stand_in(folder: Path, program: list[str]) -> Path:
    """It writes its process number to the file "begun" beside it."""
    path = folder / "blender"
    skip = 'while [ "$1" != --command ]; do shift; done; shift 2'
    path.write_text(f'#!/bin/sh\necho $$ >{folder}/begun\n{skip}\nexec {" ".join(program)} "$@"\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def arguments(blender: Path, tmp_path: Path):
    """Gives those that run the job on three shots, at most two a task; shots lie elsewhere than the manifest says."""
    from support import season

    (tmp_path / "shots").mkdir()
    manifest = tmp_path / "season.toml"
    (tmp_path / "shots" / "setup.toml").write_text('chain = [{end_bone = "lower", target = "Target"}]')
    names = [f"{number}.blend" for number in range(1, 4)]
    for number, name in enumerate(names):
        season.make_shot(tmp_path / "shots" / name, number=number)
    shot = '[[shot]]\nfile = "{there}/{name}"\nsetup = "{there}/setup.toml"\n'
    manifest.write_text("".join(shot.format(there=THERE, name=name) for name in names))
    rule = {"source_path_format": "POSIX", "source_path": THERE, "destination_path": str(tmp_path / "shots")}
    rules = {"version": "pathmapping-1.0", "path_mapping_rules": [rule]}
    values = {
        "Manifest": manifest,
        "Shots": "1-3",
        "ShotsPerTask": 2,
        "SecondsPerTask": 0,
        "OutputDir": tmp_path / "out",
        "Blender": blender,
    }

    def arguments(**others: object) -> list[object]:
        given = [item for key, value in (values | others).items() for item in ("-p", f"{key}={value}")]
        return ["run", TEMPLATE, *given, "--path-mapping-rules", json.dumps(rules)]

    return arguments


@pytest.fixture
def submit(arguments):
    return lambda **others: openjd(*arguments(**others))


def test_a_job_whose_template_is_right_bakes_each_shot(submit, tmp_path: Path) -> None:
    from support.season import assert_baked

    check, run = openjd("check", TEMPLATE), submit()
    assert check.returncode == 0, check.stdout + check.stderr
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("openjd_progress: 100") == 2
    baked = {path.name: path for path in (tmp_path / "out" / "shots").glob("*.blend")}
    assert baked.keys() == {f"{number}.blend" for number in range(1, 4)}
    for path in baked.values():
        assert_baked(path)


@pytest.mark.once
def test_a_job_takes_the_command_and_options_that_are_set(submit, tmp_path: Path) -> None:
    options = {"Command": "check", "Shots": "1-2", "SecondsPerTask": 60, "Strict": "0.01", "TimeLimit": "60"}
    run = submit(**options, Setup=tmp_path / "shots" / "setup.toml")
    assert run.returncode == 0, run.stdout + run.stderr
    names = {path.name for path in (tmp_path / "out" / "shots").iterdir()}
    assert names == {"1.two_bone_ik.json", "2.two_bone_ik.json"}


@pytest.mark.once
def test_a_job_switches_limbs_of_a_known_rig(submit, tmp_path: Path) -> None:
    import bpy

    from support.empty_file import open_empty_file
    from support.published_rigs import move, published

    open_empty_file()
    move(published("cloudrig"), "cloudrig", "IK")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    (tmp_path / "rigs.toml").write_text('[[shot]]\nfile = "rig.blend"\n')
    run = submit(Command="switch", To="FK", Manifest=tmp_path / "rigs.toml", Shots="1", Keys="EVERY_FRAME")
    assert run.returncode == 0, run.stdout + run.stderr
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "rig.blend"))
    bpy.context.scene.frame_set(5)
    assert bpy.data.objects["cloudrig"].pose.bones["Properties"]["ik_left_leg"] == 0.0


@pytest.mark.once
def test_a_failed_job_names_the_shot_that_failed(submit, tmp_path: Path) -> None:
    (tmp_path / "shots" / "1.blend").write_bytes(b"BLENDER")
    run = submit()
    assert run.returncode != 0
    assert "openjd_fail: 1 of 2 shots failed: 1" in run.stdout
    assert "2.blend" in {path.name for path in (tmp_path / "out" / "shots").glob("*.blend")}
    assert not (tmp_path / "out" / "shots" / "1.blend").exists()


@pytest.mark.once
def test_an_openjd_worker_goes_on_where_one_was_killed(arguments, program: list[str], tmp_path: Path) -> None:
    from support.season import assert_baked

    for name in ("lost", "other"):
        (tmp_path / name).mkdir()
        stand_in(tmp_path / name, program)
    values = {"Shots": "1-2", "ShotsPerTask": 1}
    lost, other = (
        subprocess.Popen(list(map(str, [OPENJD, *arguments(**values, Blender=tmp_path / name / "blender")])))
        for name in ("lost", "other")
    )
    kill_while_it_works(tmp_path / "lost/begun", lost.pid)
    assert (lost.wait(SECONDS), other.wait(SECONDS)) == (-signal.SIGKILL, 0)
    for number in (1, 2):
        assert_baked(tmp_path / f"out/shots/{number}.blend")


@pytest.fixture
def dask(program: list[str], tmp_path: Path):
    """The address of a scheduler, with two workers, each in a folder of its own with a stand-in for Blender."""
    file = tmp_path / "scheduler.json"
    started = [subprocess.Popen([DASK, "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", file])]
    wait_for(file.exists)
    for name in ("lost", "other"):
        (tmp_path / name).mkdir()
        path = f"{stand_in(tmp_path / name, program).parent}:{os.environ['PATH']}"
        line = [DASK, "worker", "--scheduler-file", file, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        started.append(subprocess.Popen(line, cwd=tmp_path, env={**os.environ, "PATH": path}))
    yield json.loads(file.read_text())["address"], started[1].pid
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.once
def test_dask_gives_the_shots_of_a_killed_worker_to_another(arguments, dask, tmp_path: Path) -> None:
    from support.season import assert_baked

    address, lost = dask
    script = blocks("docs/farm.md", "python")[0]
    for pasted, here in {"tcp://scheduler:8786": address, "SHOTS, CHUNK = 200, 10": "SHOTS, CHUNK = 3, 1"}.items():
        assert pasted in script
        script = script.replace(pasted, here)
    manifest = tmp_path / "season.toml"
    manifest.write_text(manifest.read_text().replace(THERE, "shots"))
    job = subprocess.Popen([DASK.with_name("python"), "-c", script], cwd=tmp_path)
    kill_while_it_works(tmp_path / "lost/begun", lost)
    assert job.wait(SECONDS) == 0
    for number in range(1, 4):
        assert_baked(tmp_path / f"baked/shots/{number}.blend")


def kill_while_it_works(begun: Path, worker: int) -> None:
    """Kill a worker, and the Blender whose number is in this file, as if the machine had failed."""
    wait_for(lambda: begun.exists() and begun.read_text().endswith("\n"))
    for process in (worker, int(begun.read_text())):
        os.kill(process, signal.SIGKILL)
