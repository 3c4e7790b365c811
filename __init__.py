"""Two-Bone IK: limbs of two bones solved in closed form, and the result keyed.

`solver` is the geometry and knows no Blender. `blender` reads armatures and writes keys and knows no user. `api` is the
public interface for scripts; `operators` and `ui` are what animators meet, `command_line` is for farms.

Most sessions never pose limbs: what is imported here imports neither `api` nor NumPy before it is used.
"""

from . import operators
from .blender import handlers
from .blender.settings import properties
from .command_line import command
from .operators import progress
from .ui import menus, online_manual, overlay, panel, preferences, pull_tool

_PARTS = (
    properties,
    operators,
    *(preferences, panel, menus, overlay, pull_tool, online_manual),
    handlers,
    command,
)


def register() -> None:
    """Add properties, operators, panels and the command to Blender."""
    for part in _PARTS:
        part.register()


def unregister() -> None:
    """Take them away again; chains that objects hold stay in the file."""
    progress.give_up()
    for part in reversed(_PARTS):
        part.unregister()
