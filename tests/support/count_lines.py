"""Counts the product's lines of code: those that hold code, so neither docstrings nor comments nor blank lines.

    python tests/support/count_lines.py [CHECKOUT]

prints them for each folder and in sum. Tests, benchmarks, demo, farm and examples do not count.
"""

from __future__ import annotations

import ast
import sys
import tokenize
from pathlib import Path

ROOMS = ["solver", "skeleton", "blender", "api", "operators", "ui", "command_line", "__init__.py", "__main__.py"]
NO_CODE = {getattr(tokenize, name) for name in "COMMENT NL NEWLINE INDENT DEDENT ENCODING ENDMARKER".split()}


def code_lines(path: Path) -> int:
    """How many lines of a Python file hold code."""
    with path.open("rb") as file:
        tokens = [token for token in tokenize.tokenize(file.readline) if token.type not in NO_CODE]
    lines = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines -= set(range(node.lineno, node.value.end_lineno + 1))
    return len(lines)


def room_lines(room: Path) -> int:
    """How many lines of a file, or of all files in a folder, hold code."""
    return sum(code_lines(path) for path in ([room] if room.is_file() else room.rglob("*.py")))


if __name__ == "__main__":
    checkout = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2]
    counts = {room: room_lines(checkout / room) for room in ROOMS}
    for name, count in {**counts, "in sum": sum(counts.values())}.items():
        print(f"{name:<14}{count:>6}")
