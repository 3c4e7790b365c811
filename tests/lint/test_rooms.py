"""The page of each room has a line for each of its files, and in `blender` what other rooms use of it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
BLENDER = CHECKOUT / "blender"
ROOMS = sorted(path.name for path in BLENDER.iterdir() if (path / "__init__.py").exists())
ORDER = [
    *("", "settings", "curves", "scene", "rigs", "bake", "chains", "targets"),
    *("takeover", "hold", "plant", "switch", "build", "takes", "live", "status"),
]
"""The rooms, each of which imports only from those before it; "" is `blender` itself, with messages and files."""
BESIDE = {"takeover", "hold", "plant", "switch", "build"}
"""None of which imports another."""
LAYERS = ("blender", "api", "operators", "ui", "command_line")
PAGES = {
    path.parent: text
    for layer in ("solver", "skeleton", *LAYERS)
    for path in (CHECKOUT / layer).rglob("__init__.py")
    if (text := ast.get_docstring(ast.parse(path.read_text("utf-8"))))
}
"""By folder what the docstring of its `__init__.py` says; a folder without one is on the page above it."""
USED = "Other rooms use of it:"


@cache
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


def _type_only(tree: ast.Module) -> set[ast.AST]:
    """What only type checkers import."""
    blocks = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)]
    return {node for block in blocks for node in ast.walk(block)}


def faults(path: str, source: str) -> list[str]:
    """The imports of a file in `blender`, lazy ones among them, that the order of the rooms forbids."""
    own, tree, found = ("blender", *path.removesuffix(".py").split("/")), ast.parse(source), []
    if path == "handlers.py":
        return []
    here = own[1] if own[1] in ORDER else ""
    for node in set(ast.walk(tree)) - _type_only(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            package = (*own[: -node.level], *(node.module.split(".") if node.module else ()))
            for alias in node.names:
                names = (*package, alias.name)
                there = names[1] if names[0] == "blender" and names[1] in ORDER else ""
                beside = here != there and {here, there} <= BESIDE
                if names[:2] == ("blender", "handlers") or beside or ORDER.index(there) > ORDER.index(here):
                    found.append(f"{here or 'blender'} imports {'.'.join(names[1:])}")
    return found


def test_rooms_import_from_those_before_them_alone() -> None:
    files = {path.relative_to(BLENDER).as_posix(): path.read_text("utf-8") for path in BLENDER.rglob("*.py")}
    assert {path: found for path, source in files.items() if (found := faults(path, source))} == {}


@pytest.mark.parametrize(
    ("path", "source", "fault"),
    [
        ("settings/properties.py", "def changed():\n  from ..live import state", "settings imports live.state"),
        ("bake/bake.py", "from ..hold import hold", "bake imports hold.hold"),
        ("plant/plant.py", "from ..hold.holds import title", "plant imports hold.holds.title"),
        ("switch/layers.py", "from .. import plant", "switch imports plant"),
        ("versions.py", "from .curves import keys", "blender imports curves.keys"),
        ("live/live.py", "from .. import handlers", "live imports handlers"),
    ],
)
def test_an_import_against_the_order_is_found(path: str, source: str, fault: str) -> None:
    assert faults(path, source) == [fault]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("handlers.py", "from .live import state"),
        ("live/live.py", "from ..bake.pose import pose_solved\nfrom . import state\nfrom .. import versions"),
        ("settings/properties.py", "if TYPE_CHECKING:\n  from ..chains.detect.find_limbs import Limb"),
        ("chains/detect/by_name.py", "from ..limbs import joints\nfrom .. import hinge_side"),
    ],
)
def test_imports_in_order_are_allowed(path: str, source: str) -> None:
    assert faults(path, source) == []


def listed(room: str) -> set[tuple[str, str]]:
    """What the docstring of the room has, in lines `module : names`."""
    _, _, text = PAGES[BLENDER / room].partition(USED)
    lines = re.findall(r"^    (\S+) : (.*(?:\n {8}.*)*)", text, re.MULTILINE)
    return {(module, name) for module, names in lines for name in re.split(r",\s+", names)}


@pytest.mark.parametrize("page", sorted(PAGES), ids=lambda page: page.relative_to(CHECKOUT).as_posix())
def test_a_page_has_one_line_for_each_file(page: Path) -> None:
    files = [path for path in page.rglob("*.py") if path.name != "__init__.py"]
    own = [path for path in files if next(folder for folder in path.parents if folder in PAGES) == page]
    named = re.findall(r"^    (\S+) : ", PAGES[page].partition(USED)[0], re.MULTILINE)
    assert sorted(named) == sorted(path.relative_to(page).with_suffix("").as_posix() for path in own)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_lists_what_others_use_of_it(room: str) -> None:
    found = used()[room]
    whole = {module for module, name in found if name == "all"}
    assert listed(room) == {(module, "all" if module in whole else name) for module, name in found}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_nothing_by_itself(room: str) -> None:
    tree = ast.parse((BLENDER / room / "__init__.py").read_text("utf-8"))
    assert [type(node) for node in tree.body] == [ast.Expr]
