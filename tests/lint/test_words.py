"""Sentences can be translated: each stands whole in sentences.toml, under a name by which the code has it.

A sentence has a name for all that it is filled in with.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter

import pytest

CHECKOUT = Path(__file__).parents[2]
LAYERS = ("blender", "api", "operators", "ui", "command_line")
FILES = [path for layer in LAYERS for path in sorted((CHECKOUT / layer).rglob("*.py"))]

BOOKISH = re.compile(r"\b(?:anew|somebody|nobody|whoever|so many|who has)\b")
"""Words for which there are plainer ones."""


def _sentences(text: str) -> dict[str, str]:
    """The sentences by their names, most of which are in two parts with a dot between."""
    found = {}
    for group, cases in tomllib.loads(text).items():
        found |= {group: cases} if isinstance(cases, str) else {f"{group}.{case}": cases[case] for case in cases}
    return found


SENTENCES = _sentences((CHECKOUT / "blender/messages/sentences.toml").read_text("utf-8"))

# What takes the name of a sentence and what fills it in. Scripts read these fields of a refusal, so that it may have
# them whether its sentence names them or not.
TAKES_A_NAME = {"translated": set(), "inform": set(), "Refused": {"chain", "object", "bone", "value"}}


def faults(source: str, sentences: Mapping[str, str] = SENTENCES) -> list[str]:
    """What is wrong with the sentences of a Python file."""
    tree = ast.parse(source)
    found = []
    for call, names, keywords, fields in _told(tree):
        if names <= sentences.keys():
            wanted = {place for name in names for place in _placeholders(sentences[name])}
            found += [(call, fault) for fault in _sentence_faults(tree, wanted, keywords, fields)]
        else:
            found.append((call, f"{ast.unparse(call.args[0])} names no sentence"))
    return [f"line {call.lineno}: {fault}" for call, fault in found]


def _name(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _told(tree: ast.Module) -> Iterator[tuple[ast.Call, set[str | None], list[ast.keyword], set[str]]]:
    """Each call that tells a sentence, the names between which it chooses, what fills them in, and its fields.

    A name is None where it is no plain string.
    """
    # A function may be given the name of a sentence and hand it on.
    handing: dict[str, ast.Call] = {}
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        given = {argument.arg for argument in (*function.args.posonlyargs, *function.args.args)}
        for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
            if _name(call) in TAKES_A_NAME and ast.unparse(call.args[0]) in given:
                handing[function.name] = call
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        inner = handing.get(_name(call))
        if _name(call) in TAKES_A_NAME and call not in handing.values():
            yield call, set(_names(call.args[0])), call.keywords, TAKES_A_NAME[_name(call)]
        elif inner and isinstance(call.func, ast.Name):
            yield call, set(_names(call.args[0])), call.keywords + inner.keywords, TAKES_A_NAME[_name(inner)]


def _names(node: ast.expr) -> Iterator[str | None]:
    """The string, or those between which a condition chooses; None for all else."""
    if isinstance(node, ast.IfExp):
        yield from (*_names(node.body), *_names(node.orelse))
    else:
        yield node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _sentence_faults(
    tree: ast.Module, wanted: set[str], keywords: list[ast.keyword], fields: set[str]
) -> Iterator[str]:
    """Of sentences with these placeholders, and what these keywords name."""
    named = {keyword.arg for keyword in keywords if keyword.arg}
    given = named.union(*(_keys(tree, keyword.value) for keyword in keywords if keyword.arg is None))
    given |= {"object", "bone"} if fields and "chain" in named else set()
    yield from (f"{{{name}}} is not given" for name in sorted(wanted - given))
    yield from (f"{name} stands in no sentence" for name in sorted(named - wanted - fields))


def _placeholders(template: str) -> set[str]:
    """{value[0]:g} is one for `value`, and lengths need their unit as well."""
    named = [(name, spec) for _, name, spec, _ in Formatter().parse(template) if name is not None]
    lengths = {"unit"} if any(spec == "length" for _, spec in named) else set()
    return lengths | {name.partition("[")[0] for name, _ in named}


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


def test_every_sentence_is_told() -> None:
    trees = [ast.parse(path.read_text("utf-8")) for path in FILES]
    assert set().union(*(names for tree in trees for _, names, _, _ in _told(tree))) == set(SENTENCES)


MADE_UP = """
LINKED = '"{object}" is linked: make it local'
SHOT = "no shot {value}"
NO_POLE = 'Chain "{chain}" of "{object}" has no pole for "{bone}"'
NO_BONE.named = "{bone} of {object}"
NO_BONE.unnamed = "{object} has no bone"
report.frames = "{count} frames"
report.one_frame = "one frame"
report.nameless = "{} of {count} frames"
report.first = "{value[0]:g}"
report.off = "{off:length}"
"""


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("""raise Refused(f'"{rig.name}" is linked', object=rig)""", "names no sentence"),
        ("""translated('Bone "' + name + '" is locked')""", "names no sentence"),
        ("""translated("report.one_frame" if keyed else what)""", "names no sentence"),
        ("""raise api.Refused("LINKED")""", "{object} is not given"),
        ("""raise Refused("SHOT", value=3, count=2)""", "count stands in no sentence"),
        ("""raise Refused("NO_BONE", object=rig)""", "names no sentence"),
        ("""raise Refused("NO_BONE.named" if bone else "NO_BONE.unnamed", object=rig)""", "{bone} is not given"),
        ("""def _refused(name):\n  return Refused(name, object=rig)\nraise _refused("GONE")""", "names no sentence"),
        (
            """def _refused(name, rig):\n  return Refused(name, object=rig)\n_refused("NO_BONE.named", rig)""",
            "{bone} is not given",
        ),
        ("""translated("report.nameless", count=3)""", "{} is not given"),
        ("""named = {"rig": 1}\ntranslated("report.frames", **named)""", "{count} is not given"),
        ("""translated("report.off", off=3)""", "{unit} is not given"),
        ("""self.inform("report.first", value=value, chain=name)""", "chain stands in no sentence"),
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
        """def inform(self, name, **values):\n  self.report(translated(name, **values))""",
        """translated("report.frames" if count > 1 else "report.one_frame", count=count)""",
        """def named(rig):\n  return {"object": 1}\nwho = named(rig)\ntranslated("NO_BONE.named", bone=3, **who)""",
    ],
)
def test_what_sentences_need_is_allowed(source: str) -> None:
    assert faults(source, _sentences(MADE_UP)) == []


@pytest.mark.parametrize("layer", ["solver", "skeleton", "blender", "api", "command_line"])
def test_code_is_told_in_plain_words(layer: str) -> None:
    told = {path: path.read_text("utf-8").casefold() for path in (CHECKOUT / layer).rglob("*.py")}
    found = {path.relative_to(CHECKOUT).as_posix(): BOOKISH.findall(text) for path, text in told.items()}
    assert {path: words for path, words in found.items() if words} == {}
