"""The page of the Python interface is made of its docstrings, and leaves nothing out."""

from __future__ import annotations

import ast
import runpy

import pytest

from support.manual import CHECKOUT

PAGE = runpy.run_path(str(CHECKOUT / "docs/api_page.py"))["interface"]()
SOURCE = ast.parse((CHECKOUT / "api/__init__.py").read_text("utf-8"))
NAMES = [alias.asname or alias.name for node in SOURCE.body if isinstance(node, ast.ImportFrom) for alias in node.names]


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("_")])
def test_the_page_has_every_name_of_the_interface(name: str) -> None:
    assert f"### `{name}`\n\n" in PAGE


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("_")])
def test_the_page_begins_with_a_link_to_every_name(name: str) -> None:
    contents, _, _ = PAGE.partition("\n\n## ")
    assert f"[`{name}`](#{name.lower()})" in contents


def test_the_page_has_signature_text_and_example() -> None:
    _, _, found = PAGE.partition("### `remove_chain`")
    signature, text, raised, example = found.split("\n\n")[1:5]
    assert signature == "```\nremove_chain(rig: Object, chain: str) -> None\n```"
    assert text.startswith("Remove the chain")
    assert raised.startswith("- **raises**: Refused")
    assert ">>> api.remove_chain(rig" in example
