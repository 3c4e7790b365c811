"""A real Blender with a window, as a user has it: $BLENDER is the command that starts it."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
PLAY = Path(__file__).with_name("play.py")
SECONDS = 600
# 4.3 in a container without /etc/mtab
NO_FAULT_OF_OURS = "could not get a list of mounted file-systems"


def blender(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*shlex.split(os.environ["BLENDER"]), *arguments],
        cwd=CHECKOUT,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, built by the Blender under test."""
    path = tmp_path_factory.mktemp("package") / "two_bone_ik.zip"
    run = blender("--command", "extension", "build", "--source-dir", CHECKOUT, "--output-filepath", path)
    assert run.returncode == 0, run.stdout + run.stderr
    return path


@pytest.fixture
def installed(package: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Starts a Blender in which the package was installed and enabled, as from a terminal."""
    environment = {"BLENDER_USER_RESOURCES": str(tmp_path / "resources")}
    run = blender(
        "--command", "extension", "install-file", "--repo", "user_default", "--enable", package, **environment
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return partial(blender, **environment)


@pytest.fixture
def play(package: Path, tmp_path: Path) -> Callable[[str], None]:
    """Plays a scenario in a fresh Blender into which the package was installed; it leaves its screenshots in out/."""

    def played(scenario: str) -> None:
        # Software draws each pixel. Only pictures need a wide window; all buttons need a high one.
        size = ("1600" if scenario == "pictures" else "1000", "1000")
        arguments = ("--factory-startup", "--window-geometry", "0", "0", *size, "--enable-event-simulate")
        run = blender(
            *(*arguments, "--python-exit-code", "1", "--python", PLAY, "--", scenario, package),
            BLENDER_USER_RESOURCES=str(tmp_path),
        )
        told = f"exit status {run.returncode}\n{run.stdout}{run.stderr}"
        assert run.returncode == 0, told
        assert "Played to the end" in run.stdout, told
        assert [line for line in run.stderr.splitlines() if line != NO_FAULT_OF_OURS] == []

    return played
