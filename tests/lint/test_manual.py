"""The manual holds together: nothing in it leads nowhere, and nothing of it is left out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

CHECKOUT = Path(__file__).parents[2]
DOCS = CHECKOUT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
PICTURES = sorted((DOCS / "images").iterdir())
LISTING = {"icon.png": (256, 256), "title.jpg": (1920, 1080)}
"""What the extensions platform asks for, in pixels."""
MAX_PICTURE, MAX_MOVING = 150_000, 2_000_000
"""Bytes: whoever clones the project gets every picture, and every one that was ever there."""

_LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
_FILE = re.compile(r"[` ]((?:benchmarks|examples|farm|tests)/[\w/.]+\.\w+)")


def _linked(page: Path) -> set[Path]:
    """The files to which this page leads."""
    return {(page.parent / link).resolve() for link in _LINK.findall(page.read_text("utf-8"))}


def test_every_page_is_in_the_table_of_contents() -> None:
    contents = re.findall(r": (\w+\.md)$", (CHECKOUT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert sorted(contents) == [page.name for page in PAGES]


@pytest.mark.parametrize("page", [*PAGES, *CHECKOUT.glob("*.md")], ids=lambda page: page.name)
def test_no_link_leads_nowhere(page: Path) -> None:
    named = {CHECKOUT / name for name in _FILE.findall(page.read_text("utf-8"))}
    assert [path for path in _linked(page) | named if not path.is_file()] == []


def test_every_picture_is_shown() -> None:
    assert set(PICTURES) <= set().union(*map(_linked, [*PAGES, CHECKOUT / "README.md"]))


@pytest.mark.parametrize("name", LISTING)
def test_the_platform_gets_pictures_of_its_sizes(name: str) -> None:
    with Image.open(DOCS / "listing" / name) as picture:
        assert picture.size == LISTING[name]


@pytest.mark.parametrize(
    "picture", [*PICTURES, *(DOCS / "listing" / name for name in LISTING)], ids=lambda picture: picture.name
)
def test_no_picture_is_heavy(picture: Path) -> None:
    assert picture.stat().st_size <= (MAX_MOVING if picture.suffix == ".gif" else MAX_PICTURE)
