"""Two runs on one folder: tasks that name their shots share it, and of two whole runs one is refused."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from support.waiting import SECONDS, wait_for

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("enabled")]

NAMES = [f"{number}.blend" for number in range(1, 5)]


@pytest.fixture
def command(program: list[str], tmp_path: Path) -> list[str]:
    """The line of a run over four shots."""
    from support import season

    for number, name in enumerate(NAMES, 1):
        season.make_shot(tmp_path / name, number=number)
    (tmp_path / "setup.toml").write_text('chain = [{end_bone = "lower", target = "Target"}]')
    (tmp_path / "season.toml").write_text("".join(f'[[shot]]\nfile = "{name}"\n' for name in NAMES))
    setup = ["--setup", tmp_path / "setup.toml"]
    line = [*program, "bake", "--manifest", tmp_path / "season.toml", *setup, "--output-dir", tmp_path / "out"]
    return [*map(str, line)]


def test_tasks_that_share_their_shots_bake_each_once(command: list[str], tmp_path: Path) -> None:
    from support import season

    # One in its own process, one with a pool.
    lines = ([*command, "--shot", "1-4", *jobs] for jobs in ([], ["--jobs", "1"]))
    tasks = [subprocess.Popen(line, stdout=subprocess.PIPE, text=True) for line in lines]
    said = [task.communicate(timeout=SECONDS)[0] for task in tasks]
    assert [task.returncode for task in tasks] == [0, 0]
    rows = [line.split()[:2] for text in said for line in text.splitlines() if ".blend  " in line]
    assert sorted(rows) == sorted([str(number), "done"] for number in (1, 2, 3, 4) for _ in range(2))
    assert sum("done before" not in line for text in said for line in text.splitlines() if ".blend  " in line) == 4
    assert len(list((tmp_path / "out").iterdir())) == 8
    for name in NAMES:
        season.assert_baked(tmp_path / "out" / name)


def test_a_run_is_refused_while_another_lives_and_not_after(command: list[str], tmp_path: Path) -> None:
    first = subprocess.Popen([*command, "--jobs", "1"], stdout=subprocess.DEVNULL)
    # The file of the lock is there a moment before it is locked.
    wait_for(lambda: any((tmp_path / "out").glob("*.blend")))
    # It lives, and does not end before the second has begun.
    first.send_signal(signal.SIGSTOP)
    second = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert (first.poll(), second.returncode) == (None, 5)
    assert "Another run writes to" in second.stderr.splitlines()[-1]
    first.send_signal(signal.SIGKILL)
    first.wait()
    third = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert third.returncode == 0, third.stderr
    assert len(list((tmp_path / "out").iterdir())) == 8


def test_two_shots_with_one_output_are_not_both_done(command: list[str], tmp_path: Path) -> None:
    row = f'[[shot]]\nfile = "{NAMES[0]}"\noutput = "same.blend"\n'
    (tmp_path / "season.toml").write_text(f'{row}name = "a"\n{row}name = "b"\n')
    lines = [[*command, "--shot", "a"], [*command, "--shot", "b", "--jobs", "1"]]
    tasks = [subprocess.Popen(line, stdout=subprocess.PIPE, text=True) for line in lines]
    said = [task.communicate(timeout=SECONDS)[0] for task in tasks]
    # Whichever had the lock first.
    assert sorted(task.returncode for task in tasks) == [0, 5]
    [refused] = [text for task, text in zip(tasks, said, strict=True) if task.returncode == 5]
    assert "has the same output as shot" in refused
    again = [subprocess.run(line, check=False, stdout=subprocess.DEVNULL).returncode for line in lines]
    assert again == [task.returncode for task in tasks]
