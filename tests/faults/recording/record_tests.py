"""A plugin of pytest that writes a line of JSON for each test: its name, its seconds, and the lines that it runs.

Of a test with many cases, the first and the last run. Lines that run before the first test, as modules are imported,
count for no test.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import reached_lines

RECORD = "PLANTED_FAULTS_RECORD"
"""The file that gets a line for each test."""

_begin = subprocess.Popen.__init__
_failed = set[str]()
_cases = dict[str, list[str]]()
"""Of each test function."""


def _begin_recorded(process: Any, *arguments: Any, env: dict[str, str] | None = None, **named: Any) -> None:
    """Starts a process that records, though a fixture has set another PYTHONPATH."""
    env = dict(os.environ if env is None else env)
    folders = [os.path.dirname(reached_lines.__file__), env.get("PYTHONPATH", "")]
    children = {reached_lines.CHILDREN: str(_children), "PYTHONPATH": os.pathsep.join(filter(None, folders))}
    _begin(process, *arguments, env=env | children, **named)


_children = Path(tempfile.mkdtemp(), "lines")
subprocess.Popen.__init__ = _begin_recorded  # type: ignore[method-assign]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the first and the last case of each test."""
    for item in items:
        _cases.setdefault(_function(item), []).append(item.nodeid)
    others = [item for item in items if item.nodeid not in (_cases[_function(item)][0], _cases[_function(item)][-1])]
    dropped = set(others)
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in dropped]


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Write the line of this test, once it has ended."""
    reached_lines.found.clear()
    _children.unlink(missing_ok=True)
    sys.monitoring.restart_events()
    start = time.perf_counter()
    result = yield
    seconds = time.perf_counter() - start
    lines = defaultdict[str, list[int]](list)
    for path, line in sorted(reached_lines.found | _lines_of_children()):
        lines[path].append(line)
    row = {"test": item.nodeid, "function": _function(item), "cases": len(_cases[_function(item)])}
    row |= {"seconds": round(seconds, 3), "passed": item.nodeid not in _failed}
    row |= {"marks": sorted({mark.name for mark in item.iter_markers()}), "lines": lines}
    with open(os.environ[RECORD], "a") as file:
        file.write(json.dumps(row) + "\n")
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember what fails or is skipped."""
    if report.outcome != "passed":
        _failed.add(report.nodeid)


def _lines_of_children() -> set[tuple[str, int]]:
    if not _children.exists():
        return set()
    rows = (row.rpartition(":") for row in _children.read_text().splitlines())
    return {(path, int(line)) for path, _, line in rows if line.isdecimal()}
