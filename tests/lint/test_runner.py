"""`make test` fails where a test fails: in each of its folders; a folder without tests is a failure too."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
FOLDERS = ("without_bpy", "with_bpy", "installed")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout with the real Makefile and one passing test a folder; each of its environments is the running one."""
    shutil.copy(CHECKOUT / "Makefile", tmp_path)
    shutil.copytree(CHECKOUT / "tests", tmp_path / "tests", ignore=lambda *_: (*FOLDERS, "__pycache__"))
    for folder in FOLDERS:
        (tmp_path / "tests" / folder).mkdir()
        (tmp_path / "tests" / folder / f"test_{folder}.py").write_text("def test(): assert True")
    for environment in ("numpy", "bpy-0", "dask"):
        _running_environment(tmp_path / ".venv" / "{}.{}".format(*sys.version_info) / environment)
    return tmp_path


def _running_environment(folder: Path) -> None:
    (folder / "bin").mkdir(parents=True)
    python = folder / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (folder / "ready").touch()


def make_test(project: Path, workers: int = 0) -> subprocess.CompletedProcess[str]:
    command = ["make", "test", f"PYTHON={sys.executable}", "BPY=0", "NUMPY=", f"WORKERS={workers}"]
    # Variables of the `make` that runs this test would reach the one under test.
    environment = os.environ | {"MAKEFLAGS": ""}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=60)


def test_passing_tests_in_every_folder_pass(project: Path) -> None:
    run = make_test(project)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("1 passed") == len(FOLDERS)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_failing_test_fails_the_run(project: Path, folder: str) -> None:
    (project / "tests" / folder / "test_broken.py").write_text("def test(): assert False")
    run = make_test(project, workers=2 if folder == "with_bpy" else 0)
    assert run.returncode != 0
    assert "1 failed, 1 passed" in run.stdout


def test_a_folder_without_tests_fails_the_run(project: Path) -> None:
    (project / "tests" / "installed" / "test_installed.py").unlink()
    assert make_test(project).returncode != 0
