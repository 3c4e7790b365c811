"""Targets of many characters are created with one call, which evaluates the scene as often as for one."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.scene import probe
from bpy.types import Object
from mathutils import Euler

from support.rigs import arm


def characters(count: int) -> list[Object]:
    """Arms in different places and poses, without targets."""
    rigs = []
    for number in range(count):
        link = arm()
        rig = link.id_data
        rig.name, rig.location, rig.rotation_euler = f"Rig {number}", (2.0 * number, 0.3, 0.1), (0.2, 0.1 * number, 0.4)
        rig.pose.bones["upper"].rotation_quaternion = Euler((0.3, 0.2 * number, -0.5)).to_quaternion()
        link.target = None
        rigs.append(rig)
    return rigs


def shown(rigs: list[Object]) -> np.ndarray:
    bpy.context.view_layer.update()
    return np.array([[rig.matrix_world @ bone.matrix for bone in rig.pose.bones] for rig in rigs], dtype=float)


@pytest.mark.parametrize("kind", ["EMPTIES", "BONES"])
def test_the_poses_of_many_stay(kind: str) -> None:
    rigs = characters(3)
    before = shown(rigs)
    bones = len(rigs[0].pose.bones)
    reports = api.create_targets(rigs, kind=kind, parent="NONE")
    assert [report.rig for report in reports] == [rig.name for rig in rigs]
    for rig in rigs:
        api.solve(rig)
        [chain] = rig.two_bone_ik_chains
        assert (chain.target == rig) == (kind == "BONES")
        assert chain.target
        assert chain.pole_target
    after = np.array([[rig.matrix_world @ bone.matrix for bone in list(rig.pose.bones)[:bones]] for rig in rigs])
    assert np.abs(after - before).max() < 1e-5  # float32 within some metres


def test_the_scene_is_sampled_as_often_for_many(monkeypatch: pytest.MonkeyPatch) -> None:
    rigs = characters(4)
    for rig in rigs:
        rig.hide_viewport = True  # what is shown needs no probe
    opened, probing = [], probe.probing
    monkeypatch.setattr(probe, "probing", lambda *given: opened.append(given) or probing(*given))
    api.create_targets(rigs[:1])
    for_one = len(opened)
    api.create_targets(rigs[1:])
    assert for_one
    assert len(opened) == 2 * for_one


def test_one_that_is_refused_leaves_all_without_targets() -> None:
    rigs = characters(3)
    rigs[2].two_bone_ik_chains[0].end_bone = "gone"
    objects = set(bpy.data.objects)
    with pytest.raises(api.Refused):
        api.create_targets(rigs)
    assert set(bpy.data.objects) == objects
    assert not any(rig.two_bone_ik_chains[0].target or rig.two_bone_ik_chains[0].use_rotation for rig in rigs)


def test_one_that_lacks_none_is_told_beside_others() -> None:
    rigs = characters(2)
    api.create_targets(rigs[0])
    told, made = api.create_targets(rigs)
    assert not told.chains
    assert [chain.name for chain in made.chains] == [rigs[1].two_bone_ik_chains[0].name]
    assert rigs[1].two_bone_ik_chains[0].target


def test_an_armature_named_twice_has_its_report_twice() -> None:
    one, other = characters(2)
    assert [report.rig for report in api.create_targets([one, other, one])] == [one.name, other.name, one.name]
