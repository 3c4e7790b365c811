"""Builds and validates the package with the extension tool of the Blender wheel in this environment.

Usage:
    python tests/support/package.py out/two_bone_ik.zip
    python tests/support/package.py --list out/repository

The second one makes a folder with a package a repository, which Blender installs from wherever the folder is served.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]


def build(package: Path) -> None:
    """Write the checkout's package to the path `package`; RuntimeError if the tool finds a fault, or warns of one."""
    package.parent.mkdir(parents=True, exist_ok=True)
    for command, *arguments in (
        ("build", "--source-dir", CHECKOUT, "--output-filepath", package),
        ("validate", package),
    ):
        _blender_ext(command, "--valid-tags", _scripts() / "modules/_bpy_internal/extensions/tags.py", *arguments)


def list_packages(folder: Path) -> None:
    """Write the lists of the packages in this folder, for Blender and as a page; RuntimeError if two have one id."""
    _blender_ext("server-generate", "--html", "--repo-dir", folder)


def _scripts() -> Path:
    # Run as a program of its own, since `import bpy` would start a whole Blender.
    (bpy,) = find_spec("bpy").submodule_search_locations
    (scripts,) = Path(bpy).glob("*/scripts")
    return scripts


def _blender_ext(command: str, *arguments: str | Path) -> None:
    tool = _scripts() / "addons_core/bl_pkg/cli/blender_ext.py"
    run = subprocess.run([sys.executable, tool, command, *arguments], capture_output=True, text=True, timeout=60)
    print(run.stdout, run.stderr, sep="", end="")
    if run.returncode or "WARN" in run.stdout + run.stderr:
        raise RuntimeError(f"{command} finds fault: {run.stdout}{run.stderr}")


if __name__ == "__main__":
    act = list_packages if sys.argv[1] == "--list" else build
    act(Path(sys.argv[-1]))
