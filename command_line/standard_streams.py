"""Standard output and error for a run that goes on, with its own exit status, where nothing takes what it tells.

A disk may be full, a pipe's reader may be gone, and with `>&-` there is no stream at all: Python's own streams then
raise OSError, at any later `print` as well, or are None.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from errno import EBADF
from io import BufferedWriter, RawIOBase, TextIOWrapper
from tempfile import TemporaryFile
from typing import Any, TextIO

_CONSOLE = (1, 2)

_FOR_FARMS = re.compile("^(?=openjd_)", re.MULTILINE)
"""Where a line begins that a farm would take for the command's own: names of files may hold such lines."""

_WIDTH = 40

_NOT_OF_A_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What breaks a line or moves the cursor; names of files and of Blender's data may hold it."""


def one_line(text: object) -> str:
    """The text with escapes for what would break its line, so that no name can begin a line of its own."""
    return _NOT_OF_A_LINE.sub(lambda match: match[0].encode("unicode_escape").decode(), str(text))


def complain(text: object) -> None:
    """Tell something on stderr, in one line."""
    print(f"two_bone_ik: {one_line(text)}", file=sys.stderr)


@contextmanager
def unfailing() -> Iterator[None]:
    """While the context is open, `sys.stdout` and `sys.stderr` drop what the system does not take.

    The first loss on stdout is told on stderr, in one line.
    """
    before = sys.stdout, sys.stderr
    _open_closed()
    streams = _unfailing(sys.stdout, _tell_loss), _unfailing(sys.stderr, lambda _reason: None)
    sys.stdout, sys.stderr = streams
    try:
        yield
    finally:
        for stream in streams:
            stream.flush()
        sys.stdout, sys.stderr = before


def _tell_loss(reason: str) -> None:
    complain(f"Standard output cannot be written: {reason}")


def _open_closed() -> None:
    """Open what is closed of the three standard files: the next file that is opened would otherwise be one of them."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The system gives the lowest number that is free.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)


def _unfailing(stream: TextIO | None, lost: Callable[[str], None]) -> TextIO:
    """The stream without errors, also those of an encoding that lacks what names of files hold."""
    if stream is None:
        return TextIOWrapper(BufferedWriter(_Dropping(None, lost)), encoding="utf-8", errors="backslashreplace")
    if not isinstance(stream, TextIOWrapper):
        return stream
    if stream.errors == "strict":
        stream.reconfigure(errors="backslashreplace")
    raw = getattr(stream.buffer, "raw", stream.buffer)  # without a buffer with PYTHONUNBUFFERED
    if not isinstance(raw, RawIOBase):
        return stream  # not the system's: it was replaced
    with suppress(OSError):
        stream.flush()
    dropping: Any = _Dropping(raw, lost)
    return TextIOWrapper(
        dropping if raw is stream.buffer else BufferedWriter(dropping),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


class _Dropping(RawIOBase):
    """Hands bytes on to a file, or drops them if that takes none; `lost` is told why, once."""

    def __init__(self, file: RawIOBase | None, lost: Callable[[str], None]) -> None:
        self._file = file
        self._lost: Callable[[str], None] | None = lost

    def write(self, data: Any) -> int:
        try:
            if not self._file:
                raise OSError(EBADF, os.strerror(EBADF))
            return self._file.write(data) or 0
        except OSError as error:
            lost, self._lost = self._lost, None
            if lost:
                lost(os.strerror(error.errno))
            return len(data)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return bool(self._file and self._file.isatty())

    def fileno(self) -> int:
        return self._file.fileno() if self._file else super().fileno()


@contextmanager
def blender_output() -> Iterator[list[str]]:
    """Collects the lines that Blender prints while the context is open, and prints them on the console at its end."""
    lines: list[str] = []
    consoles = [os.dup(number) for number in _CONSOLE]
    # A pipe would have to be emptied by another thread, which Blender may not let run.
    with TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        for stream, number in zip((sys.stdout, sys.stderr), _CONSOLE, strict=True):
            stream.flush()
            os.dup2(output.fileno(), number)
        try:
            # Blender writes its log to the console, and its reports to the streams of Python.
            with redirect_stdout(output), redirect_stderr(output):
                yield lines
        finally:
            for number, console in zip(_CONSOLE, consoles, strict=True):
                os.dup2(console, number)
                os.close(console)
            output.seek(0)
            text = output.read()
            lines += text.splitlines()
            print(_FOR_FARMS.sub(" ", text), end="", flush=True)


class Progress:
    """Prints on stdout how far a run is, each percent once.

    plain : a bar on a terminal, else a line for each tenth
    openjd : lines in the format of Open Job Description
    """

    def __init__(self, style: str) -> None:
        self._style = "bar" if style == "plain" and sys.stdout.isatty() else style
        self._said = 0

    def __call__(self, done: float) -> None:
        percent = int(100 * done)
        if percent >= self._said + (10 if self._style == "plain" else 1):
            self._said = percent
            self._say(percent)

    def part(self, done: int, count: int) -> Callable[[float], None]:
        """The progress of one of `count` parts, of which `done` are done."""
        return lambda part: self((done + part) / count)

    def failed(self, reason: str) -> None:
        """Say that the run has failed."""
        if self._style == "openjd":
            print(f"openjd_fail: {one_line(reason)}", flush=True)

    def _say(self, percent: int) -> None:
        if self._style == "bar":
            bar = "#" * (_WIDTH * percent // 100)
            print(f"\r{bar:.<{_WIDTH}} {percent:3} %", end="\n" if percent == 100 else "", flush=True)
        elif self._style == "openjd":
            print(f"openjd_progress: {percent}", flush=True)
        elif self._style == "plain":
            print(f"{percent} %", flush=True)
