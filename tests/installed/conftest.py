"""A Blender wheel without the checkout: what is tested here comes out of the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import package as support_package
from support.blender_process import start_blender


def pytest_sessionstart(session: pytest.Session) -> None:
    start_blender(session)


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, built and validated by the tool of this Blender."""
    path = tmp_path_factory.mktemp("package") / "two_bone_ik.zip"
    support_package.build(path)
    return path
