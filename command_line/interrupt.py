"""Ctrl-C, and the signal with which a farm ends a task: both stop the command and leave nothing half written.

Without a window, Blender swallows the first Ctrl-C and ends at the second; SIGTERM ends it at once. While Blender calls
Python, as for handlers on every frame or to print a line, it also forgets every exception.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_received: list[int] = []


@contextmanager
def heard() -> Iterator[None]:
    """While the context is open, the first signal raises KeyboardInterrupt; later ones do not disturb the clean-up."""
    _received.clear()
    before = {number: signal.signal(number, _receive) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            # Python does not know a handler of Blender's own, which therefore cannot be put back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def check() -> None:
    """Raise the KeyboardInterrupt that Blender has swallowed, if there was one."""
    if _received:
        raise KeyboardInterrupt


def _receive(number: int, _frame: object) -> None:
    if not _received:
        _received.append(number)
        raise KeyboardInterrupt
