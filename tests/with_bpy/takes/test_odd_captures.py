"""Captures as strangers bring them: made-up walks with every oddity, planted, compared with their own kinematics."""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.messages.refused import Refused
from bl_ext.user_default.two_bone_ik.blender.takes import bvh

from support.command import run
from support.empty_file import open_empty_file
from support.odd_bvh import TO_BLENDER, Walk, heads, pair, text, walk, z_up
from support.take_files import joints, the_armature

HEIGHT = 160.0
"""Of the walker, about, in centimetres."""


def taken(path: Path, **options: object) -> list[str]:
    open_empty_file()
    return [*api.import_take(path, bpy.context.scene, **options)]


def assert_moves_as(walk: Walk, names: dict[str, str] | None = None, *, up: str = "Y", scale: float = 1.0) -> None:
    """Joints are where forward kinematics has them, with this axis of the file up; `names` are those of bones."""
    truth = {name: places for name, places in heads(walk).items() if not name.endswith("_end")}
    bones = tuple((names or {}).get(name, name) for name in truth)
    found = joints(the_armature(), range(1, len(walk.places) + 1), bones)
    # Single precision, through ten rotations.
    turned = np.stack([*truth.values()], axis=1) @ (TO_BLENDER.T if up == "Y" else np.eye(3))
    np.testing.assert_allclose(found, scale * turned, atol=3e-6 * np.ptp(scale * turned))


def on_one_line(text: str) -> str:
    skeleton, motion = text.split("MOTION")
    return " ".join(skeleton.split()) + "\nMOTION" + motion


def broken_rows(text: str) -> str:
    head, _, rows = text.partition("Frame Time")
    time, _, rows = rows.partition("\n")
    words = rows.split()
    return f"{head}Frame Time{time}\n" + "\n".join(" ".join(words[at : at + 7]) for at in range(0, len(words), 7))


LAYOUTS = {
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "cr": lambda text: text.replace("\n", "\r"),
    "tabs_and_blank_lines": lambda text: text.replace(" ", "\t").replace("\n", " \n\n"),
    "braces_beside": lambda text: text.replace("\n{", "{").replace("\n}", " }"),
    "on_one_line": on_one_line,
    "comments": lambda text: f"# made by hand\nA walk, 2 steps\n{text}\n# the end\nof the walk\n",
    "broken_rows": broken_rows,
    "small_letters": lambda text: text.replace("MOTION", "motion").replace("rotation", "ROTATION").lower(),
    "no_frames": lambda text: text.replace("Frames: 31\n", ""),
    "time_beside": lambda text: text.replace("Frame Time: ", "Frame Time:"),
    "time_behind": lambda text: text.replace("Frame Time: ", "frame time : "),
    "exponent": lambda text: text.replace("Frame Time: 0.0333333333", "Frame Time: 3.33333333E-02"),
}


@pytest.mark.once
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_file_may_be_laid_out_otherwise(tmp_path: Path, layout: str) -> None:
    made = walk(seconds=1.0)
    written = text(made, layout=LAYOUTS[layout])
    (tmp_path / "odd.bvh").write_bytes(written.encode())
    assert taken(tmp_path / "odd.bvh") == []
    assert bpy.context.scene.render.fps / bpy.context.scene.render.fps_base == pytest.approx(30, rel=1e-6)
    names = {name: name.lower() for name in made.joints} if layout == "small_letters" else {}
    assert_moves_as(made, names)


JAPANESE = {"Hips": "センター", "LeftUpLeg": "左足", "LeftLeg": "左ひざ", "LeftFoot": "左足首", "Head": "頭"}
CHINESE = {"Hips": "臀部", "LeftUpLeg": "左大腿", "LeftLeg": "左小腿", "LeftFoot": "左脚", "Head": "头"}
GERMAN = {"Hips": "Hüfte", "LeftLeg": "Unterschenkel_L", "LeftFoot": "Fuß_L", "LeftToeBase": "Fußspitze_L"}


