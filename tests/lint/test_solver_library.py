"""What mypy says of a script that uses the solver as a library, whose types are part of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.manual import CHECKOUT, blocks

WITH_NUMPY = Path(sys.prefix).with_name("types-5.2") / "bin/python"
NAME = "two_bone_ik_solver"


def test_scripts_with_the_library_are_typed_strictly(tmp_path: Path) -> None:
    package = tmp_path / NAME
    package.mkdir()
    for path in (f"{NAME}/__init__.py", f"{NAME}/py.typed", "solver", "skeleton"):
        (package / Path(path).name).symlink_to(CHECKOUT / path)
    scripts = [*blocks("docs/solver.md", "python"), *blocks(f"{NAME}/README.md", "python")]
    files = [tmp_path / f"script_{number}.py" for number in range(len(scripts))]
    for file, script in zip(files, scripts, strict=True):
        file.write_text(script, "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", f"--python-executable={WITH_NUMPY}"]
    # The package itself is checked with other options.
    command += ["--follow-imports=silent", *(file.name for file in files)]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert found.returncode == 0, found.stdout
