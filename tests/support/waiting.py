"""Waits for another process."""

from __future__ import annotations

import time
from collections.abc import Callable

SECONDS = 120
"""That a process may take."""


def wait_for(happened: Callable[[], bool]) -> None:
    """Return once `happened` is true; TimeoutError if that takes longer than a process may."""
    for _ in range(SECONDS * 1000):
        if happened():
            return
        time.sleep(0.001)
    raise TimeoutError
