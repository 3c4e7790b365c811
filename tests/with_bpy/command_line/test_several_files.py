"""Several FILEs and patterns on the command line, each written in several formats, with one report."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path

import pytest

from support.bvh import bvh, walk
from support.command import run

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


@pytest.fixture
def alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files and animations whose outputs would have one name."""
    for name in ("elsewhere/walk.bvh", "here/walk.bvh", "here/Walk.glb", "here/m_Walk_a.bvh"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    gltf(tmp_path / "here/m.gltf", "Walk/a", "Walk:a", "walk?A", "Run")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "elsewhere"


ALIKE = [
    (["{elsewhere}/walk.bvh", "walk.bvh"], "{elsewhere}/walk.bvh", "walk.bvh"),
    (["walk.bvh", "Walk.glb"], "walk.bvh", "Walk.glb"),
    (["m.gltf", "--import-take", "Walk*"], "m.gltf Walk/a", "m.gltf Walk:a"),
    (["m.gltf", "--import-take", "[Ww]alk[?:]*"], "m.gltf Walk:a", "m.gltf walk?A"),
    (["m_Walk_a.bvh", "m.gltf", "--import-take", "W*a"], "m_Walk_a.bvh", "m.gltf Walk/a"),
]


@pytest.mark.parametrize(("line", "first", "second"), ALIKE)
def test_outputs_of_one_name_are_refused_before_any(
    alike: Path, capsys: pytest.CaptureFixture[str], line: list[str], first: str, second: str
) -> None:
    words = [word.format(elsewhere=alike) for word in line]
    assert run("plant", *words, "--output-dir", "out", "--format", "npz") == 5
    said = capsys.readouterr().err
    told = f'Shot 2 of the command line, "{second}", has the same output as shot 1, "{first}", which is '
    assert told.format(elsewhere=alike) in said
    assert "an output in a manifest or another --output-dir" in said
    assert not Path("out").exists()


def test_a_row_with_an_output_meets_no_other(alike: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = '[[shot]]\nfile = "walk.bvh"\n[[shot]]\nfile = "Walk.glb"\n'
    Path("takes.toml").write_text(rows)
    assert to_be_written(capsys, "--manifest", "takes.toml") == ["walk"]
    Path("takes.toml").write_text(f'{rows}output = "other.npz"\n')
    assert to_be_written(capsys, "--manifest", "takes.toml") == ["walk", "other"]


def test_names_of_animations_go_behind_those_of_a_row(alike: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = '[[shot]]\nfile = "m.gltf"\nimport_take = "*[/n]*"\nname = "intro"\noutput = "first.npz"\n'
    Path("takes.toml").write_text(row)
    line = ("--manifest", "takes.toml")
    assert to_be_written(capsys, *line) == ["first_Walk_a", "first_Run"]
    assert to_be_written(capsys, *line, "--shot", "intro_Walk_a") == ["first_Walk_a"]


def test_a_file_that_is_given_twice_is_refused(takes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ("plant", "takes/a/walk.bvh", "takes/b/../a/*.bvh", "--output-dir", "out")
    assert run(*line) == 5
    assert "has the same output as shot 1" in (said := capsys.readouterr().err)
    assert "name a file once" in said


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
    for pattern in ("**/none.bvh", "**", "**/shots/*.bvh", "?*/**/*.bvh"):
        assert run("plant", pattern, "--output-dir", "out") == 5
        assert f'"{pattern}", which goes through more than 100000 files and folders' in capsys.readouterr().err
    assert run("plant", "one/**/none.bvh", "--output-dir", "out") == 5
    assert "no file has such a name" in capsys.readouterr().err
