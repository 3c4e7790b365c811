"""The manual's table of Python names and Python's own help have every option, with its words and its default."""

from __future__ import annotations

import ast
import inspect
import pydoc
import re
from typing import Any

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.settings.properties import chain_fields

from support.manual import CHECKOUT

pytestmark = pytest.mark.once
_, _, TABLE = (CHECKOUT / "docs/reference.md").read_text("utf-8").partition("## Python names\n")


def _settings() -> dict[str, Any]:
    """Those of a bake that an operator has as well."""
    found = bpy.ops.two_bone_ik.bake.get_rna_type().properties
    return {name: found[name] for name in inspect.signature(api.bake).parameters if name in found}


def row(identifier: str, field: Any) -> str:
    values = {"STRING": "a name", "POINTER": "an object"}
    if field.type == "BOOLEAN":
        values["BOOLEAN"] = f"True or False; `{field.default}`"
    if field.type == "ENUM":
        words = [field.default, *(word for word in field.enum_items.keys() if word != field.default)]
        values["ENUM"] = ", ".join(f"`{word}`" for word in words)
    if identifier == "key_type":  # newer Blenders have more
        values["ENUM"] = f"`{field.default}`, and others of Blender's `Keyframe.type`"
    if field.type == "FLOAT":
        unit = {"ANGLE": "radians; ", "DISTANCE": "a distance; "}.get(field.subtype)
        values["FLOAT"] = f"{unit or f'{field.hard_min:g} to {field.hard_max:g}; '}`{field.default:.4g}`"
    return f"| {field.name} | `{identifier}` | {values[field.type]} |"


# Read at once: once the extension was disabled and enabled, Blender has freed what it knew of the fields.
ROWS = {identifier: row(identifier, field) for identifier, field in {**chain_fields(), **_settings()}.items()}


@pytest.mark.parametrize("identifier", ROWS)
def test_the_table_has_every_option_as_it_is(identifier: str) -> None:
    assert ROWS[identifier] in TABLE


def test_the_table_has_no_option_that_is_not() -> None:
    assert re.findall(r"^\| [^|]+ \| `(\w+)` \|", TABLE, re.MULTILINE) == list(ROWS)


IMPORTED = {
    alias.asname or alias.name
    for node in ast.parse((CHECKOUT / "api/__init__.py").read_text("utf-8")).body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}


def test_all_that_is_imported_is_the_interface() -> None:
    assert set(api.__all__) == IMPORTED


def test_help_of_the_interface_tells_each_name() -> None:
    told = pydoc.plain(pydoc.render_doc(api))
    assert [name for name in sorted(IMPORTED - {"__version__"}) if name not in told] == []


def test_help_of_a_function_shows_words_as_one_writes_them() -> None:
    told = " ".join(pydoc.plain(pydoc.render_doc(api.bake)).split())  # newer Pythons break the signature
    assert "keys: str = 'EVERY_FRAME', tolerance: float = 0.001" in told
    assert "rig : an armature object, or many" in told
