"""Builds and validates the package with the extension tool of the Blender wheel in this environment.

Usage:
    python tests/support/package.py out/two_bone_ik.zip
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]


def build(package: Path) -> None:
    """Write the checkout's package to the path `package`; CalledProcessError if the tool finds a fault."""
    package.parent.mkdir(parents=True, exist_ok=True)
    _blender_ext("build", "--source-dir", str(CHECKOUT), "--output-filepath", str(package))
    _blender_ext("validate", str(package))


def _blender_ext(command: str, *arguments: str) -> None:
    # Run as a program of its own, since `import bpy` would start a whole Blender.
    (bpy,) = find_spec("bpy").submodule_search_locations
    (scripts,) = Path(bpy).glob("*/scripts")
    tool = scripts / "addons_core/bl_pkg/cli/blender_ext.py"
    tags = scripts / "modules/_bpy_internal/extensions/tags.py"
    subprocess.run([sys.executable, tool, command, "--valid-tags", tags, *arguments], check=True, timeout=60)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