@pytest.mark.parametrize(
    ("coding", "mark", "names", "guessed"),
    [
        ("utf-8", b"", JAPANESE, ""),
        ("utf-8", codecs.BOM_UTF8, CHINESE, ""),
        ("utf-16-le", codecs.BOM_UTF16_LE, GERMAN, ""),
        ("utf-16-be", codecs.BOM_UTF16_BE, JAPANESE, ""),
        ("utf-16-le", b"", CHINESE, ""),
        ("cp932", b"", JAPANESE, "cp932"),
        ("gb18030", b"", CHINESE, "gb18030"),
        ("latin-1", b"", GERMAN, "latin-1"),
    ],
)
def test_names_are_read_in_the_coding_of_the_file(
    tmp_path: Path, coding: str, mark: bytes, names: dict[str, str], guessed: str
) -> None:
    made = walk(seconds=0.2)
    written = text(made, name=lambda name: names.get(name, name))
    (tmp_path / "odd.bvh").write_bytes(mark + written.encode(coding))
    notes = taken(tmp_path / "odd.bvh")
    assert [guessed in note for note in notes] == [True] * bool(guessed)
    assert_moves_as(made, names)


@pytest.mark.parametrize("others", ["", "Y", "XZ", "ZYX", "YXZ", "xyzXYZ", "ZXYxyz", "zXyYxZ"])
def test_joints_may_have_any_channels(tmp_path: Path, others: str) -> None:
    legs = dict.fromkeys(("LeftUpLeg", "RightUpLeg"), "YXZ") | dict.fromkeys(("LeftLeg", "RightLeg"), "X")
    made = walk(seconds=1.0).with_channels(Hips="zyxYZX", **legs, others=others)
    (tmp_path / "odd.bvh").write_text(text(made))
    assert taken(tmp_path / "odd.bvh") == []
    assert_moves_as(made)


@pytest.mark.parametrize("said", [20, 0])
def test_more_rows_than_said_are_all_taken(tmp_path: Path, said: int) -> None:
    made = walk(seconds=1.0)
    (tmp_path / "odd.bvh").write_text(text(made, frames=f"Frames: {said}\n"))
    [note] = taken(tmp_path / "odd.bvh")
    assert f"says that it has {said} frames, and has 31" in note
    assert_moves_as(made)


def test_joints_may_lie_in_channels_alone(tmp_path: Path) -> None:
    made = walk(seconds=1.0).with_channels(others="xyzZXY")
    (tmp_path / "odd.bvh").write_text(text(made, offset=nowhere))
    assert taken(tmp_path / "odd.bvh") == []
    assert_moves_as(made)
    # Bones are as long as what is played.
    assert the_armature().data.bones["LeftLeg"].length == pytest.approx(43.0, rel=1e-5)


def test_positions_may_count_from_offset(tmp_path: Path) -> None:
    made = walk(seconds=1.0).with_channels(others="xyzZXY")
    (tmp_path / "odd.bvh").write_text(text(made, place=nowhere))
    [note] = taken(tmp_path / "odd.bvh")
    assert "counted from OFFSET" in note
    assert_moves_as(made)


def nowhere(_name: str, _offset: np.ndarray) -> np.ndarray:
    return np.zeros(3)


def planted_both(tmp_path: Path, written: bytes) -> tuple[np.ndarray, np.ndarray]:
    """(n, j, 3) all joints of the planted walk: of its .blend file, and of its .bvh file read again."""
    (tmp_path / "odd.bvh").write_bytes(written)
    places = []
    for suffix in (".blend", ".bvh"):
        output = tmp_path / f"planted{suffix}"
        assert run("plant", tmp_path / "odd.bvh", "--output", output) == 0
        if suffix == ".blend":
            bpy.ops.wm.open_mainfile(filepath=str(output))
        else:
            taken(output)
        rig = the_armature()
        names = tuple(bone.name for bone in rig.data.bones)
        places.append(joints(rig, range(1, 32), names))
    return places[0], places[1]


