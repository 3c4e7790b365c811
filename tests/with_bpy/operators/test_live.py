"""One press lets the limbs of all selected armatures follow, and another one lets them be."""

from __future__ import annotations

import bpy
from bpy.types import Object

from support.rigs import armature, chain


def rigs() -> list[Object]:
    """Three that have a chain, of which the last is not selected, and one without; the first is in hand."""
    found = [armature(name=name) for name in ("First", "Second", "Bare", "Aside")]
    for rig in (found[0], found[1], found[3]):
        chain(rig, "lower", target=(1.2, 0.6, 1.3))
    for rig in found:
        rig.select_set(rig.name != "Aside")
    bpy.context.view_layer.objects.active = found[0]
    return found


def live() -> list[str]:
    return [item.name for item in bpy.data.objects if item.two_bone_ik_live]


def test_live_goes_by_the_selection() -> None:
    rigs()
    assert bpy.ops.two_bone_ik.live() == {"FINISHED"}
    assert live() == ["First", "Second"]
    assert bpy.ops.two_bone_ik.live() == {"FINISHED"}
    assert live() == []


def test_what_differs_becomes_as_the_one_in_hand() -> None:
    rigs()[1].two_bone_ik_live = True
    bpy.ops.two_bone_ik.live()
    assert live() == ["First", "Second"]
