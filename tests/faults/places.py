"""All places of a file where a fault can be planted, found in its syntax tree.

A place is named by its path, function, kind and number, so the same faults are drawn as long as their functions stay.
What would make an equal program is no place: annotations, decorators, docstrings, asserts, texts, `strict=` of zip and
what only mypy reads.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

_TURNED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", ">="),
    ast.GtE: (">=", "<"),
    ast.Gt: (">", "<="),
    ast.LtE: ("<=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
_OTHER: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
_ONLY_OLDEST = {("not _HAS_SLOTS", True), ("_HAS_SLOTS", False), ("versions.HAS_FBX_IMPORT", False)}
"""Conditions, with what they are where Blender is older than 4.4."""
_EQUAL_WHERE_DROPPED = re.compile(r"(print|log|logging|warnings|faulthandler)\b")
_NO_NUMBERS = (ast.List, ast.Tuple, ast.Set, ast.JoinedStr, ast.ListComp)


@dataclass(frozen=True, slots=True)
class Place:
    """Some bytes of a file, and those that are planted instead."""

    path: str
    function: str  # qualified; "" for the module's own lines
    kind: str
    number: int  # of its kind in the function
    line: int
    statement: int  # the line on which its statement begins
    at_import: bool  # the line runs as the module is imported
    begin: int  # of the bytes that are replaced
    end: int
    planted: bytes
    in_function: tuple[int, int]  # first and last line of the function
    only_oldest: bool  # no Blender from 4.5 on comes here

    @property
    def name(self) -> str:
        return f"{self.path} {self.function} {self.kind} {self.number}"


def places(path: str, source: bytes) -> list[Place]:
    """All places of the file, in the order of a walk over its tree."""
    finder = _Finder(path, source)
    finder.visit(ast.parse(source))
    return finder.found


class _Finder(ast.NodeVisitor):
    def __init__(self, path: str, source: bytes) -> None:
        self.found: list[Place] = []
        self._path, self._source = path, source
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._names: list[str] = []
        self._functions: list[tuple[int, int]] = []
        self._oldest = self._statement = 0
        self._counts = Counter[tuple[str, str]]()

    def visit_Module(self, node: ast.Module) -> None:
        self._block(node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        with self._named(node.name):
            self._block(node.body)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        defaults = (*node.args.defaults, *filter(None, node.args.kw_defaults))
        with self._named(node.name):
            self._all(defaults)
            self._functions.append((node.lineno, node.end_lineno or node.lineno))
            returns = [item for item in ast.walk(node) if isinstance(item, ast.Return | ast.Yield | ast.YieldFrom)]
            body = node.body[1:] if ast.get_docstring(node) else node.body
            if not any(getattr(item, "value", None) or not isinstance(item, ast.Return) for item in returns):
                for statement in body[1:]:
                    self._add("early return", statement, b"return")
            self._block(node.body)
            self._functions.pop()

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit(node.body)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value and ast.unparse(node.annotation) != "TypeAlias":
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        names = {item.id for item in node.targets if isinstance(item, ast.Name)}
        if not names & {"__slots__", "__all__"}:
            self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> None:
        pass  # it says what is so

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        pass  # texts, and Python 3.11 does not know their columns

    def visit_Call(self, node: ast.Call) -> None:
        name = ast.unparse(node.func)
        self.visit(node.func)
        types = {"cast": 0, "isinstance": 1}.get(name)
        self._all(item for position, item in enumerate(node.args) if position != types)
        self._all(item.value for item in node.keywords if (name, item.arg) != ("zip", "strict"))

    def visit_Raise(self, node: ast.Raise) -> None:
        pass  # its arguments are texts

    def visit_If(self, node: ast.If) -> None:
        test = ast.unparse(node.test)
        if "TYPE_CHECKING" in test or "__name__" in test:
            return
        self._swap(node.test)
        self.visit(node.test)
        for body, told in ((node.body, True), (node.orelse, False)):
            self._oldest += (test, told) in _ONLY_OLDEST
            self._block(body, guard=True)
            self._oldest -= (test, told) in _ONLY_OLDEST

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._swap(node.test)
        self._all((node.test, node.body))
        self._oldest += (ast.unparse(node.test), False) in _ONLY_OLDEST
        self.visit(node.orelse)
        self._oldest -= (ast.unparse(node.test), False) in _ONLY_OLDEST

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1 and type(node.ops[0]) in _TURNED:
            self._between("comparison", node.left, node.comparators[0], *_TURNED[type(node.ops[0])])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._between("and, or", left, right, *words)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        of_numbers = not any(isinstance(item, _NO_NUMBERS) or _is_text(item) for item in (node.left, node.right))
        if of_numbers and type(node.op) in _OTHER and self._functions:
            self._between("arithmetic", node.left, node.right, *_OTHER[type(node.op)])
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value: Any = node.value
        if isinstance(value, bool):
            self._add("constant", node, str(not value).encode())
        elif isinstance(value, int):
            self._add("constant", node, str(value + 1).encode())
        elif isinstance(value, float):
            self._add("constant", node, repr(value * 2.0 or 1.0).encode())

    def generic_visit(self, node: ast.AST) -> None:
        for _, value in ast.iter_fields(node):
            if isinstance(value, ast.AST):
                self.visit(value)
            elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                self._block(value)
            elif isinstance(value, list):
                self._all(item for item in value if isinstance(item, ast.AST))

    def _all(self, nodes: Any) -> None:
        for node in nodes:
            self.visit(node)

    def _block(self, statements: list[ast.stmt], *, guard: bool = False) -> None:
        around = self._statement
        for statement in statements:
            self._statement = statement.lineno
            if _can_go(statement, guard=guard):
                self._add("statement dropped", statement, b"pass")
            self.visit(statement)
        self._statement = around

    def _swap(self, test: ast.expr) -> None:
        if not isinstance(test, ast.Compare):  # else turning the comparison does the same
            self._add("branch", test, b"not (" + self._source[slice(*self._span(test))] + b")")

    def _between(self, kind: str, left: ast.expr, right: ast.expr, old: str, new: str) -> None:
        begin, end = self._span(left)[1], self._span(right)[0]
        between = self._source[begin:end]
        if between.count(old.encode()) == 1:
            begin += between.index(old.encode())
            self._add_bytes(kind, left, begin, begin + len(old), new.encode())

    def _add(self, kind: str, node: ast.stmt | ast.expr, planted: bytes) -> None:
        self._add_bytes(kind, node, *self._span(node), planted)

    def _add_bytes(self, kind: str, node: ast.stmt | ast.expr, begin: int, end: int, planted: bytes) -> None:
        function = ".".join(self._names)
        self._counts[function, kind] += 1
        number, lines = self._counts[function, kind], self._functions[-1] if self._functions else (0, 0)
        at_import, oldest = not self._functions, self._oldest > 0
        of = (node.lineno, self._statement, at_import, begin, end, planted, lines, oldest)
        self.found.append(Place(self._path, function, kind, number, *of))

    def _span(self, node: ast.stmt | ast.expr) -> tuple[int, int]:
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[end_line - 1] + end_column

    @contextmanager
    def _named(self, name: str) -> Iterator[None]:
        self._names.append(name)
        yield
        self._names.pop()


def _can_go(statement: ast.stmt, *, guard: bool) -> bool:
    """Whether the file still has all its names without this statement, and does something else.

    guard : it is in a branch of an `if`
    """
    match statement:
        case ast.Expr(value=ast.Call(func=function)):
            return not _EQUAL_WHERE_DROPPED.match(ast.unparse(function))
        case ast.AugAssign(target=ast.Name(id="__all__")):
            return False
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.AugAssign() | ast.Delete():
            return True
        case ast.Return() | ast.Continue() | ast.Break() | ast.Raise():
            return guard
    return False


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
