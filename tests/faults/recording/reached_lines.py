"""Knows which lines of the product run, in the process of pytest and in those that tests start.

This folder is on PYTHONPATH of all of them. `sys.monitoring` (Python 3.12) tells a line once, and again after
`restart_events`, so tests take hardly longer. A process that a test starts appends each new line to a file at once,
since Blender leaves without Python's exit handlers. This file imports only what Python itself has imported by then, so
that a start of the command line takes as long as ever.
"""

import os
import sys

CHECKOUT = "PLANTED_FAULTS_CHECKOUT"
"""The folder whose files are the product, where they are not installed."""
CHILDREN = "PLANTED_FAULTS_CHILDREN"
"""The file to which the processes of the running test append the lines that they run."""
PACKAGE = "/two_bone_ik/"
"""The folder of the product where it is linked, unpacked or installed."""

found = set[tuple[str, int]]()
"""Files, relative to the product's folder, and lines that ran since this was last cleared."""
_paths = dict[str, str]()


def start() -> None:
    """Let Python tell each line of the product that runs from now on."""
    if CHECKOUT not in os.environ:
        return
    monitoring = sys.monitoring
    monitoring.use_tool_id(monitoring.COVERAGE_ID, "planted faults")
    tell = _append if CHILDREN in os.environ else found.add

    def line(code: object, number: int) -> object:
        path = _product_path(code.co_filename)
        if path:
            tell((path, number))
        return monitoring.DISABLE

    monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.LINE, line)
    monitoring.set_events(monitoring.COVERAGE_ID, monitoring.events.LINE)


def _append(line: tuple[str, int]) -> None:
    file = os.open(os.environ[CHILDREN], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{line[0]}:{line[1]}\n".encode())
    os.close(file)


def _product_path(filename: str) -> str:
    """The path relative to the product's folder; "" for what is no file of the product."""
    if filename not in _paths:
        checkout, name = os.environ[CHECKOUT] + "/", os.path.normpath(filename)
        in_package = name.rpartition(PACKAGE)[2] if PACKAGE in name else ""
        path = name.removeprefix(checkout) if name.startswith(checkout) else in_package
        is_product = path and not path.startswith("tests/") and os.path.exists(checkout + path)
        _paths[filename] = path if is_product else ""
    return _paths[filename]
