"""Characters with built limbs that are linked into a shot: they play, and their properties are kept."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import hocks, rigs, twisted
from support.built import CLOSE
from support.refused import refused
from support.truth import on_frame

NAMES = ("thigh", "shin", "hock", "shin_twist")


def _library(path: Path, *, built: bool) -> np.ndarray:
    """A leg with a hock and a twist bone in this file; how it is posed there."""
    options = {"softness": 0.1, "unreachable": "STRETCH", "pole_angle": 0.3}
    pole = rigs.empty("Pole", (2.0, -3.0, 2.0))
    chain = hocks.leg("PARALLEL", bones=hocks.TWISTING, use_twist=True, pole_target=pole, **options)
    if built:
        api.build(chain.id_data)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return twisted.shown(chain.id_data, hocks.EVERY, NAMES)


def _linked(path: Path) -> list[Object]:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(path), link=True) as (_, linked):
        linked.objects = ["Rig", "Target", "Pole"]
    for item in linked.objects:
        bpy.context.scene.collection.objects.link(item)
    return [*linked.objects]


@pytest.mark.versions
@pytest.mark.parametrize("overridden", [False, True])
def test_linked_characters_play_as_in_their_library(overridden: bool, tmp_path: Path) -> None:
    there = _library(tmp_path / "hero.blend", built=True)
    rig, *_ = _linked(tmp_path / "hero.blend")
    if overridden:
        rig = rig.override_create(remap_local_usages=True)
    np.testing.assert_allclose(twisted.shown(rig, hocks.EVERY, NAMES), there, atol=CLOSE)


@pytest.mark.versions
def test_an_override_keeps_keys_and_values_of_properties(tmp_path: Path) -> None:
    _library(tmp_path / "hero.blend", built=True)
    rig, *_ = _linked(tmp_path / "hero.blend")
    bone = rig.override_create(remap_local_usages=True).pose.bones["shin"]
    for frame, value in ((1, 0.0), (5, 1.0)):
        bone["IK"] = value
        bone.keyframe_insert('["IK"]', frame=frame)
    values = {"Softness": 0.3, "Stretch": 1.5, "Pole Angle": -0.7}
    for name, value in values.items():
        bone[name] = value
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    again = next(item for item in bpy.data.objects if item.override_library and item.type == "ARMATURE")
    bone = again.pose.bones["shin"]
    assert {name: bone[name] for name in values} == pytest.approx(values)
    for frame in range(1, 6):
        evaluated = again.evaluated_get(on_frame(frame)).pose.bones["shin"]
        assert evaluated.constraints[0].influence == pytest.approx(evaluated["IK"])
    assert bone["IK"] == 1.0


@pytest.mark.parametrize("overridden", [False, True])
@pytest.mark.parametrize("built", [False, True])
def test_linked_characters_are_refused_and_stay_as_they_are(overridden: bool, built: bool, tmp_path: Path) -> None:
    _library(tmp_path / "hero.blend", built=built)
    rig, *_ = _linked(tmp_path / "hero.blend")
    if overridden:
        rig = rig.override_create(remap_local_usages=True)
    on_frame(1)
    for request in (api.build, api.unbuild)[: 1 + built]:
        with refused(match="library"):
            request(rig)


def test_an_override_is_built_once_it_is_made_local_as_it_says(tmp_path: Path) -> None:
    _library(tmp_path / "hero.blend", built=False)
    rig = _linked(tmp_path / "hero.blend")[0].override_create(remap_local_usages=True)
    with refused(match="in the library file, or make the object and its armature local"):
        api.build(rig)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    bpy.ops.object.make_local(type="SELECT_OBDATA")
    assert api.build(rig).posed


def test_a_shared_armature_is_built_once_it_is_single_user() -> None:
    rig = hocks.leg("PARALLEL").id_data
    twin = rig.copy()
    bpy.context.scene.collection.objects.link(twin)
    for item in (rig, twin):
        with refused(match="whose bones would change as well: make the armature single-user"):
            api.build(item)
    twin.data = twin.data.copy()
    bpy.context.view_layer.update()
    assert api.build(rig).posed
    rig.data = twin.data
    with refused(match="single-user"):
        api.unbuild(rig)