LONG = "a_name_longer_than_blender_has_for_bones_by_far_" + 20 * "x"
RESULTS = {
    "as_it_is": lambda made: text(made),
    "one_name": lambda made: text(made, name=lambda name: {"LeftHand": "Hand", "RightHand": "Hand"}.get(name, name)),
    "long_names": lambda made: text(made, name=lambda name: f"{name}_{LONG}"),
    "long_names_alike": lambda made: text(made, name=lambda name: f"{LONG}{name}" if "Hand" in name else name),
    "counted_from_offset": lambda made: text(made.with_channels(others="xyzZXY"), place=nowhere),
    "in_channels_alone": lambda made: text(made.with_channels(others="xyzZXY"), offset=nowhere),
    "one_channel": lambda made: text(made.with_channels(LeftLeg="X", RightLeg="X")),
    "comments": lambda made: LAYOUTS["comments"](text(made)),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_an_odd_result_read_again_moves_as_the_blend_file(tmp_path: Path, kind: str) -> None:
    truth, again = planted_both(tmp_path, RESULTS[kind](walk(seconds=1.0)).encode())
    np.testing.assert_allclose(again, truth, atol=3e-6 * HEIGHT)


@pytest.mark.parametrize("coding", ["latin-1", "utf-8-sig", "utf-16"])
def test_a_result_has_the_coding_of_its_source(tmp_path: Path, coding: str) -> None:
    written = text(walk(seconds=1.0), name=lambda name: name.replace("Spine", "Rücken"))
    truth, again = planted_both(tmp_path, written.encode(coding))
    assert "Rücken" in (tmp_path / "planted.bvh").read_bytes().decode(coding)
    np.testing.assert_allclose(again, truth, atol=3e-6 * HEIGHT)


def with_value(row: int, column: int, value: object) -> str:
    """The walk with another number on a frame; columns 0 to 2 are places of the hips, 6 to 8 angles of the spine."""
    lines = text(walk(seconds=1.0)).splitlines()
    numbers = lines[row - 32].split()
    numbers[column] = str(value)
    lines[row - 32] = " ".join(numbers)
    return "\n".join(lines)


FIRST_ROW = len(text(walk(seconds=1.0)).splitlines()) - 30
FAULTS = {
    "nan": (lambda: with_value(7, 7, "nan"), 'has nan for Xrotation of joint "Spine" on frame 7'),
    "inf": (lambda: with_value(9, 1, "-inf"), 'has -inf for Yposition of joint "Hips" on frame 9'),
    "far_turn": (lambda: with_value(31, 8, 1.1e5), 'has 110000 for Yrotation of joint "Spine" on frame 31'),
    "far_place": (lambda: with_value(1, 0, -3e8), 'has -3e+08 for Xposition of joint "Hips" on frame 1'),
    "no_number": (lambda: with_value(1, 0, "one"), f'has "one" on line {FIRST_ROW}'),
    "few_rows": (lambda: text(walk(seconds=1.0), frames="Frames: 32\n"), "says that it has 32 frames, and has 31"),
    "half_a_row": (lambda: text(walk(seconds=1.0), frames="").rpartition(" ")[0], "which make no whole frames of 54"),
    "other_rows": (lambda: text(walk(seconds=1.0)).replace("\n0 ", "\n0 0 "), "which make no whole frames of 54"),
    "no_motion": (lambda: text(walk(seconds=1.0)).partition("MOTION")[0], "no MOTION follows its joints"),
    "no_number_of_offset": (lambda: text(walk()).replace("OFFSET 0 40", "OFFSET 0 x"), 'has "OFFSET 0 x 0" on line'),
    "unknown_channel": (lambda: text(walk()).replace("Zrotation", "Zscale", 1), "which BVH does not have there"),
    "same_channel": (lambda: text(walk()).replace("Zrotation", "Xrotation", 1), "which BVH does not have there"),
    "short_bones": (
        lambda: text(walk().with_channels(others="xyzZXY"), place=lambda name, offset: 0.3 * offset),
        'plays joint "Spine" at 0.3 of its distance from its parent at rest',
    ),
    "long_bones": (
        lambda: text(walk().with_channels(others="xyzZXY"), place=lambda name, offset: 2.54 * offset),
        'plays joint "Spine" at 2.5 of its distance from its parent at rest',
    ),
    **{
        f"time_{time}": (lambda time=time: text(walk(), time=f"Frame Time: {time}\n"), f"has the Frame Time {time}")
        for time in ("0", "-0.03", "nan", "inf", "1.01", "0.000999", "fast")
    },
    "no_time": (lambda: text(walk(), time=""), "has the Frame Time none"),
}


@pytest.mark.once
@pytest.mark.parametrize("kind", FAULTS)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, kind: str) -> None:
    make, words = FAULTS[kind]
    (tmp_path / "odd.bvh").write_text(make())
    with pytest.raises(Refused) as refused:
        taken(tmp_path / "odd.bvh")
    assert words in str(refused.value)
    assert str(tmp_path / "odd.bvh") in str(refused.value)
    assert not bpy.data.objects


