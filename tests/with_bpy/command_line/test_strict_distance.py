"""--strict with a distance: targets that are missed by more than that are a failure, and others are not."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from support.command import run
from support.rigs import animate, arm

pytestmark = pytest.mark.once


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    """A target that goes 0.1 beyond full reach."""
    chain = arm()
    bones = chain.id_data.data.bones
    root, length = bones["upper"].head_local, sum(bones[name].length for name in ("upper", "lower"))
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 3: (root.x + length + 0.1, root.y, root.z)})
    bpy.context.scene.frame_end = 3
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    return tmp_path / "shot.blend"


@pytest.mark.parametrize(
    ("strict", "status"), [((), 0), (("--strict",), 3), (("--strict", "0.09"), 3), (("--strict", "0.11"), 0)]
)
def test_a_miss_is_a_failure_beyond_the_distance(shot: Path, strict: tuple[str, ...], status: int) -> None:
    assert run("bake", shot, *strict, "--output", shot.with_name("baked.blend")) == status
    assert shot.with_name("baked.blend").exists()


def test_a_run_may_be_stricter_than_the_one_before(shot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = shot.with_name("season.toml")
    manifest.write_text('shot = [{file = "shot.blend"}]')
    bake = ("bake", "--manifest", manifest, "--output-dir", shot.with_name("out"), "--strict")
    assert run(*bake, "0.11") == 0
    assert run(*bake, "0.09") == 3
    assert "done before" in capsys.readouterr().out
