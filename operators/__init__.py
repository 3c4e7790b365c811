"""What users can do: each operator holds its words, its properties and one call to `api`."""

import bpy
from bpy.utils import register_classes_factory

from . import bake, chains, check, constraints, detect, drag, pose, progress, targets

_MODULES = (chains, detect, constraints, targets, pose, drag, check, bake)

register, _unregister = register_classes_factory([cls for module in _MODULES for cls in module.CLASSES])


def unregister() -> None:
    """Blender drops operators that are under way without a word to them; so they are told."""
    progress.give_up(bpy.context)
    _unregister()
