"""The code blocks of a page, as a reader would paste them."""

from __future__ import annotations

import re
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]


def blocks(page: str, language: str) -> list[str]:
    """The blocks of this language on a page of the checkout, in their order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (CHECKOUT / page).read_text("utf-8"), re.DOTALL | re.MULTILINE)
