"""A lock that one process at a time holds; it ends with the process, however that ends."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ..messages.refused import Refused

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_PAUSE = 0.1
"""Seconds between two looks whether the lock is free."""


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[bool]:
    """Holds the lock of this path while the context is open, in a hidden file beside it that goes with the lock.

    wait : until no other process holds it; without waiting, False is given if one does
    raises : Refused if that file cannot be written
    """
    lock = path.with_name(f".{path.name}.lock")
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        while (file := _taken(lock)) is None and wait:
            time.sleep(_PAUSE)
    except OSError as error:
        raise Refused("UNWRITABLE", value=str(path), reason=error.strerror) from None
    try:
        yield file is not None
    finally:
        if file:
            with suppress(OSError):
                lock.unlink()
            file.close()


def _taken(lock: Path) -> BinaryIO | None:
    """The file with its lock, or None if another process has that."""
    file = lock.open("ab")
    with suppress(FileNotFoundError):
        # It may have been removed since, and then another process can lock a new one.
        if _lock(file) and os.path.samestat(os.fstat(file.fileno()), lock.stat()):
            return file
    file.close()
    return None


def _lock(file: BinaryIO) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        pass  # a network folder without locks: one machine then cannot know of another
    return True
