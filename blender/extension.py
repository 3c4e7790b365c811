"""Which version of the extension this is."""

import tomllib
from pathlib import Path

VERSION: str = tomllib.loads(Path(__file__).parents[1].joinpath("blender_manifest.toml").read_text("utf-8"))["version"]
