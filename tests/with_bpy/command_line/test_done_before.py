"""A shot counts as done only if what lies there is what this version would write."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik.blender.files import file_lock

from support.command import bake_all, run
from support.empty_file import open_empty_file
from support.rig_file import CRANE, own_rig_file
from support.rigs import animate, arm, empty

pytestmark = pytest.mark.once

STATES = ("done before", "done", "to do", "to compare")


@pytest.fixture
def season(shot: Path) -> Path:
    """A manifest of one shot, baked once."""
    shot.with_name("season.toml").write_text('shot = [{file = "shot.blend"}]')
    assert bake_all(shot.with_name("season.toml")) == 0
    return shot.with_name("season.toml")


def state(season: Path, capsys: pytest.CaptureFixture[str], *argv: object) -> str:
    """What a run says of the shot."""
    capsys.readouterr()
    assert bake_all(season, *argv) == 0
    (row,) = [line for line in capsys.readouterr().out.splitlines() if "shot.blend  " in line]
    return next(state for state in STATES if state in row)


@pytest.mark.parametrize("change", ["one byte", "cut off", "gone", "older"])
def test_an_output_that_was_changed_is_baked_anew(
    season: Path, capsys: pytest.CaptureFixture[str], change: str
) -> None:
    output = season.parent / "out" / "shot.blend"
    written = output.read_bytes()
    if change == "one byte":
        middle = len(written) // 2
        output.write_bytes(written[:middle] + bytes([written[middle] ^ 1]) + written[middle + 1 :])
    elif change == "cut off":
        output.write_bytes(written[:-1])
    elif change == "gone":  # as when the process was killed after the report and before the output
        output.unlink()
    else:
        output.write_bytes(season.with_name("shot.blend").read_bytes())
    assert state(season, capsys) == "done"
    assert state(season, capsys) == "done before"


@pytest.mark.parametrize("change", [{"versions": {"two_bone_ik": "0.0.9"}}, {"schema": 0}])
def test_what_another_version_did_is_done_anew(
    season: Path, capsys: pytest.CaptureFixture[str], change: dict[str, object]
) -> None:
    report = season.parent / "out" / "shot.two_bone_ik.json"
    report.write_text(json.dumps(json.loads(report.read_text()) | change))
    assert state(season, capsys) == "done"
    assert state(season, capsys) == "done before"


def save(path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


def link(path: Path, name: str) -> bpy.types.Object:
    """This object of the file, in the scene; the open file is saved, so that the path is relative to it."""
    with bpy.data.libraries.load(str(path), link=True, relative=True) as (_, wanted):
        wanted.objects = [name]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    return wanted.objects[0]


LINKED = ("lib/targets.blend", "lib/deep/props.blend")
"""What the shot links, and what that links, relative to the shot."""


def save_props(path: Path, end: tuple[float, float, float]) -> None:
    open_empty_file()
    animate(empty("Prop"), location={1: (0, 0, 0), 3: end})
    save(path)


@pytest.fixture
def linking(tmp_path: Path) -> Path:
    """A manifest of one shot, baked once: its target is linked, and goes with a prop that the target's file links."""
    targets, props = (tmp_path / name for name in LINKED)
    props.parent.mkdir(parents=True)
    save_props(props, (-0.3, 0.2, 0.1))
    open_empty_file()
    save(targets)
    follow = empty("Target", (1.2, 0.6, 1.3)).constraints.new("COPY_LOCATION")
    follow.use_offset, follow.target = True, link(props, "Prop")
    save(targets)
    open_empty_file()
    save(tmp_path / "shot.blend")
    arm(target=link(targets, "Target"))
    bpy.context.scene.frame_end = 3
    save(tmp_path / "shot.blend")
    (tmp_path / "season.toml").write_text('shot = [{file = "shot.blend"}]')
    assert bake_all(tmp_path / "season.toml") == 0
    return tmp_path / "season.toml"


def written_report(season: Path) -> dict:
    return json.loads((season.parent / "out/shot.two_bone_ik.json").read_text("utf-8"))


def test_a_report_has_all_that_the_shot_links(linking: Path) -> None:
    found = {os.path.realpath(path): value for path, value in written_report(linking)["libraries"].items()}
    files = [(linking.parent / name).resolve() for name in LINKED]
    assert found == {str(path): sha256(path.read_bytes()).hexdigest() for path in files}


