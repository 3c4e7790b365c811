"""Online Manual, in the menu of a button or a field: the section of the manual that it opens."""

import tomllib
from pathlib import Path

from bpy.utils import register_manual_map, unregister_manual_map

_NAMES = ("bpy.ops.two_bone_ik.{}", "bpy.types.twoboneikchain.{}", "bpy.types.*.two_bone_ik_{}")
"""What Blender calls an operator or an option; in this lookup all of its names are lower case."""


def sections() -> tuple[str, list[tuple[str, str]]]:
    """Where the pages are, and for patterns of names the section of a page, as Blender takes them."""
    from ..blender.extension import WEBSITE

    named = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return WEBSITE, [
        (pattern.format(name), section)
        for section, names in named.items()
        for name in names
        for pattern in (("{}",) if "." in name else _NAMES)
    ]


def register() -> None:
    """Tell Blender."""
    register_manual_map(sections)


def unregister() -> None:
    """Take it back."""
    unregister_manual_map(sections)
