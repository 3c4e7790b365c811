"""What the manifest says of the extension: its version, and where its pages are."""

import tomllib
from pathlib import Path

_MANIFEST = tomllib.loads(Path(__file__).parents[1].joinpath("blender_manifest.toml").read_text("utf-8"))

VERSION: str = _MANIFEST["version"]
WEBSITE: str = _MANIFEST["website"]
