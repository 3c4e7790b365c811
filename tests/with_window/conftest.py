"""A real Blender with a window, as a user has it: $BLENDER is the command that starts it."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
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


@pytest.fixture
def plain() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Starts a Blender as it comes, without the extension."""
    return blender


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


class Stage:
    """A Blender that plays one scenario after another. Each begins with Blender as it comes, and with the extension."""

    def __init__(self, package: Path, folder: Path, width: int = 820) -> None:
        # Software draws each pixel. Only pictures need a wide window; all buttons need a high one.
        geometry = ("--window-geometry", "0", "0", str(width), "1000")
        play = ("--python-exit-code", "1", "--python", PLAY, "--", package)
        self._command = ("--factory-startup", *geometry, "--enable-event-simulate", *play)
        self._folder = folder
        self._stderr = folder / "stderr"
        self._blender: subprocess.Popen[str] | None = None

    def play(self, scenario: str) -> None:
        """Play it to its end; it leaves its screenshots in out/. Where it fails, the next has another Blender."""
        blender, self._blender = self._blender or self._started(), None
        assert blender.stdin is not None
        assert blender.stdout is not None
        with ExitStack() as failing:
            failing.callback(blender.communicate, timeout=SECONDS)
            print(scenario, file=blender.stdin, flush=True)
            told = ""
            while not told.endswith("Played to the end\n"):
                line = blender.stdout.readline()
                assert line, f"exit status {blender.wait(SECONDS)}\n{told}{self._stderr.read_text()}"
                told += line
            self._assert_no_complaint()
            failing.pop_all()
        self._blender = blender

    def end(self) -> None:
        """No other scenario comes."""
        if self._blender is not None:
            self._blender.communicate(timeout=SECONDS)
            assert self._blender.returncode == 0, self._stderr.read_text()
            self._assert_no_complaint()

    def _started(self) -> subprocess.Popen[str]:
        with self._stderr.open("w") as stderr:
            return subprocess.Popen(
                [*shlex.split(os.environ["BLENDER"]), *self._command],
                cwd=CHECKOUT,
                env=os.environ | {"BLENDER_USER_RESOURCES": str(self._folder)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            )

    def _assert_no_complaint(self) -> None:
        assert [line for line in self._stderr.read_text().splitlines() if line != NO_FAULT_OF_OURS] == []


@pytest.fixture(scope="module")
def stage(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    stage = Stage(package, tmp_path_factory.mktemp("stage"))
    yield stage
    stage.end()


@pytest.fixture
def play(stage: Stage) -> Callable[[str], None]:
    """Plays a scenario, in the Blender of the one before."""
    return stage.play


@pytest.fixture
def play_alone(package: Path, tmp_path: Path) -> Callable[..., None]:
    """Plays a scenario in a Blender that was just started, and is ended after it."""

    def play(scenario: str, width: int = 820) -> None:
        stage = Stage(package, tmp_path, width)
        stage.play(scenario)
        stage.end()

    return play
