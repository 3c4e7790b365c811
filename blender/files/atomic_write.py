"""Writes files completely or not at all, even if the process is killed, and refuses to read pipes and devices.

`Path.exists` raises where a name is too long or a folder may not be searched, `os.path.exists` does not.
"""

import os
import platform
import re
import secrets
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import ENOENT
from io import BufferedReader
from pathlib import Path
from tempfile import TemporaryFile

from ..messages.refused import Refused

LARGEST_TEXT = 16 << 20
"""Bytes of a text that people write: enough for a manifest of a hundred thousand shots."""

_MACHINE = f"{zlib.crc32(platform.node().encode()):08x}"
_BEGUN = re.compile(rf"\..*\.{_MACHINE}-([1-9]\d*)-[0-9a-f]{{8}}\.partial(\..*)?", re.DOTALL)
"""Names of unfinished files of this machine's processes; the group is the number of the process."""


@contextmanager
def opened(path: Path, largest: float = float("inf")) -> Iterator[BufferedReader]:
    """The file, open for reading; Refused if it cannot be read, is a pipe or device, or is too large."""
    try:
        refuse_irregular(path)
        if (size := path.stat().st_size) > largest:
            raise Refused("TOO_LARGE", value=str(path), size=size, largest=largest)
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise Refused("NO_FILE.unreadable", value=str(path), reason=error.strerror) from None


def text(path: Path, largest: int = LARGEST_TEXT) -> str:
    """The contents of the file as UTF-8, with or without a byte order mark.

    raises : Refused as by `opened`, UnicodeDecodeError if they are something else
    """
    with opened(path, largest) as file:
        return file.read().decode("utf-8-sig")


def first_line(path: Path, largest: int) -> bytes:
    """The beginning of the file, up to its first line break, `largest` bytes at most; empty if there is no file.

    raises : Refused as by `opened`
    """
    if not os.path.exists(path):
        return b""
    with opened(path) as file:
        return file.readline(largest)


def refuse_irregular(path: Path) -> None:
    """Raise `Refused` if the path is a pipe, a device or a folder: reading from it may never end."""
    goal = _followed(path)
    if os.path.exists(goal) and not os.path.isfile(goal):
        raise Refused("NOT_A_FILE", value=str(path))


def refuse_missing(path: Path) -> None:
    """Raise `Refused` if there is no file to read at the path; it is not opened."""
    refuse_irregular(path)
    if not os.path.exists(path):
        raise Refused("NO_FILE.unreadable", value=str(path), reason=os.strerror(ENOENT))


def identity(path: Path) -> object:
    """A value that is equal for all names of one file, through links of both kinds."""
    goal = _followed(path)
    try:
        status = goal.stat()
    except OSError:
        return os.path.normcase(goal)
    return status.st_dev, status.st_ino


def refuse_read_only(path: Path, *, force: bool | None = None) -> None:
    """Raise `Refused` if what lies at the path is not to be replaced; it is not opened.

    force : a file without write permission may be replaced; None where there is no way to ask for it
    """
    refuse_irregular(path)
    goal = _followed(path)
    if not force and os.path.exists(goal) and not _may_be_written(goal):
        raise Refused("READ_ONLY.always" if force is None else "READ_ONLY.unless_forced", value=str(path))


def refuse_unwritable(path: Path, *, force: bool | None = None) -> None:
    """Raise `Refused` if `atomic_write` could not write the file: what may take long need not begin then.

    force : as for `refuse_read_only`
    """
    refuse_read_only(path, force=force)
    goal = _followed(path)
    folder = next(parent for parent in goal.parents if os.path.exists(parent))
    try:
        with suppress(FileNotFoundError):  # not so if its name is too long
            os.lstat(folder / f"{_unfinished_path(goal).name}@")
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Refused("UNWRITABLE", value=str(path), reason=error.strerror) from None


