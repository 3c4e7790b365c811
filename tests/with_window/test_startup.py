"""Blender as users start it: the extension, enabled, is hardly there until it is used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "support" / "watched_start.py"


def test_enabling_it_imports_next_to_nothing(installed: Callable) -> None:
    started = installed("--background", "--factory-startup", "--python", SCRIPT)
    assert started.returncode == 0, started.stdout + started.stderr
