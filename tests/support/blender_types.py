"""The types of two Blenders, each in an environment of its own beside that of mypy."""

from __future__ import annotations

import sys
from pathlib import Path

# What differs between them lies in versions.py, behind this constant: each sees its own half of that file.
BLENDERS = {
    "4.2": ["--always-false=_HAS_SLOTS", "--disable-error-code=func-returns-value"],
    "5.2": ["--always-true=_HAS_SLOTS"],
}


def environment(blender: str) -> Path:
    """Where the types of this Blender are."""
    return Path(sys.prefix).with_name(f"types-{blender}")
