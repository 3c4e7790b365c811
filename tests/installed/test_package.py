"""The package: what is in it, Blender before, with and after it, and the repository from which it is installed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from zipfile import ZipFile

import addon_utils
import bpy
import pytest

from support.blender_process import MODULE
from support.footprint import footprint
from support.install import install
from support.package import list_packages
from support.release import version

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


MANIFEST = "blender_manifest.toml"


def offer(package: Path, folder: Path, number: str) -> None:
    """The repository holds this package alone, as this version."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with ZipFile(package) as given, ZipFile(folder / f"two_bone_ik-{number}.zip", "w") as offered:
        for name in given.namelist():
            data = given.read(name)
            if name == MANIFEST:
                data = re.sub(rb'(?m)^version = ".*"$', f'version = "{number}"'.encode(), data)
            offered.writestr(name, data)
    list_packages(folder)


def test_blender_installs_from_the_repository_and_updates(package: Path, tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    offer(package, folder, version())
    bpy.ops.preferences.extension_repo_add(
        name="Two-Bone IK", remote_url=(folder / "index.json").as_uri(), type="REMOTE", use_sync_on_startup=False
    )
    # Blender asks for it before it installs from any repository, also from one on the disk.
    bpy.context.preferences.system.use_online_access = True
    repositories = bpy.context.preferences.extensions.repos
    index = len(repositories) - 1
    module = f"bl_ext.{repositories[index].module}.two_bone_ik"
    try:
        bpy.ops.extensions.repo_sync(repo_index=index)
        bpy.ops.extensions.package_install(repo_index=index, pkg_id="two_bone_ik", enable_on_install=True)
        assert addon_utils.check(module) == (True, True)
        assert installed(repositories[index]) == version()
        offer(package, folder, "9.0.0")
        bpy.ops.extensions.repo_sync(repo_index=index)
        bpy.ops.extensions.package_upgrade_all()
        assert installed(repositories[index]) == "9.0.0"
        assert addon_utils.check(module) == (True, True)
    finally:
        addon_utils.disable(module, default_set=True)
        bpy.ops.preferences.extension_repo_remove(index=index, remove_files=True)
        bpy.context.preferences.system.use_online_access = False


def installed(repository: bpy.types.UserExtensionRepo) -> str:
    text = Path(repository.directory, "two_bone_ik", MANIFEST).read_text("utf-8")
    return re.search(r'(?m)^version = "(.*)"$', text)[1]


def test_two_packages_of_one_extension_are_a_fault(package: Path, tmp_path: Path) -> None:
    offer(package, tmp_path / "repository", version())
    shutil.copy(package, tmp_path / "repository/older.zip")
    with pytest.raises(RuntimeError, match="duplicates"):
        list_packages(tmp_path / "repository")
