"""A manifest of any length: of rows that are not chosen nothing is read but their file and name."""

from __future__ import annotations

from pathlib import Path

import pytest
from bl_ext.user_default.two_bone_ik.command_line import rows

from support.command import run

pytestmark = pytest.mark.once

PLAIN = """\
# [[shot]] in a comment is no row
[defaults]
frames = "1:5"

[[shot]]
file = "seq/a.blend"

[[ shot ]]  # with blanks
  name = "Café, \\"the\\" first"   # and a comment
  file = 'seq\\b.blend'
frames = "2:3"

[[shot]]
file = "seq/c.blend" # of two
rig = [
  "Hero",
  "Villain",
]

[[shot]]
file = "seq/d.blend"
import_take = 'W*'
[[shot.rig]]
name = "Hero"
[[shot.rig]]
name = "Villain"
"""


def tables(found: rows.Rows) -> list[tuple]:
    written = zip(found.files, found.names, found.takes, strict=True)
    return [(*texts, found.read(place), found.defaults) for place, texts in enumerate(written)]


OTHERS = [
    'shot = [{file = "a.blend"}, {file = "b.blend", name = "b"}]',
    '[[shot]]\nfile = """a.blend"""\n',
    '[[shot]]\n"file" = "a.blend"\n',
    '[["shot"]]\nfile = "a.blend"\n',
    '[[shot]]\nfile = "a.blend"\n[defaults]\nframes = "1:2"\n',
    '[[shot]]\nfile = "\\u0061.blend"\n',
    '[[shot]]\nfile = "a.blend" # "b" \n[[shot]]\n# name = "c"\nfile = "c\\"\\\\.blend"\nnamed = "d"\n',
]


@pytest.mark.parametrize("text", [PLAIN, PLAIN.replace("\n", "\r\n"), *OTHERS])
def test_rows_are_found_as_they_are_parsed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "season.toml"
    path.write_bytes(text.encode())
    found, parsed = (rows.of_manifest(path, whole=whole) for whole in (False, True))
    assert tables(found) == tables(parsed)


def season(folder: Path, *others: str) -> Path:
    """A manifest whose second shot is that of the fixture, and others before and behind it."""
    path = folder / "season.toml"
    texts = [others[0], 'name = "intro"\nfile = "shot.blend"', *others[1:]]
    path.write_text("".join(f"[[shot]]\n{text}\n\n" for text in texts))
    return path


WRONG = [
    ('file = "gone.blend"\nframs = "1:2"', 'nearest is "frames"'),
    ('file = "gone.blend"\nframes = "10:1"', "hold no frame"),
    ('file = "$UNSET_FOLDER/gone.blend"', "no environment variable"),
    ('file = "gone.blend"\nsetup = 1', "text in quotes"),
    ('file = "shot.blend"', "same output as shot"),
    ('file = "gone.blend"\nname = ', "is not in TOML"),
]


@pytest.mark.parametrize(("other", "words"), WRONG)
def test_other_rows_are_checked_by_a_run_of_all(
    shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], other: str, words: str
) -> None:
    path = season(tmp_path, 'file = "none.blend"', other)
    line = ("bake", "--manifest", path, "--output-dir", tmp_path / "out")
    for chosen in ("2", "intro"):
        assert run(*line, "--shot", chosen, "--dry-run") == 0
    capsys.readouterr()
    assert run(*line, "--dry-run") == 5
    said = capsys.readouterr()
    assert words in said.out + said.err


@pytest.mark.parametrize(
    ("name", "file"),
    [("1-2", 'name = "1-2"'), ("7", 'name = "7"'), ("a,b", 'name = "a,b"'), ("intro", 'name = "intro"')],
)
def test_a_name_that_reads_otherwise_is_refused(
    shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, file: str
) -> None:
    path = season(tmp_path, f'file = "other.blend"\n{file}')
    assert run("bake", "--manifest", path, "--output-dir", tmp_path / "out") == 5
    assert f'"{name}"' in capsys.readouterr().err


def test_shots_go_by_name_or_by_the_path_of_their_file(
    shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a/walk", "b/walk", "b/run"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).with_suffix(".blend").write_bytes(shot.read_bytes())
    path = season(tmp_path, 'file = "a/walk.blend"', 'file = "b/*.blend"')
    line = ("bake", "--manifest", path, "--output-dir", tmp_path / "out", "--shot")
    assert run(*line, "run, intro,a/walk") == 0
    out = tmp_path / "out"
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob("*.blend")) == [
        "a/walk.blend",
        "b/run.blend",
        "shot.blend",
    ]
    capsys.readouterr()
    assert run(*line, "b/walk") == 0
    # Two files have that name.
    assert run(*line, "walk") == 64
    assert run(*line, "intr") == 64
    assert 'the nearest is "intro"' in capsys.readouterr().err
