"""What users see; it draws and decides nothing."""

import bpy

from .. import __package__ as base_package
from . import chain_list, menus, overlay, panel, preferences

_register_classes, _unregister_classes = bpy.utils.register_classes_factory(
    (*chain_list.CLASSES, *menus.CLASSES, *panel.CLASSES, *preferences.CLASSES)
)


def register() -> None:
    """Add the panel, the menu entries, the overlay and the preferences."""
    _register_classes()
    menus.register()
    overlay.register()
    addon = bpy.context.preferences.addons.get(base_package)
    if addon and addon.preferences.tab != panel.TWO_BONE_IK_PT_chains.bl_category:
        panel.move_to_tab(addon.preferences.tab)


def unregister() -> None:
    """Take them away again."""
    overlay.unregister()
    menus.unregister()
    _unregister_classes()
