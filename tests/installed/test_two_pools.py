"""Two runs that begin together on one folder share its shots, in Blenders of their own or without."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.waiting import SECONDS

pytestmark = pytest.mark.usefixtures("enabled")


@pytest.mark.parametrize("jobs", [["--jobs", "2"], ["--jobs", "1"], []], ids=" ".join)
def test_two_runs_on_one_folder_bake_each_shot_once(program: list[str], tmp_path: Path, jobs: list[str]) -> None:
    from support import season

    names = [f"{number}.blend" for number in range(1, 5)]
    for number, name in enumerate(names, 1):
        season.make_shot(tmp_path / name, number=number)
    (tmp_path / "setup.toml").write_text('chain = [{end_bone = "lower", target = "Target"}]')
    (tmp_path / "season.toml").write_text("".join(f'[[shot]]\nfile = "{name}"\n' for name in names))
    setup = ["--setup", tmp_path / "setup.toml"]
    line = [*program, "bake", "--manifest", tmp_path / "season.toml", *setup, "--output-dir", tmp_path / "out"]
    command = [*map(str, line), *jobs]
    pools = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [pool.communicate(timeout=SECONDS)[0] for pool in pools]
    assert [pool.returncode for pool in pools] == [0, 0]
    rows = [line.split()[:2] for text in said for line in text.splitlines() if ".blend  " in line]
    assert sorted(rows) == sorted([str(number), "done"] for number in (1, 2, 3, 4) for _ in range(2))
    assert sum("done before" not in line for text in said for line in text.splitlines() if ".blend  " in line) == 4
    assert len(list((tmp_path / "out").iterdir())) == 8
    for name in names:
        season.assert_baked(tmp_path / "out" / name)