@pytest.mark.parametrize("time", ["Frame Time: 0\n", ""])
def test_a_rate_that_is_given_replaces_a_wrong_one(tmp_path: Path, time: str) -> None:
    (tmp_path / "odd.bvh").write_text(text(walk(seconds=1.0), time=time))
    for suffix in (".blend", ".bvh"):
        line = ("plant", tmp_path / "odd.bvh", "--output", tmp_path / f"planted{suffix}")
        assert run(*line) == 5
        assert run(*line, "--import-fps", 30) == 0
    assert "Frame Time: 0.0333333333" in (tmp_path / "planted.bvh").read_text()


@pytest.mark.parametrize("time", [1.0, 0.001])
def test_the_slowest_and_the_fastest_rate_are_taken(tmp_path: Path, time: float) -> None:
    (tmp_path / "odd.bvh").write_text(text(walk(), time=f"Frame Time: {time}\n"))
    assert taken(tmp_path / "odd.bvh") == []
    assert bpy.context.scene.render.fps / bpy.context.scene.render.fps_base == pytest.approx(1 / time, rel=1e-6)


def lying(made: Walk) -> Walk:
    """The walk of one who floats on his back, y being up."""
    return replace(made, angles={**made.angles, "Hips": {"Z": np.full(len(made.places), 90.0)}})


TURNS = {
    "y": (lambda: walk(seconds=1.0), "Y", ""),
    "z": (lambda: z_up(walk(seconds=1.0)), "Z", "read with z up"),
    "y_at_rest": (lambda: z_up(walk(seconds=1.0), rest=False), "Z", "read with z up"),
    "lying": (lambda: lying(walk(seconds=1.0)), "Y", "along neither y nor z"),
}


@pytest.mark.parametrize("kind", TURNS)
def test_up_is_where_hips_are_above_ankles(tmp_path: Path, kind: str) -> None:
    make, axis, told = TURNS[kind]
    made = make()
    (tmp_path / "odd.bvh").write_text(text(made))
    notes = taken(tmp_path / "odd.bvh")
    assert [told in note for note in notes] == [True] * bool(told)
    assert_moves_as(made, up=axis)


@pytest.mark.parametrize("axis", ["Y", "Z"])
def test_up_may_be_given(tmp_path: Path, axis: str) -> None:
    made = walk(seconds=1.0)
    (tmp_path / "odd.bvh").write_text(text(made))
    assert taken(tmp_path / "odd.bvh", up=axis) == []
    assert_moves_as(made, up=axis)


@pytest.mark.parametrize("kind", ["z", "y_at_rest"])
def test_a_walk_with_z_up_is_planted_as_one_with_y_up(tmp_path: Path, kind: str) -> None:
    # In its own axes; what is turned at its root has bones of other directions at rest, so that keys differ.
    (tmp_path / "plain.bvh").write_text(text(walk(seconds=1.0)))
    assert run("plant", tmp_path / "plain.bvh", "--output", tmp_path / "plain.npz") == 0
    truth, again = planted_both(tmp_path, text(TURNS[kind][0]()).encode())
    np.testing.assert_allclose(again, truth, atol=3e-6 * HEIGHT)
    with np.load(tmp_path / "plain.npz") as file:
        np.testing.assert_allclose(truth, file["heads"], atol=1e-4 * HEIGHT)


