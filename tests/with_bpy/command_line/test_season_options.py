"""What a run over a season can be told: to keep going, to run scripts, to keep logs, to stop what hangs."""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik.command_line import worker
from bl_ext.user_default.two_bone_ik.command_line.outcome import Outcome
from bl_ext.user_default.two_bone_ik.command_line.shot import Shot

from support.command import bake_all, run
from support.release import version
from support.rigs import animate, arm, armature, chain, empty, keys
from support.truth import Limb

pytestmark = pytest.mark.once


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    """Two characters, the second of which cannot be baked: its chain hangs on a bone that it does not have."""
    animate(arm(name="arm").target, location={1: (1.2, 0.6, 1.3), 3: (0.5, -0.8, 1.5)})
    other = armature(name="Villain")
    chain(other, "lower", target=empty("Other target", (1.2, 0.6, 1.3))).root_bone = "gone"
    bpy.context.scene.frame_end = 3
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    (tmp_path / "season.toml").write_text('shot = [{file = "shot.blend"}]')
    return tmp_path / "shot.blend"


def open_again(path: Path, *objects: str) -> list:
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return [bpy.data.objects[name] for name in objects]


def test_one_refused_character_stops_the_others_by_default(shot: Path) -> None:
    assert bake_all(shot.with_name("season.toml")) == 5
    assert not (shot.with_name("out") / "shot.blend").exists()


