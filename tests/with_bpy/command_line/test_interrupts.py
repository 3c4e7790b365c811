"""An interrupt counts wherever it arrives, and the command leaves the handlers as it found them."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from io import BufferedRandom
from pathlib import Path

import bpy
import pytest
from bpy.app.handlers import persistent

from support.command import run

pytestmark = pytest.mark.once

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture(params=SIGNALS)
def interrupting_handler(request: pytest.FixtureRequest) -> Iterator[None]:
    """Blender prints and forgets what is raised in a handler."""

    @persistent
    def interrupt(_: object) -> None:
        signal.raise_signal(request.param)

    bpy.app.handlers.load_post.append(interrupt)
    yield
    bpy.app.handlers.load_post.remove(interrupt)


def bake(shot: Path) -> int:
    return run("bake", shot, "--output", shot.with_name("baked.blend"))


def test_an_interrupt_in_a_handler_of_blender_counts(
    shot: Path, interrupting_handler: None, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    assert bake(shot) == 7
    assert capsys.readouterr().err.splitlines()[-1] == "two_bone_ik: interrupted"
    assert list(shot.parent.iterdir()) == [shot]
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_a_command_that_ends_by_itself_puts_the_handlers_back(shot: Path) -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    assert bake(shot) == 0
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_no_report_tells_of_an_output_that_is_not_on_the_disk(shot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(file: BufferedRandom) -> None:
        if file.name.endswith(".blend"):
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr("os.fsync", interrupted)
    assert run("bake", shot, "--output", shot.with_name("baked.blend"), "--report", shot.with_name("report.json")) == 7
    assert list(shot.parent.iterdir()) == [shot]
