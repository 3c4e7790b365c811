"""Two-Bone IK: limbs of two bones solved in closed form, and the result keyed.

`solver` is the geometry and knows no Blender. `blender` reads armatures and writes keys and knows no user. `api` is the
public interface for scripts; `operators` and `ui` are what animators meet, `command_line` is for farms.
"""

from . import operators, ui
from .blender import properties
from .blender.live import handlers
from .blender.pipeline import unkeyed_edits
from .command_line import main

_PARTS = (properties, operators, ui, unkeyed_edits, handlers, main)


def register() -> None:
    """Add properties, operators, panels and the command to Blender."""
    for part in _PARTS:
        part.register()


def unregister() -> None:
    """Take them away again; chains that objects hold stay in the file."""
    for part in reversed(_PARTS):
        part.unregister()
