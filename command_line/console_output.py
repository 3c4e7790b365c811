"""Reads Blender's console output: only there does Blender report damage in a file that it opens all the same."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from tempfile import TemporaryFile

_CONSOLE = (1, 2)

_FOR_FARMS = re.compile("^(?=openjd_)", re.MULTILINE)
"""Where a line begins that a farm would take for the command's own: names of files may hold such lines."""


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
