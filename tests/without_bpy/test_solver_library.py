"""The solver as a library: what its pages say runs as pasted. `make wheel` tries it as pip installs it."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.manual import CHECKOUT, blocks

NAME = "two_bone_ik_solver"
VERSION = tomllib.loads((CHECKOUT / "blender_manifest.toml").read_text("utf-8"))["version"]


@pytest.fixture
def _laid_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library, its parts where the wheel has them."""
    package = tmp_path / NAME
    package.mkdir()
    for module in ("__init__.py", "__main__.py"):
        (package / module).symlink_to(CHECKOUT / NAME / module)
    for part in ("solver", "skeleton"):
        (package / part).symlink_to(CHECKOUT / part)
    metadata = tmp_path / f"{NAME}-{VERSION}.dist-info/METADATA"
    metadata.parent.mkdir()
    metadata.write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("_laid_out")
@pytest.mark.parametrize("example", [*blocks("docs/solver.md", "python"), *blocks(f"{NAME}/README.md", "python")])
def test_the_examples_of_the_solver_run(example: str) -> None:
    exec(example, {})


@pytest.mark.parametrize("module", ["", ".twist", ".pole_pin", ".hock"])
def test_the_examples_in_docstrings_say_what_comes_out(module: str) -> None:
    found = doctest.testmod(importlib.import_module(f"solver{module}"))
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.usefixtures("_laid_out")
def test_the_solver_tests_itself_and_says_its_version(tmp_path: Path) -> None:
    command = [sys.executable, "-m", NAME]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stdout + run.stderr
    lines = run.stdout.splitlines()
    assert lines[0].startswith(f"{NAME} {VERSION}, NumPy ")
    for line, name in zip(lines[1:3], ("in a plane", "in space"), strict=True):
        found = re.fullmatch(rf"{name}: 100000 poses in \d+ ms, farthest tip (\S+) m from its target", line)
        assert found, line
        assert float(found[1]) <= 1e-12
    assert lines[3:] == ["passed"]
