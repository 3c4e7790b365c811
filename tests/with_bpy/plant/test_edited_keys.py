"""What somebody has keyed on a planted action is not thrown away by the next press."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.held import everything
from support.rigs import animate
from support.truth import save_and_load
from support.walker import captured, walker


def new_keys(rig: Object) -> None:
    animate(rig.pose.bones["heel.L"], location={5: (0, 0, 0), 20: (0, 0, 0)})


def moved_key(rig: Object) -> None:
    curve = next(curve for curve in versions.curves(rig) if curve.data_path.startswith('pose.bones["hips"].rotation'))
    curve.keyframe_points[7].co.y += 0.1


def removed_curve(rig: Object) -> None:
    curves = versions.ensure_channelbag(rig).fcurves
    curves.remove(next(curve for curve in curves if curve.data_path.startswith('pose.bones["hips"].rotation')))


@pytest.mark.parametrize("edit", [new_keys, moved_key, removed_curve], ids=lambda function: function.__name__)
def test_keys_set_by_hand_are_kept_and_told(edit: Callable[[Object], None]) -> None:
    rig = walker(captured("walk", 1.0))
    api.plant(rig)
    once = everything(rig)
    edit(rig)
    edited, name = everything(rig), versions.played(rig)[0].name
    alerts = api.plant(rig).as_dict()["alerts"]
    assert any(f'"{name}"' in alert for alert in alerts)
    planted, slot = versions.played(rig)
    assert everything(rig) == once
    versions.play(rig, bpy.data.actions[name], slot)
    assert everything(rig) == edited
    versions.play(rig, planted, slot)
    save_and_load()
    assert name in bpy.data.actions
    assert not api.plant(bpy.data.objects["Walker"]).as_dict()["alerts"], "the next press finds no edits"


def test_a_press_for_fewer_limbs_finds_no_edits() -> None:
    rig = walker(captured("walk", 1.0))
    api.plant(rig)
    animate(rig.pose.bones["shin.L"], two_bone_ik_contact={10: "NONE"})
    assert not api.plant(rig, ["Leg.R"]).as_dict()["alerts"]
    assert len(bpy.data.actions) == 2
