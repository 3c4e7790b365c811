"""Blender's exit handlers neither hide a failing test nor pytest's last line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CONFTEST = """
from support.blender_process import start_blender

def pytest_sessionstart(session):
    start_blender(session)
"""


def test_a_failing_test_shows_in_status_and_last_line(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_outcome.py").write_text("def test(): assert False")
    configuration = Path(__file__).parents[1] / "pytest.ini"
    command = [sys.executable, "-m", "pytest", "-c", configuration, tmp_path]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode == 1
    assert "1 failed" in run.stdout.splitlines()[-1]
