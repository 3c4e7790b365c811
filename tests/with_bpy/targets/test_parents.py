"""What new targets hang on, and where bones cannot be added."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import file_data, rigs
from support.rigify import metarig


def shown(rig: Object, *names: str) -> np.ndarray:
    """(k, 4, 4) bones in the armature, as Blender evaluates them now."""
    bpy.context.view_layer.update()
    rig = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([rig.pose.bones[name].matrix for name in names], dtype=float)


@pytest.mark.parametrize("kind", ["EMPTIES", "BONES"])
def test_targets_of_fingers_hang_on_the_hand(kind: str) -> None:
    rig = metarig("human")
    api.add_detected(rig, ["FINGERS"])
    api.create_targets(rig, kind=kind)
    before = shown(rig, "f_index.03.L", "thumb.03.L")
    rig.pose.bones["hand.L"].rotation_quaternion = (0.8, 0.6, 0, 0)
    wanted = shown(rig, "f_index.03.L", "thumb.03.L")
    assert np.abs(wanted - before).max() > 0.01
    api.solve(rig)
    np.testing.assert_allclose(shown(rig, "f_index.03.L", "thumb.03.L"), wanted, atol=1e-5)
    parents = {
        item.parent_bone if kind == "EMPTIES" else rig.data.bones[chain.subtarget].parent.name
        for chain in rig.two_bone_ik_chains
        for item in [chain.target]
    }
    assert parents == {"hand.L", "hand.R"}


def test_a_limb_of_two_root_bones_has_no_root_above() -> None:
    rig = rigs.armature(rigs.STRAIGHT)
    api.add_chain(rig, "lower")
    api.create_targets(rig, kind="BONES", parent="ROOT")
    assert rig.data.bones["lower Target"].parent is None


def hero(*, data: bool = True) -> tuple[Object, Object]:
    rig = rigs.armature()
    api.add_chain(rig, "lower")
    other = bpy.data.objects.new("Twin", rig.data if data else None)
    bpy.context.scene.collection.objects.link(other)
    return rig, other


def shared() -> Object:
    return hero()[0]


def nowhere() -> Object:
    rig, _ = hero(data=False)
    collection = bpy.data.collections.new("Hero")
    bpy.context.scene.collection.children.link(collection)
    bpy.context.scene.collection.objects.unlink(rig)
    collection.objects.link(rig)
    bpy.context.view_layer.layer_collection.children["Hero"].exclude = True
    return rig


def linked() -> Object:
    rig = hero(data=False)[0]
    path = str(Path(bpy.app.tempdir, "armature.blend"))
    bpy.data.libraries.write(path, {rig.data})
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.armatures = ["Rig"]
    rig.data = wanted.armatures[0]
    bpy.context.view_layer.update()
    return rig


@pytest.mark.parametrize("case", [shared, nowhere, linked], ids=lambda case: case.__name__)
def test_where_bones_cannot_be_empties_are_offered(case: Callable[[], Object]) -> None:
    rig = case()
    before = file_data.dump()
    with pytest.raises(api.Refused, match="create empties, or "):
        api.create_targets(rig, kind="BONES")
    assert not file_data.changed(before)
    assert api.create_targets(rig).reached


@pytest.mark.parametrize(
    ("bone", "sentence"),
    [
        ("spin", 'which it does not have: the nearest is "spine"'),
        ("", 'cannot hang on bone ""'),
        ("hand", 'cannot hang on bone "hand", which the chain moves'),
        ("upper", 'cannot hang on bone "upper", which the chain moves'),
    ],
)
def test_a_parent_that_cannot_carry_is_refused(bone: str, sentence: str) -> None:
    rig = rigs.armature()
    api.add_chain(rig, "lower", tip_bone="hand")
    before = file_data.dump()
    for kind in ("EMPTIES", "BONES"):
        with pytest.raises(api.Refused, match=sentence):
            api.create_targets(rig, kind=kind, parent="BONE", parent_bone=bone)
    assert not file_data.changed(before)
