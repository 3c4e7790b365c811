"""A faulty file of a user's own is told where it matters, and hides no other kind of rig."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.rigs import known_limbs, rig_files
from bpy.types import Object

from support.command import run
from support.published_rigs import move, published
from support.rig_file import CRANE, own_rig_file
from support.rigs import ARM, Bone, armature

pytestmark = pytest.mark.once

FAULTY = """
[[limb]]
name = "Crane ?"
switch_bones = "hook ik ?"
switch = "fk"
fk = ["boom fk ?", "jib fk ?", "hook fk ?"]
ik = ["boom ik ?", "jib ik ?", "hook ik ?"]
"""
NEAREST = 'has "switch_bones", which means nothing: the nearest is "switch_bone"'


@pytest.fixture
def own_file() -> Iterator[Path]:
    """With a wrong key."""
    with own_rig_file(FAULTY) as path:
        yield path


def test_a_faulty_file_hides_no_other_kind_and_counts_mended(own_file: Path) -> None:
    rig = published("cloudrig")
    names = ["Arm.L", "Leg.L"]
    assert [limb.name for limb in known_limbs.limbs_of(rig)] == names
    assert [limb.name for limb in api.known_limbs(rig)] == names
    assert {limb.subtarget for limb in api.detect(rig)} == {"IK-M-Wrist.L", "IK-M-Foot.L"}
    known_limbs.limbs_of(rig)
    assert len(rig_files.notes()) == 1
    text = FAULTY.replace("switch_bones", "switch_bone")
    before = own_file.stat().st_mtime_ns
    own_file.write_text(text, "utf-8")
    os.utime(own_file, ns=(before + 10**9, before + 10**9))
    assert rig_files.notes() == []
    assert "crane" in {kind for kind, _ in rig_files.layouts()}


def test_a_switch_and_a_refusal_tell_which_file_is_left_out(own_file: Path) -> None:
    rig = published("cloudrig")
    move(rig, "cloudrig", "IK")
    [told] = [note for note in api.switch(rig, "FK", frames=(1, 5)).notes if "left out" in note]
    assert str(own_file) in told
    assert NEAREST in told
    with pytest.raises(api.Refused, match=NEAREST) as refused:
        api.known_limbs(armature())
    assert refused.value.kind == "UNKNOWN_KEY"


def test_detect_tells_of_the_file_on_the_console(
    own_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published("cloudrig")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    assert run("detect", tmp_path / "rig.blend") == 0
    said = capsys.readouterr()
    assert NEAREST in said.err
    assert "Arm.L: FK-Forearm.L" in said.out


BENT_CRANE = f'{CRANE}pole = "jib"\n'


def test_a_pole_that_ik_does_without_may_be_missing() -> None:
    rig = crane()
    rig.pose.bones["lower"].constraints["IK"].pole_target = None
    rig.data.bones["jib"].name = "mast"
    with own_rig_file(BENT_CRANE):
        assert [limb.pole for limb in api.known_limbs(rig)] == [""]


LAYERS = """
[[limb]]
name = "Leg.?"
switch_bone = "props.?"
switch = "fk"
shown = ["thigh.?", "shin.?", "foot.?"]
fk = ["thigh fk.?", "shin fk.?", "foot fk.?"]
ik = ["thigh ik.?", "shin ik.?", "foot ik.?"]
control = "foot ctl.?"
"""


@pytest.mark.parametrize(
    ("layers", "right", "wrong", "told"),
    [
        (False, 'pole = "jib"', 'pole = "jip"', 'no bone "jip" (the nearest is "jib")'),
        (False, 'control = "hook"', 'control = "hok"', 'no bone "hok" (the nearest is "hook")'),
        (False, 'pole = "jib"', 'swivel = "uper"', 'no bone "uper" (the nearest is "upper")'),
        (True, '"fk"', '"fkk"', 'property "fkk" of "props.L" (the nearest is "fk")'),
        (
            True,
            "control",
            'stretch_switch = "strech"\ncontrol',
            'property "strech" of "props.L" (the nearest is "stretch")',
        ),
        (True, "foot ctl.?", "props.?", 'a parent "props.L" of bone "foot ik.L"'),
    ],
)
def test_what_a_wrong_file_asks_of_a_rig_is_told(layers: bool, right: str, wrong: str, told: str) -> None:
    """Of a rig that has one limb by a file of rigs, once a part of the file is wrong."""
    rig, limb, text = (layered_leg(), "Leg.L", LAYERS) if layers else (crane(), "Crane", BENT_CRANE)
    with own_rig_file(text):
        assert [known.name for known in api.known_limbs(rig)] == [limb]
    with own_rig_file(text.replace(right, wrong)), pytest.raises(api.Refused) as refused:
        api.known_limbs(rig)
    assert told in str(refused.value)


def crane() -> Object:
    """An arm that IK makes reach for a hook, and bends towards a jib."""
    rig = armature([*ARM, Bone("hook", (1.8, 0, 1.1), (2, 0, 1.1)), Bone("jib", (1, 1, 1), (1, 1.2, 1))])
    reach = rig.pose.bones["lower"].constraints.new("IK")
    reach.target, reach.subtarget, reach.chain_count = rig, "hook", 2
    reach.pole_target, reach.pole_subtarget = rig, "jib"
    return rig


def layered_leg() -> Object:
    """A leg three times over, as one shows FK or IK by a property, made by hand."""
    ends = {"thigh": ((0, 0, 2), (0, -0.1, 1)), "shin": ((0, -0.1, 1), (0, 0, 0)), "foot": ((0, 0, 0), (0, -0.3, 0))}
    above = {"shin": "thigh", "foot": "shin"}
    control = "foot ctl.L"
    bones = [Bone("props.L", (1, 0, 2), (1, 0, 3)), Bone(control, *ends["foot"])]
    for kind in ("", " fk", " ik"):
        for part, (head, tail) in ends.items():
            parent = f"{above[part]}{kind}.L" if part in above else ""
            bones.append(Bone(f"{part}{kind}.L", head, tail, control if part + kind == "foot ik" else parent))
    rig = armature(bones)
    owner = rig.pose.bones["props.L"]
    owner["fk"], owner["stretch"] = 0.0, 1.0
    for part in ends:
        for kind in ("ik", "fk"):
            copied = rig.pose.bones[f"{part}.L"].constraints.new("COPY_TRANSFORMS")
            copied.target, copied.subtarget = rig, f"{part} {kind}.L"
        driver = copied.driver_add("influence").driver
        driver.expression = "shown"
        variable = driver.variables.new()
        variable.name = "shown"
        variable.targets[0].id, variable.targets[0].data_path = rig, 'pose.bones["props.L"]["fk"]'
    return rig
