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
REFUSED = CHECKOUT / "blender/messages/refused.py"
FILES = [path for layer in LAYERS for path in sorted((CHECKOUT / layer).rglob("*.py")) if path != REFUSED]

# Scripts read them of a refusal, so that it may have them whether its sentence names them or not.
FIELDS = {"chain", "object", "bone", "value"}


def faults(source: str) -> list[str]:
    """What is wrong with the sentences of a Python file."""
    tree = ast.parse(source)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    unsaid = {id(call) for call in calls if _name(call) == "Refused"}
    found = []
    for call in calls:
        if _name(call) in ("translated", "inform"):
            found += [(call, fault) for fault in _sentence_faults(tree, call, call.keywords, set())]
        if _name(call) == "saying" and isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
            refusals = _refusals(tree, call.func.value)
            unsaid -= {id(refusal) for refusal in refusals}
            keywords = [keyword for refusal in (call.func.value, *refusals) for keyword in refusal.keywords]
            found += [(call, fault) for fault in _sentence_faults(tree, call, keywords, FIELDS)]
    found += [(call, "refuses without a sentence") for call in calls if id(call) in unsaid]
    return [f"line {call.lineno}: {fault}" for call, fault in found]


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _refusals(tree: ast.Module, call: ast.Call) -> list[ast.Call]:
    """The call itself, or each `Refused(...)` that the function of the file returns which it calls."""
    if _name(call) == "Refused":
        return [call]
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == _name(call)]
    returned = [part.value for node in functions for part in ast.walk(node) if isinstance(part, ast.Return)]
    return [value for value in returned if isinstance(value, ast.Call) and _name(value) == "Refused"]


def _sentence_faults(tree: ast.Module, call: ast.Call, keywords: list[ast.keyword], fields: set[str]) -> Iterator[str]:
    """Of the template that the call takes, with what these keywords name."""
    templates = list(_templates(call.args[0]))
    if None in templates:
        yield "the sentence is not one plain string"
        return
    named = {keyword.arg for keyword in keywords if keyword.arg}
    given = named.union(*(_keys(tree, keyword.value) for keyword in keywords if keyword.arg is None))
    given |= {"object", "bone"} if fields and "chain" in named else set()
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
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            found |= _keys(tree, node.value) if ast.unparse(target) == name else set()
        if isinstance(node, ast.FunctionDef) and node.name == name:
            found = found.union(*(_keys(tree, part.value) for part in ast.walk(node) if isinstance(part, ast.Return)))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_every_sentence_can_be_translated(path: Path) -> None:
    assert faults(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("""raise Refused("LINKED").saying(f'"{rig.name}" is linked')""", "not one plain string"),
        ("""translated('Bone "' + name + '" is locked')""", "not one plain string"),
        ("""translated("keys" if keyed else what)""", "not one plain string"),
        ("""raise api.Refused("LINKED").saying('"{object}" is linked')""", "{object} is not given"),
        ("""raise Refused("SHOT", value=3, count=2).saying("no shot {value}")""", "count stands in no sentence"),
        ("""def _refused(rig):\n  return Refused("NO_BONE", object=rig)\nraise _refused(rig)""", "without a sentence"),
        (
            """def _refused(rig):\n  return Refused("A", object=rig)\n_refused(rig).saying("{bone}")""",
            "{bone} is not given",
        ),
        ("""raise Refused("LINKED", object=rig)""", "without a sentence"),
        ("""translated("{} of {count} frames", count=3)""", "{} is not given"),
        ("""named = {"bone": 1}\ntranslated("{bone} of {rig}", **named)""", "{rig} is not given"),
        ("""translated("{value[0]:g}", value=value, chain=name)""", "chain stands in no sentence"),
    ],
)
def test_a_sentence_that_cannot_be_translated_is_found(source: str, fault: str) -> None:
    (found,) = faults(source)
    assert fault in found


@pytest.mark.parametrize(
    "source",
    [
        """raise Refused("LINKED", object=rig, value=3).saying('"{object}" is linked: ' "make it local")""",
        """raise Refused("NO_POLE", chain=chain).saying('Chain "{chain}" of "{object}" has no pole for "{bone}"')""",
        """def _refused(rig):\n  return Refused("A", object=rig)\n_refused(rig, bone=3).saying("{bone} of {object}")""",
        """translated("{count} frames" if count > 1 else "one frame", count=count)""",
        """def named(rig):\n  return {"rig": 1}\nwho = named(rig)\ntranslated("{rig}, {bone}", bone=3, **who)""",
    ],
)
def test_what_sentences_need_is_allowed(source: str) -> None:
    assert faults(source) == []
