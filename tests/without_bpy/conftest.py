"""The checkout as a package whose `__init__`, which imports bpy, is not run: what needs no Blender can be imported."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

_package = ModuleType("two_bone_ik")
_package.__path__ = [str(Path(__file__).parents[2])]
sys.modules["two_bone_ik"] = _package
