"""Files that are there whole or not at all, whatever ends the process in between."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import Refused


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Gives a path beside `path` to write to; what is written there takes the place of `path` at the end.

    After an error `path` is as it was, and so it is after a kill; then `partial(path)` finds what was left behind.
    Who may read and write it stays as it was; where it is a link, it stays one, and what it leads to is replaced.

    raises : Refused where the system cannot write it
    """
    # Blender and others go by the suffix; the middle keeps two processes with the same task apart.
    goal = _followed(path)
    beside = goal.with_name(f".{goal.stem}.{secrets.token_hex(4)}.partial{goal.suffix}")
    try:
        goal.parent.mkdir(parents=True, exist_ok=True)
        yield beside
        _sync(beside)
        if goal.exists():
            shutil.copymode(goal, beside)
        beside.replace(goal)
    except OSError as error:
        raise Refused(
            '"{value}" cannot be written: {reason}', kind="UNWRITABLE", value=str(path), reason=error.strerror
        ) from None
    finally:
        with suppress(OSError):
            beside.unlink()


def partial(path: Path) -> list[Path]:
    """What writers of `path` that were killed have left beside it."""
    goal = _followed(path)
    start, end = f".{goal.stem}.", f".partial{goal.suffix}"
    # Blender writes under a name with @ at its end, and renames.
    names = [item for item in goal.parent.iterdir() if item.name.startswith(start)] if goal.parent.is_dir() else []
    return [item for item in names if item.name.removesuffix("@").endswith(end)]


def _followed(path: Path) -> Path:
    """Where a link leads in the end, be it there or not."""
    # `Path.resolve` raises over links that lead in a circle, before Python 3.13 a RuntimeError.
    return Path(os.path.realpath(path))


def _sync(path: Path) -> None:
    """Wait until the disk has it: else the new name could be there before what it names."""
    with path.open("rb+") as file:
        os.fsync(file)
