"""All captures that an armature has are planted, each as if it played; what plays stays."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support import file_data
from support.empty_file import open_empty_file
from support.shelf import Keys, keys, play
from support.walker import captured, walker

pytestmark = pytest.mark.versions


def two_captures() -> Object:
    """One plays, the other lies in the file: the same walk, later and slower."""
    rig = walker(captured("walk", 1.0))
    later = rig.animation_data.action.copy()
    later.name, later.use_fake_user = "Later", True
    for curve in versions.slot_curves(later, versions.slots(later)[0]):
        for key in curve.keyframe_points:
            key.co.x = 20 + 1.5 * key.co.x
        curve.update()
    return rig


def by_hand(name: str) -> Keys:
    open_empty_file()
    rig = two_captures()
    play(rig, name)
    api.plant(rig)
    return keys()[f"{name} Planted"]


def test_each_capture_is_planted_and_what_plays_stays() -> None:
    hand = [by_hand(name) for name in ("Later", "Captured")]
    open_empty_file()
    rig = two_captures()
    before = file_data.dump()
    later, played = api.plant(rig, actions="*")
    assert (later.action, played.action) == ("Later", "Captured")
    assert [keys()[f"{name} Planted"] for name in ("Later", "Captured")] == hand
    assert all("Planted" in report.notes[0] for report in (later, played))
    assert rig.animation_data.action.name == "Captured"
    # A plain press leaves marks of bones, what contacts are of, and a fake user of what was captured as well.
    changed = {path.rpartition(".")[2] for path in file_data.changed(before) if " Planted'" not in path}
    assert changed == {"two_bone_ik_mark", "two_bone_ik_contact_written", "use_fake_user"}


def test_planted_again_the_new_actions_take_the_place_of_the_old() -> None:
    rig = two_captures()
    api.plant(rig, actions="*")
    once = keys()
    assert [report.action for report in api.plant(rig, actions="*")] == ["Captured Planted", "Later Planted"]
    assert keys() == once
    assert all(action.use_fake_user for action in bpy.data.actions if action.name.endswith("Planted"))
