"""Properties with which a user chooses among words; choices.toml has their names, tooltips and words."""

import tomllib
from pathlib import Path
from typing import Any

from bpy.props import EnumProperty

_CHOICES = tomllib.loads(Path(__file__).with_name("choices.toml").read_text("utf-8"))


def choice(name: str, **settings: Any) -> object:
    """The property of this name; `settings` are further ones of `EnumProperty`."""
    texts = _CHOICES[name]
    items = [tuple(item) for item in texts["items"]]
    return EnumProperty(name=texts["name"], description=texts["description"], items=items, **settings)
