"""A Blender wheel without the checkout: what is tested here comes out of the package."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from support import package as support_package
from support.blender_process import MODULE, hands_out_tests, start_blender


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hands_out_tests(session):
        start_blender(session)


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package: $TWO_BONE_IK_PACKAGE, or built and validated by the tool of this Blender."""
    if built := os.environ.get("TWO_BONE_IK_PACKAGE"):
        return Path(built).resolve()
    path = tmp_path_factory.mktemp("package") / "two_bone_ik.zip"
    support_package.build(path)
    return path


@pytest.fixture(scope="session")
def program(package: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command line of the package, unpacked where processes of this environment find it."""
    folder = tmp_path_factory.mktemp("python")
    ZipFile(package).extractall(folder / "two_bone_ik")
    os.environ["PYTHONPATH"] = str(folder)
    return [sys.executable, "-m", "two_bone_ik"]


@pytest.fixture(scope="session")
def installed(package: Path) -> None:
    """The package is installed here."""
    from support.install import install

    install(str(package))


@pytest.fixture(scope="module")
def enabled(installed: None) -> Iterator[None]:
    """The installed package is enabled here while the tests of a file run."""
    import addon_utils

    addon_utils.enable(MODULE, default_set=True)
    yield
    addon_utils.disable(MODULE, default_set=True)
