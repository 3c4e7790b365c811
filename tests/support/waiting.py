"""Waiting for what another process does."""

from __future__ import annotations

import time
from collections.abc import Callable

SECONDS = 120
"""That a process may take."""


def wait_for(happened: Callable[[], bool]) -> None:
    """TimeoutError where it does not happen in the time that a process may take."""
    for _ in range(SECONDS * 1000):
        if happened():
            return
        time.sleep(0.001)
    raise TimeoutError
