"""The command line in this process, as `blender --command two_bone_ik …` calls it."""

from __future__ import annotations

from bl_ext.user_default.two_bone_ik.command_line import main


def run(*argv: object) -> int:
    """The exit status."""
    return main.main([str(item) for item in argv], [], "two_bone_ik")