@pytest.mark.parametrize(("unit", "kind"), [(1.0, "z"), (100.0, "y"), (1000 / 25.4, "z")])
def test_a_height_scales_what_stands(tmp_path: Path, unit: float, kind: str) -> None:
    made = walk(unit, seconds=1.0)
    made = z_up(made) if kind == "z" else made
    axis = "xyz".index(kind)
    tall = np.stack([places[:, axis] for places in heads(made).values()])
    stature = np.median(np.ptp(tall, axis=0))
    (tmp_path / "odd.bvh").write_text(text(made))
    taken(tmp_path / "odd.bvh", height=1.75)
    assert_moves_as(made, up=kind.upper(), scale=1.75 / stature)
    output = tmp_path / "planted.bvh"
    assert run("plant", tmp_path / "odd.bvh", "--output", output, "--import-height", 1.75) == 0
    # In the lengths of the file.
    before, after = bvh.read(tmp_path / "odd.bvh").rows, bvh.read(output).rows
    assert np.abs(after[:, 2] - before[:, 2]).max() < 0.02 * stature


@pytest.mark.parametrize(
    ("make", "options", "words"),
    [
        (lambda: lying(walk()), {"height": 1.75}, "no frame on which a character with legs stands upright"),
        (lambda: walk().with_channels(), {"height": 1.75, "scale": 2.0}, "both a scale and a height"),
        (lambda: walk(), {"up": "X"}, "Up cannot be 'X'"),
    ],
)
def test_what_cannot_be_so_is_refused(tmp_path: Path, make: object, options: dict, words: str) -> None:
    (tmp_path / "odd.bvh").write_text(text(make()))
    with pytest.raises(Refused, match=words):
        taken(tmp_path / "odd.bvh", **options)


@pytest.mark.parametrize(
    ("bone", "joint", "length"), [("LeftLeg", "LeftFoot", 43.0), ("LeftToeBase", "LeftToeBase, End Site", 6.0)]
)
def test_a_result_says_what_its_channels_do_not_hold(tmp_path: Path, bone: str, joint: str, length: float) -> None:
    # The joint turns about x alone, but a script turns it about another axis as well.
    made = walk(seconds=1.0).with_channels(**{bone: "X"})
    (tmp_path / "odd.bvh").write_text(text(made))
    script = tmp_path / "turn.py"
    script.write_text("import bpy\nbpy.context.object.pose.bones['LeftLeg'].rotation_euler.z = 0.1\n")
    line = ("plant", tmp_path / "odd.bvh", "--limbs", "ARMS", "--report", tmp_path / "report.json")
    for wrong in (False, True):
        if wrong:
            script.write_text(
                "import bpy\nfrom bl_ext.user_default.two_bone_ik.blender import versions\n"
                "for curve in versions.curves(bpy.context.object):\n"
                f"    if curve.data_path == 'pose.bones[\"{bone}\"].rotation_euler' and curve.array_index == 2:\n"
                "        for key in curve.keyframe_points:\n            key.co.y += 0.1\n"
            )
        assert run(*line, "--output", tmp_path / "planted.bvh", "--force", "--python-before", script) == 0
        [report] = json.loads((tmp_path / "report.json").read_text())["reports"]
        told = [note for note in report["notes"] if "too few channels" in note]
        assert len(told) == wrong
    off, legs = re.match(rf'Joint "{joint}" is up to (.*) \((.*) legs\) beside', told[0]).groups()
    # A knee that is bent, too, turns in part about its own length.
    assert float(off) == pytest.approx(2 * length * np.sin(0.05), rel=0.15 if bone == "LeftLeg" else 0.005)
    # Only arms are planted, so that they stand for legs.
    assert float(legs) == pytest.approx(float(off) / 53.0, rel=0.01)


def test_two_characters_of_one_file_have_a_column_each(tmp_path: Path) -> None:
    one = walk(seconds=1.0)
    (tmp_path / "odd.bvh").write_text(text(pair(one), name=lambda name: name.removeprefix("2")))
    assert run("plant", tmp_path / "odd.bvh", "--output", tmp_path / "planted.npz") == 0
    with np.load(tmp_path / "planted.npz") as file:
        assert file["contacts"].shape == (31, 4)
        assert file["contacts"].any(axis=0).all()
        assert np.isfinite(file["miss"]).all()
        # Both go alike.
        np.testing.assert_array_equal(file["contacts"][:, :2], file["contacts"][:, 2:])