def test_keep_going_bakes_the_characters_that_can_be(shot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for state in ("done", "done"):  # what was left out is tried again
        capsys.readouterr()
        assert bake_all(shot.with_name("season.toml"), "--keep-going") == 3
        (row,) = [line for line in capsys.readouterr().out.splitlines() if "shot.blend  " in line]
        assert f" {state} " in row
        assert "done before" not in row
        assert '"Villain"' in row
    found = json.loads((shot.with_name("out") / "shot.two_bone_ik.json").read_text())
    assert [report["rig"] for report in found["reports"]] == ["Rig"]
    assert [refusal["object"] for refusal in found["refusals"]] == ["Villain"]
    open_again(shot.with_name("out") / "shot.blend")
    assert Limb().offs((1, 2, 3)).max() < 1e-5
    assert bpy.data.objects["Villain"].animation_data is None


def test_keep_going_does_without_a_setup_that_is_missing(shot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shot.with_name("Rig.toml").write_text('chain = [{end_bone = "lower", target = "Target"}]')
    rigs = ("--rig", "Rig", "--rig", "Villain", "--setup", shot.with_name("{rig}.toml"))
    assert bake_all(shot.with_name("season.toml"), *rigs) == 5
    for _ in range(2):
        capsys.readouterr()
        assert bake_all(shot.with_name("season.toml"), *rigs, "--keep-going") == 3
        (row,) = [line for line in capsys.readouterr().out.splitlines() if "shot.blend  " in line]
        assert f'{shot.with_name("Villain.toml")}" cannot be read' in row
        assert "done before" not in row
    (rig,) = open_again(shot.with_name("out") / "shot.blend", "Rig")
    assert list(keys(rig.pose.bones["lower"])) == [1, 2, 3]


def test_keep_going_is_refused_if_no_character_can_be_baked(shot: Path) -> None:
    assert bake_all(shot.with_name("season.toml"), "--keep-going", "--rig", "Villain", "--rig", "Nobody") == 5
    assert not (shot.with_name("out") / "shot.blend").exists()


def test_scripts_run_before_the_bake_and_before_the_save(shot: Path, tmp_path: Path) -> None:
    before, after = tmp_path / "before.py", tmp_path / "after.py"
    before.write_text("import bpy\nbpy.data.objects.remove(bpy.data.objects['Villain'])")
    after.write_text("import bpy\nbpy.context.scene['keys'] = len(bpy.data.actions)")
    hooks = ("--python-before", before, "--python-after", after)
    assert bake_all(shot.with_name("season.toml"), *hooks) == 0
    (rig,) = open_again(shot.with_name("out") / "shot.blend", "Rig")
    assert list(keys(rig.pose.bones["lower"])) == [1, 2, 3]
    assert "Villain" not in bpy.data.objects
    assert bpy.context.scene["keys"] == 2  # of the target before, and of the rig after the bake


def test_a_shot_is_done_again_if_a_script_has_changed(shot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = shot.with_name("before.py")
    script.write_text("import bpy\nbpy.data.objects.remove(bpy.data.objects['Villain'])")
    for state in (" done  ", " done before ", " done  "):
        capsys.readouterr()
        assert bake_all(shot.with_name("season.toml"), "--python-before", script) == 0
        assert state in capsys.readouterr().out
        if state == " done before ":
            script.write_text(f"{script.read_text()}\n# changed")


@pytest.mark.parametrize("line", ["1 / 0", "raise SystemExit(0)", "(", "raise KeyError"])
def test_a_script_that_fails_refuses_the_shot(shot: Path, capsys: pytest.CaptureFixture[str], line: str) -> None:
    script = shot.with_name("after.py")
    script.write_text(line)
    assert run("bake", shot, "--rig", "Rig", "--output", shot.with_name("baked.blend"), "--python-after", script) == 5
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f'two_bone_ik: Script "{script}" failed: ')
    assert not shot.with_name("baked.blend").exists()


def test_no_blender_is_started_for_what_was_done_before(shot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bake_all(shot.with_name("season.toml"), "--rig", "Rig") == 0
    # In this process there is no command by which one could be started.
    assert bake_all(shot.with_name("season.toml"), "--rig", "Rig", "--jobs", "2") == 0
    assert "done before" in capsys.readouterr().out


def answering(text: str) -> list[str]:
    """A program in place of Blender; it prints `text` for each shot and does not answer."""
    return [
        sys.executable,
        "-c",
        f"import sys, time\nfor line in sys.stdin: print({text!r}, flush=True); time.sleep(9)",
    ]


def test_what_blender_prints_goes_to_a_log_for_each_shot(tmp_path: Path) -> None:
    logs = [tmp_path / "logs" / f"{name}.log" for name in "ab"]
    shots = {n: Shot(command="bake", file=tmp_path / f"{n}.blend", log=log) for n, log in enumerate(logs)}
    found = dict(worker.outcomes(answering("Read blend: été"), shots, 1, 1.0))
    assert [item.state for item in found.values()] == ["timed out", "timed out"]
    assert [log.read_text("utf-8") for log in logs] == ["Read blend: été\n"] * 2


def test_a_log_that_cannot_be_written_refuses_its_shot_alone(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    shots = {n: Shot(command="bake", file=tmp_path, log=tmp_path / n / "x.log") for n in "ab"}
    found = dict(worker.outcomes(answering(""), shots, 1, 1.0))
    assert {name: item.state for name, item in found.items()} == {"a": "refused", "b": "timed out"}


def test_what_a_file_makes_blender_print_is_no_answer(tmp_path: Path) -> None:
    """An answer is what follows the word that came with the shot."""
    answer = pickle.dumps(Outcome(status=0, state="done", text="")).hex()
    shots = {1: Shot(command="bake", file=tmp_path)}
    for word in ("", "two_bone_ik_outcome: ", "0" * 32 + " "):
        [(_, found)] = worker.outcomes(answering(word + answer), shots, 1, 1.0)
        assert found.state == "timed out"


@pytest.mark.parametrize(("limit", "state"), [(60.0, "crashed"), (1.0, "timed out")])
def test_a_program_that_outlives_its_blender_holds_up_nobody(tmp_path: Path, limit: float, state: str) -> None:
    """A script has started it, and it may go on printing where Blender did: it ends when it may, or after 20 s."""
    may_end, has_ended, other = (tmp_path / name for name in ("may_end", "has_ended", "other.py"))
    other.write_text(
        f"import pathlib, time\nfor _ in range(400): pathlib.Path({str(may_end)!r}).exists() or time.sleep(0.05)\n"
        f"pathlib.Path({str(has_ended)!r}).touch()"
    )
    lines = f"import subprocess, sys, time\ninput()\nsubprocess.Popen([sys.executable, {str(other)!r}])\n"
    lines += "raise SystemExit(3)" if state == "crashed" else "time.sleep(60)"
    [(_, found)] = worker.outcomes([sys.executable, "-c", lines], {1: Shot(command="bake", file=tmp_path)}, 1, limit)
    assert found.state == state
    assert not has_ended.exists()
    may_end.touch()


def test_it_tells_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"two_bone_ik {version()}\n"
