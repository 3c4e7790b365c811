"""What users can do: each operator holds its words, its properties and one call to `api`."""

from bpy.utils import register_classes_factory

from . import bake, chains, check, constraints, detect, drag, pose, targets

_MODULES = (chains, detect, constraints, targets, pose, drag, check, bake)

register, unregister = register_classes_factory([cls for module in _MODULES for cls in module.CLASSES])
