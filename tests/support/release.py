"""What a release says of itself: its version, what has changed in it, and where its manual is.

Usage:
    python tests/support/release.py version                prints that of blender_manifest.toml
    python tests/support/release.py tag v0.2.0             exit status 1 if the tag is not that version
    python tests/support/release.py notes                  prints what CHANGELOG.md says of it
    python tests/support/release.py address https://…/     writes this address in all files that say it
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
MANIFEST = tomllib.loads((CHECKOUT / "blender_manifest.toml").read_text("utf-8"))
ADDRESSED = ("blender_manifest.toml", "pyproject.toml")
"""Files that say where the manual is."""


def version() -> str:
    """That of the manifest, where it stands."""
    return MANIFEST["version"]


def tag(name: str) -> None:
    """SystemExit, with what to do, if a tag of this name is not that of the version."""
    if name != f"v{version()}":
        sys.exit(f"The tag is {name}, and blender_manifest.toml has version {version()}: tag it v{version()}")


def notes() -> str:
    """The section of CHANGELOG.md that has this version as its title; SystemExit if it has none."""
    text = (CHECKOUT / "CHANGELOG.md").read_text("utf-8")
    found = re.search(rf"^## {re.escape(version())}$\n+(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if not found:
        sys.exit(f"CHANGELOG.md has no section {version()}: name one so before a release")
    return found[1].rstrip()


def address(website: str) -> None:
    """Write the address of the manual."""
    if not re.fullmatch(r"https?://[^\s\"]+/", website):
        sys.exit(f"{website or 'nothing'} is no address of a folder: it begins with https:// and ends with /")
    for name in ADDRESSED:
        path = CHECKOUT / name
        path.write_text(path.read_text("utf-8").replace(MANIFEST["website"], website), "utf-8")


if __name__ == "__main__":
    told = {"version": version, "tag": tag, "notes": notes, "address": address}[sys.argv[1]](*sys.argv[2:])
    if told:
        print(told)
