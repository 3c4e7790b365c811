"""Menus in Blender's own: without them, menu search finds nothing. Entries leave out what the menu's title says.

menus.toml has what stands in them.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from bpy.types import Context, Menu, TOPBAR_MT_file_import, UILayout, VIEW3D_MT_object_animation, VIEW3D_MT_pose_ik
from bpy.utils import register_classes_factory

_PARENTS = (VIEW3D_MT_pose_ik, VIEW3D_MT_object_animation)
_LABELS = {"chains": "Two-Bone IK", "chain": "Chain", "targets": "Targets", "contacts": "Contacts", "hold": "Hold"}


@cache
def _entries() -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Read with the first menu that opens: Blender starts faster without them."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


class _ListedMenu(Menu):
    listed: str

    def draw(self, _context: Context) -> None:
        for entry in _entries()[self.listed]["entries"]:
            _draw_entry(self.layout, **entry)


def _draw_entry(
    layout: UILayout, *, menu: str = "", operator: str = "", text: str = "", choice: str = "", **properties: Any
) -> None:
    if menu:
        layout.menu(f"TWO_BONE_IK_MT_{menu}")
    elif choice:
        layout.operator_menu_enum(f"two_bone_ik.{operator}", choice, text=text)
    elif operator:
        button = layout.operator(f"two_bone_ik.{operator}", text=text)
        for name, value in properties.items():
            setattr(button, name, value)
    else:
        layout.separator()


class TWO_BONE_IK_MT_pie(Menu):
    """What animators press most, around the mouse. It has no key until the user gives it one"""

    bl_label = "Two-Bone IK"

    def draw(self, context: Context) -> None:
        from ..blender.status.in_hand import rig_in_hand

        pie = self.layout.menu_pie()
        if rig := rig_in_hand(context):
            pie.operator("two_bone_ik.live", text="Live", depress=rig.two_bone_ik_live)
        else:
            pie.separator()
        pie.operator("two_bone_ik.solve", text="Solve")
        pie.operator("two_bone_ik.pin", text="Pin")
        pie.operator("two_bone_ik.bake", text="Bake...")
        pie.operator("two_bone_ik.flip_bend", text="Flip")
        pie.operator("wm.tool_set_by_id", text="Pull Limb").name = "two_bone_ik.pull_limb"
        pie.operator("two_bone_ik.switch", text="Switch...")
        pie.menu("TWO_BONE_IK_MT_chains", text="More...")


def _draw(menu: Menu, context: Context) -> None:
    from ..blender.status.in_hand import rig_in_hand

    if rig_in_hand(context):
        menu.layout.separator()
        menu.layout.menu("TWO_BONE_IK_MT_chains")


def _draw_import(menu: Menu, _context: Context) -> None:
    menu.layout.operator("two_bone_ik.plant_capture", text="Motion Capture (Two-Bone IK)")


_LISTED = [
    type(f"TWO_BONE_IK_MT_{name}", (_ListedMenu,), {"bl_label": label, "listed": name})
    for name, label in _LABELS.items()
]
_register, _unregister = register_classes_factory((*_LISTED, TWO_BONE_IK_MT_pie))


def register() -> None:
    """Append the menu."""
    _register()
    for menu in _PARENTS:
        menu.append(_draw)
    TOPBAR_MT_file_import.append(_draw_import)


def unregister() -> None:
    """Remove it."""
    TOPBAR_MT_file_import.remove(_draw_import)
    for menu in _PARENTS:
        menu.remove(_draw)
    _unregister()
