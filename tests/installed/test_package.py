"""The package: what is in it, and what Blender is like before, with and after it."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import addon_utils
import bpy
import pytest

from support.blender_process import MODULE
from support.footprint import footprint
from support.install import install

pytestmark = pytest.mark.versions

CHECKOUT = Path(__file__).parents[2]
FILES = ("__init__.py", "__main__.py", "blender_manifest.toml", "LICENSE", "py.typed")
FOLDERS = ("solver", "skeleton", "blender", "api", "operators", "ui", "command_line")


def test_the_package_holds_just_what_blender_needs(package: Path) -> None:
    sources = [
        path for folder in FOLDERS for path in (CHECKOUT / folder).rglob("*.*") if path.suffix in (".py", ".toml")
    ]
    needed = [path for path in (*sources, *(CHECKOUT / name for name in FILES)) if path.exists()]
    assert sorted(ZipFile(package).namelist()) == sorted(str(path.relative_to(CHECKOUT)) for path in needed)


def test_disabling_the_add_on_leaves_blender_as_before(package: Path) -> None:
    before = footprint()
    install(str(package))
    installed = footprint()
    assert {"TWO_BONE_IK_OT_bake", "Object.two_bone_ik_chains"} <= installed - before
    addon_utils.disable(MODULE, default_set=True)
    assert footprint() == before
    addon_utils.enable(MODULE, default_set=True)
    assert footprint() == installed
    addon_utils.disable(MODULE, default_set=True)
    assert footprint() == before
    assert MODULE not in bpy.context.preferences.addons
