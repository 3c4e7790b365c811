"""The command line in this process, as `blender --command two_bone_ik …` calls it."""

from __future__ import annotations

from pathlib import Path

from bl_ext.user_default.two_bone_ik.command_line import main


def run(*argv: object) -> int:
    """The exit status."""
    return main.main([str(item) for item in argv], [], "two_bone_ik")


def bake_all(manifest: Path, *argv: object) -> int:
    """The exit status of a bake of the shots of a manifest; outputs go into the folder "out" beside it."""
    return run("bake", "--manifest", manifest, "--output-dir", manifest.with_name("out"), *argv)
