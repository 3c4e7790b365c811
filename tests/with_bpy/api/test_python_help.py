"""Python's own help tells the whole interface."""

from __future__ import annotations

import ast
import pydoc

import pytest
from bl_ext.user_default.two_bone_ik import api

from support.manual import CHECKOUT

pytestmark = pytest.mark.once

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
