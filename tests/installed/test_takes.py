"""Takes through the package's own command line, in processes of their own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from support.waiting import SECONDS, wait_for

pytestmark = pytest.mark.usefixtures("enabled")

COUNT = 3


@pytest.fixture
def takes(tmp_path: Path) -> Path:
    """A folder with `COUNT` walks, each of its own."""
    from support.captured_walk import text
    from support.takes import disturbed, walk

    (tmp_path / "takes").mkdir()
    for number in range(COUNT):
        take = disturbed(walk(30.0, seconds=2.0), noise=0.0005, seed=number)
        (tmp_path / "takes" / f"walk_{number}.bvh").write_text(text(take))
    return tmp_path


def test_a_killed_run_over_takes_is_resumed(program: list[str], takes: Path) -> None:
    line = [*program, "plant", "takes/*.bvh", "--output-dir", "out", "--format", "blend,fbx,npz", "--jobs", "1"]
    out = takes / "out" / "takes"
    killed = subprocess.Popen(line, cwd=takes, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: any(out.glob("*.two_bone_ik.json")))
    killed.kill()
    killed.wait()
    ended = subprocess.run(line, cwd=takes, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ended.returncode == 0, ended.stderr
    assert 1 <= ended.stdout.count("done before") < COUNT
    assert f"{COUNT} of {COUNT} shots done, 0 failed" in ended.stdout
    names = {f"walk_{number}.{end}" for number in range(COUNT) for end in ("blend", "fbx", "npz", "two_bone_ik.json")}
    assert {path.name for path in out.iterdir() if not path.name.endswith(".lock")} == names
    for path in out.glob("*.npz"):
        with np.load(path, allow_pickle=False) as take:
            assert take["heads"].shape == (61, len(take["bones"]), 3)
            assert take["contacts"].any(axis=0).all()


def test_each_format_goes_in_and_out(program: list[str], tmp_path: Path) -> None:
    from support.take_files import take_file

    formats = ("bvh", "fbx", "glb", "usda")
    shots = []
    for suffix in formats:
        path, _ = take_file(tmp_path, suffix)
        path.rename(tmp_path / f"walk_{suffix}.{suffix}")
        shots.append(f'[[shot]]\nfile = "walk_{suffix}.{suffix}"\noutput = "planted_{suffix}.{suffix}"\n')
    (tmp_path / "takes.toml").write_text("".join(shots))

    def plant(*given: str) -> None:
        line = [*program, "plant", *given]
        ended = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr

    plant("--manifest", "takes.toml", "--output-dir", "out")
    # What was written can be read again.
    plant(*(f"out/planted_{suffix}.{suffix}" for suffix in formats), "--output-dir", "again", "--format", "npz")
    found = {path.stem for path in (tmp_path / "again").rglob("*.npz")}
    assert found == {f"planted_{suffix}" for suffix in formats}
