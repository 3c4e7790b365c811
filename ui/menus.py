"""Menus in Blender's own, without which menu search finds nothing: menus.toml has them."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bpy.types import Context, Menu, TOPBAR_MT_file_import, UILayout, VIEW3D_MT_object_animation, VIEW3D_MT_pose_ik
from bpy.utils import register_classes_factory

_MENUS = (VIEW3D_MT_pose_ik, VIEW3D_MT_object_animation)


def _menu(name: str, label: str, tooltip: str, entries: Iterable[Mapping[str, Any]]) -> type[Menu]:
    """A menu, as the file has it."""

    def draw(self: Menu, _context: Context) -> None:
        for entry in entries:
            _draw_entry(self.layout, entry)

    return type(f"TWO_BONE_IK_MT_{name}", (Menu,), {"__doc__": tooltip, "bl_label": label, "draw": draw})


def _draw_entry(layout: UILayout, entry: Mapping[str, Any]) -> None:
    if "menu" in entry:
        layout.menu(f"TWO_BONE_IK_MT_{entry['menu']}")
    elif "choose" in entry:
        layout.operator_menu_enum(f"two_bone_ik.{entry['operator']}", entry["choose"], text=entry["text"])
    elif "operator" in entry:
        button = layout.operator(f"two_bone_ik.{entry['operator']}", text=entry["text"])
        for name, value in entry.get("set", {}).items():
            setattr(button, name, value)
    else:
        layout.separator()


def _draw(menu: Menu, context: Context) -> None:
    from ..blender.status.in_hand import rig_in_hand

    if rig_in_hand(context):
        menu.layout.separator()
        menu.layout.menu("TWO_BONE_IK_MT_chains")


def _draw_import(menu: Menu, _context: Context) -> None:
    menu.layout.operator("two_bone_ik.plant_capture", text="Motion Capture (Two-Bone IK)")


_DECLARED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_register, _unregister = register_classes_factory([_menu(name, **declared) for name, declared in _DECLARED.items()])


def register() -> None:
    """Append the menu."""
    _register()
    for menu in _MENUS:
        menu.append(_draw)
    TOPBAR_MT_file_import.append(_draw_import)


def unregister() -> None:
    """Remove it."""
    TOPBAR_MT_file_import.remove(_draw_import)
    for menu in _MENUS:
        menu.remove(_draw)
    _unregister()
