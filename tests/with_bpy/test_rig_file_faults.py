"""A faulty file of a user's own is told where it matters, and hides no other kind of rig."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.chains.rigs import known_limbs, rig_files

from support.command import run
from support.empty_file import open_empty_file
from support.published_rigs import move, published
from support.rig_file import own_rig_file
from support.rigs import armature

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
    open_empty_file()
    with own_rig_file(FAULTY) as path:
        yield path


def test_a_faulty_file_hides_no_other_kind(own_file: Path) -> None:
    rig = published("cloudrig")
    names = ["Arm.L", "Leg.L"]
    assert [limb.name for limb in known_limbs.limbs_of(rig)] == names
    assert [limb.name for limb in api.known_limbs(rig)] == names
    assert {limb.subtarget for limb in api.detect(rig)} == {"IK-MSTR-Wrist.L", "IK-Foot.L"}


def test_a_switch_tells_which_file_is_left_out(own_file: Path) -> None:
    rig = published("cloudrig")
    move(rig, "cloudrig", "IK")
    [told] = [note for note in api.switch(rig, "FK", frames=(1, 5)).notes if "left out" in note]
    assert str(own_file) in told
    assert NEAREST in told


def test_a_rig_of_no_other_kind_is_refused_with_the_fault(own_file: Path) -> None:
    with pytest.raises(api.Refused, match=NEAREST) as refused:
        api.known_limbs(armature())
    assert refused.value.kind == "UNKNOWN_KEY"


def test_a_file_that_is_mended_counts_at_once(own_file: Path) -> None:
    rig = published("cloudrig")
    known_limbs.limbs_of(rig)
    assert len(rig_files.notes()) == 1
    text = FAULTY.replace("switch_bones", "switch_bone")
    before = own_file.stat().st_mtime_ns
    own_file.write_text(text, "utf-8")
    os.utime(own_file, ns=(before + 10**9, before + 10**9))
    assert rig_files.notes() == []
    assert "crane" in {kind for kind, _ in rig_files.layouts()}


def test_detect_tells_of_the_file_on_the_console(
    own_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published("cloudrig")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    assert run("detect", tmp_path / "rig.blend") == 0
    said = capsys.readouterr()
    assert NEAREST in said.err
    assert "Arm.L: FK-Forearm.L" in said.out
