"""One request at a time: one that begins while another one samples, writes or measures is refused.

Blender calls handlers on each frame that a request plays. Without this, a handler that begins a request there would be
called by its own request, and neither would ever end.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from ..messages.refused import Refused

_at_work: list[object] = []
"""What the request holds that is at work now, if there is one."""


@contextmanager
def alone() -> Iterator[None]:
    """Inside, a request is at work. It may be suspended there: closing it lets others begin.

    raises : Refused if another one is at work
    """
    if _at_work:
        raise Refused("BUSY")
    token = object()
    _at_work.append(token)
    try:
        yield
    finally:
        if token in _at_work:  # else another file was opened meanwhile
            _at_work.remove(token)


def forget() -> None:
    """Another file: what was at work in the one before has ended."""
    _at_work.clear()