@contextmanager
def atomic_write(path: Path, *, force: bool | None = None) -> Iterator[Path]:
    """Gives a temporary path beside `path` to write to. At the end, that file is renamed to `path`.

    If the process fails or is killed, `path` is as before; the next `tidy` removes the unfinished file. A replaced file
    keeps its permissions; if `path` is a link, the file behind the link is replaced.

    force : a file without write permission is replaced; None where there is no way to ask for it
    raises : Refused if the system cannot write it, or if it has no write permission
    """
    refuse_unwritable(path, force=force)
    goal = _followed(path)
    unfinished = _unfinished_path(goal)
    tidy(path)
    try:
        goal.parent.mkdir(parents=True, exist_ok=True)
        yield unfinished
        sync(unfinished)
        if os.path.exists(goal):
            shutil.copymode(goal, unfinished)
        unfinished.replace(goal)
    except OSError as error:
        raise Refused("UNWRITABLE", value=str(path), reason=error.strerror) from None
    finally:
        with suppress(OSError):
            unfinished.unlink()


def write_text(path: Path, text: str, *, force: bool | None = None) -> None:
    """Write a text as UTF-8, as `atomic_write` does it."""
    with atomic_write(path, force=force) as unfinished, as_private_as(path):
        unfinished.write_text(text, "utf-8")


@contextmanager
def as_private_as(path: Path) -> Iterator[None]:
    """While the context is open, new files get no permission that an existing file at `path` lacks."""
    goal = _followed(path)
    # This process has to read and write what it has begun.
    allowed = goal.stat().st_mode | 0o600 if os.path.exists(goal) else 0o777
    before = os.umask(0o777)
    os.umask(before | ~allowed & 0o777)
    try:
        yield
    finally:
        os.umask(before)


def tidy(path: Path) -> None:
    """Remove the unfinished files of this machine's killed processes from the folder of `path`."""
    with suppress(OSError):
        for item in list(_followed(path).parent.iterdir()):
            # Blender writes under a name with @ at its end, and renames.
            begun = _BEGUN.fullmatch(item.name.removesuffix("@"))
            if begun and not _is_running(int(begun[1])):
                item.unlink()


def obstacle(path: Path, size: int) -> str:
    """The system's reason against a new file of `size` bytes at `path`; "" if there is none."""
    zeros = bytes(1 << 20)
    try:
        with path.open("wb") as file:
            for _ in range(size // len(zeros) + 1):
                file.write(zeros)
            file.flush()
            os.fsync(file)
    except OSError as error:
        return str(error.strerror)
    return ""


def _unfinished_path(goal: Path) -> Path:
    """The path under which a file is begun."""
    # Blender and others go by the suffix; the middle keeps two processes with the same task apart. Blender prints the
    # name, and no part of it must look like a line of its own.
    stem = re.sub("[\x00-\x1f]", "_", goal.stem)
    return goal.with_name(f".{stem}.{_MACHINE}-{os.getpid()}-{secrets.token_hex(4)}.partial{goal.suffix}")


def _may_be_written(file: Path) -> bool:
    # For an administrator, the system allows writing whatever the file itself says.
    return bool(file.stat().st_mode & 0o222) and os.access(file, os.W_OK)


def _is_running(process: int) -> bool:
    if os.name == "nt":
        return True  # asking by `os.kill` would end it there
    try:
        os.kill(process, 0)
    except (PermissionError, ProcessLookupError, OverflowError) as error:
        return isinstance(error, PermissionError)  # another user's
    return True


def _followed(path: Path) -> Path:
    """The end of a chain of links, whether a file exists there or not."""
    # `Path.resolve` raises over links that lead in a circle, before Python 3.13 a RuntimeError.
    return Path(os.path.realpath(path))


def sync(path: Path) -> None:
    """Wait until the contents are on the disk: the renaming could otherwise reach the disk first."""
    with path.open("rb+") as file:
        os.fsync(file)
