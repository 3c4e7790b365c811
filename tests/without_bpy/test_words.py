"""Sentences can be translated: each stands whole in the code, with a name for all that it is filled in with."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

CHECKOUT = Path(__file__).parents[2]
LAYERS = ("blender", "api", "operators", "ui", "command_line")
# It hands on what it was given.
REFUSED = CHECKOUT / "blender/errors.py"
FILES = [path for layer in LAYERS for path in sorted((CHECKOUT / layer).rglob("*.py")) if path != REFUSED]

# What takes a template and fills it in, and the names that it takes whether the template has them or not.
TAKE_TEMPLATES = {"Refused": {"kind", "object", "bone", "value"}, "sentence": set()}


def faults(source: str) -> list[str]:
    """What is wrong with the sentences of a Python file."""
    tree = ast.parse(source)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [
        f"line {call.lineno}: {fault}"
        for call in calls
        if (name := ast.unparse(call.func).rpartition(".")[2]) in TAKE_TEMPLATES
        for fault in _call_faults(tree, call, TAKE_TEMPLATES[name])
    ]


def _call_faults(tree: ast.Module, call: ast.Call, fields: set[str]) -> Iterator[str]:
    templates = list(_templates(call.args[0]))
    if None in templates:
        yield "the sentence is not one plain string"
        return
    named = {keyword.arg for keyword in call.keywords if keyword.arg}
    given = named.union(*(_keys(tree, keyword.value) for keyword in call.keywords if keyword.arg is None))
    wanted = {name for template in templates for name in _placeholders(template)}
    yield from (f"{{{name}}} is not given" for name in sorted(wanted - given))
    yield from (f"{name} stands in no sentence" for name in sorted(named - wanted - fields))


def _templates(node: ast.expr) -> Iterator[str | None]:
    """The string, or both between which a condition chooses; None for all else."""
    if isinstance(node, ast.IfExp):
        yield from (*_templates(node.body), *_templates(node.orelse))
    else:
        yield node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _placeholders(template: str) -> set[str]:
    """{value[0]:g} is one for `value`."""
    names = (name for _, name, _, _ in Formatter().parse(template) if name is not None)
    return {name.partition("[")[0] for name in names}


def _keys(tree: ast.Module, value: ast.expr) -> set[str]:
    """Those of a dict that stands in the file, under a name or as what a function returns."""
    if isinstance(value, ast.Dict):
        return {key.value for key in value.keys if isinstance(key, ast.Constant)}
    name = ast.unparse(value).partition("(")[0]
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            found |= _keys(tree, node.value)
        if isinstance(node, ast.FunctionDef) and node.name == name:
            found = found.union(*(_keys(tree, part.value) for part in ast.walk(node) if isinstance(part, ast.Return)))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_every_sentence_can_be_translated(path: Path) -> None:
    assert faults(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("""raise Refused(f'"{rig.name}" is linked', kind="LINKED")""", "not one plain string"),
        ("""sentence('Bone "' + name + '" is locked')""", "not one plain string"),
        ("""sentence("keys" if keyed else what)""", "not one plain string"),
        ("""raise api.Refused('"{object}" is linked', kind="LINKED")""", "{object} is not given"),
        ("""sentence("{} of {count} frames", count=3)""", "{} is not given"),
        ("""named = {"bone": 1}\nsentence("{bone} of {rig}", **named)""", "{rig} is not given"),
        ("""sentence("{value[0]:g}", value=value, chain=name)""", "chain stands in no sentence"),
    ],
)
def test_a_sentence_that_cannot_be_translated_is_found(source: str, fault: str) -> None:
    (found,) = faults(source)
    assert fault in found


@pytest.mark.parametrize(
    "source",
    [
        """raise Refused('"{object}" is linked: ' "make it local", kind="LINKED", object=rig.name, value=3)""",
        """sentence("{count} frames" if count > 1 else "one frame", count=count)""",
        """def named(rig):\n  return {"rig": 1}\nwho = named(rig)\nsentence("{rig}, {bone}", bone=3, **who)""",
    ],
)
def test_what_sentences_need_is_allowed(source: str) -> None:
    assert faults(source) == []
