"""Installs a package into the Blender wheel's BLENDER_USER_RESOURCES and enables it there.

Usage:
    BLENDER_USER_RESOURCES=out/resources python tests/support/install.py out/two_bone_ik.zip
"""

from __future__ import annotations

import os
import sys

import bpy


def install(package: str) -> None:
    """Install and enable the package; RuntimeError if Blender refuses it."""
    bpy.ops.extensions.package_install_files(filepath=package, repo="user_default", enable_on_install=True)


def main() -> int:
    """The exit status."""
    try:
        install(os.path.abspath(sys.argv[1]))
    except RuntimeError as refusal:
        print(refusal, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers
