"""Starts one Blender wheel in this process, with its own resources, and an exit status that shows failures."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

MODULE = "bl_ext.user_default.two_bone_ik"


def hands_out_tests(session: pytest.Session) -> bool:
    """Whether this process runs no tests itself, but hands them to others."""
    return session.config.getoption("dist", "no") != "no" and not hasattr(session.config, "workerinput")


def start_blender(session: pytest.Session) -> Path:
    """Imports bpy for this session and returns the folder of its still empty extension repository user_default."""
    resources = tempfile.mkdtemp(prefix="two_bone_ik_")
    os.environ["BLENDER_USER_RESOURCES"] = resources
    import bpy  # noqa: F401  (reads its resources as it is imported)

    atexit.register(_leave, session, resources)
    extensions = Path(resources, "extensions", "user_default")
    extensions.mkdir(parents=True, exist_ok=True)
    return extensions


def _leave(session: pytest.Session, resources: str) -> None:
    # When Python shuts down, Blender 4.5 hangs and 4.2 crashes. This runs before that, and after pytest's last line.
    shutil.rmtree(resources)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(session.exitstatus)
