"""Bones of a built limb that are renamed, in each way that Blender has, and drivers that are broken."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import limb_states
from bpy.types import Object

from support import hocks, rigs, twisted
from support.built import CLOSE, poses, scatter
from support.truth import on_frame, save_and_load

OPTIONS = {"softness": 0.1, "unreachable": "STRETCH", "pole_angle": 0.3}


def _by_python(rig: Object) -> None:
    for bone in [*rig.data.bones]:
        bone.name = f"new {bone.name}"


def _in_edit_mode(rig: Object) -> None:
    with rigs.editing(rig) as bones:
        for bone in [*bones]:
            bone.name = f"new {bone.name}"


def _onto_each_other(rig: Object) -> None:
    """Each gets the name that another one had."""
    bones, names = [*rig.data.bones], [bone.name for bone in rig.data.bones]
    for number, bone in enumerate(bones):
        bone.name = f"#{number}"
    for bone, name in zip(bones, names[1:] + names[:1], strict=True):
        bone.name = name


@pytest.mark.versions
@pytest.mark.parametrize("rename", [_by_python, _in_edit_mode, _onto_each_other])
def test_a_limb_goes_on_when_all_its_bones_are_renamed(rename: Callable[[Object], None]) -> None:
    pole = rigs.empty("Pole", (2.0, -3.0, 2.0))
    chain = hocks.leg("PARALLEL", bones=hocks.TWISTING, use_twist=True, pole_target=pole, **OPTIONS)
    rig = chain.id_data
    api.build(rig)
    places = [bone.name for bone in rig.data.bones].index
    before = twisted.shown(rig, hocks.EVERY, ("thigh", "shin", "hock", "shin_twist"))
    numbers = [places(name) for name in ("thigh", "shin", "hock", "shin_twist")]
    rename(rig)
    renamed = [rig.data.bones[number].name for number in numbers]
    for _ in range(2):
        np.testing.assert_allclose(twisted.shown(rig, hocks.EVERY, renamed), before, atol=CLOSE)
        assert all(curve.driver.is_valid for curve in rig.animation_data.drivers)
        save_and_load()
        rig = bpy.data.objects["Rig"]
    assert limb_states(rig, bpy.context.scene, on_frame(1))["shin"].state == "BUILT"
    api.unbuild(rig)
    assert len(rig.data.bones) == len(hocks.TWISTING)


def _lost_property(rig: Object) -> None:
    del rig.pose.bones["lower"]["IK"]


def _lost_angle(rig: Object) -> None:
    del rig.pose.bones["IK-lower-lower"]["Hinge"]


def _wrong_path(rig: Object) -> None:
    driver = rig.animation_data.drivers.find('pose.bones["IK-upper-upper"].rotation_axis_angle', index=0).driver
    driver.variables["t"].targets[0].data_path = 'pose.bones["gone"]["Hinge"]'


@pytest.mark.parametrize("broken", [_lost_property, _lost_angle, _wrong_path])
def test_a_limb_with_a_broken_driver_is_to_be_built_again(broken: Callable[[Object], None]) -> None:
    rigs.arm(pole=(0.3, 3.0, 1.4))
    rig = bpy.data.objects["Rig"]
    scatter(bpy.data.objects["Target"], seed=3)
    api.build(rig)
    before = poses("upper", "lower")
    broken(rig)
    rig.update_tag()
    assert limb_states(rig, bpy.context.scene, on_frame(2))["lower"].state == "BUILT_BEFORE"
    api.build(rig)
    assert limb_states(rig, bpy.context.scene, on_frame(2))["lower"].state == "BUILT"
    np.testing.assert_allclose(poses("upper", "lower"), before, atol=CLOSE)