def test_a_shot_is_baked_anew_if_what_it_links_is_changed(linking: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert state(linking, capsys) == "done before"
    save_props(linking.parent / LINKED[1], (-0.5, -0.2, 0.3))
    open_empty_file()
    assert state(linking, capsys) == "done"
    assert state(linking, capsys) == "done before"
    bpy.ops.wm.open_mainfile(filepath=str(linking.parent / "out/shot.blend"))
    bpy.context.scene.frame_set(3)
    tip = bpy.data.objects["Rig"].pose.bones["lower"].tail
    # The target is at its own place and the prop's together; keys are in single precision.
    assert tuple(tip) == pytest.approx((1.2 - 0.5, 0.6 - 0.2, 1.3 + 0.3), abs=1e-5)


@pytest.mark.parametrize("name", LINKED)
def test_a_shot_is_baked_anew_if_what_it_links_goes_or_comes(
    linking: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = linking.parent / name
    content = path.read_bytes()
    for is_there in (False, True):
        path.write_bytes(content) if is_there else path.unlink()
        capsys.readouterr()
        bake_all(linking)
        assert "done before" not in capsys.readouterr().out
    assert state(linking, capsys) == "done before"


def test_a_report_that_names_no_libraries_is_done_anew(season: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert written_report(season)["libraries"] == {}
    older = {key: value for key, value in written_report(season).items() if key != "libraries"}
    (season.parent / "out/shot.two_bone_ik.json").write_text(json.dumps(older))
    assert state(season, capsys) == "done"
    assert state(season, capsys) == "done before"


def test_a_file_of_ones_own_rigs_has_all_baked_anew(season: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with own_rig_file(CRANE) as path:
        assert state(season, capsys) == "done"
        assert state(season, capsys) == "done before"
        path.write_text(CRANE.replace("hook", "hoist"))
        assert state(season, capsys) == "done"
    assert state(season, capsys) == "done"
    assert state(season, capsys) == "done before"


def test_force_bakes_anew(season: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert state(season, capsys, "--force") == "done"


def test_a_dry_run_says_what_would_be_done_and_writes_nothing(season: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = season.parent / "out" / "shot.blend"
    assert state(season, capsys, "--dry-run", "--jobs", "2") == "to compare"
    assert state(season, capsys, "--dry-run", "--force") == "to do"
    output.unlink()
    before = {path: path.stat().st_mtime_ns for path in season.parent.rglob("*")}
    assert state(season, capsys, "--dry-run") == "to do"
    assert run("bake", season.with_name("shot.blend"), "--output", output, "--dry-run") == 0
    assert f'to do: bake, writes "{output}"' in capsys.readouterr().out
    assert run("bake", season.with_name("none.blend"), "--output", output, "--report", output, "--dry-run") == 5
    assert {path: path.stat().st_mtime_ns for path in season.parent.rglob("*")} == before


SAME = '[[shot]]\nname = "a"\nfile = "shot.blend"\n\n[[shot]]\nname = "b"\nfile = "shot.blend"\noutput = "shot.blend"\n'
TOLD = (
    'Shot 2 of "{}", "shot.blend", has the same output as shot 1, "shot.blend", which is "{}": give it another output'
)


@pytest.mark.parametrize("other", ["", 'frames = "1:2"'], ids=["same", "other"])
@pytest.mark.parametrize("names", [True, False])
def test_what_another_shot_did_is_not_done_before(
    season: Path, capsys: pytest.CaptureFixture[str], other: str, names: bool
) -> None:
    text = SAME + other
    season.write_text(text if names else "\n".join(line for line in text.splitlines() if "name" not in line))
    output = season.parent / "out/shot.blend"
    assert state(season, capsys, "--shot", "1") == "done before"
    before = {path: path.read_bytes() for path in output.parent.iterdir()}
    for options in ((), ("--force",)):
        capsys.readouterr()
        assert bake_all(season, "--shot", "2", *options) == 5
        assert TOLD.format(season, output) in capsys.readouterr().out
    assert {path: path.read_bytes() for path in output.parent.iterdir()} == before
    assert state(season, capsys, "--shot", "1") == "done before"
    # As a run of all says.
    assert bake_all(season) == 5
    assert TOLD.format(season, output) in capsys.readouterr().err


def test_a_shot_that_waited_for_another_is_not_done_before(
    season: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both tasks of a farm begin before either has written."""
    report = season.parent / "out/shot.two_bone_ik.json"
    first = report.read_text()
    report.unlink()
    season.write_text(SAME)

    @contextmanager
    def waited(_path: Path) -> Iterator[bool]:
        report.write_text(first.replace('"name": "shot"', '"name": "a"'))
        yield True

    monkeypatch.setattr(file_lock, "locked", waited)
    assert bake_all(season, "--shot", "b") == 5
    assert "has the same output as shot 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    [
        '[[shot]]\nname = "opening"\nfile = "shot.blend"\n',
        '[[shot]]\nfile = "other.blend"\n[[shot]]\nfile = "shot.blend"\n',
        # Another one has its name now, and writes elsewhere.
        '[[shot]]\nname = "shot"\nfile = "other.blend"\n[[shot]]\nname = "x"\nfile = "shot.blend"\n',
        '[[shot]]\nname = "shot"\nfile = "other.blend"\nkey = 1\n[[shot]]\nname = "x"\nfile = "shot.blend"\n',
    ],
    ids=["renamed", "moved", "exchanged", "other is wrong"],
)
def test_a_shot_may_be_renamed_and_moved_in_its_list(
    season: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    season.write_text(text)
    assert state(season, capsys, "--shot", str(text.count("[[shot]]"))) == "done before"


_opened: list[str] | None = None


def _note_opened(event: str, arguments: tuple) -> None:
    if event == "open" and _opened is not None and not isinstance(arguments[0], int):
        _opened.append(os.fsdecode(arguments[0]))


sys.addaudithook(_note_opened)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What Python opens from now on: names of files, also of those that it creates."""
    names: list[str] = []
    monkeypatch.setattr(sys.modules[__name__], "_opened", names)
    return names


def test_what_several_shots_link_is_read_once_in_a_run(linking: Path, opened: list[str]) -> None:
    shot = linking.with_name("shot.blend")
    shot.with_name("more.blend").write_bytes(shot.read_bytes())
    linking.write_text('shot = [{file = "shot.blend"}, {file = "more.blend"}]')
    assert bake_all(linking) == 0
    for name in LINKED:
        os.utime(linking.parent / name)  # as if it had been written again
    opened.clear()
    assert bake_all(linking) == 0
    for name in LINKED:
        assert [os.path.realpath(path) for path in opened].count(os.path.realpath(linking.parent / name)) == 1


def test_a_dry_run_opens_nothing_but_the_manifest(season: Path, opened: list[str]) -> None:
    for name in ("setup.toml", "hook.py"):
        season.with_name(name).write_text("what is this\n")
    season.write_text('shot = [{file = "shot.blend", setup = "setup.toml", python_before = "hook.py"}]')
    for number in range(5):
        season.with_name(f"{number}.blend").write_bytes(b"")
    season.with_name("more.toml").write_text('[[shot]]\nfile = "?.blend"\n')
    for manifest in (season, season.with_name("more.toml")):
        opened.clear()
        assert bake_all(manifest, "--dry-run", "--allow-scripts") == 0
        assert [name for name in opened if name.startswith(str(season.parent))] == [str(manifest)]
    assert bake_all(season, "--allow-scripts") == 5


def test_a_dry_run_lists_all_rows_that_are_wrong(season: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = (
        'frames = "5:1"',
        'key = "REDUCED"',
        'output = "../x.blend"',
        'output = "b.blend"',
        'setup = "$NO_SUCH/x.toml"',
        'name = "one"',
        'name = "one"',
        "name = 3",
    )
    told = ("5:1", 'has "key"', "../x.blend", "same output as shot 1", "$NO", '"one"', '"one"', "name")
    rows = ['[[shot]]\nfile = "shot.blend"\noutput = "b.blend"']
    rows += [f'[[shot]]\nfile = "shot.blend"\n{line}' for line in wrong]
    rows += ['[[shot]]\nfile = "none*.blend"', '[[shot]]\nfile = "$NOWHERE/*.blend"']
    season.write_text("\n".join(rows))
    assert bake_all(season) == 5
    said = capsys.readouterr()
    assert "5:1" in said.err
    assert "REDUCED" not in said.out + said.err
    assert bake_all(season, "--dry-run") == 5
    said = capsys.readouterr()
    lines = [line for line in said.out.splitlines() if "shot.blend  " in line]
    assert [line.split()[1] for line in lines] == ["to", *["refused"] * 8]
    assert all(words in line for words, line in zip(told, lines[1:], strict=True))
    for pattern, words in (("none*.blend", "no file has such a name"), ("$NOWHERE/*.blend", "$NOWHERE")):
        assert any(f"{pattern}  " in line and words in line for line in said.out.splitlines())
    assert "10 of 11 shots failed: 2, 3, 4, 5, 6, 7, 8, 9, 10, 11" in said.err


@pytest.mark.parametrize("missing", ["shot.blend", "setup.toml", "hook.py"])
def test_a_dry_run_says_what_would_be_refused(season: Path, capsys: pytest.CaptureFixture[str], missing: str) -> None:
    season.write_text('shot = [{file = "shot.blend", setup = "setup.toml", python_after = "hook.py"}]')
    for name in ("setup.toml", "hook.py"):
        season.with_name(name).write_text("what is this\n")
    season.with_name(missing).unlink()
    before = {path: path.read_bytes() for path in season.parent.rglob("*") if path.is_file()}
    assert bake_all(season, "--dry-run", "--allow-scripts") == 5
    assert f'{missing}" cannot be read' in capsys.readouterr().out
    assert {path: path.read_bytes() for path in season.parent.rglob("*") if path.is_file()} == before
