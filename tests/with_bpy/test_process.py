"""Blender's exit handlers neither hide a failing test nor pytest's last line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = """
from support.blender_process import start_blender

def pytest_sessionstart(session):
    start_blender(session)
"""


@pytest.mark.parametrize(("outcome", "status", "last_line"), [(True, 0, "1 passed"), (False, 1, "1 failed")])
def test_the_exit_status_is_that_of_the_tests(tmp_path: Path, outcome: bool, status: int, last_line: str) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_outcome.py").write_text(f"def test(): assert {outcome}")
    configuration = Path(__file__).parents[1] / "pytest.ini"
    command = [sys.executable, "-m", "pytest", "-c", configuration, tmp_path]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode == status
    assert last_line in run.stdout.splitlines()[-1]
