"""Lines of code are counted without docstrings, comments and blank lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.count_lines import code_lines, room_lines


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('"""Docstring\nof two lines."""\n\n# A comment\n', 0),
        ("x = 1  # a comment\n\n\ny = 2\n", 2),
        ("x = (\n    1,\n\n    # a comment\n    2,\n)\n", 4),
        ('x = """text\n\nof three lines"""\n', 3),
        ('x = 1\n"""What it is."""\n', 1),
        ('def f():\n    """Docstring."""\n    return 1\n', 2),
    ],
)
def test_only_lines_that_hold_code_count(tmp_path: Path, source: str, lines: int) -> None:
    file = tmp_path / "module.py"
    file.write_text(source, "utf-8")
    assert code_lines(file) == lines


def test_a_room_counts_all_its_files(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for path in (tmp_path / "a.py", tmp_path / "inner/b.py"):
        path.write_text("x = 1\n", "utf-8")
    assert room_lines(tmp_path) == 2
