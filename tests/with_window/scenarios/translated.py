"""A language in which each of our strings stands in guillemets: what lacks them in the pictures escapes translation."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import bpy
from bpy.app import translations
from scenarios.limb import limb_with_target
from user import Steps, User

PACKAGE = "bl_ext.user_default.two_bone_ik"


def scenario(user: User) -> Steps:
    known = translations.contexts
    contexts = (known.default, known.operator_default, known.id_action)
    translations.register("test", {"fr_FR": {(context, text): f"«{text}»" for context in contexts for text in texts()}})
    view = bpy.context.preferences.view
    view.language = "fr_FR"
    view.use_translate_interface = view.use_translate_tooltips = view.use_translate_reports = True
    yield
    # The default cube is no armature.
    told = {name: obstacle(user, name) for name in dir(bpy.ops.two_bone_ik)}
    assert all("«Select an armature»" in message for message in told.values()), told

    limb_with_target()
    bpy.context.object.two_bone_ik_chains[0].target = None
    yield from user.open_sidebar("Animation")
    yield
    user.screenshot("panel")
    yield from user.click("two_bone_ik.drag")
    yield
    user.screenshot("drag")
    yield from user.press("ESC")
    for _ in range(10):
        yield  # or it is a double click
    yield from user.click("two_bone_ik.bake")
    yield
    user.screenshot("dialog")
    yield from user.press("ESC")
    yield


def texts() -> Iterator[str]:
    """All that may be one of our strings."""
    for path in Path(sys.modules[PACKAGE].__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.strip():
                yield node.value
                # The list shows kinds of refusals.
                yield node.value.replace("_", " ").capitalize()


def obstacle(user: User, operator: str) -> str:
    """What Blender says that keeps it from running."""
    try:
        with bpy.context.temp_override(window=user.window, area=user.area):
            getattr(bpy.ops.two_bone_ik, operator)()
    except RuntimeError as error:
        return str(error)
    return ""
