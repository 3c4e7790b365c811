"""The solver as a library: what its pages say runs as pasted. `make wheel` tries it as pip installs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.manual import CHECKOUT, blocks

NAME = "two_bone_ik_solver"


@pytest.fixture
def _laid_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library, its parts where the wheel has them."""
    package = tmp_path / NAME
    package.mkdir()
    (package / "__init__.py").symlink_to(CHECKOUT / NAME / "__init__.py")
    for part in ("solver", "skeleton"):
        (package / part).symlink_to(CHECKOUT / part)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("_laid_out")
@pytest.mark.parametrize("example", [*blocks("docs/solver.md", "python"), *blocks(f"{NAME}/README.md", "python")])
def test_the_examples_of_the_solver_run(example: str) -> None:
    exec(example, {})
