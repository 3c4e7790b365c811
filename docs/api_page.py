"""Fills the page of the Python interface from its docstrings; mkdocs calls `on_page_markdown`.

It reads the source and imports nothing, so that the manual is made without Blender.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).parents[1]
MARK = "<!-- what api has -->"

_DEFINED = (ast.FunctionDef, ast.ClassDef)
_NAMED = re.compile(r"[\w, ]+ : ")
"""How a line of a docstring begins that tells of an argument, of what is returned or raised."""


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The text of a page, with the interface where it is marked."""
    return markdown.replace(MARK, interface()) if MARK in markdown else markdown


def interface() -> str:
    """All that `api/__init__.py` imports: a list of names, functions by their modules, then classes by their names."""
    contents: list[str] = []
    functions: list[str] = []
    classes: dict[str, list[str]] = {}
    found = sorted(_imported(CHECKOUT / "api" / "__init__.py"), key=lambda item: item[0].parent.name != "api")
    for path, names in found:
        tree = ast.parse(path.read_text("utf-8"))
        # Types for mypy stand below a condition.
        body = [part for node in tree.body for part in (node.body if isinstance(node, ast.If) else [node])]
        defined = [node for node in body if isinstance(node, _DEFINED) and node.name in names]
        defined = [node for node in defined if "overload" not in map(ast.unparse, node.decorator_list)]
        for node in defined:
            if isinstance(node, ast.ClassDef):
                classes[node.name] = [*_class(node)]
        if given := [node for node in defined if isinstance(node, ast.FunctionDef)]:
            title = (ast.get_docstring(tree) or "").splitlines()[0].partition(":")[0].rstrip(".")
            contents.append(_line(title, [node.name for node in given]))
            functions.append(f"## {title}")
            functions += [part for node in given for part in _function(node, "###")]
    contents.append(_line("Classes", sorted(classes)))
    parts = [part for name in sorted(classes) for part in classes[name]]
    return "\n\n".join(["\n".join(contents), *functions, "## Classes", *parts])


def _line(title: str, names: list[str]) -> str:
    """An item of the list of contents, with a link to each name."""
    return f"- **{title}:** {', '.join(f'[`{name}`](#{name.lower()})' for name in names)}"


def _imported(path: Path) -> Iterator[tuple[Path, set[str]]]:
    """The files from which the file at `path` imports, each with the names that it has there."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            folder = path.parents[node.level - 1]
            yield folder.joinpath(*node.module.split(".")).with_suffix(".py"), {alias.name for alias in node.names}


def _class(node: ast.ClassDef) -> Iterator[str]:
    yield f"### `{node.name}`"
    yield from _text(node)
    if fields := [ast.unparse(part) for part in node.body if isinstance(part, ast.AnnAssign)]:
        yield _code(fields)
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
            yield from _function(part, "####", node.name)


def _function(node: ast.FunctionDef, heading: str, owner: str = "") -> Iterator[str]:
    yield f"{heading} `{owner and f'{owner}.'}{node.name}`"
    if "property" not in {ast.unparse(decorator) for decorator in node.decorator_list}:
        yield _code([_signature(node)])
    yield from _text(node)


def _signature(node: ast.FunctionDef) -> str:
    """As in a stub: a default that is no plain value is given by an ellipsis."""
    given = node.args
    for defaults in (given.defaults, given.kw_defaults):
        defaults[:] = [
            each if each is None or isinstance(each, ast.Constant) else ast.Constant(...) for each in defaults
        ]
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    line = f"{node.name}({ast.unparse(given)}){returned}"
    if len(line) <= 100:
        return line
    # A comma outside of brackets ends an argument.
    arguments = re.sub(r", (?![^\[(]*[\])])", ",\n    ", ast.unparse(given))
    return f"{node.name}(\n    {arguments},\n){returned}"


def _text(node: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
    """The docstring as Markdown: examples are code, and what tells of arguments is a list."""
    for block in re.split(r"\n{2,}", ast.get_docstring(node) or ""):
        lines = block.splitlines()
        if block.startswith(">>>"):
            yield _code(lines)
        elif block and _NAMED.match(block):
            items = re.sub(r"\n +", " ", block).splitlines()
            yield "\n".join("- **{}**: {}".format(*item.split(" : ", 1)) if " : " in item else item for item in items)
        else:
            yield block


def _code(lines: list[str]) -> str:
    return "\n".join(["```", *lines, "```"])
