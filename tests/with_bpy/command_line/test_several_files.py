"""Several FILEs and patterns on the command line, each written in several formats, with one report."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path

import pytest

from support.bvh import bvh, walk
from support.command import run
from support.empty_file import open_empty_file
from support.take_files import dressed_walk, write

pytestmark = pytest.mark.once


@pytest.fixture
def takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three short takes in two folders, below the current folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("a/walk.bvh", "a/run.bvh", "b/walk.bvh"):
        path = tmp_path / "takes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(bvh(motion=walk(12), places=[(0, 17, i / 3) for i in range(12)]))
    return tmp_path / "takes"


def written(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def with_reports(*outputs: str) -> set[str]:
    return {*outputs, *(f"{output.rpartition('.')[0]}.two_bone_ik.json" for output in outputs)}


@pytest.mark.parametrize("pattern", ["takes/**/*.bvh", "takes/**/*"])
def test_a_pattern_keeps_folders_and_stems(takes: Path, tmp_path: Path, pattern: str) -> None:
    assert run("plant", pattern, "--output-dir", "out") == 0
    assert written(tmp_path / "out") == with_reports(*(f"takes/{name}.blend" for name in ("a/walk", "a/run", "b/walk")))


def test_a_pattern_elsewhere_keeps_what_it_does_not_fix(takes: Path, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path / "here")
        assert run("plant", takes / "*/*.bvh", "--output-dir", "out") == 0
    assert written(tmp_path / "here/out") == with_reports("a/walk.blend", "a/run.blend", "b/walk.blend")


def test_several_files_are_shots_one_after_another(
    takes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ("plant", "takes/a/walk.bvh", "takes/b/*.bvh", "--output-dir", "out")
    assert run(*line) == 0
    assert written(tmp_path / "out") == with_reports("takes/a/walk.blend", "takes/b/walk.blend")
    capsys.readouterr()
    assert run(*line, "--shot", "2") == 0
    assert run(*line, "--shot", "takes/a/walk") == 0
    assert capsys.readouterr().out.count("done before") == 2


def test_a_shot_in_several_formats_has_one_report(takes: Path, tmp_path: Path) -> None:
    line = ("plant", "takes/a/*.bvh", "--output-dir", "out", "--format", "npz,blend,BVH")
    assert run(*line) == 0
    out = tmp_path / "out/takes/a"
    assert written(out) == {
        f"{stem}.{end}" for stem in ("walk", "run") for end in ("blend", "bvh", "npz", "two_bone_ik.json")
    }
    record = json.loads((out / "walk.two_bone_ik.json").read_text())
    assert record["name"] == "walk"
    assert [Path(path).suffix for path in record["outputs"]] == [".blend", ".bvh", ".npz"]
    assert record["sha256"] == [sha256(Path(path).read_bytes()).hexdigest() for path in record["outputs"]]


@pytest.mark.parametrize("change", ["changed", "gone", "one more"])
def test_a_shot_is_done_only_if_all_outputs_are(
    takes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str
) -> None:
    line = ["plant", "takes/a/*.bvh", "--output-dir", "out", "--format", "blend,npz"]
    assert run(*line) == 0
    if change == "one more":
        line[-1] = "blend,npz,bvh"
    elif change == "gone":
        (tmp_path / "out/takes/a/walk.npz").unlink()
    else:
        (tmp_path / "out/takes/a/walk.npz").write_bytes(b"")
    capsys.readouterr()
    assert run(*line) == 0
    assert capsys.readouterr().out.count("done before") == (0 if change == "one more" else 1)
    assert (tmp_path / "out/takes/a/walk.npz").stat().st_size


def test_the_suffix_stays_where_stems_meet(takes: Path, tmp_path: Path) -> None:
    dressed_walk(tmp_path)
    write(takes / "a/walk.glb")
    open_empty_file()
    assert run("plant", "takes/a/*", "--output-dir", "out") == 0
    names = ("walk.bvh.blend", "walk.glb.blend", "run.blend")
    assert written(tmp_path / "out/takes/a") == with_reports(*names)
    # Also of one of them alone.
    assert run("plant", "takes/a/*", "--output-dir", "other", "--shot", "2") == 0
    assert written(tmp_path / "other/takes/a") == with_reports("walk.bvh.blend")


def gltf(path: Path, *animations: str) -> Path:
    """As much of a glTF file as tells the names of its animations."""
    named = [{"name": name, "channels": [{"target": {"node": 0}}]} for name in animations]
    path.write_text(json.dumps({"asset": {}, "skins": [{"joints": [0]}], "animations": named}))
    return path


def to_be_written(capsys: pytest.CaptureFixture[str], *line: object) -> list[str]:
    """The output of each shot, without its suffix, as a dry run tells them."""
    capsys.readouterr()
    run("plant", *line, "--output-dir", "out", "--format", "npz", "--dry-run")
    return re.findall(r'writes "out/(.*)\.npz"', capsys.readouterr().out.replace(f"{Path.cwd()}/", ""))


def listed(folder: Path) -> list[tuple[list[object], list[str]]]:
    """FILEs, and the names of their results."""
    (folder / "elsewhere").mkdir()
    (folder / "here").mkdir()
    for name in ("elsewhere/walk", "here/walk", "here/Walk", "here/m_Walk_a"):
        (folder / f"{name}.bvh").touch()
    alike = gltf(folder / "here/m.gltf", "Walk/a", "Walk:a", "Walk_a_2", "walk?A", "Run")
    told = ["m_Walk_a", "m_Walk_a_3", "m_Walk_a_2", "m_walk_A_4", "m_Run"]
    walks: list[object] = [folder / "elsewhere/walk.bvh", "walk.bvh", "Walk.bvh"]
    with_suffix = [f"m.gltf{name[1:]}" for name in told]
    return [
        ([alike, "--import-take", "*"], told),
        (["m.gltf", "--import-take", "Walk*"], told[:3]),
        (walks, ["walk", "walk_2", "Walk_3"]),
        (["m_Walk_a.bvh", "m.gltf", "--import-take", "W*a"], ["m_Walk_a", "m_Walk_a_3", "m_Walk_a_2"]),
        ([gltf(folder / "here/M.glb"), "m.gltf", "--import-take", "*"], ["M.glb", *with_suffix]),
    ]


def test_results_of_one_list_have_names_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lists = listed(tmp_path)
    monkeypatch.chdir(tmp_path / "here")
    for line, told in lists:
        assert len({name.casefold() for name in told}) == len(told)
        assert to_be_written(capsys, *line) == told, line
        alone = [to_be_written(capsys, *line, "--shot", number) for number in range(1, len(told) + 1)]
        assert alone == [[name] for name in told], line


def test_names_of_animations_go_behind_those_of_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gltf(tmp_path / "m.gltf", "Walk/a", "Walk:a")
    row = '[[shot]]\nfile = "m.gltf"\nimport_take = "*"\nname = "intro"\noutput = "first.npz"\n'
    (tmp_path / "takes.toml").write_text(row)
    monkeypatch.chdir(tmp_path)
    line = ("--manifest", "takes.toml")
    assert to_be_written(capsys, *line) == ["first_Walk_a", "first_Walk_a_2"]
    assert to_be_written(capsys, *line, "--shot", "intro_Walk_a_2") == ["first_Walk_a_2"]


def test_a_file_that_is_given_twice_is_refused(takes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ("plant", "takes/a/walk.bvh", "takes/b/../a/*.bvh", "--output-dir", "out")
    assert run(*line) == 5
    assert "has the same output as shot 1" in (said := capsys.readouterr().err)
    assert "name its file once" in said


def test_formats_of_a_manifest_are_those_of_the_shot(takes: Path, tmp_path: Path) -> None:
    (tmp_path / "takes.toml").write_text("""
        defaults = { formats = ["npz"] }

        [[shot]]
        file = "takes/a/walk.bvh"

        [[shot]]
        file = "takes/a/run.bvh"
        formats = ["bvh", "blend"]
        output = "other/fast"

        [[shot]]
        file = "takes/a/run.bvh"
        output = "other/faster.bvh"
    """)
    assert run("plant", "--manifest", "takes.toml", "--output-dir", "out", "--format", "fbx") == 0
    named = ("takes/a/walk.npz", "other/fast.bvh", "other/fast.blend", "other/faster.bvh")
    assert written(tmp_path / "out") == with_reports(*named)


def test_no_file_of_a_pattern_is_refused(takes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("plant", "takes/*.fbx", "--output-dir", "out") == 5
    assert "no file has such a name" in capsys.readouterr().err
    assert run("plant", "takes/a/*.bvh") == 64
    assert "--output-dir" in capsys.readouterr().err


def test_a_pattern_that_goes_through_a_whole_disk_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Links make of 320 files as many as the disk of a small machine has."""
    (tmp_path / "one").mkdir()
    for number in range(320):
        (tmp_path / "one" / f"{number}.bvh").touch()
        (tmp_path / str(number)).symlink_to(tmp_path / "one")
    monkeypatch.chdir(tmp_path)
    for pattern in ("**/none.bvh", "**"):
        assert run("plant", pattern, "--output-dir", "out") == 5
        assert f'"{pattern}", which goes through more than 100000 files and folders' in capsys.readouterr().err
    assert run("plant", "one/**/none.bvh", "--output-dir", "out") == 5
    assert "no file has such a name" in capsys.readouterr().err
