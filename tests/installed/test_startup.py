"""Whoever opens Blender need not pose limbs: the extension, enabled, is hardly there until it is used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).parents[1] / "support"


def test_enabling_it_imports_next_to_nothing(package: Path, tmp_path: Path) -> None:
    environment = os.environ | {"BLENDER_USER_RESOURCES": str(tmp_path)}

    def run(script: str, *arguments: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, SUPPORT / script, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)

    installed = run("install.py", package)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    started = run("watched_start.py")
    assert started.returncode == 0, started.stdout + started.stderr
