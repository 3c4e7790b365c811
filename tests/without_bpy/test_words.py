"""Sentences can be translated: each stands whole, with a name for all that it is filled in with.

Those of refusals stand in one file, under the names by which the code raises them.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter

import pytest

CHECKOUT = Path(__file__).parents[2]
LAYERS = ("blender", "api", "operators", "ui", "command_line")
# It hands on what it was given.
REFUSED = CHECKOUT / "blender/messages/refused.py"
FILES = [path for layer in LAYERS for path in sorted((CHECKOUT / layer).rglob("*.py")) if path != REFUSED]


def _sentences(text: str) -> dict[str, str]:
    """The sentences by their names: the kind, or the kind, a dot and the case."""
    found = {}
    for kind, cases in tomllib.loads(text).items():
        found |= {kind: cases} if isinstance(cases, str) else {f"{kind}.{case}": cases[case] for case in cases}
    return found


SENTENCES = _sentences(REFUSED.with_name("sentences.toml").read_text("utf-8"))

# Scripts read them of a refusal, so that it may have them whether its sentence names them or not.
FIELDS = {"chain", "object", "bone", "value"}


def faults(source: str, sentences: Mapping[str, str] = SENTENCES) -> list[str]:
    """What is wrong with the sentences of a Python file."""
    tree = ast.parse(source)
    found = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if _name(call) in ("translated", "inform"):
            templates = [_constant(node) for node in _branches(call.args[0])]
            fault = "the sentence is not one plain string"
            found += [(call, fault) for fault in _sentence_faults(tree, templates, call.keywords, set(), fault)]
    for call, names, keywords in _refusals(tree):
        templates = [sentences.get(name or "") for name in names]
        fault = f"{names} names no sentence"
        found += [(call, fault) for fault in _sentence_faults(tree, templates, keywords, FIELDS, fault)]
    return [f"line {call.lineno}: {fault}" for call, fault in found]


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _refusals(tree: ast.Module) -> Iterator[tuple[ast.Call, list[str | None], list[ast.keyword]]]:
    """Each call that makes a refusal, the names of its sentences, None for what is no name, and what fills them in."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    # What they are given as the name of the sentence, they hand on.
    handing = {
        function.name: part.value
        for function in functions
        for part in ast.walk(function)
        if isinstance(part, ast.Return) and isinstance(part.value, ast.Call) and _name(part.value) == "Refused"
        if ast.unparse(part.value.args[0]) == function.args.args[0].arg
    }
    inner = {id(call) for call in handing.values()}
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if _name(call) in handing or (_name(call) == "Refused" and id(call) not in inner):
            keywords = [*call.keywords, *(handing[_name(call)].keywords if _name(call) in handing else ())]
            yield call, [_constant(node) for node in _branches(call.args[0])], keywords


def _sentence_faults(
    tree: ast.Module, templates: list[str | None], keywords: list[ast.keyword], fields: set[str], unknown: str
) -> Iterator[str]:
    """Of the templates that a call chooses from, with what these keywords name; `unknown` for one that is None."""
    if None in templates:
        yield unknown
        return
    named = {keyword.arg for keyword in keywords if keyword.arg}
    given = named.union(*(_keys(tree, keyword.value) for keyword in keywords if keyword.arg is None))
    given |= {"object", "bone"} if fields and "chain" in named else set()
    wanted = {name for template in templates for name in _placeholders(template)}
    yield from (f"{{{name}}} is not given" for name in sorted(wanted - given))
    yield from (f"{name} stands in no sentence" for name in sorted(named - wanted - fields))


def _branches(node: ast.expr) -> Iterator[ast.expr]:
    """The expression, or both between which a condition chooses."""
    if isinstance(node, ast.IfExp):
        yield from (*_branches(node.body), *_branches(node.orelse))
    else:
        yield node


def _constant(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


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


def test_every_sentence_of_a_refusal_is_raised() -> None:
    trees = [ast.parse(path.read_text("utf-8")) for path in FILES]
    raised = {name for tree in trees for _, names, _ in _refusals(tree) for name in names}
    assert raised == set(SENTENCES)


MADE_UP = """
LINKED = '"{object}" is linked: make it local'
SHOT = "no shot {value}"
NO_POLE = 'Chain "{chain}" of "{object}" has no pole for "{bone}"'
NO_BONE.named = "{bone} of {object}"
NO_BONE.unnamed = "{object} has no bone"
"""


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("""raise Refused(f'"{rig.name}" is linked', object=rig)""", "names no sentence"),
        ("""translated('Bone "' + name + '" is locked')""", "not one plain string"),
        ("""translated("keys" if keyed else what)""", "not one plain string"),
        ("""raise api.Refused("LINKED")""", "{object} is not given"),
        ("""raise Refused("SHOT", value=3, count=2)""", "count stands in no sentence"),
        ("""raise Refused("NO_BONE", object=rig)""", "names no sentence"),
        ("""raise Refused("NO_BONE.named" if bone else "NO_BONE.unnamed", object=rig)""", "{bone} is not given"),
        ("""def _refused(name):\n  return Refused(name, object=rig)\nraise _refused("GONE")""", "names no sentence"),
        (
            """def _refused(name, rig):\n  return Refused(name, object=rig)\n_refused("NO_BONE.named", rig)""",
            "{bone} is not given",
        ),
        ("""translated("{} of {count} frames", count=3)""", "{} is not given"),
        ("""named = {"bone": 1}\ntranslated("{bone} of {rig}", **named)""", "{rig} is not given"),
        ("""translated("{value[0]:g}", value=value, chain=name)""", "chain stands in no sentence"),
    ],
)
def test_a_sentence_that_cannot_be_translated_is_found(source: str, fault: str) -> None:
    (found,) = faults(source, _sentences(MADE_UP))
    assert fault in found


@pytest.mark.parametrize(
    "source",
    [
        """raise Refused("LINKED", object=rig, value=3)""",
        """raise Refused("NO_POLE", chain=chain)""",
        """raise Refused("NO_BONE.named" if bone else "NO_BONE.unnamed", object=rig, bone=bone)""",
        """def _refused(name, rig):\n  return Refused(name, object=rig)\n_refused("NO_BONE.named", rig, bone=3)""",
        """translated("{count} frames" if count > 1 else "one frame", count=count)""",
        """def named(rig):\n  return {"rig": 1}\nwho = named(rig)\ntranslated("{rig}, {bone}", bone=3, **who)""",
    ],
)
def test_what_sentences_need_is_allowed(source: str) -> None:
    assert faults(source, _sentences(MADE_UP)) == []
