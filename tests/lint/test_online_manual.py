"""The sections that Online Manual opens are in the built pages."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

CHECKOUT = Path(__file__).parents[2]
SECTIONS = tomllib.loads((CHECKOUT / "ui/online_manual.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages, as `make docs` builds them."""
    folder = tmp_path_factory.mktemp("manual")
    build(load_config(str(CHECKOUT / "mkdocs.yml"), site_dir=str(folder), strict=True))
    return folder


def test_every_section_that_a_button_opens_is_there(manual: Path) -> None:
    for section in SECTIONS:
        page, anchor = section.split("#")
        assert re.search(rf'<h\d id="{re.escape(anchor)}"', (manual / page).read_text("utf-8")), section


def test_no_name_leads_to_two_sections() -> None:
    names = [name for section in SECTIONS.values() for name in section]
    assert sorted(set(names)) == sorted(names)
