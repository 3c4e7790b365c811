"""What counts as standing is chosen in the operator and on the command line, as it is from Python."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api

from support.captured_walk import imported_walk, skating_walk
from support.command import run

TAKE = skating_walk(seconds=1.0)
CHANGED = {"contact_speed": "speed", "contact_height": "height", "shortest_contact": "contact", "shortest_gap": "gap"}


def test_the_operator_has_the_defaults_of_python() -> None:
    properties = bpy.ops.two_bone_ik.plant.get_rna_type().properties
    for name, field in CHANGED.items():
        assert properties[name].default == pytest.approx(getattr(api.Stillness(), field), rel=1e-6)


@pytest.mark.parametrize(
    ("name", "value"), [("contact_speed", 0.01), ("contact_height", 0.001), ("shortest_contact", 9.0)]
)
def test_a_foot_must_be_as_still_as_is_asked_for(tmp_path: Path, name: str, value: float) -> None:
    rig = imported_walk(tmp_path, TAKE)
    expected = api.contacts(rig, stillness=api.Stillness(**{CHANGED[name]: value}))
    usual = api.contacts(rig)
    bpy.ops.two_bone_ik.plant(**{name: value})
    assert api.contacts(rig) == expected
    assert expected != usual


def test_the_command_takes_what_counts_as_standing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rig = imported_walk(tmp_path, TAKE)
    expected = sum(
        contact.end - contact.start + 1 for contact in api.contacts(rig, stillness=api.Stillness(speed=0.01))
    )
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "walk.blend"))
    line = ("plant", tmp_path / "walk.blend", "--output", tmp_path / "planted.blend", "--stillness")
    assert run(*line, "speed=0.01") == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "planted.blend"))
    found = api.contacts(bpy.data.objects["actor"])
    assert sum(contact.end - contact.start + 1 for contact in found) == expected
    for wrong in ("pace=1", "speed=0", "speed=fast"):
        assert run(*line, wrong) == 64
    assert '"pace" is not one of speed, place' in capsys.readouterr().err
