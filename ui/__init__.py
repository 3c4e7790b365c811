"""What users see; it draws and decides nothing."""

import bpy

from . import chain_list, menus, panel

_register_classes, _unregister_classes = bpy.utils.register_classes_factory((*chain_list.CLASSES, *panel.CLASSES))


def register() -> None:
    """Add the panel and the menu entries."""
    _register_classes()
    menus.register()


def unregister() -> None:
    """Take them away again."""
    menus.unregister()
    _unregister_classes()
