"""What is there for Deadline, Tractor and Ray asks for what the command line has. None of their own tools are there."""

from __future__ import annotations

import runpy
import shlex
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from bl_ext.user_default.two_bone_ik.command_line.arguments import parser

from support.manual import blocks

pytestmark = pytest.mark.once

FARM = Path(__file__).parents[3] / "farm"


def settings(name: str) -> dict[str, str]:
    lines = (FARM / name).read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_deadline_asks_for_the_shots_of_a_task() -> None:
    job, plugin = (settings(f"two_bone_ik.deadline_{part}.txt") for part in ("job", "plugin"))
    assert (job["Plugin"], job["Frames"], job["ChunkSize"]) == ("CommandLine", "1-200", "10")
    arguments = plugin["Arguments"].replace("<STARTFRAME>", "11").replace("<ENDFRAME>", "20")
    before, ours = arguments.split("--command two_bone_ik ")
    assert before.endswith("--addons bl_ext.user_default.two_bone_ik ")
    given = parser("").parse_args(shlex.split(ours))
    assert (given.command, given.shot) == ("plant", "11-20")


class _Job:
    """Keeps what it is told, as Tractor's own class does until it is spooled."""

    def __init__(self, **settings: object) -> None:
        self.settings, self.tasks, self.is_spooled = settings, [], False

    def newTask(self, **settings: object) -> None:
        self.tasks.append(settings)

    def spool(self) -> None:
        self.is_spooled = True


def test_tractor_gets_a_task_for_each_chunk_of_shots(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[_Job] = []
    names = ("tractor", "tractor.api", "tractor.api.author")
    modules = {name: ModuleType(name) for name in names}
    modules["tractor.api.author"].Job = lambda **settings: jobs.append(_Job(**settings)) or jobs[0]
    modules["tractor.api"].author = modules["tractor.api.author"]
    modules["tractor"].api = modules["tractor.api"]
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    line = "two_bone_ik.tractor.py plant --manifest season.toml --output-dir out --shots 25 --chunk-size 10"
    monkeypatch.setattr(sys, "argv", [*line.split(), "--floor", "0"])
    runpy.run_path(str(FARM / "two_bone_ik.tractor.py"), run_name="__main__")
    [job] = jobs
    assert job.is_spooled
    given = [parser("").parse_args(task["argv"][task["argv"].index("two_bone_ik") + 1 :]) for task in job.tasks]
    assert [item.shot for item in given] == ["1-10", "11-20", "21-25"]
    assert {(item.command, item.floor) for item in given} == {("plant", "0")}
    assert given[0].manifest.is_absolute()


def test_ray_gets_a_task_for_each_chunk_of_shots(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ray = ModuleType("ray")
    ray.init = ray.get = lambda *_, **__: None
    ray.remote = lambda **_: lambda function: SimpleNamespace(remote=function)
    monkeypatch.setitem(sys.modules, "ray", ray)
    blender = tmp_path / "blender"
    blender.write_text(
        f'#!/bin/sh\nwhile [ "$1" != two_bone_ik ]; do shift; done; shift\necho "$@" >>{tmp_path}/said\n'
    )
    blender.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    exec(blocks("docs/farm.md", "python")[1].replace("SHOTS, CHUNK = 200, 10", "SHOTS, CHUNK = 25, 10"), {})
    given = [parser("").parse_args(shlex.split(line)) for line in (tmp_path / "said").read_text().splitlines()]
    assert [(item.command, item.shot) for item in given] == [("bake", "1-10"), ("bake", "11-20"), ("bake", "21-30")]
