"""Whoever opens Blender need not pose limbs: the extension, enabled, is hardly there until it is used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SUPPORT = Path(__file__).parents[1] / "support"


# No more than a few imports as it is enabled; no button imports threads or what runs scripts.
@pytest.mark.parametrize("script", ["watched_start.py", "pressed_buttons.py"])
def test_what_is_not_needed_is_not_imported(installed: None, script: str) -> None:
    """In a process of its own, in which the package is installed as it is here."""
    done = subprocess.run([sys.executable, SUPPORT / script], capture_output=True, text=True, timeout=120)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
