"""The checkout itself is an extension of the Blender wheel; every test starts with an empty file."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.blender_process import MODULE, hands_out_tests, start_blender

CHECKOUT = Path(__file__).parents[2]


def pytest_sessionstart(session: pytest.Session) -> None:
    if hands_out_tests(session):
        return
    (start_blender(session) / "two_bone_ik").symlink_to(CHECKOUT)
    import addon_utils

    assert addon_utils.enable(MODULE, default_set=True), "the add-on was not enabled; Blender has said why"


@pytest.fixture(autouse=True)
def empty_file() -> None:
    from support.empty_file import open_empty_file

    open_empty_file()


@pytest.fixture
def shot(empty_file: None, tmp_path: Path) -> Path:
    """A file with an arm whose target moves within its reach, on three frames."""
    import bpy

    from support.rigs import animate, arm

    animate(arm().target, location={1: (1.2, 0.6, 1.3), 3: (0.5, -0.8, 1.5)})
    bpy.context.scene.frame_end = 3
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    return tmp_path / "shot.blend"
