"""A language in which each of our strings stands in guillemets: what lacks them in the pictures escapes translation."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import bpy
from bpy.app import translations
from bpy.types import Object
from scenarios.limb import limb_with_target
from user import LAST_COLUMN, Steps, User

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
    assert told.pop("go_to_frame") == "", "there is always a frame to go to"
    assert '«"." cannot be read' in told.pop("plant_capture"), "it needs a file, and no armature"
    assert all("«Select an armature or a target»" in message for message in told.values()), told

    limb_with_target()
    sentences_come_whole()
    bpy.context.object.two_bone_ik_chains[0].target = None
    yield from user.open_sidebar("Animation")
    yield
    user.screenshot("panel")
    yield from user.click("two_bone_ik.drag")
    yield
    user.screenshot("drag")
    yield from user.press("ESC")
    yield from user.wait(10)  # or it is a double click
    yield from user.click("two_bone_ik.bake", LAST_COLUMN)
    yield
    user.screenshot("dialog")
    yield from user.press("ESC")
    yield


def sentences_come_whole() -> None:
    """A refusal, a report with a note, and an account of a constraint, with names and numbers in the right places."""
    api = import_module(f"{PACKAGE}.api")
    rig = bpy.context.object
    chain = rig.two_bone_ik_chains[0]
    chain.name = "{chain}"
    constraint = rig.pose.bones[chain.end_bone].constraints.new("IK")
    constraint.target, constraint.chain_count = chain.target, 2
    known = '«{chain}; «the nearest is "{chain}"»»'
    assert refusal(rig, "{object}") == f'«"{rig.name}" has no chain "{{object}}": it has {known}»'
    hidden = f'«Constraint "IK" of bone "{chain.end_bone}" hides the pose: mute it»'
    assert api.solve(rig).lines() == ["«{chain}: 1 of 1 frames reached»", hidden]
    chain.target = None
    (takeover,) = api.chains_from_constraints(rig)
    assert all(line.strip()[0] + line[-1] == "«»" for line in takeover.lines()), takeover.lines()
    rig.pose.bones[chain.end_bone].constraints.remove(constraint)


def texts() -> Iterator[str]:
    """All that may be one of our strings."""
    package = Path(sys.modules[PACKAGE].__file__).parent
    for kind, cases in tomllib.loads((package / "blender/messages/sentences.toml").read_text("utf-8")).items():
        yield from [cases] if isinstance(cases, str) else cases.values()
        # The list shows kinds of refusals.
        yield kind.replace("_", " ").capitalize()
    for menu in tomllib.loads((package / "ui/menus.toml").read_text("utf-8")).values():
        yield from (menu["label"], menu["tooltip"], *(entry["text"] for entry in menu["entries"] if "text" in entry))
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.strip():
                yield node.value


def refusal(rig: Object, chain: str) -> str:
    """Why a chain of this name cannot be solved."""
    api = import_module(f"{PACKAGE}.api")
    try:
        api.solve(rig, [chain])
    except api.Refused as refused:
        return str(refused)
    return ""


def obstacle(user: User, operator: str) -> str:
    """What Blender says that keeps it from running."""
    try:
        with bpy.context.temp_override(window=user.window, area=user.area):
            getattr(bpy.ops.two_bone_ik, operator)()
    except RuntimeError as error:
        return str(error)
    return ""
