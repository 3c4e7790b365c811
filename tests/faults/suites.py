"""Which tests run which lines, in which time; and tests run in a copy of a checkout."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

RECORDING = Path(__file__).parent / "recording"
OLD, NEW = "3.11", "3.13"
PYTHONS = {"without_bpy": f"{NEW}/numpy", "with_bpy": f"{NEW}/bpy-5.2.3", "installed": f"{NEW}/bpy-5.2.3"}
"""The environment in which each folder of tests is recorded and run."""
MIDDLE = (f"{OLD}/bpy-4.5.15", f"{OLD}/bpy-5.0.1", f"{NEW}/bpy-5.1.2")
MARK = "versions"
"""Of tests that run on the wheels between the oldest and the newest, once there are such marks."""
_HANGS = 60.0
"""Seconds for one test."""
_NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "out", ".*_cache")


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """A case that passes, or all cases of a test function, with what it runs."""

    name: str
    suite: str
    function: str
    cases: int  # of the function
    seconds: float
    of_versions: bool
    lines: dict[str, frozenset[int]]  # by file

    def ran(self, path: str, first: int, last: int) -> bool:
        """Whether it ran one of these lines."""
        return any(first <= line <= last for line in self.lines.get(path, ()))


def read(checkout: Path, environments: Path, out: Path) -> list[Test]:
    """All tests of the checkout that pass, from files in `out`; what is not there yet is recorded first."""
    rows = list[tuple[str, dict[str, Any]]]()
    for suite in PYTHONS:
        record = out / f"{suite}.jsonl"
        if not record.exists():
            _record(checkout, environments / PYTHONS[suite], suite, record)
        rows += [(suite, json.loads(row)) for row in record.read_text().splitlines()]
    marked = any(MARK in row["marks"] for _, row in rows)
    return [_test(suite, row, marked=marked) for suite, row in rows if row["passed"]]


def _test(suite: str, row: dict[str, Any], *, marked: bool) -> Test:
    lines = {path: frozenset(numbers) for path, numbers in row["lines"].items()}
    of_versions = MARK in row["marks"] or not marked
    return Test(row["test"], suite, row["function"], row["cases"], row["seconds"], of_versions, lines)


def whole(tests: Iterable[Test]) -> list[Test]:
    """The functions of these tests, all of their cases, cheapest first."""
    of_function = defaultdict[str, list[Test]](list)
    for test in tests:
        of_function[test.function].append(test)
    found = [
        replace(each[0], name=name, seconds=each[0].cases * sum(test.seconds for test in each) / len(each))
        for name, each in of_function.items()
    ]
    return sorted(found, key=lambda test: test.seconds)


def _record(checkout: Path, environment: Path, suite: str, record: Path) -> None:
    print(f"Recording which lines the tests of {suite} run ...", flush=True)
    unfinished = record.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    record.parent.mkdir(parents=True, exist_ok=True)
    named = {"PLANTED_FAULTS_CHECKOUT": str(checkout), "PLANTED_FAULTS_RECORD": str(unfinished)}
    command = [environment / "bin/python", "-m", "pytest", "-p", "record_tests", f"tests/{suite}"]
    subprocess.run(command, cwd=checkout, env=os.environ | named | {"PYTHONPATH": str(RECORDING)}, check=False)
    unfinished.rename(record)


class Copy:
    """A copy of a checkout, in a temporary folder, where tests run."""

    def __init__(self, checkout: Path, folder: Path, environments: Path) -> None:
        self.folder, self._temporary, self._environments = folder / "checkout", folder / "temporary", environments
        shutil.copytree(checkout, self.folder, ignore=_NOT_COPIED)

    def write(self, path: str, source: bytes) -> None:
        """Write a file of the product, and drop what Python has compiled of it, which may look as new."""
        file = self.folder / path
        file.write_bytes(source)
        for compiled in file.parent.glob(f"__pycache__/{file.stem}.*.pyc"):
            compiled.unlink()

    def failure(self, tests: Iterable[Test], environment: str = "") -> str:
        """What fails first of these tests, on this wheel if one is named: its name, or words; "" where all pass."""
        tests = list(tests)
        for suite, python in PYTHONS.items():
            of_suite = [test for test in tests if test.suite == suite]
            if of_suite and (failed := self._failure(of_suite, self._environments / (environment or python))):
                return failed
        return ""

    def _failure(self, tests: list[Test], environment: Path) -> str:
        command = [environment / "bin/python", "-m", "pytest", "-x", "-p", "no:cacheprovider"]
        command += ["-o", f"faulthandler_timeout={_HANGS}", *(f"tests/{test.name}" for test in tests)]
        shutil.rmtree(self._temporary, ignore_errors=True)
        self._temporary.mkdir()
        output = self._temporary / "output.txt"
        with output.open("w") as file:
            named = os.environ | {"TMPDIR": str(self._temporary)}
            process = subprocess.Popen(command, cwd=self.folder, env=named, stdout=file, stderr=file, process_group=0)
            try:
                status = process.wait(_HANGS + 3.0 * sum(test.seconds for test in tests))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return "a hang"
        return _first_failed(output.read_text(errors="replace"), tests) if status else ""


def _first_failed(output: str, tests: list[Test]) -> str:
    if "Timeout (" in output:
        return "a hang"
    lines = output.splitlines()
    names = [line.split(" ", 1)[1] for line in lines if line.startswith(("FAILED tests/", "ERROR tests/"))]
    failed = [test.name for test in tests for name in names if name.startswith(f"tests/{test.name}")]
    words = next((line for line in reversed(lines) if line.strip()), "no output")
    return max(failed, key=len, default=f"no test begins: {words[:100]}")
