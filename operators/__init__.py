"""What users can do: each operator holds its words, its properties and one call to `api`."""

from bpy.utils import register_classes_factory

from . import bake, chains, check, pose

register, unregister = register_classes_factory((*chains.CLASSES, *pose.CLASSES, *check.CLASSES, *bake.CLASSES))
