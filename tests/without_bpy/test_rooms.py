"""Each room of `blender` says what other rooms use of it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
BLENDER = CHECKOUT / "blender"
ROOMS = sorted(path.name for path in BLENDER.iterdir() if (path / "__init__.py").exists())
LAYERS = ("blender", "api", "operators", "ui", "command_line")


def used() -> dict[str, set[tuple[str, str]]]:
    """By room the modules that files outside of it import, each with a name, or "all" where it is imported whole."""
    found = defaultdict(set)
    files = [CHECKOUT / "__init__.py", *(path for layer in LAYERS for path in (CHECKOUT / layer).rglob("*.py"))]
    for path in files:
        own = path.relative_to(CHECKOUT).with_suffix("").parts
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                package = (*own[: -node.level], *(node.module.split(".") if node.module else ()))
                for alias in node.names:
                    room, module, name = _split((*package, alias.name))
                    if room in ROOMS and own[:2] != ("blender", room):
                        found[room].add((module, name))
    return found


def _split(names: tuple[str, ...]) -> tuple[str, str, str]:
    if names[0] != "blender" or len(names) < 3:
        return "", "", ""
    is_module = CHECKOUT.joinpath(*names).with_suffix(".py").exists()
    module = names[2:] if is_module else names[2:-1]
    return names[1], "/".join(module), "all" if is_module else names[-1]


def listed(room: str) -> set[tuple[str, str]]:
    """What the docstring of the room has, in lines `module : names`."""
    text = ast.get_docstring(ast.parse((BLENDER / room / "__init__.py").read_text("utf-8"))) or ""
    lines = re.findall(r"^    (\S+) : (.*(?:\n {8}.*)*)", text, re.MULTILINE)
    return {(module, name) for module, names in lines for name in re.split(r",\s+", names)}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_lists_what_others_use_of_it(room: str) -> None:
    found = used()[room]
    whole = {module for module, name in found if name == "all"}
    assert listed(room) == {(module, "all" if module in whole else name) for module, name in found}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_nothing_by_itself(room: str) -> None:
    tree = ast.parse((BLENDER / room / "__init__.py").read_text("utf-8"))
    assert [type(node) for node in tree.body] == [ast.Expr]
