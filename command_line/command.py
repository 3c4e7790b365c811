"""The command `two_bone_ik`, as Blender's own `--command` takes it."""

import sys

import bpy

_handles: list[object] = []


def register() -> None:
    """Let Blender know the command."""
    _handles.append(bpy.utils.register_cli_command("two_bone_ik", _execute))


def unregister() -> None:
    """Take it away."""
    bpy.utils.unregister_cli_command(_handles.pop())


def _execute(argv: list[str]) -> int:
    from .main import main

    program = [bpy.app.binary_path, *sys.argv[1 : len(sys.argv) - len(argv)]]
    return main(argv, program, "blender --command two_bone_ik")
