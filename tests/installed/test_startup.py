"""Whoever opens Blender need not pose limbs: the extension, enabled, is hardly there until it is used."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SUPPORT = Path(__file__).parents[1] / "support"


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def run(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a script of the support in a process of its own, in which the package is installed."""
    environment = os.environ | {"BLENDER_USER_RESOURCES": str(tmp_path_factory.mktemp("resources"))}

    def run(script: str, *arguments: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, SUPPORT / script, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)

    installed = run("install.py", package)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    return run


def test_enabling_it_imports_next_to_nothing(run: Run) -> None:
    started = run("watched_start.py")
    assert started.returncode == 0, started.stdout + started.stderr


def test_no_button_imports_threads_or_what_runs_scripts(run: Run) -> None:
    pressed = run("pressed_buttons.py")
    print(pressed.stdout)
    assert pressed.returncode == 0, pressed.stdout + pressed.stderr
