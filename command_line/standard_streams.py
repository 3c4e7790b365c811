"""What the command line prints. A run goes on, with its own exit status, where nothing takes it.

A disk may be full, and a pipe's reader may be gone: then each `print` may raise OSError. With `>&-` there is no stream.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from io import TextIOWrapper
from tempfile import TemporaryFile
from typing import TextIO

_CONSOLE = (1, 2)

_FOR_FARMS = re.compile("^(?=openjd_)", re.MULTILINE)
"""Where a line begins that a farm would take for the command's own: names of files may hold such lines."""

_NOT_OF_A_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What breaks a line or moves the cursor; names of files and of Blender's data may hold it."""


def one_line(text: object) -> str:
    """The text with escapes for what would break its line, so that no name can begin a line of its own."""
    return _NOT_OF_A_LINE.sub(lambda match: match[0].encode("unicode_escape").decode(), str(text))


def tell(text: object, *, end: str = "\n", stream: TextIO | None = None) -> None:
    """Print at once, on stdout where no stream is given; what the system does not take is lost."""
    with suppress(OSError):
        print(text, end=end, file=stream, flush=True)


def complain(text: object) -> None:
    """Tell something on stderr, in one line."""
    tell(f"two_bone_ik: {one_line(text)}", stream=sys.stderr)


def prepare() -> None:
    """Let both streams take all that names of files hold, also what encodings lack; closed ones drop what they get."""
    _open_closed()
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115  (for as long as the process lives)
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # otherwise it was replaced
            stream.reconfigure(errors="backslashreplace")


def _open_closed() -> None:
    """Open what is closed of the three standard files.

    The next file that is opened would otherwise be one of them, and Blender would print into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The system gives the lowest number that is free.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)


@contextmanager
def blender_output() -> Iterator[list[str]]:
    """Collects the lines that Blender prints while the context is open, and prints them on the console at its end."""
    lines: list[str] = []
    consoles = [os.dup(number) for number in _CONSOLE]
    # A pipe would have to be emptied by another thread, which Blender may not let run.
    with TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        for number in _CONSOLE:
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
            tell(_FOR_FARMS.sub(" ", text), end="")


class Progress:
    """Prints on stdout how far a run is, each percent once.

    plain : a line for each tenth
    openjd : lines in the format of Open Job Description
    """

    def __init__(self, style: str) -> None:
        self._style, self._said = style, 0

    def __call__(self, done: float) -> None:
        percent = int(100 * done)
        if percent >= self._said + (10 if self._style == "plain" else 1):
            self._said = percent
            if self._style != "none":
                tell(f"openjd_progress: {percent}" if self._style == "openjd" else f"{percent} %")

    def part(self, done: int, count: int) -> Callable[[float], None]:
        """The progress of one of `count` parts, of which `done` are done."""
        return lambda part: self((done + part) / count)

    def failed(self, reason: str) -> None:
        """Say that the run has failed."""
        if self._style == "openjd":
            tell(f"openjd_fail: {one_line(reason)}")
