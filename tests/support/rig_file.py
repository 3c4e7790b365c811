"""A file of a user's own that tells of a kind of rig."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bl_ext.user_default.two_bone_ik.blender.rigs import rig_files

CRANE = """
[[limb]]
name = "Crane"
switch_bone = "lower"
switch = "influence"
fk_value = 0.0
ik_value = 1.0
fk = ["upper", "lower", "hand"]
ik = ["upper", "lower", "hand"]
control = "hook"
"""
"""An arm whose IK constraint acts on the FK controls themselves."""


@contextmanager
def own_rig_file(text: str) -> Iterator[Path]:
    """crane.toml with this text; gone in the end."""
    folder = rig_files.user_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "crane.toml"
    path.write_text(text, "utf-8")
    try:
        yield path
    finally:
        path.unlink()
