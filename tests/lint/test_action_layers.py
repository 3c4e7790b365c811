"""An action may have one layer with one strip today; the day it may have more, one function has to change."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
ROOMS = ("solver", "skeleton", "blender", "api", "operators", "ui", "command_line")
OF_ACTIONS = {"layers", "channelbag", "channelbags", "action_slot", "action_slot_handle", "action_suitable_slots"}


@cache
def taken() -> dict[tuple[str, str], set[str]]:
    """By file and function what it takes of actions, but of `versions`."""
    found: dict[tuple[str, str], set[str]] = {}
    for path in (path for room in ROOMS for path in (CHECKOUT / room).rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef):
                attributes = (node for node in ast.walk(function) if isinstance(node, ast.Attribute))
                of_actions = [node for node in attributes if node.attr in OF_ACTIONS]
                names = {node.attr for node in of_actions if ast.unparse(node.value) != "versions"}
                found.setdefault((path.relative_to(CHECKOUT).as_posix(), function.name), set()).update(names)
    return found


def users(names: set[str]) -> set[tuple[str, str]]:
    """Files with the functions in them that take one of these attributes."""
    return {function for function, attributes in taken().items() if names & attributes}


def test_one_function_reaches_into_the_layers_of_actions() -> None:
    assert users({"layers"}) == {("blender/versions.py", "_strip")}


def test_one_file_knows_slots_and_channelbags() -> None:
    assert {file for file, _ in users(OF_ACTIONS)} == {"blender/versions.py"}
