"""Files that are one and the same, other programs' or none are refused; outputs never leave the folder for outputs.

Detect replaces files that it has written, and with --force others.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api

from support import command
from support.hero import hero
from support.rigs import animate, arm

pytestmark = pytest.mark.once
SETUP = 'chain = [{end_bone = "lower", target = "Target"}]'


def run(line: str, folder: Path) -> int:
    return command.run(*(word.format(folder=folder) for word in line.split()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A shot with its setup and a manifest; links of both kinds to an output and to the setup; a pipe."""
    animate(arm().target, location={1: (1.2, 0.6, 1.3), 5: (0.5, -0.8, 1.5)})
    bpy.context.scene.frame_end = 5
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    (tmp_path / "setup.toml").write_text(SETUP)
    (tmp_path / "season.toml").write_text('shot = [{file = "shot.blend", setup = "setup.toml"}]')
    (tmp_path / "old.blend").write_text("old")
    (tmp_path / "soft").symlink_to("old.blend")
    (tmp_path / "soft.blend").symlink_to("old.blend")
    (tmp_path / "soft_new").symlink_to("new.blend")
    os.link(tmp_path / "old.blend", tmp_path / "hard")
    os.link(tmp_path / "setup.toml", tmp_path / "hard_setup")
    os.link(tmp_path / "shot.blend", tmp_path / "hard_shot")
    os.link(tmp_path / "setup.toml", tmp_path / "hard_setup.blend")
    os.link(tmp_path / "season.toml", tmp_path / "hard_season.blend")
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "pipe.blend")
    return tmp_path


def contents(folder: Path) -> dict[str, object]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else path.lstat().st_mode
        for path in folder.rglob("*")
    }


BAKE = "bake {folder}/shot.blend --setup {folder}/setup.toml"
MANIFEST = "bake --manifest {folder}/season.toml --output-dir {folder}/out"
REFUSED = [
    (BAKE + " --output {folder}/new.blend --report {folder}/new.blend", "written twice"),
    (BAKE + " --output {folder}/new.blend --report {folder}/none/../new.blend", "written twice"),
    (BAKE + " --output {folder}/new.blend --report {folder}/soft_new", "written twice"),
    (BAKE + " --output {folder}/old.blend --report {folder}/soft", "written twice"),
    (BAKE + " --output {folder}/old.blend --report {folder}/hard", "written twice"),
    (BAKE + " --output {folder}/hard_setup.blend", "is read"),
    (BAKE + " --output {folder}/hard_setup", "is read"),
    (BAKE + " --output {folder}/hard_shot", "is read"),
    (BAKE + " --in-place --report {folder}/hard_shot", "is read"),
    (BAKE + " --output {folder}/new.blend --report {folder}/pipe", "not a file"),
    (BAKE + " --output {folder}/pipe", "not a file"),
    ("bake {folder}/shot.blend --output {folder}/new.blend --setup {folder}/pipe", "not a file"),
    ("bake {folder}/shot.blend --output {folder}/new.blend --setup /dev/zero", "not a file"),
    ("bake {folder}/pipe --output {folder}/new.blend", "not a file"),
    ("check --manifest {folder}/pipe", "not a file"),
    ("check --manifest /dev/zero", "not a file"),
    (MANIFEST + " --path-mapping {folder}/pipe", "not a file"),
    ("detect {folder}/shot.blend --output {folder}/pipe", "not a file"),
    ("detect {folder}/pipe", "not a file"),
]


@pytest.mark.parametrize(("line", "words"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_would_overwrite_or_hang_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str, words: str
) -> None:
    before = contents(folder)
    assert run(line, folder) == 5
    (said,) = capsys.readouterr().err.splitlines()
    assert words in said
    assert contents(folder) == before


OUTPUTS = [
    ('{file = "shot.blend", output = "hard_season.blend"}', "is read"),
    ('{file = "shot.blend", output = "hard_setup.blend", setup = "setup.toml"}', "is read"),
    ('{file = "shot.blend", output = "soft.blend"}, {file = "shot.blend", output = "old.blend"}', "written twice"),
    ('{file = "shot.blend", output = "a.blend"}, {file = "shot.blend", output = "a.npz"}', "same output"),
    ('{file = "shot.blend", output = "a.blend"}, {file = "shot.blend", output = "./b/../a.blend"}', "same output"),
    ('{file = "shot.blend", output = "pipe.blend"}', "not a file"),
]


@pytest.mark.parametrize(("shots", "words"), OUTPUTS, ids=[shots for shots, _ in OUTPUTS])
def test_outputs_of_a_manifest_are_files_of_their_own(
    folder: Path, capsys: pytest.CaptureFixture[str], shots: str, words: str
) -> None:
    (folder / "season.toml").write_text(f"shot = [{shots}]")
    before = contents(folder)
    assert run("bake --manifest {folder}/season.toml --output-dir {folder}", folder) == 5
    (said,) = capsys.readouterr().err.splitlines()
    assert words in said
    assert contents(folder) == before


@pytest.mark.parametrize("text", ["[]", "3", "null", '{"takes": [1, 2]}'])
def test_the_json_of_another_program_is_not_overwritten(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (folder / "out").mkdir()
    (folder / "out" / "shot.two_bone_ik.json").write_text(text)
    assert run(MANIFEST, folder) == 5
    assert "no report of Two-Bone IK" in capsys.readouterr().out
    assert contents(folder / "out") == {"shot.two_bone_ik.json": text.encode()}


@pytest.mark.parametrize("reports", [None, 3, [3], [{"rig": "Rig"}], [{"rig": 1, "chains": [{}], "notes": []}]])
def test_a_report_that_cannot_be_read_is_written_anew(folder: Path, reports: object) -> None:
    assert run(MANIFEST, folder) == 0
    path = folder / "out" / "shot.two_bone_ik.json"
    good = json.loads(path.read_text())
    path.write_text(json.dumps(good | {"reports": reports}))
    assert run(MANIFEST, folder) == 0
    found = json.loads(path.read_text())
    assert [found[name] for name in ("request", "reports")] == [good[name] for name in ("request", "reports")]


@pytest.mark.parametrize("text", ["a = " + "[" * 100_000, "a = " + "{b = " * 50_000])
def test_a_setup_that_is_nested_deep_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "rig.toml").write_text(text)
    with pytest.raises(api.Refused, match=r"rig\.toml") as refused:
        api.load_setup(tmp_path / "rig.toml")
    assert refused.value.kind == "NOT_TOML"


def test_a_setup_of_senseless_size_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "rig.toml").open("wb") as file:
        file.truncate(1 << 40)  # a terabyte of zeros that takes no room
    with pytest.raises(api.Refused, match="1099511627776 bytes"):
        api.load_setup(tmp_path / "rig.toml")


@pytest.fixture
def season(tmp_path: Path) -> Path:
    """A manifest in a folder of its own, beside the folder of its shot; "out/linked" leads out of the outputs."""
    animate(arm().target, location={1: (1.2, 0.6, 1.3), 3: (0.5, -0.8, 1.5)})
    bpy.context.scene.frame_end = 3
    for folder in ("shots", "manifests", "out", "elsewhere"):
        (tmp_path / folder).mkdir()
    (tmp_path / "out" / "linked").symlink_to(tmp_path / "elsewhere" / "deep", target_is_directory=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shots" / "x.blend"))
    return tmp_path / "manifests" / "season.toml"


def bake(season: Path, shot: str) -> tuple[int, set[str]]:
    """The exit status, and the new files."""
    before = set(season.parents[1].rglob("*"))
    season.write_text(f"shot = [{{{shot}}}]")
    status = command.run("bake", "--manifest", season, "--output-dir", season.parents[1] / "out")
    new = {path for path in season.parents[1].rglob("*") if path.is_file()} - before - {season}
    return status, {path.relative_to(season.parents[1]).as_posix() for path in new}


@pytest.mark.parametrize("text", ["../shots/x.blend", "../manifests/.././shots/x.blend"])
def test_a_shot_outside_goes_below_the_output_folder(season: Path, text: str) -> None:
    status, new = bake(season, f'file = "{text}"')
    assert status == 0
    assert "out/shots/x.blend" in new
    assert all(name.startswith("out/shots/") for name in new)


@pytest.mark.parametrize("output", ["", ".", "a/.."])
@pytest.mark.parametrize("option", ["--output-dir", "--log-dir"])
def test_the_output_folder_itself_is_no_output(season: Path, output: str, option: str) -> None:
    season.write_text(f'shot = [{{file = "../shots/x.blend", output = "{output}"}}]')
    before = set(season.parents[1].rglob("*"))
    assert command.run("check", "--manifest", season, option, season.parents[1] / "new") == 5
    assert set(season.parents[1].rglob("*")) == before


@pytest.mark.parametrize("output", ["../x.blend", "a/../../x.blend", "{folder}/x.blend", "..", "linked/../../x.blend"])
def test_an_output_outside_of_the_folder_is_refused(
    season: Path, capsys: pytest.CaptureFixture[str], output: str
) -> None:
    output = output.format(folder=season.parents[1])
    assert bake(season, f'file = "../shots/x.blend", output = "{output}"') == (5, set())
    assert f'has output "{output}", which leaves' in capsys.readouterr().err


def test_two_dots_lead_back_also_behind_a_link(season: Path) -> None:
    os.makedirs(season.parents[1] / "elsewhere" / "deep")
    status, new = bake(season, 'file = "../shots/x.blend", output = "linked/../x.blend"')
    assert status == 0
    assert "out/x.blend" in new
    assert all(name.startswith("out/") for name in new)


@pytest.fixture
def rig_file(empty_file: None, tmp_path: Path) -> Path:
    hero()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hero.blend"))
    return tmp_path / "hero.blend"


@pytest.mark.parametrize("text", ["chain = []\n", '# mine\n[[chain]]\nend_bone = "shin.L"\n', "# Two-Bone", "\ufeff\n"])
def test_detect_keeps_a_file_that_people_have_written(
    rig_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    setup = tmp_path / "hero.toml"
    setup.write_text(text, "utf-8")
    assert command.run("detect", rig_file, "--output", setup) == 5
    said = capsys.readouterr().err
    assert str(setup) in said
    assert "--force" in said
    assert setup.read_text("utf-8") == text
    assert command.run("detect", rig_file, "--output", setup, "--force") == 0
    assert len(api.load_setup(setup).chains) == 4


def test_detect_replaces_its_own_file_and_an_empty_one(rig_file: Path, tmp_path: Path) -> None:
    setup = tmp_path / "hero.toml"
    setup.touch()
    assert command.run("detect", rig_file, "--output", setup) == 0
    first = setup.read_text()
    setup.write_text(first + "\n# of an older build\n")
    assert command.run("detect", rig_file, "--output", setup) == 0
    assert setup.read_text() == first


def test_detect_replaces_a_read_only_file_with_force(rig_file: Path, tmp_path: Path) -> None:
    setup = tmp_path / "hero.toml"
    assert command.run("detect", rig_file, "--output", setup) == 0
    setup.chmod(0o444)
    assert command.run("detect", rig_file, "--output", setup) == 5
    assert command.run("detect", rig_file, "--output", setup, "--force") == 0
    assert setup.stat().st_mode & 0o777 == 0o444
